/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on words for modwright.c, in a time that depends on lengths only: no branch, no address and no multiplication
 * depends on a number, and no 64-bit type is used, whose operations a 32-bit compiler may leave to a library.
 */
#ifndef MODWRIGHT_WORDS_H
#define MODWRIGHT_WORDS_H

#include "modwright.h"

/* What mw_core.by_registers leaves to modwright.c: an operation modulo another number than the one that is kept, which is
 * not begun; and the end of one that failed. */
int mw_other_modulus(struct mw_device *d, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m);
int mw_not_done(struct mw_device *d, int status, uint32_t *z);

/* Before loops over words: four at a time take a small CPU about half of the cycles. */
#if defined(__clang__)
#define MW_UNROLL _Pragma("clang loop unroll_count(4)")
#elif defined(__GNUC__) && __GNUC__ >= 8
#define MW_UNROLL _Pragma("GCC unroll 4")
#else
#define MW_UNROLL
#endif

/* A bit as a number of which a compiler knows nothing: it would make a branch of a choice by it. */
static inline uint32_t hidden(uint32_t bit)
{
#if defined(__GNUC__)
    __asm__("" : "+r"(bit));
    return bit;
#else
    volatile uint32_t unknown = bit;
    return unknown;
#endif
}

/* All ones for 1, 0 for 0. */
static inline uint32_t mask_of(uint32_t bit) { return 0u - hidden(bit); }

/* 1 where any bit is 1, else 0. */
static inline uint32_t any_of(uint32_t bits) { return hidden((uint32_t)(bits != 0u)); }

/* The borrow of a - b - borrow. */
static inline uint32_t borrowed(uint32_t a, uint32_t b, uint32_t borrow)
{
    return (uint32_t)(a < b) | (uint32_t)(a - b < borrow);
}

static inline uint32_t words_of(uint32_t bits) { return (bits + MW_WORD_BITS - 1u) / MW_WORD_BITS; }

/* volatile in these two: not left out although nobody reads it again, and no call of memset or memcpy */
static inline void clear(uint32_t *a, size_t n)
{
    volatile uint32_t *p = a;
    while (n--) *p++ = 0;
}

/* r = a, of `count` words, cut or filled with 0 to n words. */
static inline void copy(uint32_t *r, size_t n, const uint32_t *a, size_t count)
{
    volatile uint32_t *p = r;
    for (size_t k = 0; k < n; ++k) *p++ = k < count ? a[k] : 0u;
}

/* 0 where two numbers are equal. */
static inline uint32_t difference(const uint32_t *a, size_t a_words, const uint32_t *b, size_t b_words)
{
    const size_t common = a_words < b_words ? a_words : b_words;
    uint32_t over = 0;
    MW_UNROLL for (size_t k = 0; k < common; ++k) over |= a[k] ^ b[k];
    for (size_t k = common; k < a_words; ++k) over |= a[k];
    for (size_t k = common; k < b_words; ++k) over |= b[k];
    return over;
}

/* r = a where `mask` is all ones, b where it is 0. */
static inline void select_masked(uint32_t *r, const uint32_t *a, const uint32_t *b, uint32_t mask, size_t n)
{
    MW_UNROLL for (size_t k = 0; k < n; ++k) r[k] = b[k] ^ ((a[k] ^ b[k]) & mask);
}

/* r = a - b; returns the borrow. */
static inline uint32_t subtract(uint32_t *r, const uint32_t *a, const uint32_t *b, size_t n)
{
    uint32_t borrow = 0;
    for (size_t k = 0; k < n; ++k) {
        const uint32_t x = a[k], y = b[k];
        r[k] = x - y - borrow;
        borrow = borrowed(x, y, borrow);
    }
    return borrow;
}

/* a = a + (b & mask); returns the carry. */
static inline uint32_t add_masked(uint32_t *a, const uint32_t *b, uint32_t mask, size_t n)
{
    uint32_t carry = 0;
    for (size_t k = 0; k < n; ++k) {
        const uint32_t y = b[k] & mask, s = a[k] + y, t = s + carry;
        carry = (uint32_t)(s < y) | (uint32_t)(t < carry);
        a[k] = t;
    }
    return carry;
}

/* Whether a, of `count` words, is below m, of n words: 1 or 0. */
static inline uint32_t is_below(const uint32_t *a, size_t count, const uint32_t *m, size_t n)
{
    const size_t common = count < n ? count : n;
    uint32_t borrow = 0, over = 0;
    MW_UNROLL for (size_t k = 0; k < common; ++k) borrow = borrowed(a[k], m[k], borrow);
    for (size_t k = common; k < n; ++k) borrow |= (uint32_t)(m[k] != 0u);
    for (size_t k = common; k < count; ++k) over |= a[k];
    return borrow & (uint32_t)(over == 0u);
}

/* Whether a number fits `bits`; all its words are looked at. */
static inline uint32_t fits(const uint32_t *a, size_t count, uint32_t bits)
{
    const size_t whole = bits / MW_WORD_BITS;
    uint32_t over = 0;
    for (size_t k = whole; k < count; ++k) over |= k == whole ? a[k] >> (bits % MW_WORD_BITS) : a[k];
    return (uint32_t)(over == 0u);
}

