/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider for OpenSSL 3: the private-key operations of RSA, and ECDSA and ECDH on P-256, on cores made by Modwright.
 *
 * Everything that needs no private key is done by the default provider, in a library context of its own. RSA keeps
 * OpenSSL's padding and blinding: a method replaces only the exponentiations. Every result of a device is checked before
 * it is used: a signature with the public key, a product of a point by the equation of the curve. What fails the check is
 * not released, and there is no way back to software.
 *
 * Settings, in the provider's section of openssl.cnf: rsa_device and ec_device, as mw_socket_open takes them, or
 * uio:/dev/uioN; milliseconds, the longest time of one operation of a device.
 */
#define OPENSSL_SUPPRESS_DEPRECATED /* RSA_METHOD is the one way to keep OpenSSL's padding and blinding */
#include "modwright_linux.h"

#include <openssl/bn.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/proverr.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

/* Generated with the cores; NULL where there is none. */
extern const struct mw_core *const mw_provider_rsa;
extern const struct mw_core *const mw_provider_ec;

#define NAME "Modwright"
#define VERSION "0.1.0"
#define PROPERTIES "provider=modwright"
#define FIELD_BYTES 32 /* P-256 */
#define FIELD_WORDS 8
#define UIO_BYTES 65536
#define TRIES 16 /* nonces of one signature: r or s is 0 with a chance of 2^-256 */

typedef void (*function)(void);

static int failed(int reason, const char *text)
{
    ERR_raise_data(ERR_LIB_PROV, reason, "modwright: %s", text);
    return 0;
}

/* --- devices */

struct device {
    const struct mw_core *core;
    const char *address;
    uint32_t milliseconds;
    CRYPTO_RWLOCK *lock;
    int open;
    struct mw_socket wire;
    struct mw_uio uio;
    struct mw_device device;
};

struct context {
    OSSL_LIB_CTX *libctx; /* with the default provider, for what is public */
    OSSL_PROVIDER *base;
    RSA_METHOD *method;
    struct device rsa, ec;
    BIGNUM *p, *a, *b, *order; /* of P-256 */
    EC_GROUP *group;
};

static void device_shut(struct device *d)
{
    if (!d->open) return;
    if (strncmp(d->address, "uio:", 4) == 0) mw_uio_close(&d->uio);
    else mw_socket_close(&d->wire);
    d->open = 0;
}

/* With the lock held. */
static int device_open(struct device *d)
{
    struct mw_bus bus;
    int status;
    if (d->open) return 1;
    if (!d->address) return failed(PROV_R_NOT_SUPPORTED, "no device is set for this kind of key");
    if (strncmp(d->address, "uio:", 4) == 0) status = mw_uio_open(&d->uio, &bus, d->address + 4, UIO_BYTES);
    else status = mw_socket_open(&d->wire, &bus, d->address);
    if (status) return failed(ERR_R_INTERNAL_ERROR, "the device cannot be opened");
    d->open = 1;
    status = mw_open(&d->device, &bus, d->core);
    if (d->milliseconds) d->device.milliseconds = d->milliseconds;
    if (!status) return 1;
    device_shut(d);
    return failed(ERR_R_INTERNAL_ERROR, mw_message(status));
}

/* After an operation: 1, or an error and a device that is opened anew next time. */
static int device_done(struct device *d, int status)
{
    if (status >= 0) return 1;
    if (status == MW_E_BUS || status == MW_E_TIMEOUT) device_shut(d);
    return failed(ERR_R_INTERNAL_ERROR, mw_message(status));
}

static int to_words(uint32_t *words, size_t count, const BIGNUM *a)
{
    uint8_t bytes[4 * MW_WORDS];
    int good;
    if (count > MW_WORDS || BN_is_negative(a) || BN_bn2binpad(a, bytes, (int)(4 * count)) < 0) return 0;
    good = mw_from_bytes(words, count, bytes, 4 * count) == MW_OK;
    OPENSSL_cleanse(bytes, sizeof bytes);
    return good;
}

static int from_words(BIGNUM *a, const uint32_t *words, size_t count)
{
    uint8_t bytes[4 * MW_WORDS];
    int good = mw_to_bytes(bytes, 4 * count, words, count) == MW_OK && BN_bin2bn(bytes, (int)(4 * count), a) != NULL;
    OPENSSL_cleanse(bytes, sizeof bytes);
    return good;
}

/* r = base^exponent mod m, for base < m. */
static int device_power(struct device *d, BIGNUM *r, const BIGNUM *base, const BIGNUM *exponent, const BIGNUM *m)
{
    uint32_t z[MW_WORDS], b[MW_WORDS], e[MW_WORDS], n[MW_WORDS];
    const size_t words = (size_t)(BN_num_bits(m) + 31) / 32;
    int good = words < MW_WORDS && to_words(b, words, base) && to_words(e, words, exponent) && to_words(n, words, m);
    if (!good) return failed(PROV_R_INVALID_KEY_LENGTH, "the key is too long");
    if (!CRYPTO_THREAD_write_lock(d->lock)) return 0;
    good = device_open(d) && device_done(d, mw_modexp(&d->device, z, b, e, words, n, words));
    CRYPTO_THREAD_unlock(d->lock);
    good = good && from_words(r, z, words);
    OPENSSL_cleanse(z, sizeof z);
    OPENSSL_cleanse(b, sizeof b);
    OPENSSL_cleanse(e, sizeof e);
    OPENSSL_cleanse(n, sizeof n);
    return good;
}

