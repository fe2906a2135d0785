/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA and EdDSA: one operation of the core each. Hashes and encodings are the caller's. */
#include "modwright_run.h"
#include "modwright_words.h"

/* Values of the operand `op` of the two functions. */
enum { ECDSA_KEY = 0, EDDSA_COMBINE = 0, SIGN = 1, VERIFY = 2 };

/* An operand that does not count in an operation; no NULL, of several of which a compiler may make a call of memset. */
static const uint32_t none = 0;

static struct mw_operand numbered(const uint32_t *words, size_t count, int modular)
{
    const int given = words && words != &none;
    const struct mw_operand found = {given ? words : &none, given ? count : 1u, modular};
    return found;
}

static struct mw_operand scalar(const uint32_t *words, size_t count) { return numbered(words, count, 0); }

static struct mw_operand coordinate(const uint32_t *words, size_t count) { return numbered(words, count, 1); }

/* The operation; first and second are NULL where only the third result counts, whether a signature is accepted. */
static int operation(struct mw_device *device, uint32_t function, const struct mw_operand *operands, uint32_t fresh,
                     const uint32_t *p, uint32_t *first, uint32_t *second, size_t words)
{
    uint32_t rest[MW_WORDS];
    uint32_t *const results[] = {first ? first : rest, second ? second : rest, rest};
    int status = words > MW_WORDS ? MW_E_RANGE : mw_run(device, function, operands, fresh, 5, p, results, 3, words);
    if (!status && !first && !(rest[0] & 1u)) status = MW_E_SIGNATURE;
    return status;
}

/* --- ECDSA */

struct ecdsa {
    const uint32_t *d, *e, *k, *x, *y, *r, *s;
};

static int ecdsa(struct mw_device *device, uint32_t op, const struct ecdsa *o, uint32_t *first, uint32_t *second,
                 const struct mw_group *group)
{
    const size_t n = group->words;
    const struct mw_operand operands[] = {
        scalar(&op, 1),          scalar(o->d, n),         scalar(o->e, n),         scalar(o->k, n),
        coordinate(o->x, n),     coordinate(o->y, n),     scalar(o->r, n),         scalar(o->s, n),
        coordinate(group->a, n), coordinate(group->b, n), scalar(group->order, n), coordinate(group->gx, n),
        coordinate(group->gy, n),
    };
    return operation(device, MW_ECDSA, operands, 8, group->p, first, second, n);
}

int mw_ecdsa_key(struct mw_device *device, uint32_t *qx, uint32_t *qy, const uint32_t *d, const struct mw_group *group)
{
    const struct ecdsa o = {d, &none, &none, &none, &none, &none, &none};
    return ecdsa(device, ECDSA_KEY, &o, qx, qy, group);
}

int mw_ecdsa_sign(struct mw_device *device, uint32_t *r, uint32_t *s, const uint32_t *d, const uint32_t *e,
                  const uint32_t *k, const uint32_t *qx, const uint32_t *qy, const struct mw_group *group)
{
    const struct ecdsa o = {d, e, k, qx, qy, &none, &none};
    return ecdsa(device, SIGN, &o, r, s, group);
}

int mw_ecdsa_verify(struct mw_device *device, const uint32_t *e, const uint32_t *qx, const uint32_t *qy,
                    const uint32_t *r, const uint32_t *s, const struct mw_group *group)
{
    const struct ecdsa o = {&none, e, &none, qx, qy, r, s};
    return ecdsa(device, VERIFY, &o, NULL, NULL, group);
}

/* --- EdDSA */

struct eddsa {
    const uint32_t *key, *k, *h, *x, *y, *s, *ry;
    uint32_t rx;
};

static int eddsa(struct mw_device *device, uint32_t op, const struct eddsa *o, uint32_t *first, uint32_t *second,
                 const struct mw_edwards_group *group)
{
    const size_t n = group->words;
    const struct mw_operand operands[] = {
        scalar(&op, 1),          scalar(o->key, n),       scalar(o->k, n),         scalar(o->h, n),
        coordinate(o->x, n),     coordinate(o->y, n),     scalar(o->s, n),         scalar(o->ry, n),
        scalar(&o->rx, 1),       coordinate(group->a, n), coordinate(group->d, n), scalar(group->order, n),
        coordinate(group->gx, n), coordinate(group->gy, n),
    };
    return operation(device, MW_EDDSA, operands, 9, group->p, first, second, n);
}

int mw_eddsa_combine(struct mw_device *device, uint32_t *x, uint32_t *y, const uint32_t *k, const uint32_t *h,
                     const uint32_t *px, const uint32_t *py, const struct mw_edwards_group *group)
{
    const struct eddsa o = {&none, k, h, h ? px : group->gx, h ? py : group->gy, &none, &none, 0};
    return eddsa(device, EDDSA_COMBINE, &o, x, y, group);
}

int mw_eddsa_sign(struct mw_device *device, uint32_t *s, const uint32_t *key, const uint32_t *k, const uint32_t *h,
                  const uint32_t *px, const uint32_t *py, const uint32_t *ry, uint32_t rx,
                  const struct mw_edwards_group *group)
{
    const struct eddsa o = {key, k, h, px, py, &none, ry, rx & 1u};
    uint32_t unused[MW_WORDS];
    return eddsa(device, SIGN, &o, s, unused, group);
}

int mw_eddsa_verify(struct mw_device *device, const uint32_t *h, const uint32_t *px, const uint32_t *py,
                    const uint32_t *s, const uint32_t *ry, uint32_t rx, const struct mw_edwards_group *group)
{
    const struct eddsa o = {&none, &none, h, px, py, s, ry, rx & 1u};
    return eddsa(device, VERIFY, &o, NULL, NULL, group);
}

int mw_eddsa_number(uint32_t *h, const uint8_t *hash, size_t count, const struct mw_edwards_group *group)
{
    const size_t n = group->words;
    uint32_t odd_and_more = group->order[0] >> 1;
    for (size_t k = 1; k < n; ++k) odd_and_more |= group->order[k];
    if (!(group->order[0] & 1u) || !odd_and_more) return MW_E_MODULUS;
    clear(h, n);
    for (size_t k = 8 * count; k-- > 0;) twice(h, hash[k / 8] >> (k % 8) & 1u, group->order, n);
    return MW_OK;
}
