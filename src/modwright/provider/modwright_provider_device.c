/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: leased for one operation and then reset and given back, so that many processes share one, and a child that is
 * forked has no connection of its parent; and a result of a point is checked.
 */
#include "modwright_provider.h"

#include <limits.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UIO_BYTES 65536
#define LEASE_MILLISECONDS 60000u /* longest wait for a device that others use */

int mwp_failed(int reason, const char *text)
{
    ERR_raise_data(ERR_LIB_PROV, reason, "modwright: %s", text);
    return 0;
}

/* Gives a device back: what was kept of a modulus is cleared, here and there. A child leaves its parent's alone. */
static void device_shut(struct device *d)
{
    if (!d->open) return;
    if (d->owner == getpid()) (void)mw_reset(&d->device);
    OPENSSL_cleanse(&d->device, sizeof d->device);
    if (strncmp(d->address, "uio:", 4) == 0) mw_uio_close(&d->uio);
    else mw_socket_close(&d->wire);
    d->open = 0;
}

/* For cores with blinding. */
static int random_bytes(void *context, uint8_t *bytes, size_t count)
{
    (void)context;
    return count <= INT_MAX && RAND_priv_bytes(bytes, (int)count) == 1 ? 0 : -1;
}

/* With the lock held. */
static int device_open(struct device *d)
{
    struct mw_bus bus;
    uint32_t usual;
    int status;
    if (d->open) device_shut(d); /* forked in the middle of an operation of the parent */
    if (!d->address) return mwp_failed(PROV_R_NOT_SUPPORTED, "no device is set for this kind of key");
    if (strncmp(d->address, "uio:", 4) == 0) status = mw_uio_open(&d->uio, &bus, d->address + 4, UIO_BYTES);
    else status = mw_socket_open(&d->wire, &bus, d->address);
    if (status) return mwp_failed(ERR_R_INTERNAL_ERROR, "the device cannot be opened");
    d->open = 1;
    d->owner = getpid();
    usual = d->wire.milliseconds;
    d->wire.milliseconds = LEASE_MILLISECONDS; /* the first answer comes when those before us are done */
    status = mw_open(&d->device, &bus, d->core);
    d->wire.milliseconds = usual;
    if (d->milliseconds) d->device.milliseconds = d->milliseconds;
    d->device.random = random_bytes;
    if (!status) return 1;
    device_shut(d);
    return mwp_failed(ERR_R_INTERNAL_ERROR, mw_message(status));
}

/* After an operation: the device is free again; 1, or an error. */
static int device_done(struct device *d, int status)
{
    device_shut(d);
    if (status >= 0) return 1;
    return mwp_failed(ERR_R_INTERNAL_ERROR, mw_message(status));
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
int mwp_device_power(struct device *d, BIGNUM *r, const BIGNUM *base, const BIGNUM *exponent, const BIGNUM *m)
{
    uint32_t z[MW_WORDS], b[MW_WORDS], e[MW_WORDS], n[MW_WORDS];
    const size_t words = (size_t)(BN_num_bits(m) + 31) / 32;
    int good = words < MW_WORDS && to_words(b, words, base) && to_words(e, words, exponent) && to_words(n, words, m);
    if (!good) return mwp_failed(PROV_R_INVALID_KEY_LENGTH, "the key is too long");
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
int mwp_device_multiply(struct context *c, BIGNUM *rx, BIGNUM *ry, const BIGNUM *k, const BIGNUM *x, const BIGNUM *y)
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
    if (good && status == MW_INFINITY) good = mwp_failed(ERR_R_INTERNAL_ERROR, "the result is the point at infinity");
    if (good) good = from_words(rx, words[7], FIELD_WORDS) && from_words(ry, words[8], FIELD_WORDS);
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

void mwp_device_free(struct device *d)
{
    device_shut(d);
    CRYPTO_THREAD_lock_free(d->lock);
    OPENSSL_free((char *)d->address);
}

/* A core without a setting, or a setting without a core, gives no algorithms. */
int mwp_device_set(struct device *d, const struct mw_core *core, const char *address, const char *milliseconds)
{
    d->core = core;
    d->lock = CRYPTO_THREAD_lock_new();
    d->milliseconds = milliseconds ? (uint32_t)strtoul(milliseconds, NULL, 10) : 0;
    if (core && address && !(d->address = OPENSSL_strdup(address))) return 0;
    return d->lock != NULL;
}