/* (rx, ry) = [k](x, y) on P-256, a finite point that satisfies the equation of the curve. */
static int device_multiply(struct context *c, BIGNUM *rx, BIGNUM *ry, const BIGNUM *k, const BIGNUM *x, const BIGNUM *y)
{
    uint32_t words[9][FIELD_WORDS];
    const BIGNUM *values[] = {k, x, y, c->p, c->a, c->b, c->order};
    const struct mw_curve curve = {words[3], words[4], words[5], words[6], FIELD_WORDS, FIELD_WORDS};
    struct device *d = &c->ec;
    EC_POINT *point = NULL;
    int status = 0, good = 1;
    for (size_t n = 0; n < 7; ++n) good = good && to_words(words[n], FIELD_WORDS, values[n]);
    if (!good || !CRYPTO_THREAD_write_lock(d->lock)) return 0;
    good = device_open(d);
    if (good) {
        status = mw_ecpm(&d->device, words[7], words[8], words[0], FIELD_WORDS, words[1], words[2], &curve);
        good = device_done(d, status);
    }
    CRYPTO_THREAD_unlock(d->lock);
    if (good && status == MW_INFINITY) good = failed(ERR_R_INTERNAL_ERROR, "the result is the point at infinity");
    if (good) good = from_words(rx, words[7], FIELD_WORDS) && from_words(ry, words[8], FIELD_WORDS);
    if (good) {
        point = EC_POINT_new(c->group);
        /* fails for a point that is not on the curve */
        if (!point || !EC_POINT_set_affine_coordinates(c->group, point, rx, ry, NULL))
            good = failed(ERR_R_INTERNAL_ERROR, "the device gave a point that is not on the curve; it was not used");
    }
    EC_POINT_free(point);
    OPENSSL_cleanse(words, sizeof words);
    return good;
}

/* --- keys */

enum kind { KIND_RSA, KIND_EC };

struct key {
    struct context *c;
    enum kind kind;
    EVP_PKEY *plain;  /* in the default provider */
    EVP_PKEY *device; /* RSA with the method of the device, once there is a private key */
    int is_private;
};

static int rsa_mod_exp(BIGNUM *r, const BIGNUM *value, RSA *rsa, BN_CTX *scratch)
{
    struct context *c = RSA_meth_get0_app_data(RSA_get_method(rsa));
    const BIGNUM *n, *e, *p, *q, *dp, *dq, *inverse;
    BIGNUM *reduced, *m1, *m2;
    int good = 0;
    RSA_get0_key(rsa, &n, &e, NULL);
    RSA_get0_factors(rsa, &p, &q);
    RSA_get0_crt_params(rsa, &dp, &dq, &inverse);
    BN_CTX_start(scratch);
    reduced = BN_CTX_get(scratch);
    m1 = BN_CTX_get(scratch);
    m2 = BN_CTX_get(scratch);
    if (!m2 || !p || !q || !dp || !dq || !inverse) goto end;
    if (!BN_mod(reduced, value, p, scratch) || !device_power(&c->rsa, m1, reduced, dp, p)) goto end;
    if (!BN_mod(reduced, value, q, scratch) || !device_power(&c->rsa, m2, reduced, dq, q)) goto end;
    /* Garner: m2 + q * ((m1 - m2) * inverse mod p) */
    if (!BN_mod_sub(m1, m1, m2, p, scratch) || !BN_mod_mul(m1, m1, inverse, p, scratch)) goto end;
    if (!BN_mul(m1, m1, q, scratch) || !BN_add(r, m1, m2)) goto end;
    if (!BN_mod_exp(reduced, r, e, n, scratch)) goto end;
    if (BN_cmp(reduced, value) != 0) {
        BN_zero(r);
        failed(ERR_R_INTERNAL_ERROR, "the device gave a wrong result; it was not released");
        goto end;
    }
    good = 1;
end:
    if (m2) {
        BN_clear(reduced);
        BN_clear(m1);
        BN_clear(m2);
    }
    BN_CTX_end(scratch);
    return good;
}

static BIGNUM *number(const EVP_PKEY *key, const char *name)
{
    BIGNUM *found = NULL;
    return EVP_PKEY_get_bn_param(key, name, &found) ? found : NULL;
}

