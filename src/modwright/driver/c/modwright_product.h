/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product of one core as a function of its own, for registers in the address space: a small CPU has no cycle to spare
 * next to a core that is done in a few. <core>_core.c includes this file after it has defined, as numbers:
 *
 *   PRODUCT_X, PRODUCT_Y, PRODUCT_Z   words from the first register to the windows of operands and result
 *   PRODUCT_WORDS, PRODUCT_MORE       words of a modulus; 1 where a result has a word more
 *   PRODUCT_CYCLES                    of the core for a product; 0 where they vary
 *   PRODUCT_CHECKED                   1: the core itself reports operands that are not below the modulus
 *
 * Results are below twice the modulus. x * y are two products, since a product takes the factor 2^power away: that of x and
 * of 2^(2 power), which is kept, and that of the first one, reduced, and y.
 */
#include "modwright_done.h"

/* The result as it is and less the modulus; all ones where it is below it. */
static inline uint32_t product_read(const volatile uint32_t *from, uint32_t *raw, uint32_t *less, const uint32_t *m)
{
    uint32_t borrow = 0;
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) {
        const uint32_t a = from[k], b = m[k];
        raw[k] = a;
        less[k] = a - b - borrow;
        borrow = borrowed(a, b, borrow);
    }
#if PRODUCT_MORE
    borrow &= (uint32_t)(from[PRODUCT_WORDS] == 0u);
#endif
    return mask_of(borrow);
}

static int product_by_registers(struct mw_device *d, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *given)
{
    volatile uint32_t *const base = d->bus.base;
    const uint32_t *const m = d->kept[0], *const square = d->kept[1];
    uint32_t raw[PRODUCT_WORDS], less[PRODUCT_WORDS], keep = 0, other = 0, cycles = 0;
    int status;
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) other |= given[k] ^ m[k];
    if (other) return mw_other_modulus(d, z, x, y, given);
    d->error = 0;
#if !PRODUCT_CHECKED
    if (!is_below(x, PRODUCT_WORDS, m, PRODUCT_WORDS) || !is_below(y, PRODUCT_WORDS, m, PRODUCT_WORDS))
        return mw_not_done(d, MW_E_RANGE, z);
#endif
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) {
        base[PRODUCT_X + k] = x[k];
        base[PRODUCT_Y + k] = square[k];
        PRODUCT_ORDER();
    }
    product_start(base);
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) base[PRODUCT_Y + k] = y[k];
    status = product_end(d, base, &cycles);
    if (!status) {
        keep = product_read(base + PRODUCT_Z, raw, less, m);
        for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) base[PRODUCT_X + k] = less[k] ^ ((raw[k] ^ less[k]) & keep);
        product_start(base);
        status = product_end(d, base, &cycles);
    }
    if (!status) {
        keep = product_read(base + PRODUCT_Z, raw, less, m);
        base[PRODUCT_CONTROL] = PRODUCT_WIPE;
        for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) z[k] = less[k] ^ ((raw[k] ^ less[k]) & keep);
    } else if (status == MW_E_CORE && !(is_below(x, PRODUCT_WORDS, m, PRODUCT_WORDS) && is_below(y, PRODUCT_WORDS, m, PRODUCT_WORDS)))
        status = MW_E_RANGE;
    clear(raw, PRODUCT_WORDS);
    clear(less, PRODUCT_WORDS);
    d->cycles = cycles;
    return status ? mw_not_done(d, status, z) : MW_OK;
}
