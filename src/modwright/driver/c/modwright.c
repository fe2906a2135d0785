/* SPDX-License-Identifier: Apache-2.0 */
#include "modwright.h"

#include <string.h>

/* Registers: the part of the map that all cores share. */
enum {
    REG_ID = 0x00,
    REG_VERSION = 0x04,
    REG_FUNCTION = 0x08,
    REG_DIGEST = 0x10,
    REG_CONTROL = 0x20,
    REG_STATUS = 0x24,
    REG_INTERRUPT = 0x28,
    REG_CYCLES = 0x2C
};
#define IDENTITY UINT32_C(0x4D4F4457) /* "MODW" */
#define MAP_VERSION 1u
#define CONTROL_START 1u
#define CONTROL_WIPE 2u
#define CONTROL_RESET 4u
#define STATUS_BUSY 1u
#define STATUS_DONE 2u
#define INTERRUPT_ENABLE 1u
#define INTERRUPT_PENDING 2u

#define DEFAULT_POLLS 10000000u
#define DEFAULT_MILLISECONDS 10000u
#define RANDOM_WORDS 2u  /* drawn beyond the modulus: no residue is likelier than another by more than 2^-64 of it */
#define RANDOM_DRAWS 64u /* most, until a number is not 0 */

struct operand {
    const uint32_t *words;
    size_t count;
    int modular; /* below m */
};

/* --- arithmetic on words, in a time that depends on lengths only */

static uint32_t words_of(uint32_t bits) { return (bits + MW_WORD_BITS - 1u) / MW_WORD_BITS; }

static void clear(uint32_t *a, size_t n)
{
    volatile uint32_t *p = a; /* volatile: not left out although nobody reads it again */
    while (n--) *p++ = 0;
}

/* r = a - b; returns the borrow. */
static uint32_t subtract(uint32_t *r, const uint32_t *a, const uint32_t *b, size_t n)
{
    uint32_t borrow = 0;
    for (size_t k = 0; k < n; ++k) {
        const uint64_t d = (uint64_t)a[k] - b[k] - borrow;
        r[k] = (uint32_t)d;
        borrow = (uint32_t)(d >> 63);
    }
    return borrow;
}

/* a = a + (b & mask); returns the carry. */
static uint32_t add_masked(uint32_t *a, const uint32_t *b, uint32_t mask, size_t n)
{
    uint32_t carry = 0;
    for (size_t k = 0; k < n; ++k) {
        const uint64_t s = (uint64_t)a[k] + (b[k] & mask) + carry;
        a[k] = (uint32_t)s;
        carry = (uint32_t)(s >> 32);
    }
    return carry;
}

static uint32_t is_below(const uint32_t *a, const uint32_t *b, size_t n)
{
    uint32_t borrow = 0;
    for (size_t k = 0; k < n; ++k) borrow = (uint32_t)(((uint64_t)a[k] - b[k] - borrow) >> 63);
    return borrow;
}

/* r = 2r + bit mod m, for r < m. */
static void twice(uint32_t *r, uint32_t bit, const uint32_t *m, size_t n)
{
    uint32_t carry = bit;
    for (size_t k = 0; k < n; ++k) {
        const uint32_t top = r[k] >> 31;
        r[k] = r[k] << 1 | carry;
        carry = top;
    }
    /* 2r + bit < 2m: with the carry or at least m, one subtraction is right, and its borrow takes the carry away */
    const uint32_t below = subtract(r, r, m, n) & (carry ^ 1u);
    (void)add_masked(r, m, 0u - below, n);
}

/* r = r / 2 mod m, for r < m and m odd. */
static void half(uint32_t *r, const uint32_t *m, size_t n)
{
    uint32_t top = add_masked(r, m, 0u - (r[0] & 1u), n);
    for (size_t k = n; k-- > 0;) {
        const uint32_t low = r[k] & 1u;
        r[k] = r[k] >> 1 | top << 31;
        top = low;
    }
}

/* r = r * 2^power mod m. */
static void scale(uint32_t *r, int32_t power, const uint32_t *m, size_t n)
{
    for (; power > 0; --power) twice(r, 0, m, n);
    for (; power < 0; ++power) half(r, m, n);
}

/* r = a mod m; r has n words, a has count. */
static void reduce(uint32_t *r, const uint32_t *a, size_t count, const uint32_t *m, size_t n)
{
    clear(r, n);
    for (size_t k = count * MW_WORD_BITS; k-- > 0;) twice(r, a[k / MW_WORD_BITS] >> (k % MW_WORD_BITS) & 1u, m, n);
}

/* -m^-1 mod 2^64, by Newton: each step doubles the bits that are right, and m is its own inverse in 3 of them. */
static uint64_t negative_inverse(uint64_t m)
{
    uint64_t x = m;
    for (int k = 0; k < 5; ++k) x *= 2u - m * x;
    return 0u - x;
}

