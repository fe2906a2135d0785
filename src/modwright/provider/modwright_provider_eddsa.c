/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 after RFC 8032, section 5.1; a signature is checked before it is released. */
#include "modwright_provider.h"

#include <openssl/sha.h>

#define SIGNATURE_BYTES (2 * FIELD_BYTES)

struct eddsa {
    struct context *c;
    struct key *key;
};

static void *eddsa_new(void *c, const char *properties)
{
    struct eddsa *s = OPENSSL_zalloc(sizeof *s);
    (void)properties;
    if (s) s->c = c;
    return s;
}

static void eddsa_free(void *data) { OPENSSL_free(data); }
static void *eddsa_dup(void *data) { return OPENSSL_memdup(data, sizeof(struct eddsa)); }

static int begin(struct eddsa *s, const char *mdname, struct key *key)
{
    if (mdname && *mdname) return mwp_failed(PROV_R_INVALID_DIGEST, "Ed25519 takes a message, and no hash of one");
    if (key) s->key = key;
    return s->key != NULL;
}

static int sign_init(void *data, const char *mdname, void *key, const OSSL_PARAM params[])
{
    struct eddsa *s = data;
    (void)params;
    if (!begin(s, mdname, key)) return 0;
    return s->key->is_private ? 1 : mwp_failed(PROV_R_MISSING_KEY, "no private key");
}

static int verify_init(void *data, const char *mdname, void *key, const OSSL_PARAM params[])
{
    (void)params;
    return begin(data, mdname, key);
}

/* SHA-512 of up to three pieces. */
static int hash(struct context *c, unsigned char *digest, const unsigned char *one, size_t one_size,
                const unsigned char *two, size_t two_size, const unsigned char *three, size_t three_size)
{
    EVP_MD *md = EVP_MD_fetch(c->libctx, "SHA512", NULL);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const int good = md && ctx && EVP_DigestInit_ex(ctx, md, NULL) && EVP_DigestUpdate(ctx, one, one_size)
                     && EVP_DigestUpdate(ctx, two, two_size) && EVP_DigestUpdate(ctx, three, three_size)
                     && EVP_DigestFinal_ex(ctx, digest, NULL);
    EVP_MD_CTX_free(ctx);
    EVP_MD_free(md);
    return good;
}

/* L = 2^252 + 27742317777372353535851937790883648493, the order of B. */
static BIGNUM *order(void)
{
    BIGNUM *l = NULL;
    return BN_hex2bn(&l, "1000000000000000000000000000000014DEF9DEA2F79CD65812631A5CF5D3ED") ? l : NULL;
}

/* The bytes of R = [r]B: y, and the lowest bit of x on top. */
static int commitment(struct context *c, unsigned char *bytes, const BIGNUM *r)
{
    uint32_t scalar[FIELD_WORDS], x[FIELD_WORDS], y[FIELD_WORDS];
    unsigned char little[FIELD_BYTES];
    int good = BN_bn2lebinpad(r, little, sizeof little) == (int)sizeof little;
    mwp_from_little(scalar, little);
    good = good && mwp_device_ed25519(c, x, y, scalar);
    if (good) {
        mwp_to_little(bytes, y);
        bytes[FIELD_BYTES - 1] |= (unsigned char)((x[0] & 1) << 7);
    }
    OPENSSL_cleanse(scalar, sizeof scalar);
    OPENSSL_cleanse(little, sizeof little);
    return good;
}

