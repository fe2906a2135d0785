/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inverse by one core as a function of its own, for registers in the address space. <core>_core.c includes this file
 * after it has defined, as numbers:
 *
 *   PRODUCT_X, PRODUCT_Z   words from the first register to the windows of operand and result
 *   PRODUCT_WORDS          words of a modulus, and of the result, which is below it
 *   PRODUCT_CYCLES         of the core for an inverse; 0 where they vary
 */
#include "modwright_done.h"

static int inverse_by_registers(struct mw_device *d, uint32_t *z, const uint32_t *a, const uint32_t *none,
                                const uint32_t *given)
{
    volatile uint32_t *const base = d->bus.base;
    const uint32_t *const m = d->kept[0];
    uint32_t below = 0, other = 0, cycles = 0;
    int status;
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) {
        base[PRODUCT_X + k] = a[k];
        PRODUCT_ORDER();
    }
    product_start(base);
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) { /* while the core works; what is refused is not looked at then */
        other |= given ? given[k] ^ m[k] : 0u;
        below = borrowed(a[k], m[k], below);
        PRODUCT_NOW(other);
        PRODUCT_NOW(below);
    }
    d->error = 0;
    status = product_end(d, base, &cycles);
    d->cycles = cycles;
    if (other && status != MW_E_TIMEOUT) return mw_other_modulus(d, z, a, none, given);
    if (!below && status != MW_E_TIMEOUT) status = MW_E_RANGE;
    if (status) return mw_not_done(d, status, z);
    for (uint32_t k = 0; k < PRODUCT_WORDS; ++k) z[k] = base[PRODUCT_Z + k];
    base[PRODUCT_CONTROL] = PRODUCT_WIPE;
    return MW_OK;
}
