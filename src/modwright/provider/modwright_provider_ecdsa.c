/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECDSA: all of it on a core `ecdsa/...`, or by a product of a point on P-256; a signature is checked before it is
 * released.
 */
#include "modwright_provider.h"

#include <limits.h>
#include <openssl/ecdsa.h>
#include <openssl/obj_mac.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>

#define TRIES 16 /* nonces of one signature: r or s is 0 with a chance of 2^-111 at most */
#define ZERO 4   /* the core's error for r or s = 0 */
#define HASH "SHA256" /* of the nonce, where nobody says which hash the digest is of */

/* A curve as the driver takes it. */
struct curve {
    uint32_t numbers[6][EC_WORDS];
    struct mw_group group; /* points into the numbers */
};

static size_t words_of(const BIGNUM *a) { return (size_t)(BN_num_bits(a) + 31) / 32; }

static int curve_set(struct curve *to, const EC_GROUP *group)
{
    BIGNUM *p = BN_new(), *a = BN_new(), *b = BN_new(), *x = BN_new(), *y = BN_new();
    const BIGNUM *values[] = {p, a, b, EC_GROUP_get0_order(group), x, y};
    uint32_t(*const w)[EC_WORDS] = to->numbers;
    size_t words = 0;
    int good = p && a && b && x && y && EC_GROUP_get_curve(group, p, a, b, NULL)
               && EC_POINT_get_affine_coordinates(group, EC_GROUP_get0_generator(group), x, y, NULL);
    if (good) words = words_of(values[3]) > words_of(p) ? words_of(values[3]) : words_of(p);
    good = good && words <= EC_WORDS;
    for (size_t n = 0; n < 6; ++n) good = good && mwp_to_words(w[n], words, values[n]);
    to->group = (struct mw_group){w[0], w[1], w[2], w[3], w[4], w[5], words};
    BN_free(p);
    BN_free(a);
    BN_free(b);
    BN_free(x);
    BN_free(y);
    return good;
}

int mwp_multiply_takes(const struct context *c, const EC_GROUP *group)
{
    return c->ec.set && group && EC_GROUP_get_curve_name(group) == NID_X9_62_prime256v1;
}

int mwp_ecdsa_takes(const struct context *c, const EC_GROUP *group)
{
    return c->ecdsa.set && group && EC_GROUP_get_field_type(group) == NID_X9_62_prime_field
           && BN_is_one(EC_GROUP_get0_cofactor(group)) && (uint32_t)EC_GROUP_get_degree(group) <= c->ecdsa.core->modulus_bits
           && (uint32_t)BN_num_bits(EC_GROUP_get0_order(group)) <= c->ecdsa.core->modulus_bits;
}

/* --- keys */

/* The key of both halves in the default provider. */
static EVP_PKEY *key_of(struct context *c, const EC_GROUP *group, const BIGNUM *d, const BIGNUM *x, const BIGNUM *y)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(c->libctx, "EC", NULL);
    OSSL_PARAM_BLD *list = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    EC_POINT *point = EC_POINT_new(group);
    unsigned char *bytes = NULL;
    size_t size = 0;
    EVP_PKEY *key = NULL;
    if (ctx && list && point && EC_POINT_set_affine_coordinates(group, point, x, y, NULL)) /* fails off the curve */
        size = EC_POINT_point2buf(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, NULL);
    if (size && OSSL_PARAM_BLD_push_utf8_string(list, OSSL_PKEY_PARAM_GROUP_NAME,
                                                OBJ_nid2sn(EC_GROUP_get_curve_name(group)), 0)
        && OSSL_PARAM_BLD_push_octet_string(list, OSSL_PKEY_PARAM_PUB_KEY, bytes, size)
        && OSSL_PARAM_BLD_push_BN(list, OSSL_PKEY_PARAM_PRIV_KEY, d) && (params = OSSL_PARAM_BLD_to_param(list))
        && EVP_PKEY_fromdata_init(ctx) > 0 && EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, params) <= 0)
        key = NULL;
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(list);
    OPENSSL_free(bytes);
    EC_POINT_free(point);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