/* The RSA key with the method of the device. */
static EVP_PKEY *rsa_on_device(struct context *c, const EVP_PKEY *plain)
{
    BIGNUM *n = number(plain, OSSL_PKEY_PARAM_RSA_N), *e = number(plain, OSSL_PKEY_PARAM_RSA_E);
    BIGNUM *d = number(plain, OSSL_PKEY_PARAM_RSA_D);
    BIGNUM *p = number(plain, OSSL_PKEY_PARAM_RSA_FACTOR1), *q = number(plain, OSSL_PKEY_PARAM_RSA_FACTOR2);
    BIGNUM *dp = number(plain, OSSL_PKEY_PARAM_RSA_EXPONENT1), *dq = number(plain, OSSL_PKEY_PARAM_RSA_EXPONENT2);
    BIGNUM *inverse = number(plain, OSSL_PKEY_PARAM_RSA_COEFFICIENT1);
    RSA *rsa = RSA_new();
    EVP_PKEY *key = EVP_PKEY_new();
    if (!rsa || !key || !n || !e || !d || !p || !q || !dp || !dq || !inverse) goto bad;
    if (!RSA_set_method(rsa, c->method)) goto bad;
    if (!RSA_set0_key(rsa, n, e, d)) goto bad;
    n = e = d = NULL;
    if (!RSA_set0_factors(rsa, p, q)) goto bad;
    p = q = NULL;
    if (!RSA_set0_crt_params(rsa, dp, dq, inverse)) goto bad;
    dp = dq = inverse = NULL;
    if (!EVP_PKEY_assign_RSA(key, rsa)) goto bad;
    return key;
bad:
    BN_free(n);
    BN_free(e);
    BN_clear_free(d);
    BN_clear_free(p);
    BN_clear_free(q);
    BN_clear_free(dp);
    BN_clear_free(dq);
    BN_clear_free(inverse);
    RSA_free(rsa);
    EVP_PKEY_free(key);
    return NULL;
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

static void key_free(void *data)
{
    struct key *key = data;
    if (!key) return;
    EVP_PKEY_free(key->plain);
    EVP_PKEY_free(key->device);
    OPENSSL_free(key);
}

static const char *kind_name(enum kind kind) { return kind == KIND_RSA ? "RSA" : "EC"; }

/* What follows from the plain key; 0 for a key that the device cannot take. */
static int key_complete(struct key *key)
{
    BIGNUM *secret;
    if (key->kind == KIND_EC) {
        char group[64];
        if (!EVP_PKEY_get_utf8_string_param(key->plain, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, NULL)
            || (strcmp(group, "prime256v1") && strcmp(group, "P-256") && strcmp(group, "secp256r1")))
            return failed(PROV_R_INVALID_CURVE, "only P-256 is on the device");
    }
    ERR_set_mark(); /* that there is no private key is no error */
    secret = number(key->plain, key->kind == KIND_RSA ? OSSL_PKEY_PARAM_RSA_D : OSSL_PKEY_PARAM_PRIV_KEY);
    key->is_private = secret != NULL;
    BN_clear_free(secret);
    ERR_pop_to_mark();
    if (key->is_private && key->kind == KIND_RSA) {
        key->device = rsa_on_device(key->c, key->plain);
        if (!key->device) return failed(PROV_R_INVALID_KEY, "the RSA key has no CRT parameters");
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
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) && key->kind == KIND_EC) {
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
    if (key->plain && (selection & OSSL_KEYMGMT_SELECT_KEYPAIR || key->kind == KIND_RSA)) {
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

static const OSSL_PARAM *key_gettable(void *c)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_int(OSSL_PKEY_PARAM_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_SECURITY_BITS, NULL),
        OSSL_PARAM_int(OSSL_PKEY_PARAM_MAX_SIZE, NULL),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_DEFAULT_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_PUB_X, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_PUB_Y, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)c;
    return list;
}

static int key_set_params(void *data, const OSSL_PARAM params[])
{
    struct key *key = data;
    const OSSL_PARAM *encoded = OSSL_PARAM_locate_const(params, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
    if (!encoded) return 1;
    return key->plain && EVP_PKEY_set1_encoded_public_key(key->plain, encoded->data, encoded->data_size);
}

static const OSSL_PARAM *key_settable(void *c)
{
    static const OSSL_PARAM list[] = {OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, NULL, 0),
                                      OSSL_PARAM_END};
    (void)c;
    return list;
}

/* The parameters that the default provider would list, for import and export. */
static const OSSL_PARAM *rsa_types(int selection)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0),          OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_D, NULL, 0),          OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR1, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR2, NULL, 0),    OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT1, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT2, NULL, 0),  OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)selection;
    return list;
}

static const OSSL_PARAM *ec_types(int selection)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
        OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)selection;
    return list;
}

static const char *ec_operation(int operation) { return operation == OSSL_OP_KEYEXCH ? "ECDH" : "ECDSA"; }

/* New keys and parameters of P-256, for a key exchange. */
struct generation {
    struct context *c;
    EVP_PKEY_CTX *ctx;
};

static void gen_cleanup(void *data)
{
    struct generation *g = data;
    if (!g) return;
    EVP_PKEY_CTX_free(g->ctx);
    OPENSSL_free(g);
}

static int gen_set_params(void *data, const OSSL_PARAM params[])
{
    struct generation *g = data;
    return EVP_PKEY_CTX_set_params(g->ctx, params);
}

static void *gen_init(void *c, int selection, const OSSL_PARAM params[])
{
    struct generation *g = OPENSSL_zalloc(sizeof *g);
    int good;
    if (!g) return NULL;
    g->c = c;
    g->ctx = EVP_PKEY_CTX_new_from_name(g->c->libctx, "EC", NULL);
    if (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) good = g->ctx && EVP_PKEY_keygen_init(g->ctx) > 0;
    else good = g->ctx && EVP_PKEY_paramgen_init(g->ctx) > 0;
    if (good && (!params || gen_set_params(g, params))) return g;
    gen_cleanup(g);
    return NULL;
}

/* A key on the curve of another one: what a server makes for the peer's share. */
static int gen_set_template(void *data, void *template)
{
    struct generation *g = data;
    const struct key *key = template;
    if (!key->plain) return 0;
    EVP_PKEY_CTX_free(g->ctx);
    g->ctx = EVP_PKEY_CTX_new_from_pkey(g->c->libctx, key->plain, NULL);
    return g->ctx && EVP_PKEY_keygen_init(g->ctx) > 0;
}

static const OSSL_PARAM *gen_settable(void *data, void *c)
{
    static const OSSL_PARAM list[] = {OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0), OSSL_PARAM_END};
    (void)data;
    (void)c;
    return list;
}

static void *gen_run(void *data, OSSL_CALLBACK *callback, void *argument)
{
    struct generation *g = data;
    struct key *key = key_new(g->c, KIND_EC);
    (void)callback;
    (void)argument;
    if (key && EVP_PKEY_generate(g->ctx, &key->plain) > 0 && key_complete(key)) return key;
    key_free(key);
    return NULL;
}

#define ENTRY(id, f) {id, (function)(f)}

static const OSSL_DISPATCH rsa_keymgmt[] = {
    ENTRY(OSSL_FUNC_KEYMGMT_NEW, rsa_new),
    ENTRY(OSSL_FUNC_KEYMGMT_FREE, key_free),
    ENTRY(OSSL_FUNC_KEYMGMT_HAS, key_has),
    ENTRY(OSSL_FUNC_KEYMGMT_MATCH, key_match),
    ENTRY(OSSL_FUNC_KEYMGMT_VALIDATE, key_validate),
    ENTRY(OSSL_FUNC_KEYMGMT_DUP, key_dup),
    ENTRY(OSSL_FUNC_KEYMGMT_IMPORT, key_import),
    ENTRY(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, rsa_types),
    ENTRY(OSSL_FUNC_KEYMGMT_EXPORT, key_export),
    ENTRY(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, rsa_types),
    ENTRY(OSSL_FUNC_KEYMGMT_GET_PARAMS, key_get_params),
    ENTRY(OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, key_gettable),
    {0, NULL},
};

