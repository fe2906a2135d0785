/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of a modulus in residues, for modwright.c: a word modulo each channel c, which is odd and below 2^31. They are computed
 * once a modulus, bit by bit, in a time that depends on lengths and on the core only: the CPU multiplies and divides nothing.
 */
#ifndef MODWRIGHT_TABLES_H
#define MODWRIGHT_TABLES_H

#include "modwright_modulus.h"

/* r, or r - c where r is not below c; for r < 2c. */
static inline uint32_t below_channel(uint32_t r, uint32_t c)
{
    const uint32_t less = r - c; /* from -c to c - 1: its highest bit is the sign */
    return less + (c & mask_of(less >> 31));
}

/* a mod c. */
static inline uint32_t residue(const uint32_t *a, size_t n, uint32_t c)
{
    uint32_t r = 0;
    while (n--)
        for (uint32_t bit = MW_WORD_BITS; bit--;) r = below_channel(r << 1 | (a[n] >> bit & 1u), c);
    return r;
}

/* x * y mod c, for both below c. */
static inline uint32_t times(uint32_t x, uint32_t y, uint32_t c)
{
    uint32_t r = 0;
    for (uint32_t bit = MW_WORD_BITS - 1u; bit--;) {
        r = below_channel(r << 1, c);
        r = below_channel(r + (x & mask_of(y >> bit & 1u)), c);
    }
    return r;
}

/* 1 / x mod c, for c prime: x^(c - 2); 0 for 0. */
static inline uint32_t inverted(uint32_t x, uint32_t c)
{
    uint32_t r = 1;
    for (uint32_t bit = MW_WORD_BITS - 1u; bit--;) {
        r = times(r, r, c);
        if ((c - 2u) >> bit & 1u) r = times(r, x, c); /* of the core, and no secret */
    }
    return r;
}

/* r = a mod m, for a of `count` words; r has n words. */
static inline void reduce_long(uint32_t *r, const uint32_t *a, size_t count, const uint32_t *m, size_t n)
{
    clear(r, n);
    while (count--)
        for (uint32_t bit = MW_WORD_BITS; bit--;) twice(r, a[count] >> bit & 1u, m, n);
}

/* The words of a table of the modulus, each in its window; value has MW_WORDS words. MW_E_MODULUS where the modulus has no
 * inverse in a channel. */
static int send_table(struct mw_device *d, const struct mw_field *field, uint32_t *value)
{
    const struct mw_table *const t = &d->core->tables[field->operand];
    const uint32_t *source = d->kept[ROW_MODULUS];
    uint32_t none = 0;
    if (t->number) {
        reduce_long(value, t->number, t->number_words, source, d->words);
        source = value;
    }
    for (uint32_t k = 0; k < t->count; ++k) {
        const uint32_t c = t->channels[k];
        uint32_t r = residue(source, d->words, c);
        if (t->inverse) {
            none |= (uint32_t)(r == 0u);
            r = c - inverted(r, c);
        }
        if (put(d, field->offset + 4u * k, times(below_channel(r, c), t->scales[k], c))) return MW_E_BUS;
    }
    return none ? MW_E_MODULUS : MW_OK;
}

#endif /* MODWRIGHT_TABLES_H */