EVP_PKEY *mwp_ecdsa_generate(struct context *c, const EC_GROUP *group)
{
    BN_CTX *scratch = BN_CTX_secure_new_ex(c->libctx);
    BIGNUM *d = BN_secure_new(), *x = BN_new(), *y = BN_new();
    uint32_t secret[EC_WORDS], qx[EC_WORDS], qy[EC_WORDS];
    struct curve curve;
    struct lease lease;
    EVP_PKEY *key = NULL;
    int good = scratch && d && x && y && curve_set(&curve, group);
    while (good && BN_is_zero(d)) good = BN_priv_rand_range_ex(d, EC_GROUP_get0_order(group), 0, scratch);
    good = good && mwp_to_words(secret, curve.group.words, d) && mwp_lease(&c->ecdsa, &lease)
           && mwp_done(&lease, mw_ecdsa_key(&lease.device, qx, qy, secret, &curve.group));
    if (good && mwp_from_words(x, qx, curve.group.words) && mwp_from_words(y, qy, curve.group.words))
        if (!(key = key_of(c, group, d, x, y)))
            mwp_failed(ERR_R_INTERNAL_ERROR, "the device gave a point that is not on the curve; it was not used");
    OPENSSL_cleanse(secret, sizeof secret);
    BN_CTX_free(scratch);
    BN_clear_free(d);
    BN_free(x);
    BN_free(y);
    return key;
}

int mwp_ecdsa_fits(struct key *key)
{
    static const unsigned char digest[32];
    unsigned char sig[8 * EC_WORDS + 16]; /* two numbers of a bit more, and the heads of DER */
    size_t length = sizeof sig;
    return mwp_ecdsa_sign(key, sig, &length, sizeof sig, digest, sizeof digest, HASH);
}

/* --- signatures */

struct hash {
    OSSL_LIB_CTX *libctx;
    const char *name;
    size_t size;
};

static int mac(void *context, uint8_t *to, const uint8_t *key, const uint8_t *data, size_t count)
{
    const struct hash *h = context;
    size_t size = 0;
    const unsigned char *made
        = EVP_Q_mac(h->libctx, "HMAC", NULL, h->name, NULL, key, h->size, data, count, to, h->size, &size);
    return made && size == h->size ? 0 : -1;
}

static int hash_set(struct hash *h, struct context *c, const char *name)
{
    EVP_MD *md = EVP_MD_fetch(c->libctx, *name ? name : HASH, NULL);
    *h = (struct hash){c->libctx, *name ? name : HASH, md ? (size_t)EVP_MD_get_size(md) : 0};
    EVP_MD_free(md);
    return h->size > 0;
}

/* What a signature is made of, as words; `public` has the two coordinates. */
struct signature {
    uint32_t secret[EC_WORDS], nonce[EC_WORDS], e[EC_WORDS], public[2][EC_WORDS], r[EC_WORDS], s[EC_WORDS];
};

static int public_words(const struct key *key, uint32_t (*public)[EC_WORDS], size_t words)
{
    BIGNUM *x = mwp_number(key->plain, OSSL_PKEY_PARAM_EC_PUB_X), *y = mwp_number(key->plain, OSSL_PKEY_PARAM_EC_PUB_Y);
    const int good = x && y && mwp_to_words(public[0], words, x) && mwp_to_words(public[1], words, y);
    BN_free(x);
    BN_free(y);
    return good ? 1 : mwp_failed(PROV_R_NOT_A_PUBLIC_KEY, "no public key");
}

/* A signature with the nonce that is there; 0 with an error raised. Another nonce is due where r or s is 0. */
static int attempt(struct context *c, struct signature *w, const struct curve *curve, uint32_t *again)
{
    struct lease lease;
    int status;
    if (!mwp_lease(&c->ecdsa, &lease)) return 0;
    status = mw_ecdsa_sign(&lease.device, w->r, w->s, w->secret, w->e, w->nonce, w->public[0], w->public[1], &curve->group);
    *again = status == MW_E_CORE && lease.device.error == ZERO;
    return mwp_done(&lease, *again ? MW_OK : status);
}

/* All of it by the core, with the nonce of RFC 6979. */
static int by_core(struct key *key, BIGNUM *r, BIGNUM *s, const BIGNUM *d, const unsigned char *digest, size_t size,
                   const char *name)
{
    struct signature w;
    struct curve curve;
    struct hash hash;
    struct mw_hmac hmac = {&hash, 0, mac};
    uint32_t again = 1;
    int status = MW_OK;
    int good = curve_set(&curve, key->group) && hash_set(&hash, key->c, name)
               && public_words(key, w.public, curve.group.words) && mwp_to_words(w.secret, curve.group.words, d)
               && mw_ecdsa_number(w.e, digest, size, &curve.group) == MW_OK;
    hmac.size = hash.size;
    for (uint32_t skip = 0; good && again && skip < TRIES; ++skip) {
        status = mw_ecdsa_nonce(w.nonce, w.secret, digest, size, skip, &curve.group, &hmac);
        good = status == MW_OK ? attempt(key->c, &w, &curve, &again) : mwp_failed(ERR_R_INTERNAL_ERROR, mw_message(status));
    }
    if (good && again) good = mwp_failed(ERR_R_INTERNAL_ERROR, "no nonce gave a signature");
    good = good && mwp_from_words(r, w.r, curve.group.words) && mwp_from_words(s, w.s, curve.group.words);
    OPENSSL_cleanse(&w, sizeof w);
    return good;
}