static const OSSL_DISPATCH ec_keymgmt[] = {
    ENTRY(OSSL_FUNC_KEYMGMT_NEW, ec_new),
    ENTRY(OSSL_FUNC_KEYMGMT_FREE, key_free),
    ENTRY(OSSL_FUNC_KEYMGMT_HAS, key_has),
    ENTRY(OSSL_FUNC_KEYMGMT_MATCH, key_match),
    ENTRY(OSSL_FUNC_KEYMGMT_VALIDATE, key_validate),
    ENTRY(OSSL_FUNC_KEYMGMT_DUP, key_dup),
    ENTRY(OSSL_FUNC_KEYMGMT_IMPORT, key_import),
    ENTRY(OSSL_FUNC_KEYMGMT_IMPORT_TYPES, ec_types),
    ENTRY(OSSL_FUNC_KEYMGMT_EXPORT, key_export),
    ENTRY(OSSL_FUNC_KEYMGMT_EXPORT_TYPES, ec_types),
    ENTRY(OSSL_FUNC_KEYMGMT_GET_PARAMS, key_get_params),
    ENTRY(OSSL_FUNC_KEYMGMT_GETTABLE_PARAMS, key_gettable),
    ENTRY(OSSL_FUNC_KEYMGMT_SET_PARAMS, key_set_params),
    ENTRY(OSSL_FUNC_KEYMGMT_SETTABLE_PARAMS, key_settable),
    ENTRY(OSSL_FUNC_KEYMGMT_QUERY_OPERATION_NAME, ec_operation),
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_INIT, gen_init),
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_SET_TEMPLATE, gen_set_template),
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_SET_PARAMS, gen_set_params),
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_SETTABLE_PARAMS, gen_settable),
    ENTRY(OSSL_FUNC_KEYMGMT_GEN, gen_run),
    ENTRY(OSSL_FUNC_KEYMGMT_GEN_CLEANUP, gen_cleanup),
    {0, NULL},
};

/* --- signatures */

struct signing {
    struct context *c;
    struct key *key;
    int sign;
    EVP_MD_CTX *digest;  /* of a message; of RSA, and of every verification, with the key */
    EVP_PKEY_CTX *plain; /* of RSA, and of verifications; belongs to `digest` where there is one */
    int own;             /* `plain` does not */
    int cipher;          /* a decryption or an encryption */
};

static void *signing_new(void *c, const char *properties)
{
    struct signing *s = OPENSSL_zalloc(sizeof *s);
    (void)properties;
    if (s) s->c = c;
    return s;
}

static void signing_clear(struct signing *s)
{
    if (s->own) EVP_PKEY_CTX_free(s->plain);
    EVP_MD_CTX_free(s->digest);
    s->digest = NULL;
    s->plain = NULL;
    s->own = 0;
}

static void signing_free(void *data)
{
    struct signing *s = data;
    if (!s) return;
    signing_clear(s);
    OPENSSL_free(s);
}

static void *signing_dup(void *data)
{
    const struct signing *s = data;
    struct signing *copy = OPENSSL_zalloc(sizeof *copy);
    if (!copy) return NULL;
    copy->c = s->c;
    copy->key = s->key;
    copy->sign = s->sign;
    copy->own = s->own;
    copy->cipher = s->cipher;
    if (s->digest) {
        copy->digest = EVP_MD_CTX_new();
        if (!copy->digest || !EVP_MD_CTX_copy_ex(copy->digest, s->digest)) goto bad;
        if (s->plain) copy->plain = EVP_MD_CTX_get_pkey_ctx(copy->digest);
    } else if (s->plain && !(copy->plain = EVP_PKEY_CTX_dup(s->plain))) goto bad;
    return copy;
bad:
    signing_free(copy);
    return NULL;
}

/* An integer, or one of the words that stand for one; -100 for what is neither. */
static int meaning(const OSSL_PARAM *p)
{
    static const struct {
        const char *word;
        int value;
    } words[] = {
        {OSSL_PKEY_RSA_PAD_MODE_PKCSV15, RSA_PKCS1_PADDING},
        {OSSL_PKEY_RSA_PAD_MODE_PSS, RSA_PKCS1_PSS_PADDING},
        {OSSL_PKEY_RSA_PAD_MODE_OAEP, RSA_PKCS1_OAEP_PADDING},
        {OSSL_PKEY_RSA_PAD_MODE_NONE, RSA_NO_PADDING},
        {OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST, RSA_PSS_SALTLEN_DIGEST},
        {OSSL_PKEY_RSA_PSS_SALT_LEN_MAX, RSA_PSS_SALTLEN_MAX},
        {OSSL_PKEY_RSA_PSS_SALT_LEN_AUTO, RSA_PSS_SALTLEN_AUTO},
    };
    int value = -100;
    const char *text = NULL;
    char *end;
    if (OSSL_PARAM_get_int(p, &value)) return value;
    if (!OSSL_PARAM_get_utf8_string_ptr(p, &text) || !*text) return -100;
    for (size_t n = 0; n < sizeof words / sizeof *words; ++n)
        if (strcmp(words[n].word, text) == 0) return words[n].value;
    value = (int)strtol(text, &end, 10);
    return *end ? -100 : value;
}

