/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A provider for OpenSSL 3: the private-key operations of RSA, ECDSA, ECDH on P-256, X25519 and Ed25519, on cores made by
 * Modwright; ECDSA with its verification, where there is a core for all of it.
 *
 * Everything else that needs no private key is done by the default provider, in a library context of its own. RSA keeps
 * OpenSSL's padding and blinding: a method replaces only the exponentiations. Every result of a device is checked before
 * it is used: a signature with the public key, a product of a point on P-256 by the equation of the curve. What fails the
 * check is not released, and there is no way back to software. A product of X25519 has no check: it is one coordinate.
 *
 * Settings, in the provider's section of openssl.cnf: rsa_device, ec_device, ecdsa_device, x25519_device and
 * ed25519_device, one or more of unix:PATH or of uio:/dev/uioN with commas between; milliseconds, the longest time of
 * one operation of a device.
 */
#include "modwright_provider.h"

#include <openssl/obj_mac.h>
#include <string.h>

/* Generated with the cores; NULL where there is none. */
extern const struct mw_core *const mw_provider_rsa;
extern const struct mw_core *const mw_provider_ec;
extern const struct mw_core *const mw_provider_ecdsa;
extern const struct mw_core *const mw_provider_x25519;
extern const struct mw_core *const mw_provider_ed25519;

#define NAME "Modwright"
#define VERSION "0.1.0"
#define PROPERTIES "provider=modwright"
#define RSA_NAMES "RSA:rsaEncryption:1.2.840.113549.1.1.1"
#define EC_NAMES "EC:id-ecPublicKey:1.2.840.10045.2.1"
#define X25519_NAMES "X25519:1.3.101.110"
#define ED25519_NAMES "ED25519:1.3.101.112"

/* One more algorithm at the end of a list, where there are devices for it. */
static void list(const struct pool *pool, OSSL_ALGORITHM *rows, const char *names, const OSSL_DISPATCH *functions,
                 const char *description)
{
    if (!pool->set) return;
    while (rows->algorithm_names) ++rows;
    *rows = (OSSL_ALGORITHM){names, PROPERTIES, functions, description};
}

static void algorithms_set(struct context *c)
{
    const struct pool *ec = c->ec.set ? &c->ec : &c->ecdsa;
    list(&c->rsa, c->keymgmts, RSA_NAMES, mwp_rsa_keymgmt, "RSA keys");
    list(ec, c->keymgmts, EC_NAMES, mwp_ec_keymgmt, "keys on curves of prime order");
    list(&c->x25519, c->keymgmts, X25519_NAMES, mwp_x25519_keymgmt, "keys of X25519");
    list(&c->ed25519, c->keymgmts, ED25519_NAMES, mwp_ed25519_keymgmt, "keys of Ed25519");
    list(&c->rsa, c->signatures, RSA_NAMES, mwp_signature, "RSA signatures");
    list(ec, c->signatures, "ECDSA", mwp_signature, "ECDSA");
    list(&c->ed25519, c->signatures, ED25519_NAMES, mwp_eddsa, "Ed25519");
    list(&c->rsa, c->ciphers, RSA_NAMES, mwp_cipher, "RSA decryption");
    list(&c->ec, c->exchanges, "ECDH", mwp_exchange, "ECDH on P-256");
    list(&c->x25519, c->exchanges, X25519_NAMES, mwp_x25519, "X25519");
}

static const OSSL_ALGORITHM *query(void *data, int operation, int *no_cache)
{
    const struct context *c = data;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_KEYMGMT: return c->keymgmts;
    case OSSL_OP_SIGNATURE: return c->signatures;
    case OSSL_OP_ASYM_CIPHER: return c->ciphers;
    case OSSL_OP_KEYEXCH: return c->exchanges;
    default: return NULL;
    }
}

static int takes_group(const struct context *c, const char *name)
{
    EC_GROUP *group = EC_GROUP_new_by_curve_name_ex(c->libctx, NULL, OBJ_sn2nid(name));
    const int takes = mwp_ecdsa_takes(c, group) || mwp_multiply_takes(c, group);
    EC_GROUP_free(group);
    return takes;
}