/* By the product of a point on P-256: r = (x of [k]G) mod order, s = (z + r * d) / k mod order: SEC 1, section 4.1.3. */
static int by_product(struct context *c, BIGNUM *r, BIGNUM *s, const BIGNUM *z, const BIGNUM *d, BN_CTX *scratch)
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
        if (!mwp_device_multiply(c, x, y, k, gx, gy) || !BN_nnmod(r, x, c->order, scratch)) goto end;
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

int mwp_ecdsa_sign(struct key *key, unsigned char *sig, size_t *length, size_t room, const unsigned char *digest,
                   size_t size, const char *hash)
{
    struct context *c = key->c;
    BN_CTX *scratch = BN_CTX_secure_new_ex(c->libctx);
    BIGNUM *d = mwp_number(key->plain, OSSL_PKEY_PARAM_PRIV_KEY);
    BIGNUM *r = BN_new(), *s = BN_new();
    BIGNUM *z = BN_bin2bn(digest, (int)(size < FIELD_BYTES ? size : FIELD_BYTES), NULL);
    ECDSA_SIG *made = ECDSA_SIG_new();
    unsigned char *at = sig;
    int good = 0, encoded;
    if (!scratch || !d || !r || !s || !z || !made) goto end;
    if (mwp_ecdsa_takes(c, key->group)) good = by_core(key, r, s, d, digest, size, hash);
    else good = by_product(c, r, s, z, d, scratch);
    good = good && ECDSA_SIG_set0(made, r, s);
    if (!good) goto end;
    r = s = NULL;
    encoded = i2d_ECDSA_SIG(made, NULL);
    good = encoded > 0 && (size_t)encoded <= room;
    if (!good) goto end;
    *length = (size_t)i2d_ECDSA_SIG(made, &at);
    good = accepted(key, sig, *length, digest, size);
    if (!good) {
        OPENSSL_cleanse(sig, *length);
        mwp_failed(ERR_R_INTERNAL_ERROR, "the device gave a wrong result; it was not released");
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

/* --- verification */

/* A signature that is DER of numbers from 1 to order - 1, and nothing else; NULL for another. */
static ECDSA_SIG *parsed(const unsigned char *sig, size_t length, const BIGNUM *order)
{
    const unsigned char *from = sig;
    unsigned char *der = NULL;
    ECDSA_SIG *made;
    int size, good = 0;
    ERR_set_mark(); /* a signature that is wrong is not an error */
    made = length <= LONG_MAX ? d2i_ECDSA_SIG(NULL, &from, (long)length) : NULL;
    if (made) {
        const BIGNUM *numbers[] = {ECDSA_SIG_get0_r(made), ECDSA_SIG_get0_s(made)};
        size = i2d_ECDSA_SIG(made, &der);
        good = size > 0 && (size_t)size == length && CRYPTO_memcmp(der, sig, length) == 0;
        for (int n = 0; n < 2; ++n)
            good = good && !BN_is_zero(numbers[n]) && !BN_is_negative(numbers[n]) && BN_cmp(numbers[n], order) < 0;
    }
    ERR_pop_to_mark();
    OPENSSL_free(der);
    if (good) return made;
    ECDSA_SIG_free(made);
    return NULL;
}

int mwp_ecdsa_verify(struct key *key, const unsigned char *sig, size_t length, const unsigned char *digest, size_t size)
{
    struct signature w;
    struct curve curve;
    struct lease lease;
    ECDSA_SIG *given = parsed(sig, length, EC_GROUP_get0_order(key->group));
    int status, good;
    if (!given) return 0;
    good = curve_set(&curve, key->group) && public_words(key, w.public, curve.group.words)
           && mwp_to_words(w.r, curve.group.words, ECDSA_SIG_get0_r(given))
           && mwp_to_words(w.s, curve.group.words, ECDSA_SIG_get0_s(given))
           && mw_ecdsa_number(w.e, digest, size, &curve.group) == MW_OK && mwp_lease(&key->c->ecdsa, &lease);
    ECDSA_SIG_free(given);
    if (!good) return -1;
    status = mw_ecdsa_verify(&lease.device, w.e, w.public[0], w.public[1], w.r, w.s, &curve.group);
    if (!mwp_done(&lease, status == MW_E_SIGNATURE ? MW_OK : status)) return -1;
    return status == MW_OK;
}
