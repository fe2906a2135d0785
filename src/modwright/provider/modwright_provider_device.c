/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of devices on numbers of OpenSSL; the result of a point is checked. */
#include "modwright_provider.h"

int mwp_to_words(uint32_t *words, size_t count, const BIGNUM *a)
{
    uint8_t bytes[4 * MW_WORDS];
    int good;
    if (count > MW_WORDS || BN_is_negative(a) || BN_bn2binpad(a, bytes, (int)(4 * count)) < 0) return 0;
    good = mw_from_bytes(words, count, bytes, 4 * count) == MW_OK;
    OPENSSL_cleanse(bytes, sizeof bytes);
    return good;
}

int mwp_from_words(BIGNUM *a, const uint32_t *words, size_t count)
{
    uint8_t bytes[4 * MW_WORDS];
    int good = mw_to_bytes(bytes, 4 * count, words, count) == MW_OK && BN_bin2bn(bytes, (int)(4 * count), a) != NULL;
    OPENSSL_cleanse(bytes, sizeof bytes);
    return good;
}

/* r = base^exponent mod m, for base < m. */
int mwp_device_power(const struct pool *pool, BIGNUM *r, const BIGNUM *base, const BIGNUM *exponent, const BIGNUM *m)
{
    struct lease lease;
    uint32_t z[MW_WORDS], b[MW_WORDS], e[MW_WORDS], n[MW_WORDS];
    const size_t words = (size_t)(BN_num_bits(m) + 31) / 32;
    int good = words < MW_WORDS && mwp_to_words(b, words, base) && mwp_to_words(e, words, exponent) && mwp_to_words(n, words, m);
    if (!good) return mwp_failed(PROV_R_INVALID_KEY_LENGTH, "the key is too long");
    good = mwp_lease(pool, &lease) && mwp_done(&lease, mw_modexp(&lease.device, z, b, e, words, n, words));
    good = good && mwp_from_words(r, z, words);
    OPENSSL_cleanse(z, sizeof z);
    OPENSSL_cleanse(b, sizeof b);
    OPENSSL_cleanse(e, sizeof e);
    OPENSSL_cleanse(n, sizeof n);
    return good;
}

/* (rx, ry) = [k](x, y) on P-256, a finite point that satisfies the equation of the curve. */
int mwp_device_multiply(struct context *c, BIGNUM *rx, BIGNUM *ry, const BIGNUM *k, const BIGNUM *x, const BIGNUM *y)
{
    uint32_t words[9][FIELD_WORDS];
    const BIGNUM *values[] = {k, x, y, c->p, c->a, c->b, c->order};
    const struct mw_curve curve = {words[3], words[4], words[5], words[6], FIELD_WORDS, FIELD_WORDS};
    struct lease lease;
    EC_POINT *point = NULL;
    int status = 0, good = 1;
    for (size_t n = 0; n < 7; ++n) good = good && mwp_to_words(words[n], FIELD_WORDS, values[n]);
    if (good && (good = mwp_lease(&c->ec, &lease))) {
        status = mw_ecpm(&lease.device, words[7], words[8], words[0], FIELD_WORDS, words[1], words[2], &curve);
        good = mwp_done(&lease, status);
    }
    if (good && status == MW_INFINITY) good = mwp_failed(ERR_R_INTERNAL_ERROR, "the result is the point at infinity");
    if (good) good = mwp_from_words(rx, words[7], FIELD_WORDS) && mwp_from_words(ry, words[8], FIELD_WORDS);
    if (good) {
        point = EC_POINT_new(c->group);
        /* fails for a point that is not on the curve */
        if (!point || !EC_POINT_set_affine_coordinates(c->group, point, rx, ry, NULL))
            good = mwp_failed(ERR_R_INTERNAL_ERROR,
                              "the device gave a point that is not on the curve; it was not used");
    }
    EC_POINT_free(point);
    OPENSSL_cleanse(words, sizeof words);
    return good;
}

/* --- curves over 2^255 - 19 */

static const uint32_t PRIME_25519[FIELD_WORDS] = {0xFFFFFFED, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF,
                                                  0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x7FFFFFFF};

void mwp_from_little(uint32_t *words, const unsigned char *bytes)
{
    for (size_t k = 0; k < FIELD_WORDS; ++k, bytes += 4)
        words[k] = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    words[FIELD_WORDS - 1] &= 0x7FFFFFFF;
}

void mwp_to_little(unsigned char *bytes, const uint32_t *words)
{
    for (size_t k = 0; k < FIELD_BYTES; ++k) bytes[k] = (unsigned char)(words[k / 4] >> (8 * (k % 4)));
}

int mwp_device_x25519(struct context *c, unsigned char *secret, const unsigned char *k, const unsigned char *u)
{
    static const uint32_t a24[FIELD_WORDS] = {121666}; /* (486662 + 2) / 4: RFC 7748, section 4.1 */
    const struct mw_montgomery curve = {PRIME_25519, a24, FIELD_WORDS, 3};
    uint32_t scalar[FIELD_WORDS], point[FIELD_WORDS], result[FIELD_WORDS];
    struct lease lease;
    int good;
    mwp_from_little(scalar, k);
    mwp_from_little(point, u);
    good = mwp_lease(&c->x25519, &lease) && mwp_done(&lease, mw_xmul(&lease.device, result, scalar, point, &curve));
    if (good) mwp_to_little(secret, result);
    OPENSSL_cleanse(scalar, sizeof scalar);
    OPENSSL_cleanse(result, sizeof result);
    return good;
}

int mwp_device_ed25519(struct context *c, uint32_t *rx, uint32_t *ry, const uint32_t *r)
{
    static const uint32_t a[FIELD_WORDS] = {0xFFFFFFEC, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF,
                                            0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x7FFFFFFF}; /* -1 */
    static const uint32_t d[FIELD_WORDS] = {0x135978A3, 0x75EB4DCA, 0x4141D8AB, 0x00700A4D,
                                            0x7779E898, 0x8CC74079, 0x2B6FFE73, 0x52036CEE};
    static const uint32_t x[FIELD_WORDS] = {0x8F25D51A, 0xC9562D60, 0x9525A7B2, 0x692CC760,
                                            0xFDD6DC5C, 0xC0A4E231, 0xCD6E53FE, 0x216936D3};
    static const uint32_t y[FIELD_WORDS] = {0x66666658, 0x66666666, 0x66666666, 0x66666666,
                                            0x66666666, 0x66666666, 0x66666666, 0x66666666}; /* 4 / 5 */
    const struct mw_edwards curve = {PRIME_25519, a, d, FIELD_WORDS};
    struct lease lease;
    return mwp_lease(&c->ed25519, &lease)
           && mwp_done(&lease, mw_edmul(&lease.device, rx, ry, r, FIELD_WORDS, x, y, &curve));
}