static const EVP_MD *hash_of(const OSSL_PARAM *p)
{
    const char *name = NULL;
    return OSSL_PARAM_get_utf8_string_ptr(p, &name) ? EVP_get_digestbyname(name) : NULL;
}

/* Settings of RSA; those of ECDSA are none. */
static int signing_set(void *data, const OSSL_PARAM params[])
{
    struct signing *s = data;
    const OSSL_PARAM *p;
    if (!params || !s->plain || s->key->kind == KIND_EC) return 1;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE))
        && EVP_PKEY_CTX_set_rsa_padding(s->plain, meaning(p)) <= 0)
        return 0;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN))
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(s->plain, meaning(p)) <= 0)
        return 0;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST))
        && EVP_PKEY_CTX_set_rsa_mgf1_md(s->plain, hash_of(p)) <= 0)
        return 0;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST)) && !s->digest) {
        if (s->cipher) return EVP_PKEY_CTX_set_rsa_oaep_md(s->plain, hash_of(p)) > 0;
        return EVP_PKEY_CTX_set_signature_md(s->plain, hash_of(p)) > 0;
    }
    return 1;
}

/* Starts anew with a key; `mdname` NULL for a digest that comes ready. */
static int begin(struct signing *s, const char *mdname, struct key *key, const OSSL_PARAM params[], int sign)
{
    EVP_PKEY *inner;
    int good;
    if (!key && !s->key) return 0;
    signing_clear(s);
    if (key) s->key = key;
    s->sign = sign;
    if (sign && !s->key->is_private) return failed(PROV_R_MISSING_KEY, "no private key");
    if (mdname && !(s->digest = EVP_MD_CTX_new())) return 0;
    if (sign && s->key->kind == KIND_EC) { /* the device signs: only the digest is of OpenSSL */
        EVP_MD *md;
        if (!mdname) return 1;
        md = EVP_MD_fetch(s->c->libctx, mdname, NULL);
        good = md && EVP_DigestInit_ex(s->digest, md, NULL);
        EVP_MD_free(md);
        return good;
    }
    inner = sign ? s->key->device : s->key->plain;
    if (mdname) {
        if (sign) good = EVP_DigestSignInit_ex(s->digest, &s->plain, mdname, s->c->libctx, NULL, inner, NULL) > 0;
        else good = EVP_DigestVerifyInit_ex(s->digest, &s->plain, mdname, s->c->libctx, NULL, inner, NULL) > 0;
    } else {
        s->plain = EVP_PKEY_CTX_new_from_pkey(s->c->libctx, inner, NULL);
        s->own = 1;
        good = s->plain && (sign ? EVP_PKEY_sign_init(s->plain) : EVP_PKEY_verify_init(s->plain)) > 0;
    }
    return good && signing_set(s, params);
}

static int digest_sign_init(void *s, const char *mdname, void *key, const OSSL_PARAM params[])
{
    return begin(s, mdname ? mdname : "SHA256", key, params, 1);
}

static int digest_verify_init(void *s, const char *mdname, void *key, const OSSL_PARAM params[])
{
    return begin(s, mdname ? mdname : "SHA256", key, params, 0);
}

static int sign_init(void *s, void *key, const OSSL_PARAM params[]) { return begin(s, NULL, key, params, 1); }
static int verify_init(void *s, void *key, const OSSL_PARAM params[]) { return begin(s, NULL, key, params, 0); }

static int digest_update(void *data, const unsigned char *bytes, size_t length)
{
    struct signing *s = data;
    return s->digest && EVP_DigestUpdate(s->digest, bytes, length);
}

/* r = (x of [k]G) mod order, s = (z + r * d) / k mod order: SEC 1, section 4.1.3. */
static int ecdsa_numbers(struct context *c, BIGNUM *r, BIGNUM *s, const BIGNUM *z, const BIGNUM *d, BN_CTX *scratch)
{
    const EC_POINT *generator = EC_GROUP_get0_generator(c->group);
    BIGNUM *k, *gx, *gy, *x, *y;
    int good = 0;
    BN_CTX_start(scratch);
    k = BN_CTX_get(scratch);
    gx = BN_CTX_get(scratch);
    gy = BN_CTX_get(scratch);
    x = BN_CTX_get(scratch);
    y = BN_CTX_get(scratch);
    if (!y || !EC_POINT_get_affine_coordinates(c->group, generator, gx, gy, scratch)) goto end;
    BN_set_flags(k, BN_FLG_CONSTTIME);
    for (int left = TRIES; left && !good; --left) {
        if (!BN_priv_rand_range(k, c->order)) goto end;
        if (BN_is_zero(k)) continue;
        if (!device_multiply(c, x, y, k, gx, gy) || !BN_nnmod(r, x, c->order, scratch)) goto end;
        if (BN_is_zero(r)) continue;
        if (!BN_mod_mul(s, r, d, c->order, scratch) || !BN_mod_add(s, s, z, c->order, scratch)) goto end;
        if (!BN_mod_inverse(k, k, c->order, scratch) || !BN_mod_mul(s, s, k, c->order, scratch)) goto end;
        good = !BN_is_zero(s);
    }
end:
    if (y) {
        BN_clear(k);
        BN_clear(x);
        BN_clear(y);
    }
    BN_CTX_end(scratch);
    return good;
}

/* Whether the public key accepts a signature of a digest. */
static int accepted(struct key *key, const unsigned char *sig, size_t length, const unsigned char *digest, size_t size)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(key->c->libctx, key->plain, NULL);
    const int good = ctx && EVP_PKEY_verify_init(ctx) > 0 && EVP_PKEY_verify(ctx, sig, length, digest, size) == 1;
    EVP_PKEY_CTX_free(ctx);
    return good;
}

