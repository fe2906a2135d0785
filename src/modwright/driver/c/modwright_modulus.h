/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants of a modulus, made by products of the core, for modwright.c.
 *
 * A core with `lift` (Orup's multipliers) computes modulo c * m, c = -1/m mod 2^lift, and its results are far above m: a
 * reduction in software would go bit by bit. It is left to the core instead, in one more product. With c as a factor of the
 * first constant a result is w = c * r modulo c * m, so r = w / c is below m, or below 2m where w is not below c * m. The
 * core divides: next to the field c * 2^(n - lift), n the bits of the widest modulus, it computes modulo N = c * 2^n - 1,
 * where 1/c is 2^n. Of this product, (w * y + Q * N) / 2^power with 0 <= Q < 2^power and y = 2^(power + n) mod N, the
 * result is r, or r + N where c * y exceeds 2^power and r is not 0.
 */
#ifndef MODWRIGHT_MODULUS_H
#define MODWRIGHT_MODULUS_H

#include "modwright_access.h"

/* Rows of mw_device.kept; the operands that are kept follow the modulus. */
enum { ROW_MODULUS = 0, ROW_SQUARE = 1, ROW_TWO = 2, ROW_DIVISION = 3, ROW_POWER = 4 };
/* Words of ROW_DIVISION behind the field c * 2^(n - lift): the lowest of c, or 0; 1 where results are r + N, or 0. */
enum { LOWEST = 0, ADDED = 1 };

/* Starts, and waits for the end. */
static int operate(struct mw_device *d)
{
    uint32_t value;
    if (put(d, REG_CONTROL, CONTROL_START)) return MW_E_BUS;
    MW_BARRIER(); /* a STATUS that is read before a posted START arrives would be that of the operation before */
    for (uint32_t left = d->bus.wait ? 2u : d->polls; left; --left) {
        if (d->bus.wait) {
            const int there = d->bus.wait(d->bus.context, d->milliseconds);
            if (there < 0) return MW_E_BUS;
            if (there == 0) break;
        }
        if (get(d, REG_STATUS, &value)) return MW_E_BUS;
        if (value & STATUS_BUSY) continue;
        if (!(value & STATUS_DONE)) return MW_E_BUS; /* somebody else has wiped or reset the device */
        d->error = value >> 8 & 0xFFu;
        if (get(d, REG_CYCLES, &value)) return MW_E_BUS;
        d->cycles += value;
        if (d->bus.wait && put(d, REG_INTERRUPT, INTERRUPT_ENABLE | INTERRUPT_PENDING)) return MW_E_BUS;
        return d->error ? MW_E_CORE : MW_OK;
    }
    return MW_E_TIMEOUT;
}

/* value = the first result for two operands, in the core's own representation. */
static int product(struct mw_device *d, const uint32_t *x, size_t x_words, const uint32_t *y, size_t y_words,
                   uint32_t *value)
{
    const struct mw_core *core = d->core;
    int status = send(d, core->fields[0].offset, x, x_words);
    if (!status) status = send(d, core->fields[1].offset, y, y_words);
    if (!status) status = operate(d);
    if (!status) status = receive(d, core->results[0].offset, value, words_of(core->results[0].bits));
    return status;
}

/* A product as an operand of the next one, in r: as it is where the core takes that, else reduced. Returns its words. */
static size_t again(const struct mw_device *d, uint32_t *r, const uint32_t *value)
{
    const struct mw_result *result = &d->core->results[0];
    const size_t count = words_of(result->bits);
    if (d->core->closed) copy(r, count, value, count);
    else reduce(r, value, count, result->excess, d->kept[ROW_MODULUS], d->words);
    return d->core->closed ? count : d->words;
}

/* 2^(2 power) mod m in the row, by the core: from 2 in the core's representation, by squaring and doubling. */
static int square_of_base(struct mw_device *d, uint32_t *value)
{
    const uint32_t power = (uint32_t)d->core->power;
    uint32_t *const square = d->kept[ROW_SQUARE], *const two = d->kept[ROW_TWO];
    size_t count = d->words;
    uint32_t bit = 1;
    power_of_two(two, d->core->power + 1, d->kept[ROW_MODULUS], d->words);
    copy(square, MW_WORDS, two, d->words);
    while (power >> 1 >= bit) bit <<= 1;
    while (bit >>= 1) {
        int status = product(d, square, count, square, count, value);
        if (status) return status;
        count = again(d, square, value);
        if (!(power & bit)) continue;
        status = product(d, square, count, two, d->words, value);
        if (status) return status;
        count = again(d, square, value);
    }
    d->square_words = count;
    return MW_OK;
}

/* The window of 2^-lift mod m, the first field that is kept. */
static inline uint32_t power_window(const struct mw_device *d) { return d->core->fields[d->core->fresh].offset; }

/* value = w / c, as the comment at the top says: one product next to another field, after which the field is as before. */
static int divide(struct mw_device *d, const uint32_t *w, uint32_t *value)
{
    const size_t count = words_of(d->core->results[0].bits), n = d->words;
    int restored, status = send(d, power_window(d), d->kept[ROW_DIVISION], n);
    if (!status) status = product(d, w, count, d->kept[ROW_TWO], count, value);
    if (status == MW_E_TIMEOUT) return status; /* the device is reset */
    restored = send(d, power_window(d), d->kept[ROW_POWER], n);
    return status ? status : restored;
}

/* r = r of what `divide` returned, below m; value is below c * 2^(n + 1). */
static void divided(const struct mw_device *d, uint32_t *r, const uint32_t *value)
{
    const size_t n = d->words, count = words_of(d->core->results[0].bits);
    const uint32_t *const more = d->kept[ROW_DIVISION] + n;
    uint32_t above = 0, carry, top;
    for (size_t k = n; k < count; ++k) above |= value[k];
    carry = more[ADDED] & any_of(above); /* r + N = r - 1 + c * 2^n */
    top = value[n] - (more[LOWEST] & mask_of(carry));
    for (size_t k = 0; k < n; ++k) {
        r[k] = value[k] + carry;
        carry = (uint32_t)(r[k] < carry);
    }
    top += carry; /* of a number below 2m */
    (void)add_masked(r, d->kept[ROW_MODULUS], mask_of((uint32_t)(subtract(r, r, d->kept[ROW_MODULUS], n) > top)), n);
}

/* What the division needs, and c as a factor of the square. */
static int prepare_division(struct mw_device *d, uint32_t *value)
{
    const struct mw_core *core = d->core;
    const size_t n = d->words, c_words = words_of(core->lift), count = words_of(core->results[0].bits);
    const uint32_t shift = core->modulus_bits - core->lift;
    uint32_t *const square = d->kept[ROW_SQUARE], *const row = d->kept[ROW_DIVISION], *const two = d->kept[ROW_TWO];
    uint32_t above = 0;
    int status = product(d, square, d->square_words, square, d->square_words, value); /* 2^(3 power) */
    if (!status) status = product(d, value, count, row, c_words, square);
    if (status) return status;
    d->square_words = count;
    clear(two, MW_WORDS);
    two[n - 1u] = UINT32_C(1) << 31; /* 2^(n - 1) is below N = (c - 1) * 2^n + 2^n - 1 */
    for (size_t k = 0; k < n; ++k) value[k] = ~UINT32_C(0);
    copy(value + n, c_words, row, c_words);
    value[n] &= ~UINT32_C(1);
    for (int32_t k = 0; k <= core->power; ++k) twice(two, 0, value, n + c_words);
    copy(value, MW_WORDS, row, c_words);
    shift_left(row, value, c_words, shift, n);
    status = divide(d, value, value); /* of c itself: 1, or 1 + N = c * 2^n */
    if (status) return status;
    for (size_t k = n; k < count; ++k) above |= value[k];
    row[n + ADDED] = any_of(above);
    row[n + LOWEST] = value[n];
    return MW_OK;
}

#endif /* MODWRIGHT_MODULUS_H */