/* Whether a number fits `bits`; all its words are looked at. */
static int fits(const uint32_t *a, size_t count, uint32_t bits)
{
    uint32_t over = 0;
    for (size_t k = 0; k < count; ++k) {
        if (k * MW_WORD_BITS >= bits) over |= a[k];
        else if (bits - k * MW_WORD_BITS < MW_WORD_BITS) over |= a[k] >> (bits % MW_WORD_BITS);
    }
    return over == 0;
}

/* --- registers */

static int get(struct mw_device *d, uint32_t offset, uint32_t *value)
{
    return d->bus.read(d->bus.context, offset, value) ? MW_E_BUS : MW_OK;
}

static int put(struct mw_device *d, uint32_t offset, uint32_t value)
{
    return d->bus.write(d->bus.context, offset, value) ? MW_E_BUS : MW_OK;
}

int mw_open(struct mw_device *device, const struct mw_bus *bus, const struct mw_core *core)
{
    uint32_t value;
    device->bus = *bus;
    device->core = core;
    device->polls = DEFAULT_POLLS;
    device->milliseconds = DEFAULT_MILLISECONDS;
    device->error = 0;
    device->cycles = 0;
    device->random = NULL;
    device->random_context = NULL;
    if (get(device, REG_ID, &value)) return MW_E_BUS;
    if (value != IDENTITY) return MW_E_IDENTITY;
    if (get(device, REG_VERSION, &value)) return MW_E_BUS;
    if (value >> 24 != MAP_VERSION) return MW_E_IDENTITY;
    if (get(device, REG_FUNCTION, &value)) return MW_E_BUS;
    if ((value & 0xFFu) != core->function) return MW_E_IDENTITY;
    for (uint32_t k = 0; k < 4; ++k) {
        if (get(device, REG_DIGEST + 4 * k, &value)) return MW_E_BUS;
        if (value != core->digest[k]) return MW_E_IDENTITY;
    }
    return mw_reset(device);
}

int mw_wipe(struct mw_device *device) { return put(device, REG_CONTROL, CONTROL_WIPE); }

int mw_reset(struct mw_device *device)
{
    const int status = put(device, REG_CONTROL, CONTROL_RESET);
    if (status) return status;
    return put(device, REG_INTERRUPT, INTERRUPT_PENDING | (device->bus.wait ? INTERRUPT_ENABLE : 0u));
}

/* --- one operation */

/* r = a random number from 1 to m - 1; raw has n + RANDOM_WORDS words at least. */
static int draw(struct mw_device *d, uint32_t *r, const uint32_t *m, size_t n, uint32_t *raw)
{
    const size_t count = n + RANDOM_WORDS;
    uint32_t any = 0;
    if (!d->random) return MW_E_RANDOM;
    for (uint32_t left = RANDOM_DRAWS; left && !any; --left) {
        if (d->random(d->random_context, (uint8_t *)raw, count * sizeof *raw)) return MW_E_RANDOM;
        reduce(r, raw, count, m, n);
        for (size_t k = 0; k < n; ++k) any |= r[k];
    }
    return any ? MW_OK : MW_E_RANDOM;
}

/* The operand windows; value and rest have MW_WORDS words. */
static int load(struct mw_device *d, const struct operand *operands, const uint32_t *m, size_t n, uint32_t *value,
                uint32_t *rest)
{
    const struct mw_core *core = d->core;
    for (uint32_t f = 0; f < core->field_count; ++f) {
        const struct mw_field *field = &core->fields[f];
        const struct operand *o = &operands[field->operand];
        const uint32_t count = words_of(field->bits);
        if (count > MW_WORDS) return MW_E_UNSUPPORTED;
        clear(value, MW_WORDS);
        switch (field->form) {
        case MW_FORM_OPERAND:
        case MW_FORM_SCALAR:
            memcpy(value, o->words, o->count * sizeof *value);
            if (field->form == MW_FORM_OPERAND) scale(value, field->power, m, n);
            break;
        case MW_FORM_MODULUS:
            memcpy(value, m, n * sizeof *value);
            break;
        case MW_FORM_POWER:
            value[0] = 1;
            scale(value, field->power, m, n);
            break;
        case MW_FORM_NEGINV: {
            const uint64_t inverse = negative_inverse(m[0] | (n > 1 ? (uint64_t)m[1] << 32 : 0u));
            value[0] = (uint32_t)inverse;
            value[1] = (uint32_t)(inverse >> 32);
            if (field->bits < 64u) {
                const uint64_t mask = (UINT64_C(1) << field->bits) - 1u;
                value[0] &= (uint32_t)mask;
                value[1] &= (uint32_t)(mask >> 32);
            }
            break;
        }
        case MW_FORM_ZERO:
            break;
        case MW_FORM_RANDOM: {
            const int status = draw(d, value, m, n, rest);
            if (status) return status;
            break;
        }
        default:
            return MW_E_UNSUPPORTED;
        }
        if (!fits(value, MW_WORDS, field->bits)) return MW_E_RANGE;
        for (uint32_t k = 0; k < count; ++k)
            if (put(d, field->offset + 4 * k, value[k])) return MW_E_BUS;
    }
    return MW_OK;
}