static int ecdsa_sign(struct key *key, unsigned char *sig, size_t *length, size_t size, const unsigned char *digest,
                      size_t digest_size)
{
    struct context *c = key->c;
    BN_CTX *scratch = BN_CTX_secure_new_ex(c->libctx);
    BIGNUM *d = number(key->plain, OSSL_PKEY_PARAM_PRIV_KEY);
    BIGNUM *r = BN_new(), *s = BN_new();
    BIGNUM *z = BN_bin2bn(digest, (int)(digest_size < FIELD_BYTES ? digest_size : FIELD_BYTES), NULL);
    ECDSA_SIG *made = ECDSA_SIG_new();
    unsigned char *at = sig;
    int good = 0, encoded;
    if (!scratch || !d || !r || !s || !z || !made || !ecdsa_numbers(c, r, s, z, d, scratch)) goto end;
    if (!ECDSA_SIG_set0(made, r, s)) goto end;
    r = s = NULL;
    encoded = i2d_ECDSA_SIG(made, NULL);
    if (encoded <= 0 || (size_t)encoded > size) goto end;
    *length = (size_t)i2d_ECDSA_SIG(made, &at);
    good = accepted(key, sig, *length, digest, digest_size);
    if (!good) {
        OPENSSL_cleanse(sig, *length);
        failed(ERR_R_INTERNAL_ERROR, "the device gave a wrong result; it was not released");
    }
end:
    BN_CTX_free(scratch);
    BN_clear_free(d);
    BN_free(r);
    BN_free(s);
    BN_free(z);
    ECDSA_SIG_free(made);
    return good;
}

static int sign(void *data, unsigned char *sig, size_t *length, size_t size, const unsigned char *digest,
                size_t digest_size)
{
    struct signing *s = data;
    if (!sig) {
        *length = (size_t)EVP_PKEY_get_size(s->key->plain);
        return 1;
    }
    if (s->key->kind == KIND_EC) return ecdsa_sign(s->key, sig, length, size, digest, digest_size);
    *length = size;
    return EVP_PKEY_sign(s->plain, sig, length, digest, digest_size) > 0;
}

static int digest_sign_final(void *data, unsigned char *sig, size_t *length, size_t size)
{
    struct signing *s = data;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int digest_size = 0;
    if (!s->digest) return 0;
    if (!sig) {
        *length = (size_t)EVP_PKEY_get_size(s->key->plain);
        return 1;
    }
    if (s->key->kind == KIND_EC)
        return EVP_DigestFinal_ex(s->digest, digest, &digest_size)
               && ecdsa_sign(s->key, sig, length, size, digest, digest_size);
    *length = size;
    return EVP_DigestSignFinal(s->digest, sig, length) > 0;
}

static int verify(void *data, const unsigned char *sig, size_t length, const unsigned char *digest, size_t digest_size)
{
    struct signing *s = data;
    return s->plain && EVP_PKEY_verify(s->plain, sig, length, digest, digest_size) == 1;
}

static int digest_verify_final(void *data, const unsigned char *sig, size_t length)
{
    struct signing *s = data;
    return s->digest && EVP_DigestVerifyFinal(s->digest, sig, length) == 1;
}

static const OSSL_PARAM *signing_settable(void *data, void *c)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)data;
    (void)c;
    return list;
}

static const OSSL_DISPATCH signature[] = {
    ENTRY(OSSL_FUNC_SIGNATURE_NEWCTX, signing_new),
    ENTRY(OSSL_FUNC_SIGNATURE_FREECTX, signing_free),
    ENTRY(OSSL_FUNC_SIGNATURE_DUPCTX, signing_dup),
    ENTRY(OSSL_FUNC_SIGNATURE_SIGN_INIT, sign_init),
    ENTRY(OSSL_FUNC_SIGNATURE_SIGN, sign),
    ENTRY(OSSL_FUNC_SIGNATURE_VERIFY_INIT, verify_init),
    ENTRY(OSSL_FUNC_SIGNATURE_VERIFY, verify),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, digest_sign_init),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, digest_update),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, digest_sign_final),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, digest_verify_init),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, digest_update),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, digest_verify_final),
    ENTRY(OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, signing_set),
    ENTRY(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, signing_settable),
    {0, NULL},
};

/* --- decryption with RSA */

static int cipher_begin(struct signing *s, struct key *key, const OSSL_PARAM params[], int decrypt)
{
    EVP_PKEY *inner;
    signing_clear(s);
    s->key = key;
    s->cipher = 1;
    if (decrypt && !key->is_private) return failed(PROV_R_MISSING_KEY, "no private key");
    inner = decrypt ? key->device : key->plain;
    s->plain = EVP_PKEY_CTX_new_from_pkey(s->c->libctx, inner, NULL);
    s->own = 1;
    return s->plain && (decrypt ? EVP_PKEY_decrypt_init(s->plain) : EVP_PKEY_encrypt_init(s->plain)) > 0
           && signing_set(s, params);
}

static void *cipher_new(void *c) { return signing_new(c, NULL); }
static int decrypt_init(void *s, void *key, const OSSL_PARAM params[]) { return cipher_begin(s, key, params, 1); }
static int encrypt_init(void *s, void *key, const OSSL_PARAM params[]) { return cipher_begin(s, key, params, 0); }

static int decrypt(void *data, unsigned char *out, size_t *length, size_t size, const unsigned char *in, size_t in_size)
{
    struct signing *s = data;
    *length = size;
    return EVP_PKEY_decrypt(s->plain, out, length, in, in_size) > 0;
}

static int encrypt(void *data, unsigned char *out, size_t *length, size_t size, const unsigned char *in, size_t in_size)
{
    struct signing *s = data;
    *length = size;
    return EVP_PKEY_encrypt(s->plain, out, length, in, in_size) > 0;
}

static const OSSL_PARAM *cipher_settable(void *data, void *c)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, NULL, 0),
        OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)data;
    (void)c;
    return list;
}

