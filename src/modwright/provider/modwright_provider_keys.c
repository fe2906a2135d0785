/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: their numbers in the default provider. */
#include "modwright_provider.h"

#include <openssl/objects.h>
#include <string.h>

#define GROUP_NAME 64 /* bytes of a curve's name, more than the longest that OpenSSL has */

BIGNUM *mwp_number(const EVP_PKEY *key, const char *name)
{
    BIGNUM *found = NULL;
    return EVP_PKEY_get_bn_param(key, name, &found) ? found : NULL;
}

static struct key *key_new(struct context *c, enum kind kind)
{
    struct key *key = OPENSSL_zalloc(sizeof *key);
    if (key) {
        key->c = c;
        key->kind = kind;
    }
    return key;
}

static void *rsa_new(void *c) { return key_new(c, KIND_RSA); }
static void *ec_new(void *c) { return key_new(c, KIND_EC); }
static void *x25519_new(void *c) { return key_new(c, KIND_X25519); }
static void *ed25519_new(void *c) { return key_new(c, KIND_ED25519); }

static void key_free(void *data)
{
    struct key *key = data;
    if (!key) return;
    EVP_PKEY_free(key->plain);
    EVP_PKEY_free(key->device);
    EC_GROUP_free(key->group);
    OPENSSL_free(key);
}

static const char *kind_name(enum kind kind)
{
    static const char *const names[] = {"RSA", "EC", "X25519", "ED25519"}; /* in the order of `enum kind` */
    return names[kind];
}

static int has_private(const struct key *key)
{
    const char *name = key->kind == KIND_RSA ? OSSL_PKEY_PARAM_RSA_D : OSSL_PKEY_PARAM_PRIV_KEY;
    size_t length = 0;
    BIGNUM *secret = NULL;
    int found;
    ERR_set_mark(); /* a missing one is not an error */
    if (key->kind == KIND_RSA || key->kind == KIND_EC) found = (secret = mwp_number(key->plain, name)) != NULL;
    else found = EVP_PKEY_get_octet_string_param(key->plain, name, NULL, 0, &length) && length > 0;
    BN_clear_free(secret);
    ERR_pop_to_mark();
    return found;
}

/* A curve that OpenSSL names, in this library context; NULL for another name. */
static EC_GROUP *group_named(struct context *c, const char *name)
{
    const int number = OBJ_txt2nid(name);
    return EC_GROUP_new_by_curve_name_ex(c->libctx, NULL, number != NID_undef ? number : EC_curve_nist2nid(name));
}

/* What follows from the plain key; 0 for a key that the device cannot take. */
static int key_complete(struct key *key)
{
    if (key->kind == KIND_EC) {
        char name[GROUP_NAME];
        if (EVP_PKEY_get_utf8_string_param(key->plain, OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name, NULL))
            key->group = group_named(key->c, name);
        if (!mwp_multiply_takes(key->c, key->group) && !mwp_ecdsa_takes(key->c, key->group))
            return mwp_failed(PROV_R_INVALID_CURVE, "the curve is on no device");
    }
    key->is_private = has_private(key);
    if (key->is_private && key->kind == KIND_RSA) {
        key->device = mwp_rsa_on_device(key->c, key->plain);
        if (!key->device) return mwp_failed(PROV_R_INVALID_KEY, "the RSA key has no CRT parameters");
    }
    return 1;
}

static int key_import(void *data, int selection, const OSSL_PARAM params[])
{
    struct key *key = data;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(key->c->libctx, kind_name(key->kind), NULL);
    int good = ctx && EVP_PKEY_fromdata_init(ctx) > 0
               && EVP_PKEY_fromdata(ctx, &key->plain, selection, (OSSL_PARAM *)params) > 0 && key_complete(key);
    EVP_PKEY_CTX_free(ctx);
    return good;
}

static int key_export(void *data, int selection, OSSL_CALLBACK *callback, void *argument)
{
    struct key *key = data;
    return key->plain && EVP_PKEY_export(key->plain, selection, callback, argument);
}

static int key_has(const void *data, int selection)
{
    const struct key *key = data;
    if (!key || !key->plain) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) && !key->is_private) return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) && key->kind != KIND_RSA) {
        size_t length = 0;
        return EVP_PKEY_get_octet_string_param(key->plain, OSSL_PKEY_PARAM_PUB_KEY, NULL, 0, &length) && length > 1;
    }
    return 1;
}

