/* SPDX-License-Identifier: Apache-2.0 */
/* The number that a hash is for ECDSA, and the nonce of RFC 6979, over the caller's HMAC. */
#include "modwright_words.h"

#define MAC_MOST 64u /* bytes of HMAC-SHA-512 */
#define BYTES_MOST (4u * MW_WORDS)
#define DRAWS 128u /* most candidates: each is below the order at least every second time */

/* volatile: not left out although nobody reads it again, and no call of memset */
static void fill(uint8_t *bytes, size_t count, uint8_t value)
{
    volatile uint8_t *p = bytes;
    while (count--) *p++ = value;
}

static void put_bytes(uint8_t *to, const uint8_t *from, size_t count)
{
    volatile uint8_t *p = to; /* no call of memcpy */
    for (size_t k = 0; k < count; ++k) p[k] = from[k];
}

/* bits2int, RFC 6979, section 2.3.2: the leftmost bits, as many as the order has. */
static int leftmost(uint32_t *e, size_t words, const uint8_t *bytes, size_t count, uint32_t bits)
{
    const size_t whole = (bits + 7u) / 8u, taken = count < whole ? count : whole;
    const uint32_t over = count < whole ? 0u : (uint32_t)(8u * whole) - bits;
    const int status = mw_from_bytes(e, words, bytes, taken);
    if (over)
        for (size_t k = 0; k < words; ++k) e[k] = e[k] >> over | (k + 1 < words ? e[k + 1] << (MW_WORD_BITS - over) : 0u);
    return status;
}

int mw_ecdsa_number(uint32_t *e, const uint8_t *hash, size_t count, const struct mw_group *group)
{
    return leftmost(e, group->words, hash, count, length(group->order, group->words));
}

/* The state of HMAC_DRBG. */
struct state {
    const struct mw_hmac *hmac;
    uint8_t key[MAC_MOST], value[MAC_MOST];
    uint8_t data[MAC_MOST + 1u + 2u * BYTES_MOST];
};

static int next_value(struct state *s)
{
    put_bytes(s->data, s->value, s->hmac->size);
    return s->hmac->mac(s->hmac->context, s->value, s->key, s->data, s->hmac->size);
}

/* K = HMAC(K, V || mark || what stands in the data behind it), V = HMAC(K, V). */
static int next_key(struct state *s, uint8_t mark, size_t more)
{
    put_bytes(s->data, s->value, s->hmac->size);
    s->data[s->hmac->size] = mark;
    return s->hmac->mac(s->hmac->context, s->key, s->key, s->data, s->hmac->size + 1u + more) || next_value(s);
}

/* Steps b to g of RFC 6979, section 3.2; e has `words` words of room. */
static int seed(struct state *s, uint32_t *e, const uint32_t *d, const uint8_t *hash, size_t count,
                const struct mw_group *group, uint32_t bits)
{
    const size_t size = s->hmac->size, bytes = (bits + 7u) / 8u, n = group->words;
    uint32_t less[MW_WORDS];
    int status = leftmost(e, n, hash, count, bits);
    if (!status) { /* below twice the order: bits2octets subtracts it once, or not */
        const uint32_t borrow = subtract(less, e, group->order, n);
        select_masked(e, e, less, mask_of(borrow), n);
    }
    fill(s->key, size, 0);
    fill(s->value, size, 1);
    for (unsigned mark = 0; mark < 2u && !status; ++mark) {
        status = mw_to_bytes(s->data + size + 1u, bytes, d, n);
        if (!status) status = mw_to_bytes(s->data + size + 1u + bytes, bytes, e, n);
        if (!status && next_key(s, (uint8_t)mark, 2u * bytes)) status = MW_E_RANDOM;
    }
    clear(less, n);
    return status;
}

/* Step h: the next candidate. */
static int candidate(struct state *s, uint32_t *k, size_t words, uint32_t bits)
{
    uint8_t text[BYTES_MOST + MAC_MOST];
    const size_t bytes = (bits + 7u) / 8u;
    size_t made = 0;
    int status = MW_OK;
    for (; made < bytes && !status; made += s->hmac->size) {
        if (next_value(s)) status = MW_E_RANDOM;
        put_bytes(text + made, s->value, s->hmac->size);
    }
    if (!status) status = leftmost(k, words, text, made, bits);
    fill(text, sizeof text, 0);
    return status;
}

int mw_ecdsa_nonce(uint32_t *k, const uint32_t *d, const uint8_t *hash, size_t count, uint32_t skip,
                   const struct mw_group *group, const struct mw_hmac *hmac)
{
    const size_t n = group->words;
    struct state state;
    uint32_t bits;
    int status, found = 0;
    if (n > MW_WORDS || !hmac->size || hmac->size > MAC_MOST) return MW_E_RANGE;
    bits = length(group->order, n);
    if (!bits || !is_below(d, n, group->order, n)) return MW_E_RANGE;
    state.hmac = hmac;
    status = seed(&state, k, d, hash, count, group, bits);
    for (uint32_t left = DRAWS; left && !status && !found; --left) {
        uint32_t any = 0;
        status = candidate(&state, k, n, bits);
        for (size_t w = 0; w < n; ++w) any |= k[w];
        found = !status && any && is_below(k, n, group->order, n) && !skip--;
        if (!status && !found && next_key(&state, 0, 0)) status = MW_E_RANDOM;
    }
    if (!status && !found) status = MW_E_RANDOM;
    if (status) clear(k, n);
    fill((uint8_t *)&state, sizeof state, 0);
    return status;
}