static const OSSL_DISPATCH cipher[] = {
    ENTRY(OSSL_FUNC_ASYM_CIPHER_NEWCTX, cipher_new),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_FREECTX, signing_free),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DUPCTX, signing_dup),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, decrypt_init),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DECRYPT, decrypt),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, encrypt_init),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_ENCRYPT, encrypt),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, signing_set),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, cipher_settable),
    {0, NULL},
};

/* --- ECDH */

struct exchange {
    struct context *c;
    struct key *key, *peer;
};

static void *exchange_new(void *c)
{
    struct exchange *x = OPENSSL_zalloc(sizeof *x);
    if (x) x->c = c;
    return x;
}

static void exchange_free(void *data) { OPENSSL_free(data); }

static int exchange_init(void *data, void *key, const OSSL_PARAM params[])
{
    struct exchange *x = data;
    (void)params;
    x->key = key;
    return x->key->is_private ? 1 : failed(PROV_R_MISSING_KEY, "no private key");
}

static int exchange_set_peer(void *data, void *peer)
{
    struct exchange *x = data;
    x->peer = peer;
    return x->peer->plain != NULL;
}

static int exchange_derive(void *data, unsigned char *secret, size_t *length, size_t size)
{
    struct exchange *x = data;
    BIGNUM *d = NULL, *px = NULL, *py = NULL, *rx = BN_secure_new(), *ry = BN_secure_new();
    int good = 0;
    *length = FIELD_BYTES;
    if (!secret) good = 1;
    else if (size >= FIELD_BYTES && x->key && x->peer) {
        d = number(x->key->plain, OSSL_PKEY_PARAM_PRIV_KEY);
        px = number(x->peer->plain, OSSL_PKEY_PARAM_EC_PUB_X);
        py = number(x->peer->plain, OSSL_PKEY_PARAM_EC_PUB_Y);
        good = d && px && py && rx && ry && device_multiply(x->c, rx, ry, d, px, py)
               && BN_bn2binpad(rx, secret, FIELD_BYTES) == FIELD_BYTES;
    }
    BN_clear_free(d);
    BN_free(px);
    BN_free(py);
    BN_clear_free(rx);
    BN_clear_free(ry);
    return good;
}

static const OSSL_DISPATCH exchange[] = {
    ENTRY(OSSL_FUNC_KEYEXCH_NEWCTX, exchange_new),
    ENTRY(OSSL_FUNC_KEYEXCH_FREECTX, exchange_free),
    ENTRY(OSSL_FUNC_KEYEXCH_INIT, exchange_init),
    ENTRY(OSSL_FUNC_KEYEXCH_SET_PEER, exchange_set_peer),
    ENTRY(OSSL_FUNC_KEYEXCH_DERIVE, exchange_derive),
    {0, NULL},
};

/* --- the provider */

#define RSA_NAMES "RSA:rsaEncryption:1.2.840.113549.1.1.1"
#define EC_NAMES "EC:id-ecPublicKey:1.2.840.10045.2.1"

static const OSSL_ALGORITHM *query(void *data, int operation, int *no_cache)
{
    static const OSSL_ALGORITHM keymgmts[] = {{RSA_NAMES, PROPERTIES, rsa_keymgmt, "RSA keys"},
                                              {EC_NAMES, PROPERTIES, ec_keymgmt, "keys on P-256"},
                                              {NULL, NULL, NULL, NULL}};
    static const OSSL_ALGORITHM signatures[] = {{RSA_NAMES, PROPERTIES, signature, "RSA signatures"},
                                                {"ECDSA", PROPERTIES, signature, "ECDSA on P-256"},
                                                {NULL, NULL, NULL, NULL}};
    static const OSSL_ALGORITHM rsa_keymgmts[] = {{RSA_NAMES, PROPERTIES, rsa_keymgmt, "RSA keys"},
                                                  {NULL, NULL, NULL, NULL}};
    static const OSSL_ALGORITHM rsa_signatures[] = {{RSA_NAMES, PROPERTIES, signature, "RSA signatures"},
                                                    {NULL, NULL, NULL, NULL}};
    static const OSSL_ALGORITHM ciphers[] = {{RSA_NAMES, PROPERTIES, cipher, "RSA decryption"},
                                             {NULL, NULL, NULL, NULL}};
    static const OSSL_ALGORITHM exchanges[] = {{"ECDH", PROPERTIES, exchange, "ECDH on P-256"},
                                               {NULL, NULL, NULL, NULL}};
    const struct context *c = data;
    const int rsa = c->rsa.address != NULL, ec = c->ec.address != NULL;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_KEYMGMT: return rsa ? (ec ? keymgmts : rsa_keymgmts) : (ec ? keymgmts + 1 : NULL);
    case OSSL_OP_SIGNATURE: return rsa ? (ec ? signatures : rsa_signatures) : (ec ? signatures + 1 : NULL);
    case OSSL_OP_ASYM_CIPHER: return rsa ? ciphers : NULL;
    case OSSL_OP_KEYEXCH: return ec ? exchanges : NULL;
    default: return NULL;
    }
}