static int key_match(const void *one, const void *other, int selection)
{
    const struct key *a = one, *b = other;
    if (!a->plain || !b->plain) return 0;
    if (!(selection & OSSL_KEYMGMT_SELECT_KEYPAIR)) return EVP_PKEY_parameters_eq(a->plain, b->plain) == 1;
    return EVP_PKEY_eq(a->plain, b->plain) == 1;
}

static int key_validate(const void *data, int selection, int type)
{
    const struct key *key = data;
    EVP_PKEY_CTX *ctx;
    int good = 1;
    (void)type;
    if (!key->plain) return 0;
    ctx = EVP_PKEY_CTX_new_from_pkey(key->c->libctx, key->plain, NULL);
    if (selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS && key->kind == KIND_EC) good = EVP_PKEY_param_check(ctx) > 0;
    if (good && selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) good = EVP_PKEY_public_check(ctx) > 0;
    if (good && selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) good = EVP_PKEY_pairwise_check(ctx) > 0;
    EVP_PKEY_CTX_free(ctx);
    return good;
}

static void *key_dup(const void *data, int selection)
{
    const struct key *key = data;
    struct key *copy = key_new(key->c, key->kind);
    if (!copy) return NULL;
    if (key->plain && (selection & OSSL_KEYMGMT_SELECT_KEYPAIR || key->kind != KIND_EC)) {
        copy->plain = EVP_PKEY_dup(key->plain);
    } else if (key->plain) {
        copy->plain = EVP_PKEY_new();
        if (!copy->plain || !EVP_PKEY_copy_parameters(copy->plain, key->plain)) goto bad;
    }
    if (key->plain && (!copy->plain || !key_complete(copy))) goto bad;
    return copy;
bad:
    key_free(copy);
    return NULL;
}

static int key_get_params(void *data, OSSL_PARAM params[])
{
    struct key *key = data;
    return key->plain && EVP_PKEY_get_params(key->plain, params);
}

LIST_FOR(key_gettable, void *,
         OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
         OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
         OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
         OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_DEFAULT_DIGEST, NULL, 0),
         OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_MANDATORY_DIGEST, NULL, 0),
         OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
         OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
         OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_PUB_X, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_PUB_Y, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0))

static int key_set_params(void *data, const OSSL_PARAM params[])
{
    struct key *key = data;
    const OSSL_PARAM *encoded = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
    if (!encoded) return 1;
    return key->plain && EVP_PKEY_set1_encoded_public_key(key->plain, encoded->data, encoded->data_size);
}

LIST_FOR(key_settable, void *, OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0))

/* The parameters that the default provider would list, for import and export. */
LIST_FOR(rsa_types, int,
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_D, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR1, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR2, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT1, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT2, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, NULL, 0))

LIST_FOR(ec_types, int,
         OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
         OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
         OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0))

LIST_FOR(octet_types, int,
         OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
         OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0))

static const char *ec_operation(int operation) { return operation == OSSL_OP_KEYEXCH ? "ECDH" : "ECDSA"; }

/* New keys, and parameters of P-256, for a key exchange. */
struct generation {
    struct context *c;
    enum kind kind;
    EVP_PKEY_CTX *ctx;
    EC_GROUP *group; /* that a name or another key gave */
    int pair;        /* a key, and not parameters only */
};

static void gen_cleanup(void *data)
{
    struct generation *g = data;
    if (!g) return;
    EVP_PKEY_CTX_free(g->ctx);
    EC_GROUP_free(g->group);
    OPENSSL_free(g);
}

static int gen_set_params(void *data, const OSSL_PARAM params[])
{
    struct generation *g = data;
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_GROUP_NAME);
    const char *name = NULL;
    if (g->kind == KIND_EC && p && OSSL_PARAM_get_utf8_string_ptr(p, &name)) {
        EC_GROUP_free(g->group);
        g->group = group_named(g->c, name);
    }
    return EVP_PKEY_CTX_set_params(g->ctx, params);
}