/* S = (r + SHA-512(R, A, M) * a) mod L, after R; `secret` is SHA-512 of the private key. */
static int respond(struct context *c, unsigned char *sig, const unsigned char *secret, const unsigned char *public,
                   const unsigned char *message, size_t size)
{
    unsigned char digest[SHA512_DIGEST_LENGTH], scalar[FIELD_BYTES];
    BN_CTX *scratch = BN_CTX_secure_new_ex(c->libctx);
    BIGNUM *l = order(), *a = BN_secure_new(), *r = BN_secure_new(), *h = BN_new(), *s = BN_secure_new();
    int good = 0;
    for (size_t k = 0; k < sizeof scalar; ++k) scalar[k] = secret[k];
    scalar[0] &= 0xF8;
    scalar[FIELD_BYTES - 1] = (unsigned char)((scalar[FIELD_BYTES - 1] & 0x7F) | 0x40);
    if (!scratch || !l || !a || !r || !h || !s || !BN_lebin2bn(scalar, sizeof scalar, a)) goto end;
    BN_set_flags(a, BN_FLG_CONSTTIME);
    BN_set_flags(r, BN_FLG_CONSTTIME);
    if (!hash(c, digest, secret + FIELD_BYTES, FIELD_BYTES, message, size, NULL, 0)) goto end;
    if (!BN_lebin2bn(digest, sizeof digest, r) || !BN_mod(r, r, l, scratch)) goto end;
    if (!commitment(c, sig, r)) goto end;
    if (!hash(c, digest, sig, FIELD_BYTES, public, FIELD_BYTES, message, size)) goto end;
    if (!BN_lebin2bn(digest, sizeof digest, h) || !BN_mod(h, h, l, scratch)) goto end;
    if (!BN_mod_mul(s, h, a, l, scratch) || !BN_mod_add(s, s, r, l, scratch)) goto end;
    good = BN_bn2lebinpad(s, sig + FIELD_BYTES, FIELD_BYTES) == FIELD_BYTES;
end:
    OPENSSL_cleanse(digest, sizeof digest);
    OPENSSL_cleanse(scalar, sizeof scalar);
    BN_CTX_free(scratch);
    BN_free(l);
    BN_clear_free(a);
    BN_clear_free(r);
    BN_free(h);
    BN_clear_free(s);
    return good;
}

/* Whether the public key accepts a signature. */
static int accepted(struct key *key, const unsigned char *sig, size_t length, const unsigned char *message, size_t size)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const int good = ctx && EVP_DigestVerifyInit_ex(ctx, NULL, NULL, key->c->libctx, NULL, key->plain, NULL) > 0
                     && EVP_DigestVerify(ctx, sig, length, message, size) == 1;
    EVP_MD_CTX_free(ctx);
    return good;
}

static int digest_sign(void *data, unsigned char *sig, size_t *length, size_t room, const unsigned char *message,
                       size_t size)
{
    struct eddsa *s = data;
    unsigned char seed[FIELD_BYTES], public[FIELD_BYTES], secret[SHA512_DIGEST_LENGTH];
    size_t seed_size = sizeof seed, public_size = sizeof public;
    int good;
    *length = SIGNATURE_BYTES;
    if (!sig) return 1;
    if (room < SIGNATURE_BYTES) return mwp_failed(PROV_R_OUTPUT_BUFFER_TOO_SMALL, "a signature has 64 bytes");
    good = EVP_PKEY_get_raw_private_key(s->key->plain, seed, &seed_size)
           && EVP_PKEY_get_raw_public_key(s->key->plain, public, &public_size)
           && hash(s->c, secret, seed, seed_size, NULL, 0, NULL, 0)
           && respond(s->c, sig, secret, public, message, size);
    OPENSSL_cleanse(seed, sizeof seed);
    OPENSSL_cleanse(secret, sizeof secret);
    if (good && accepted(s->key, sig, SIGNATURE_BYTES, message, size)) return 1;
    OPENSSL_cleanse(sig, SIGNATURE_BYTES);
    return good ? mwp_failed(ERR_R_INTERNAL_ERROR, "the device gave a wrong result; it was not released") : 0;
}

static int digest_verify(void *data, const unsigned char *sig, size_t length, const unsigned char *message, size_t size)
{
    const struct eddsa *s = data;
    return accepted(s->key, sig, length, message, size);
}

/* The AlgorithmIdentifier, which certificates and requests carry: that of the default provider. */
static int eddsa_get(void *data, OSSL_PARAM params[])
{
    const struct eddsa *s = data;
    EVP_PKEY_CTX *plain = NULL;
    EVP_MD_CTX *ctx;
    int good;
    if (!params || !OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID)) return 1;
    if (!s->key || !(ctx = EVP_MD_CTX_new())) return 0;
    good = EVP_DigestSignInit_ex(ctx, &plain, NULL, s->c->libctx, NULL, s->key->plain, NULL) > 0
           && EVP_PKEY_CTX_get_params(plain, params) > 0;
    EVP_MD_CTX_free(ctx);
    return good;
}

LIST_FOR_TWO(eddsa_gettable, OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0))

const OSSL_DISPATCH mwp_eddsa[] = {
    ENTRY(OSSL_FUNC_SIGNATURE_NEWCTX, eddsa_new),
    ENTRY(OSSL_FUNC_SIGNATURE_FREECTX, eddsa_free),
    ENTRY(OSSL_FUNC_SIGNATURE_DUPCTX, eddsa_dup),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, sign_init),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN, digest_sign),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, verify_init),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY, digest_verify),
    ENTRY(OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, eddsa_get),
    ENTRY(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, eddsa_gettable),
    {0, NULL},
};
