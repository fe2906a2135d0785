/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The product of one core with `lift` as a function of its own, for registers in the address space. <core>_core.c includes
 * this file after it has defined, as numbers:
 *
 *   PRODUCT_X, PRODUCT_Y, PRODUCT_Z   words from the first register to the windows of operands and result
 *   PRODUCT_POWER                     to the window of 2^-lift mod m
 *   PRODUCT_WORDS, PRODUCT_LONG       words of a modulus; of a result
 *   PRODUCT_CYCLES                    of the core for a product; 0 where they vary
 *
 * Three products, as modwright_modulus.h explains: x in the core's representation and times c, that and y, and the
 * division by c.
 */
#include "modwright_done.h"

#define MW_OTHER 2u
#define IN_REGISTERS 4u /* words of two numbers that need no place in memory, which would have to be cleared */

enum { KEPT_MODULUS = 0, KEPT_SQUARE = 1, KEPT_INVERSE = 2, KEPT_DIVISION = 3, KEPT_POWER = 4 };

/* z = the quotient in the window of the result, below m. */
static inline void product_divided(const volatile uint32_t *from, uint32_t *z, const uint32_t *m, const uint32_t *more)
{
    const uint32_t next = from[PRODUCT_WORDS];
    uint32_t above = next, carry, top, borrow = 0, mask, low[PRODUCT_WORDS], less[PRODUCT_WORDS];
    for (uint32_t k = PRODUCT_WORDS + 1u; k < PRODUCT_LONG; ++k) above |= from[k];
    carry = more[1] & any_of(above);
    top = next - (more[0] & mask_of(carry));
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) {
        low[k] = from[k] + carry;
        carry = (uint32_t)(low[k] < carry);
        less[k] = low[k] - m[k] - borrow;
        borrow = borrowed(low[k], m[k], borrow);
        PRODUCT_NOW(carry);
        PRODUCT_NOW(borrow);
    }
    mask = mask_of((uint32_t)(borrow > top + carry));
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) z[k] = less[k] ^ ((low[k] ^ less[k]) & mask);
    if (PRODUCT_WORDS <= IN_REGISTERS) return;
    clear(low, PRODUCT_WORDS);
    clear(less, PRODUCT_WORDS);
}

/* Words into a window. */
static inline void product_sent(volatile uint32_t *to, const uint32_t *words, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        to[k] = words[k];
        PRODUCT_ORDER();
    }
}

/* The result as the first operand of the next product. */
static inline void product_passed(volatile uint32_t *base)
{
    for (uint32_t k = 0; k < PRODUCT_LONG; ++k) base[PRODUCT_X + k] = base[PRODUCT_Z + k];
}

/* The operands, and the first constant next to x. Returns whether both are below m, or MW_OTHER for another modulus. */
static inline uint32_t product_loaded(struct mw_device *d, const uint32_t *x, const uint32_t *y, const uint32_t *given)
{
    volatile uint32_t *const base = d->bus.base;
    const uint32_t *const m = d->kept[KEPT_MODULUS];
    uint32_t x_below = 0, y_below = 0, other = 0;
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) {
        const uint32_t word = x[k], limit = m[k];
        base[PRODUCT_X + k] = word;
        other |= given[k] ^ limit;
        x_below = borrowed(word, limit, x_below);
        y_below = borrowed(y[k], limit, y_below);
        PRODUCT_NOW(other);
        PRODUCT_NOW(x_below);
        PRODUCT_NOW(y_below);
        PRODUCT_ORDER();
    }
    product_sent(base + PRODUCT_Y, d->kept[KEPT_SQUARE], PRODUCT_LONG);
    return other ? MW_OTHER : x_below & y_below;
}

static int product_by_registers(struct mw_device *d, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *given)
{
    volatile uint32_t *const base = d->bus.base;
    const uint32_t state = product_loaded(d, x, y, given);
    uint32_t cycles = 0;
    int status;
    if (state == MW_OTHER) return mw_other_modulus(d, z, x, y, given);
    d->error = 0;
    if (!state) return mw_not_done(d, MW_E_RANGE, z);
    product_start(base);
    product_sent(base + PRODUCT_Y, y, PRODUCT_WORDS);
    status = product_end(d, base, &cycles);
    if (!status) {
        product_passed(base);
        product_start(base);
        product_sent(base + PRODUCT_Y, d->kept[KEPT_INVERSE], PRODUCT_LONG);
        product_sent(base + PRODUCT_POWER, d->kept[KEPT_DIVISION], PRODUCT_WORDS);
        status = product_end(d, base, &cycles);
    }
    if (!status) {
        product_passed(base);
        product_start(base);
        product_sent(base + PRODUCT_POWER, d->kept[KEPT_POWER], PRODUCT_WORDS);
        status = product_end(d, base, &cycles);
    }
    d->cycles = cycles;
    if (status) return mw_not_done(d, status, z);
    product_divided(base + PRODUCT_Z, z, d->kept[KEPT_MODULUS], d->kept[KEPT_DIVISION] + PRODUCT_WORDS);
    base[PRODUCT_CONTROL] = PRODUCT_WIPE;
    return MW_OK;
}