static void *gen_init(struct context *c, enum kind kind, int selection, const OSSL_PARAM params[])
{
    struct generation *g = OPENSSL_zalloc(sizeof *g);
    int good;
    if (!g) return NULL;
    g->c = c;
    g->kind = kind;
    g->ctx = EVP_PKEY_CTX_new_from_name(g->c->libctx, kind_name(kind), NULL);
    g->pair = (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0;
    if (g->pair) good = g->ctx && EVP_PKEY_keygen_init(g->ctx) > 0;
    else good = g->ctx && EVP_PKEY_paramgen_init(g->ctx) > 0;
    if (good && (!params || gen_set_params(g, params))) return g;
    gen_cleanup(g);
    return NULL;
}

static void *ec_gen_init(void *c, int selection, const OSSL_PARAM params[])
{
    return gen_init(c, KIND_EC, selection, params);
}

static void *x25519_gen_init(void *c, int selection, const OSSL_PARAM params[])
{
    return gen_init(c, KIND_X25519, selection, params);
}

static void *ed25519_gen_init(void *c, int selection, const OSSL_PARAM params[])
{
    return gen_init(c, KIND_ED25519, selection, params);
}

/* A key on the curve of another one: what a server makes for the peer's share. */
static int gen_set_template(void *data, void *template)
{
    struct generation *g = data;
    const struct key *key = template;
    if (!key->plain) return 0;
    EVP_PKEY_CTX_free(g->ctx);
    EC_GROUP_free(g->group);
    g->group = key->group ? EC_GROUP_dup(key->group) : NULL;
    g->ctx = EVP_PKEY_CTX_new_from_pkey(g->c->libctx, key->plain, NULL);
    return g->ctx && EVP_PKEY_keygen_init(g->ctx) > 0;
}

LIST_FOR_TWO(gen_settable, OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0))

static void *gen_run(void *data, OSSL_CALLBACK *callback, void *argument)
{
    struct generation *g = data;
    struct key *key = key_new(g->c, g->kind);
    const int by_device = g->pair && mwp_ecdsa_takes(g->c, g->group);
    int good = key != NULL;
    (void)callback;
    (void)argument;
    if (good && by_device) good = (key->plain = mwp_ecdsa_generate(g->c, g->group)) != NULL;
    else if (good) good = EVP_PKEY_generate(g->ctx, &key->plain) > 0;
    if (good && key_complete(key) && (!by_device || mwp_ecdsa_fits(key))) return key;
    key_free(key);
    return NULL;
}

/* What all kinds of keys do; each has a function that makes one, and the types of its numbers. */
#define KEY_ENTRIES(new, types) \
    ENTRY(OSSL_FUNC_KEYMGMT_NEW, new), \
    ENTRY(OSSL_FUNC_KEYMGMT_FREE, key_free), \
    ENTRY(OSSL_FUNC_KEYMGMT_HAS, key_has), \
    ENTRY(OSSL_FUNC_KEYMGMT_MATCH, key_match), \
    ENTRY(OSSL_FUNC_KEYMGMT_VALIDATE, key_validate), \
    ENTRY(OSSL_FUNC_KEYMGMT_DUP, key_dup), \
    ENTRY(OSSL_FUNC_KEYMGMT_IMPORT, key_import), \
    ENTRY(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, types), \
    ENTRY(OSSL_FUNC_KEYMGMT_EXPORT, key_export), \
    ENTRY(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, types), \
    ENTRY(OSSL_FUNC_KEYMGMT_GET_PARAMS, key_get_params), \
    ENTRY(OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, key_gettable)

/* And those on curves: a key of the peer by its bytes, and new keys. */
#define CURVE_ENTRIES(init) \
    ENTRY(OSSL_FUNC_KEYMGMT_SET_PARAMS, key_set_params), \
    ENTRY(OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS, key_settable), \
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_INIT, init), \
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE, gen_set_template), \
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, gen_set_params), \
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, gen_settable), \
    ENTRY(OSSL_FUNC_KEYMGMT_GEN, gen_run), \
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_CLEANUP, gen_cleanup)

const OSSL_DISPATCH mwp_rsa_keymgmt[] = {KEY_ENTRIES(rsa_new, rsa_types), {0, NULL}};

const OSSL_DISPATCH mwp_ec_keymgmt[] = {
    KEY_ENTRIES(ec_new, ec_types),
    CURVE_ENTRIES(ec_gen_init),
    ENTRY(OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, ec_operation),
    {0, NULL},
};

const OSSL_DISPATCH mwp_x25519_keymgmt[] = {KEY_ENTRIES(x25519_new, octet_types), CURVE_ENTRIES(x25519_gen_init), {0, NULL}};
const OSSL_DISPATCH mwp_ed25519_keymgmt[] = {
    KEY_ENTRIES(ed25519_new, octet_types), CURVE_ENTRIES(ed25519_gen_init), {0, NULL}};