/* libssl takes a group from the provider whose EC keys it gets: so P-256 is offered here, too. */
static int capabilities(void *data, const char *capability, OSSL_CALLBACK *callback, void *argument)
{
    static unsigned int id = 23 /* IANA: secp256r1 */, bits = 128;
    static int least = 0x0301 /* TLS 1.0 */, most = 0, least_dtls = 0xFEFF /* DTLS 1.0 */, most_dtls = 0;
    const struct context *c = data;
    static const char *const names[] = {"secp256r1", "P-256"};
    if (strcmp(capability, "TLS-GROUP") || !c->ec.address) return 1;
    for (size_t n = 0; n < 2; ++n) {
        OSSL_PARAM list[] = {
            OSSL_PARAM_utf8_string(OSSL_CAPABILITY_TLS_GROUP_NAME, (char *)names[n], strlen(names[n]) + 1),
            OSSL_PARAM_utf8_string(OSSL_CAPABILITY_TLS_GROUP_NAME_INTERNAL, "prime256v1", sizeof "prime256v1"),
            OSSL_PARAM_utf8_string(OSSL_CAPABILITY_TLS_GROUP_ALG, "EC", sizeof "EC"),
            OSSL_PARAM_uint(OSSL_CAPABILITY_TLS_GROUP_ID, &id),
            OSSL_PARAM_uint(OSSL_CAPABILITY_TLS_GROUP_SECURITY_BITS, &bits),
            OSSL_PARAM_int(OSSL_CAPABILITY_TLS_GROUP_MIN_TLS, &least),
            OSSL_PARAM_int(OSSL_CAPABILITY_TLS_GROUP_MAX_TLS, &most),
            OSSL_PARAM_int(OSSL_CAPABILITY_TLS_GROUP_MIN_DTLS, &least_dtls),
            OSSL_PARAM_int(OSSL_CAPABILITY_TLS_GROUP_MAX_DTLS, &most_dtls),
            OSSL_PARAM_END,
        };
        if (!callback(list, argument)) return 0;
    }
    return 1;
}

static int provider_get_params(void *c, OSSL_PARAM params[])
{
    OSSL_PARAM *p;
    (void)c;
    if ((p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_NAME)) && !OSSL_PARAM_set_utf8_ptr(p, NAME)) return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_VERSION)) && !OSSL_PARAM_set_utf8_ptr(p, VERSION)) return 0;
    if ((p = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS)) && !OSSL_PARAM_set_int(p, 1)) return 0;
    return 1;
}

static const OSSL_PARAM *provider_gettable(void *c)
{
    static const OSSL_PARAM list[] = {
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, NULL, 0),
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR, NULL, 0),
        OSSL_PARAM_DEFN(OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER, NULL, 0),
        OSSL_PARAM_END,
    };
    (void)c;
    return list;
}

static void device_free(struct device *d)
{
    device_shut(d);
    CRYPTO_THREAD_lock_free(d->lock);
    OPENSSL_free((char *)d->address);
}

static void teardown(void *data)
{
    struct context *c = data;
    device_free(&c->rsa);
    device_free(&c->ec);
    RSA_meth_free(c->method);
    BN_free(c->p);
    BN_free(c->a);
    BN_free(c->b);
    BN_free(c->order);
    EC_GROUP_free(c->group);
    OSSL_PROVIDER_unload(c->base);
    OSSL_LIB_CTX_free(c->libctx);
    OPENSSL_free(c);
}

/* A core without a setting, or a setting without a core, gives no algorithms. */
static int device_set(struct device *d, const struct mw_core *core, const char *address, const char *milliseconds)
{
    d->core = core;
    d->lock = CRYPTO_THREAD_lock_new();
    d->milliseconds = milliseconds ? (uint32_t)strtoul(milliseconds, NULL, 10) : 0;
    if (core && address && !(d->address = OPENSSL_strdup(address))) return 0;
    return d->lock != NULL;
}

static int curve_set(struct context *c)
{
    c->p = BN_new();
    c->a = BN_new();
    c->b = BN_new();
    c->order = BN_new();
    c->group = EC_GROUP_new_by_curve_name_ex(c->libctx, NULL, NID_X9_62_prime256v1);
    return c->p && c->a && c->b && c->order && c->group && EC_GROUP_get_curve(c->group, c->p, c->a, c->b, NULL)
           && EC_GROUP_get_order(c->group, c->order, NULL);
}

static int method_set(struct context *c)
{
    c->method = RSA_meth_dup(RSA_PKCS1_OpenSSL());
    return c->method && RSA_meth_set1_name(c->method, NAME) && RSA_meth_set_mod_exp(c->method, rsa_mod_exp)
           && RSA_meth_set0_app_data(c->method, c);
}

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **data)
{
    static const OSSL_DISPATCH functions[] = {
        ENTRY(OSSL_FUNC_PROVIDER_TEARDOWN, teardown),
        ENTRY(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
        ENTRY(OSSL_FUNC_PROVIDER_GET_PARAMS, provider_get_params),
        ENTRY(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, provider_gettable),
        ENTRY(OSSL_FUNC_PROVIDER_GET_CAPABILITIES, capabilities),
        {0, NULL},
    };
    OSSL_FUNC_core_get_params_fn *get_params = NULL;
    char *rsa = NULL, *ec = NULL, *milliseconds = NULL;
    OSSL_PARAM settings[] = {
        OSSL_PARAM_utf8_ptr("rsa_device", &rsa, 0),
        OSSL_PARAM_utf8_ptr("ec_device", &ec, 0),
        OSSL_PARAM_utf8_ptr("milliseconds", &milliseconds, 0),
        OSSL_PARAM_END,
    };
    struct context *c;
    for (; in->function_id; ++in)
        if (in->function_id == OSSL_FUNC_CORE_GET_PARAMS) get_params = OSSL_FUNC_core_get_params(in);
    c = OPENSSL_zalloc(sizeof *c);
    if (!c) return 0;
    if (get_params) (void)get_params(handle, settings);
    c->libctx = OSSL_LIB_CTX_new();
    c->base = c->libctx ? OSSL_PROVIDER_load(c->libctx, "default") : NULL;
    if (!c->base || !device_set(&c->rsa, mw_provider_rsa, rsa, milliseconds)
        || !device_set(&c->ec, mw_provider_ec, ec, milliseconds) || !curve_set(c) || !method_set(c)) {
        teardown(c);
        return 0;
    }
    *out = functions;
    *data = c;
    return 1;
}