/* Bits of a number. The position of its first 1 is public; the bits after it are. */
static inline uint32_t length(const uint32_t *a, size_t n)
{
    uint32_t bits = 0, top;
    while (n && a[n - 1] == 0u) --n;
    if (n == 0u) return 0u;
    for (top = a[n - 1]; top; top >>= 1) ++bits;
    return bits + (uint32_t)(n - 1u) * MW_WORD_BITS;
}

/* r = 2r + bit mod m, for r < m. */
static inline void twice(uint32_t *r, uint32_t bit, const uint32_t *m, size_t n)
{
    uint32_t carry = bit, borrow = 0;
    for (size_t k = 0; k < n; ++k) { /* 2r + bit - m */
        const uint32_t x = r[k] << 1 | carry, y = m[k];
        carry = r[k] >> 31;
        r[k] = x - y - borrow;
        borrow = borrowed(x, y, borrow);
    }
    /* 2r + bit < 2m: below m where the subtraction borrows beyond the carry */
    (void)add_masked(r, m, mask_of(borrow & (carry ^ 1u)), n);
}

/* r = r / 2 mod m, for r < m and m odd. */
static inline void half(uint32_t *r, const uint32_t *m, size_t n)
{
    uint32_t top = add_masked(r, m, mask_of(r[0] & 1u), n);
    for (size_t k = n; k-- > 0;) {
        const uint32_t low = r[k] & 1u;
        r[k] = r[k] >> 1 | top << 31;
        top = low;
    }
}

/* r = 2^power mod m, for m odd and at least 3. */
static inline void power_of_two(uint32_t *r, int32_t power, const uint32_t *m, size_t n)
{
    const uint32_t bits = length(m, n);
    const uint32_t start = power < 0 ? 0u : (uint32_t)power < bits ? (uint32_t)power : bits - 1u;
    clear(r, n);
    r[start / MW_WORD_BITS] = UINT32_C(1) << (start % MW_WORD_BITS); /* below m: it has no more bits, and m is odd */
    for (power -= (int32_t)start; power > 0; --power) twice(r, 0, m, n);
    for (; power < 0; ++power) half(r, m, n);
}

/* r = 2^-count mod m and c = -1/m mod 2^count, for m odd: c has a 1 wherever m is added for r to be halved. */
static inline void halved(uint32_t *r, uint32_t *c, uint32_t count, const uint32_t *m, size_t n)
{
    clear(r, n);
    clear(c, words_of(count));
    r[0] = 1;
    for (uint32_t k = 0; k < count; ++k) {
        c[k / MW_WORD_BITS] |= (r[0] & 1u) << (k % MW_WORD_BITS);
        half(r, m, n);
    }
}

/* r = a * 2^shift, for a of `count` words; r has n words. */
static inline void shift_left(uint32_t *r, const uint32_t *a, size_t count, uint32_t shift, size_t n)
{
    const size_t whole = shift / MW_WORD_BITS;
    const uint32_t bits = shift % MW_WORD_BITS;
    for (size_t k = 0; k < n; ++k) {
        const uint32_t high = k >= whole && k - whole < count ? a[k - whole] : 0u;
        const uint32_t low = k > whole && k - whole - 1u < count ? a[k - whole - 1u] : 0u;
        r[k] = bits ? high << bits | low >> (MW_WORD_BITS - bits) : high;
    }
}

/* r = a mod m, for a of `count` words below 2^excess * m; r has n words. */
static inline void reduce(uint32_t *r, const uint32_t *a, size_t count, uint32_t excess, const uint32_t *m, size_t n)
{
    const size_t from = excess / MW_WORD_BITS;
    const uint32_t bits = excess % MW_WORD_BITS;
    if (excess == 1u) { /* one subtraction, kept or not: the common case */
        const uint32_t over = count > n ? a[n] : 0u;
        const uint32_t keep = mask_of(subtract(r, a, m, n) & (uint32_t)(over == 0u));
        select_masked(r, a, r, keep, n);
        return;
    }
    for (size_t k = 0; k < n; ++k) {
        const uint32_t low = k + from < count ? a[k + from] : 0u, high = k + from + 1u < count ? a[k + from + 1u] : 0u;
        r[k] = bits ? low >> bits | high << (MW_WORD_BITS - bits) : low;
    }
    for (uint32_t k = excess; k-- > 0u;) twice(r, a[k / MW_WORD_BITS] >> (k % MW_WORD_BITS) & 1u, m, n);
}

/* r = -m^-1 mod 2^bits, for bits at most 64 and m odd: bit by bit, since a product of 64 bits may depend on its factors. */
static inline void negative_inverse(uint32_t r[2], const uint32_t *m, size_t n, uint32_t bits)
{
    const uint32_t m0 = m[0], m1 = n > 1u ? m[1] : 0u;
    uint32_t low = 1, high = 0, s0 = m0, s1 = m1; /* s = 1 + m * r in the end; now m shifted by the bit's position */
    r[0] = r[1] = 0;
    for (uint32_t k = 0; k < bits; ++k) {
        const uint32_t bit = (k < MW_WORD_BITS ? low >> k : high >> (k - MW_WORD_BITS)) & 1u;
        const uint32_t mask = mask_of(bit), add = s0 & mask, sum = low + add;
        high += (s1 & mask) + (uint32_t)(sum < add);
        low = sum;
        r[k / MW_WORD_BITS] |= bit << (k % MW_WORD_BITS);
        s1 = s1 << 1 | s0 >> 31;
        s0 <<= 1;
    }
}

#endif /* MODWRIGHT_WORDS_H */
