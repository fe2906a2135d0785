/* SPDX-License-Identifier: Apache-2.0 */
/* ECDH on P-256, and X25519. */
#include "modwright_provider.h"

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
    return x->key->is_private ? 1 : mwp_failed(PROV_R_MISSING_KEY, "no private key");
}

static int exchange_set_peer(void *data, void *peer)
{
    struct exchange *x = data;
    x->peer = peer;
    return x->peer->plain != NULL;
}

/* With a key on a curve that only the devices for ECDSA take. */
static int derive_in_software(struct exchange *x, unsigned char *secret, size_t *length, size_t size)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(x->c->libctx, x->key->plain, NULL);
    int good = ctx && x->peer && EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, x->peer->plain) > 0;
    *length = size;
    good = good && EVP_PKEY_derive(ctx, secret, length) > 0;
    EVP_PKEY_CTX_free(ctx);
    return good;
}

static int exchange_derive(void *data, unsigned char *secret, size_t *length, size_t size)
{
    struct exchange *x = data;
    BIGNUM *d = NULL, *px = NULL, *py = NULL, *rx = BN_secure_new(), *ry = BN_secure_new();
    int good = 0;
    *length = FIELD_BYTES;
    if (x->key && !mwp_multiply_takes(x->c, x->key->group)) good = derive_in_software(x, secret, length, size);
    else if (!secret) good = 1;
    else if (size >= FIELD_BYTES && x->key && x->peer) {
        d = mwp_number(x->key->plain, OSSL_PKEY_PARAM_PRIV_KEY);
        px = mwp_number(x->peer->plain, OSSL_PKEY_PARAM_EC_PUB_X);
        py = mwp_number(x->peer->plain, OSSL_PKEY_PARAM_EC_PUB_Y);
        good = d && px && py && rx && ry && mwp_device_multiply(x->c, rx, ry, d, px, py)
               && BN_bn2binpad(rx, secret, FIELD_BYTES) == FIELD_BYTES;
    }
    BN_clear_free(d);
    BN_free(px);
    BN_free(py);
    BN_clear_free(rx);
    BN_clear_free(ry);
    return good;
}

static int x25519_derive(void *data, unsigned char *secret, size_t *length, size_t size)
{
    struct exchange *x = data;
    unsigned char k[FIELD_BYTES], u[FIELD_BYTES];
    size_t k_size = sizeof k, u_size = sizeof u;
    int good = 0;
    *length = FIELD_BYTES;
    if (!secret) return 1;
    if (size >= FIELD_BYTES && x->key && x->peer)
        good = EVP_PKEY_get_raw_private_key(x->key->plain, k, &k_size)
               && EVP_PKEY_get_raw_public_key(x->peer->plain, u, &u_size)
               && mwp_device_x25519(x->c, secret, k, u);
    OPENSSL_cleanse(k, sizeof k);
    return good;
}

#define EXCHANGE_ENTRIES(derive) \
    ENTRY(OSSL_FUNC_KEYEXCH_NEWCTX, exchange_new), \
    ENTRY(OSSL_FUNC_KEYEXCH_FREECTX, exchange_free), \
    ENTRY(OSSL_FUNC_KEYEXCH_INIT, exchange_init), \
    ENTRY(OSSL_FUNC_KEYEXCH_SET_PEER, exchange_set_peer), \
    ENTRY(OSSL_FUNC_KEYEXCH_DERIVE, derive)

const OSSL_DISPATCH mwp_exchange[] = {EXCHANGE_ENTRIES(exchange_derive), {0, NULL}};
const OSSL_DISPATCH mwp_x25519[] = {EXCHANGE_ENTRIES(x25519_derive), {0, NULL}};
