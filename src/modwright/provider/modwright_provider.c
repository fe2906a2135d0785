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
#include "modwright_provider.h"

#include <openssl/obj_mac.h>
#include <string.h>

/* Generated with the cores; NULL where there is none. */
extern const struct mw_core *const mw_provider_rsa;
extern const struct mw_core *const mw_provider_ec;

#define NAME "Modwright"
#define VERSION "0.1.0"
#define PROPERTIES "provider=modwright"
#define RSA_NAMES "RSA:rsaEncryption:1.2.840.113549.1.1.1"
#define EC_NAMES "EC:id-ecPublicKey:1.2.840.10045.2.1"

/* Rows of lists of algorithms. */
#define RSA_KEYS {RSA_NAMES, PROPERTIES, mwp_rsa_keymgmt, "RSA keys"}
#define EC_KEYS {EC_NAMES, PROPERTIES, mwp_ec_keymgmt, "keys on P-256"}
#define RSA_SIGNATURES {RSA_NAMES, PROPERTIES, mwp_signature, "RSA signatures"}
#define EC_SIGNATURES {"ECDSA", PROPERTIES, mwp_signature, "ECDSA on P-256"}
#define NOTHING_MORE {NULL, NULL, NULL, NULL}

static const OSSL_ALGORITHM *query(void *data, int operation, int *no_cache)
{
    static const OSSL_ALGORITHM keymgmts[] = {RSA_KEYS, EC_KEYS, NOTHING_MORE};
    static const OSSL_ALGORITHM rsa_keymgmts[] = {RSA_KEYS, NOTHING_MORE};
    static const OSSL_ALGORITHM signatures[] = {RSA_SIGNATURES, EC_SIGNATURES, NOTHING_MORE};
    static const OSSL_ALGORITHM rsa_signatures[] = {RSA_SIGNATURES, NOTHING_MORE};
    static const OSSL_ALGORITHM ciphers[] = {{RSA_NAMES, PROPERTIES, mwp_cipher, "RSA decryption"}, NOTHING_MORE};
    static const OSSL_ALGORITHM exchanges[] = {{"ECDH", PROPERTIES, mwp_exchange, "ECDH on P-256"}, NOTHING_MORE};
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
    mwp_device_free(&c->rsa);
    mwp_device_free(&c->ec);
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
    if (!c->base || !mwp_device_set(&c->rsa, mw_provider_rsa, rsa, milliseconds)
        || !mwp_device_set(&c->ec, mw_provider_ec, ec, milliseconds) || !curve_set(c) || !method_set(c)) {
        teardown(c);
        return 0;
    }
    *out = functions;
    *data = c;
    return 1;
}