/* Waits for the end of an operation. */
static int finish(struct mw_device *d)
{
    uint32_t value;
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
        if (get(d, REG_CYCLES, &d->cycles)) return MW_E_BUS;
        return d->error ? MW_E_CORE : MW_OK;
    }
    return MW_E_TIMEOUT;
}

/* Reads the results; value has MW_WORDS words. */
static int fetch(struct mw_device *d, uint32_t *const *results, const uint32_t *m, size_t n, size_t words,
                 uint32_t *value, uint32_t *rest)
{
    const struct mw_core *core = d->core;
    uint32_t infinite = 0;
    if (core->infinity && get(d, core->infinity, &infinite)) return MW_E_BUS;
    for (uint32_t r = 0; r < core->result_count; ++r) {
        const struct mw_result *result = &core->results[r];
        const uint32_t count = words_of(result->bits);
        if (count > MW_WORDS) return MW_E_UNSUPPORTED;
        for (uint32_t k = 0; k < count; ++k)
            if (get(d, result->offset + 4 * k, &value[k])) return MW_E_BUS;
        reduce(rest, value, count, m, n);
        scale(rest, result->power, m, n);
        if (infinite & 1u) clear(rest, n);
        for (size_t k = 0; k < words; ++k) results[r][k] = k < n ? rest[k] : 0u;
    }
    return infinite & 1u ? MW_INFINITY : MW_OK;
}

/* The modulus as n words in `m`. */
static int modulus(const struct mw_core *core, const uint32_t *given, size_t words, uint32_t *m, size_t n)
{
    clear(m, MW_WORDS);
    if (core->modulus) {
        uint32_t differ = 0;
        memcpy(m, core->modulus, n * sizeof *m);
        for (size_t k = 0; given && k < words; ++k) differ |= given[k] ^ (k < n ? m[k] : 0u);
        return differ ? MW_E_MODULUS : MW_OK;
    }
    if (!given || !fits(given, words, core->modulus_bits)) return MW_E_MODULUS;
    memcpy(m, given, (words < n ? words : n) * sizeof *m);
    uint32_t more = m[0] >> 1;
    for (size_t k = 1; k < n; ++k) more |= m[k];
    return (m[0] & 1u) && more ? MW_OK : MW_E_MODULUS;
}

static int check(const struct operand *o, const uint32_t *m, size_t n, uint32_t *value)
{
    if (o->count > MW_WORDS - 1u) return MW_E_RANGE;
    clear(value, MW_WORDS);
    memcpy(value, o->words, o->count * sizeof *value);
    if (!o->modular) return MW_OK;
    return is_below(value, m, MW_WORDS) && fits(value, MW_WORDS, (uint32_t)n * MW_WORD_BITS) ? MW_OK : MW_E_RANGE;
}

static int run(struct mw_device *d, uint32_t function, const struct operand *operands, uint32_t count,
               const uint32_t *given, uint32_t *const *results, uint32_t result_count, size_t words)
{
    const struct mw_core *core = d->core;
    const size_t n = words_of(core->modulus_bits);
    uint32_t m[MW_WORDS], value[MW_WORDS], rest[MW_WORDS];
    int status = MW_OK;
    if (core->function != function) return MW_E_FUNCTION;
    if (!core->field_count || core->result_count != result_count || n > MW_WORDS - 8u) return MW_E_UNSUPPORTED;
    if (words > MW_WORDS - 1u) return MW_E_RANGE;
    status = modulus(core, given, words, m, n);
    if (!status && core->modulus && !fits(m, n, (uint32_t)words * MW_WORD_BITS)) status = MW_E_RANGE;
    for (uint32_t k = 0; k < count && !status; ++k) status = check(&operands[k], m, n, value);
    if (!status) {
        d->error = 0;
        status = load(d, operands, m, n, value, rest);
        if (!status) status = put(d, REG_CONTROL, CONTROL_START);
        if (!status) status = finish(d);
        if (!status) status = fetch(d, results, m, n, words, value, rest);
        /* nothing stays in the device; one that does not answer in time is reset */
        const int cleared = status == MW_E_TIMEOUT ? mw_reset(d) : mw_wipe(d);
        if (cleared && status >= 0) status = cleared;
        if (d->bus.wait && status != MW_E_TIMEOUT
            && put(d, REG_INTERRUPT, INTERRUPT_ENABLE | INTERRUPT_PENDING) && status >= 0)
            status = MW_E_BUS;
    }
    if (status < 0)
        for (uint32_t r = 0; r < result_count; ++r) clear(results[r], words);
    clear(m, MW_WORDS); /* for the CRT of RSA the modulus is a secret prime */
    clear(value, MW_WORDS);
    clear(rest, MW_WORDS);
    return status;
}

