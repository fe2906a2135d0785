/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a core and its end, for registers in the address space: what the functions for one core share. */
#ifndef MODWRIGHT_DONE_H
#define MODWRIGHT_DONE_H

#include "modwright_words.h"

#define PRODUCT_STATUS 9u /* words from the first register, as offsets of the register map */
#define PRODUCT_CONTROL 8u
#define PRODUCT_COUNTER 11u
#define PRODUCT_WIPE 2u

/* A word after the other, and a number computed where it stands: a compiler that reads many words first, or puts off what
 * is not needed yet, has to save as many registers of its caller. */
#if defined(__GNUC__)
#define PRODUCT_ORDER() __asm__ volatile("" ::: "memory")
#define PRODUCT_NOW(number) __asm__("" : "+r"(number))
#else
#define PRODUCT_ORDER() ((void)0)
#define PRODUCT_NOW(number) ((void)(number))
#endif

/* Starts the core, which takes its operands at once: those of the next operation can be sent while it works. */
static inline void product_start(volatile uint32_t *base)
{
    base[PRODUCT_CONTROL] = 1u;
    MW_BARRIER(); /* a STATUS that is read before a posted START arrives would be that of the operation before */
}

/* Waits for the end, and adds the cycles of the core. */
static inline int product_end(struct mw_device *d, const volatile uint32_t *base, uint32_t *cycles)
{
    for (uint32_t left = d->polls; left; --left) {
        const uint32_t state = base[PRODUCT_STATUS];
        if (state & 1u) continue;
        *cycles += PRODUCT_CYCLES ? PRODUCT_CYCLES : base[PRODUCT_COUNTER];
        if (state == 2u) return MW_OK;
        d->error = state >> 8 & 0xFFu;
        return d->error ? MW_E_CORE : MW_E_BUS;
    }
    return MW_E_TIMEOUT;
}

#endif /* MODWRIGHT_DONE_H */