/* libssl takes a group from the provider whose keys it gets for it: so those of the devices are offered here, too. */
static int capabilities(void *data, const char *capability, OSSL_CALLBACK *callback, void *argument)
{
    static const struct {
        const char *name, *internal, *algorithm;
        unsigned int id; /* IANA, TLS Supported Groups */
        unsigned int bits;
    } groups[] = {
        {"secp256r1", "prime256v1", "EC", 23, 128}, {"P-256", "prime256v1", "EC", 23, 128},
        {"secp384r1", "secp384r1", "EC", 24, 192},  {"P-384", "secp384r1", "EC", 24, 192},
        {"secp521r1", "secp521r1", "EC", 25, 256},  {"P-521", "secp521r1", "EC", 25, 256},
        {"x25519", "X25519", "X25519", 29, 128},
    };
    static int least = 0x0301 /* TLS 1.0 */, most = 0, least_dtls = 0xFEFF /* DTLS 1.0 */, most_dtls = 0;
    const struct context *c = data;
    if (strcmp(capability, "TLS-GROUP")) return 1;
    for (size_t n = 0; n < sizeof groups / sizeof *groups; ++n) {
        unsigned int id = groups[n].id, bits = groups[n].bits;
        OSSL_PARAM row[] = {
            OSSL_PARAM_utf8_string(OSSL_CAPABILITY_TLS_GROUP_NAME, (char *)groups[n].name, strlen(groups[n].name) + 1),
            OSSL_PARAM_utf8_string(OSSL_CAPABILITY_TLS_GROUP_NAME_INTERNAL, (char *)groups[n].internal,
                                   strlen(groups[n].internal) + 1),
            OSSL_PARAM_utf8_string(OSSL_CAPABILITY_TLS_GROUP_ALG, (char *)groups[n].algorithm,
                                   strlen(groups[n].algorithm) + 1),
            OSSL_PARAM_uint(OSSL_CAPABILITY_TLS_GROUP_ID, &id),
            OSSL_PARAM_uint(OSSL_CAPABILITY_TLS_GROUP_SECURITY_BITS, &bits),
            OSSL_PARAM_int(OSSL_CAPABILITY_TLS_GROUP_MIN_TLS, &least),
            OSSL_PARAM_int(OSSL_CAPABILITY_TLS_GROUP_MAX_TLS, &most),
            OSSL_PARAM_int(OSSL_CAPABILITY_TLS_GROUP_MIN_DTLS, &least_dtls),
            OSSL_PARAM_int(OSSL_CAPABILITY_TLS_GROUP_MAX_DTLS, &most_dtls),
            OSSL_PARAM_END,
        };
        const int offered = strcmp(groups[n].algorithm, "EC") ? c->x25519.set : takes_group(c, groups[n].internal);
        if (offered && !callback(row, argument)) return 0;
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

LIST_FOR(provider_gettable, void *,
         OSSL_PARAM_DEFN(OSSL_PROV_PARAM_NAME,
         OSSL_PARAM_UTF8_PTR, NULL, 0),
         OSSL_PARAM_DEFN(OSSL_PROV_PARAM_VERSION,
         OSSL_PARAM_UTF8_PTR, NULL, 0),
         OSSL_PARAM_DEFN(OSSL_PROV_PARAM_STATUS,
         OSSL_PARAM_INTEGER, NULL, 0))

static void teardown(void *data)
{
    struct context *c = data;
    mwp_pool_free(&c->rsa);
    mwp_pool_free(&c->ec);
    mwp_pool_free(&c->ecdsa);
    mwp_pool_free(&c->x25519);
    mwp_pool_free(&c->ed25519);
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
    return c->method && RSA_meth_set1_name(c->method, NAME) && RSA_meth_set_mod_exp(c->method, mwp_rsa_mod_exp)
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
    char *rsa = NULL, *ec = NULL, *ecdsa = NULL, *x25519 = NULL, *ed25519 = NULL, *milliseconds = NULL;
    OSSL_PARAM settings[] = {
        OSSL_PARAM_utf8_ptr("rsa_device", &rsa, 0),
        OSSL_PARAM_utf8_ptr("ec_device", &ec, 0),
        OSSL_PARAM_utf8_ptr("ecdsa_device", &ecdsa, 0),
        OSSL_PARAM_utf8_ptr("x25519_device", &x25519, 0),
        OSSL_PARAM_utf8_ptr("ed25519_device", &ed25519, 0),
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
    if (!c->base || !mwp_pool_set(&c->rsa, mw_provider_rsa, rsa, milliseconds)
        || !mwp_pool_set(&c->ec, mw_provider_ec, ec, milliseconds)
        || !mwp_pool_set(&c->ecdsa, mw_provider_ecdsa, ecdsa, milliseconds)
        || !mwp_pool_set(&c->x25519, mw_provider_x25519, x25519, milliseconds)
        || !mwp_pool_set(&c->ed25519, mw_provider_ed25519, ed25519, milliseconds) || !curve_set(c) || !method_set(c)) {
        teardown(c);
        return 0;
    }
    algorithms_set(c);
    *out = functions;
    *data = c;
    return 1;
}