int mw_modmul(struct mw_device *device, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m,
              size_t words)
{
    const struct operand operands[] = {{x, words, 1}, {y, words, 1}};
    return run(device, MW_MODMUL, operands, 2, m, &z, 1, words);
}

int mw_modadd(struct mw_device *device, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m,
              size_t words)
{
    const struct operand operands[] = {{x, words, 1}, {y, words, 1}};
    return run(device, MW_MODADD, operands, 2, m, &z, 1, words);
}

int mw_modinv(struct mw_device *device, uint32_t *z, const uint32_t *a, const uint32_t *m, size_t words)
{
    const struct operand operands[] = {{a, words, 1}};
    return run(device, MW_MODINV, operands, 1, m, &z, 1, words);
}

int mw_modexp(struct mw_device *device, uint32_t *z, const uint32_t *base, const uint32_t *exponent,
              size_t exponent_words, const uint32_t *m, size_t words)
{
    const struct operand operands[] = {{base, words, 1}, {exponent, exponent_words, 0}};
    return run(device, MW_MODEXP, operands, 2, m, &z, 1, words);
}

int mw_ecpm(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, const uint32_t *x,
            const uint32_t *y, const struct mw_curve *curve)
{
    const size_t words = curve->words;
    const struct operand operands[] = {{k, k_words, 0},        {x, words, 1},        {y, words, 1},
                                       {curve->a, words, 1},   {curve->b, words, 1}, {curve->order, curve->order_words, 0}};
    uint32_t *const results[] = {rx, ry};
    return run(device, MW_ECPM, operands, 6, curve->p, results, 2, words);
}

int mw_xmul(struct mw_device *device, uint32_t *z, const uint32_t *k, const uint32_t *u,
            const struct mw_montgomery *curve)
{
    const size_t words = curve->words;
    const struct operand operands[] = {{k, words, 0}, {u, words, 0}, {curve->a24, words, 1}, {&curve->clamp, 1, 0}};
    return run(device, MW_XMUL, operands, 4, curve->p, &z, 1, words);
}

int mw_edmul(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, const uint32_t *x,
             const uint32_t *y, const struct mw_edwards *curve)
{
    const size_t words = curve->words;
    const struct operand operands[] = {
        {k, k_words, 0}, {x, words, 1}, {y, words, 1}, {curve->a, words, 1}, {curve->d, words, 1}};
    uint32_t *const results[] = {rx, ry};
    return run(device, MW_EDMUL, operands, 5, curve->p, results, 2, words);
}

/* --- bytes */

int mw_from_bytes(uint32_t *words, size_t word_count, const uint8_t *bytes, size_t byte_count)
{
    uint8_t over = 0;
    clear(words, word_count);
    for (size_t k = 0; k < byte_count; ++k) {
        const uint8_t byte = bytes[byte_count - 1 - k];
        if (k / 4 < word_count) words[k / 4] |= (uint32_t)byte << (8 * (k % 4));
        else over = (uint8_t)(over | byte);
    }
    return over ? MW_E_RANGE : MW_OK;
}

int mw_to_bytes(uint8_t *bytes, size_t byte_count, const uint32_t *words, size_t word_count)
{
    uint32_t over = 0;
    for (size_t k = 0; k < byte_count; ++k)
        bytes[byte_count - 1 - k] = k / 4 < word_count ? (uint8_t)(words[k / 4] >> (8 * (k % 4))) : 0;
    for (size_t k = byte_count; k < 4 * word_count; ++k) over |= words[k / 4] >> (8 * (k % 4)) & 0xFFu;
    return over ? MW_E_RANGE : MW_OK;
}

const char *mw_message(int status)
{
    switch (status) {
    case MW_OK: return "done";
    case MW_INFINITY: return "the point at infinity";
    case MW_E_BUS: return "an access to the device failed";
    case MW_E_TIMEOUT: return "the device gave no result in time";
    case MW_E_IDENTITY: return "the device is not the core that was expected";
    case MW_E_FUNCTION: return "the core computes another function";
    case MW_E_RANGE: return "an operand is out of range";
    case MW_E_MODULUS: return "the modulus does not fit the core";
    case MW_E_CORE: return "the core reports an error";
    case MW_E_UNSUPPORTED: return "the core's representation is not known to the driver";
    case MW_E_RANDOM: return "the core needs random numbers, and there are none";
    default: return "unknown";
    }
}
