/* SPDX-License-Identifier: Apache-2.0 */
#include "modwright.h"

#include "modwright_run.h"
#include "modwright_tables.h"

#define DEFAULT_POLLS 10000000u
#define DEFAULT_MILLISECONDS 10000u
#define RANDOM_DRAWS 128u /* most, until a number is from 1 to m - 1: each is so at least every second time */
#define SPARE_WORDS 8u    /* of MW_WORDS, for a core's own representation */

/* Whether there are fields, and all of them have room. */
static int usable(const struct mw_core *core)
{
    for (uint32_t f = 0; f < core->field_count; ++f)
        if (words_of(core->fields[f].bits) > MW_WORDS) return 0;
    for (uint32_t r = 0; r < core->result_count; ++r)
        if (words_of(core->results[r].bits) > MW_WORDS) return 0;
    return core->field_count && words_of(core->modulus_bits) + SPARE_WORDS <= MW_WORDS;
}

int mw_open(struct mw_device *device, const struct mw_bus *bus, const struct mw_core *core)
{
    uint32_t value;
    device->bus.context = bus->context; /* one by one: a compiler may make a call of memcpy from the whole */
    device->bus.read = bus->read;
    device->bus.write = bus->write;
    device->bus.wait = bus->wait;
    device->bus.base = bus->base;
    device->core = core;
    device->polls = DEFAULT_POLLS;
    device->milliseconds = DEFAULT_MILLISECONDS;
    device->error = device->cycles = 0;
    device->random = NULL;
    device->random_context = NULL;
    device->swap = device->ready = device->direct = 0;
    device->words = usable(core) ? words_of(core->modulus_bits) : 0u;
    if (get(device, REG_ID, &value)) return MW_E_BUS;
    device->swap = value == swapped(IDENTITY);
    if (value != IDENTITY && !device->swap) return MW_E_IDENTITY;
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

/* What the driver knows of a modulus is cleared; the device has its own. */
static void forget(struct mw_device *d)
{
    d->ready = d->direct = 0;
    for (size_t row = 0; row < MW_KEPT; ++row) clear(d->kept[row], MW_WORDS);
}

int mw_reset(struct mw_device *device)
{
    const int status = put(device, REG_CONTROL, CONTROL_RESET);
    forget(device);
    if (status) return status;
    return put(device, REG_INTERRUPT, INTERRUPT_PENDING | (device->bus.wait ? INTERRUPT_ENABLE : 0u));
}

int mw_forget(struct mw_device *device)
{
    forget(device);
    if (put(device, REG_KEEP, 0)) return MW_E_BUS;
    return mw_wipe(device);
}

/* --- what belongs to a modulus */

/* Whether a number is odd and at least 3. */
static int is_modulus(const uint32_t *m, size_t n)
{
    uint32_t more = m[0] >> 1;
    for (size_t k = 1; k < n; ++k) more |= m[k];
    return (m[0] & 1u) && more;
}

/* One field that is sent once; value has MW_WORDS words. */
static int keep_field(struct mw_device *d, const struct mw_field *field, uint32_t fresh, uint32_t *value)
{
    const uint32_t *const m = d->kept[field->of], *source = value; /* the modulus, or the order of a group */
    const uint32_t count = words_of(field->bits);
    clear(value, MW_WORDS);
    if (field->form == MW_FORM_TABLE) return send_table(d, field, value);
    if ((field->form == MW_FORM_POWER || field->form == MW_FORM_NEGINV) && !is_modulus(m, d->words)) return MW_E_MODULUS;
    switch (field->form) {
    case MW_FORM_OPERAND:
    case MW_FORM_SCALAR: source = d->kept[ROW_MODULUS + 1u + field->operand - fresh]; break;
    case MW_FORM_MODULUS: source = m; break;
    case MW_FORM_POWER:
        if (d->core->lift) halved(d->kept[ROW_POWER], d->kept[ROW_DIVISION], d->core->lift, m, d->words);
        else power_of_two(value, field->power, m, d->words);
        if (d->core->lift) source = d->kept[ROW_POWER];
        break;
    case MW_FORM_NEGINV: negative_inverse(value, m, d->words, field->bits); break;
    case MW_FORM_ZERO: break;
    default: return MW_E_UNSUPPORTED;
    }
    if (!fits(source, MW_WORDS, field->bits)) return MW_E_RANGE;
    return send(d, field->offset, source, count);
}

/* Checks a modulus and the operands that belong to it, and makes the device ready for them. */
static int prepare(struct mw_device *d, const uint32_t *given, size_t words, const struct mw_operand *kept, uint32_t count,
                   uint32_t fresh)
{
    const struct mw_core *core = d->core;
    uint32_t *const m = d->kept[ROW_MODULUS];
    uint32_t value[MW_WORDS], mask = 0;
    int status = mw_forget(d);
    if (status) return status;
    if (!fits(given, words, core->modulus_bits)) return MW_E_MODULUS;
    copy(m, MW_WORDS, given, words);
    if (!is_modulus(m, d->words)) return MW_E_MODULUS;
    if (count >= MW_KEPT) return MW_E_UNSUPPORTED;
    for (uint32_t k = 0; k < count; ++k) {
        if (!fits(kept[k].words, kept[k].count, core->modulus_bits + 1u)) return MW_E_RANGE;
        if (kept[k].modular && !is_below(kept[k].words, kept[k].count, m, d->words)) return MW_E_RANGE;
        copy(d->kept[ROW_MODULUS + 1u + k], MW_WORDS, kept[k].words, kept[k].count);
    }
    for (uint32_t f = core->fresh; f < core->field_count && !status; ++f) {
        status = keep_field(d, &core->fields[f], fresh, value);
        mask |= UINT32_C(1) << core->fields[f].number;
    }
    if (!status) status = put(d, REG_KEEP, mask);
    if (!status && core->power) status = square_of_base(d, value);
    if (!status && core->lift) status = prepare_division(d, value);
    clear(value, MW_WORDS);
    d->ready = !status;
    d->direct = d->ready && core->by_registers && d->bus.base && !d->bus.wait && !d->swap;
    return status;
}

/* Makes sure that the device has what belongs to a modulus, and a curve over it: nothing is done where they are those of
 * the operation before. */
static int select(struct mw_device *d, const uint32_t *given, size_t words, const struct mw_operand *kept, uint32_t count,
                  uint32_t fresh)
{
    const struct mw_core *core = d->core;
    const size_t n = d->words;
    uint32_t other = 0;
    if (core->modulus) {
        if (given && difference(given, words, core->modulus, n)) return MW_E_MODULUS;
        if (!fits(core->modulus, n, (uint32_t)words * MW_WORD_BITS)) return MW_E_RANGE;
        given = core->modulus;
        words = n;
    }
    if (!given) return MW_E_MODULUS;
    if (!d->ready) return prepare(d, given, words, kept, count, fresh);
    other = difference(given, words, d->kept[ROW_MODULUS], n);
    for (uint32_t k = 0; k < count; ++k)
        other |= difference(kept[k].words, kept[k].count, d->kept[ROW_MODULUS + 1u + k], n + 1u);
    return other ? prepare(d, given, words, kept, count, fresh) : MW_OK;
}

/* --- one operation of the driver */

/* r = a random number from 1 to m - 1. */
static int draw(struct mw_device *d, uint32_t *r, const uint32_t *m, size_t n)
{
    const uint32_t bits = length(m, n), count = words_of(bits);
    if (!d->random) return MW_E_RANDOM;
    for (uint32_t left = RANDOM_DRAWS; left; --left) { /* how many it takes tells of those only that are not used */
        uint32_t any = 0;
        clear(r, n);
        if (d->random(d->random_context, (uint8_t *)r, count * sizeof *r)) return MW_E_RANDOM;
        if (bits % MW_WORD_BITS) r[count - 1u] &= (UINT32_C(1) << (bits % MW_WORD_BITS)) - 1u;
        for (size_t k = 0; k < n; ++k) any |= r[k];
        if (any && is_below(r, n, m, n)) return MW_OK;
    }
    return MW_E_RANDOM;
}

/* The operand windows that are new with each operation, from one of them on; value has MW_WORDS words. */
static int load(struct mw_device *d, const struct mw_operand *operands, uint32_t first, uint32_t *value)
{
    for (uint32_t f = first; f < d->core->fresh; ++f) {
        const struct mw_field *field = &d->core->fields[f];
        const struct mw_operand *o = &operands[field->operand];
        const uint32_t count = words_of(field->bits);
        int status;
        if (field->form == MW_FORM_RANDOM) {
            status = draw(d, value, d->kept[ROW_MODULUS], d->words);
            if (!status) status = send(d, field->offset, value, d->words);
        } else if (!o->modular && !fits(o->words, o->count, field->bits)) status = MW_E_RANGE;
        else status = send(d, field->offset, o->words, o->count < count ? o->count : count);
        if (status) return status;
    }
    return MW_OK;
}

/* The results, plain and below m; value has MW_WORDS words. */
static int fetch(struct mw_device *d, uint32_t *const *results, size_t words, uint32_t *value)
{
    const struct mw_core *core = d->core;
    uint32_t infinite = 0, rest[MW_WORDS];
    int status = MW_OK;
    if (core->lift) {
        status = receive(d, core->results[0].offset, value, words_of(core->results[0].bits));
        if (!status) status = divide(d, value, value);
        if (status) return status;
        divided(d, rest, value);
        copy(results[0], words, rest, d->words);
        clear(rest, d->words);
        return MW_OK;
    }
    if (core->infinity && get(d, core->infinity, &infinite)) return MW_E_BUS;
    for (uint32_t r = 0; r < core->result_count && !status; ++r) {
        const struct mw_result *result = &core->results[r];
        const size_t count = words_of(result->bits);
        status = receive(d, result->offset, value, count);
        if (status || !result->excess) copy(results[r], words, value, count);
        else {
            reduce(rest, value, count, result->excess, d->kept[ROW_MODULUS], d->words);
            copy(results[r], words, rest, d->words);
            clear(rest, d->words);
        }
        if (infinite & 1u) clear(results[r], words);
    }
    return status ? status : infinite & 1u ? MW_INFINITY : MW_OK;
}

/* The first operand of a product in the core's representation, in its window: x * 2^(2 power) there, by the core. */
static int convert(struct mw_device *d, const struct mw_operand *x, uint32_t *value)
{
    uint32_t inner[MW_WORDS];
    size_t count = x->count < d->words ? x->count : d->words;
    int status = product(d, x->words, count, d->kept[ROW_SQUARE], d->square_words, value);
    if (status) return status;
    count = again(d, inner, value);
    status = send(d, d->core->fields[0].offset, inner, count);
    clear(inner, count);
    return status;
}

/* One operation of the core, or two with a conversion before. */
static int by_windows(struct mw_device *d, const struct mw_operand *operands, uint32_t *const *results, size_t words)
{
    uint32_t value[MW_WORDS];
    int status = MW_OK;
    if (d->core->power) status = convert(d, operands, value);
    if (!status) status = load(d, operands, d->core->power ? 1u : 0u, value);
    if (!status) status = operate(d);
    if (!status) status = fetch(d, results, words, value);
    clear(value, d->words + SPARE_WORDS);
    return status;
}

/* No operand or result stays in the device; one that does not answer in time is reset. */
static int ended(struct mw_device *d, int status)
{
    const int cleared = status == MW_E_TIMEOUT ? mw_reset(d) : mw_wipe(d);
    return cleared && status >= 0 ? cleared : status;
}

int mw_run(struct mw_device *d, uint32_t function, const struct mw_operand *operands, uint32_t fresh, uint32_t kept,
           const uint32_t *given, uint32_t *const *results, uint32_t result_count, size_t words)
{
    int status;
    if (d->core->function != function || d->core->operands != fresh) return MW_E_FUNCTION;
    if (!d->words || d->core->result_count != result_count) return MW_E_UNSUPPORTED;
    d->error = 0;
    status = select(d, given, words, operands + fresh, kept, fresh);
    if (status) (void)mw_forget(d); /* the error of before is the one to tell */
    d->cycles = 0;
    for (uint32_t k = 0; k < fresh && !status; ++k)
        if (operands[k].modular && !is_below(operands[k].words, operands[k].count, d->kept[ROW_MODULUS], d->words))
            status = MW_E_RANGE;
    if (!status) status = ended(d, by_windows(d, operands, results, words));
    if (status < 0)
        for (uint32_t r = 0; r < result_count; ++r) clear(results[r], words);
    return status;
}

static int multiply(struct mw_device *d, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m, size_t words)
{
    const struct mw_operand operands[] = {{x, words, 1}, {y, words, 1}};
    return mw_run(d, MW_MODMUL, operands, 2, 0, m, &z, 1, words);
}

static int invert(struct mw_device *d, uint32_t *z, const uint32_t *a, const uint32_t *m, size_t words)
{
    const struct mw_operand operands[] = {{a, words, 1}};
    return mw_run(d, MW_MODINV, operands, 1, 0, m, &z, 1, words);
}

int mw_other_modulus(struct mw_device *d, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m)
{
    return y ? multiply(d, z, x, y, m, d->words) : invert(d, z, x, m, d->words);
}

int mw_not_done(struct mw_device *d, int status, uint32_t *z)
{
    clear(z, d->words);
    if (d->core->lift && status != MW_E_RANGE) (void)mw_forget(d); /* another field may stand where that of m was */
    return ended(d, status);
}

int mw_modmul(struct mw_device *device, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m,
              size_t words)
{
    const struct mw_core *core = device->core;
    if (device->direct && core->function == MW_MODMUL && m && words == device->words)
        return core->by_registers(device, z, x, y, m);
    return multiply(device, z, x, y, m, words);
}

int mw_modadd(struct mw_device *device, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m,
              size_t words)
{
    const struct mw_operand operands[] = {{x, words, 1}, {y, words, 1}};
    return mw_run(device, MW_MODADD, operands, 2, 0, m, &z, 1, words);
}

int mw_modinv(struct mw_device *device, uint32_t *z, const uint32_t *a, const uint32_t *m, size_t words)
{
    const struct mw_core *core = device->core;
    if (device->direct && core->function == MW_MODINV && (m || core->modulus) && words == device->words)
        return core->by_registers(device, z, a, NULL, m);
    return invert(device, z, a, m, words);
}

int mw_modexp(struct mw_device *device, uint32_t *z, const uint32_t *base, const uint32_t *exponent,
              size_t exponent_words, const uint32_t *m, size_t words)
{
    const struct mw_operand operands[] = {{base, words, 1}, {exponent, exponent_words, 0}};
    return mw_run(device, MW_MODEXP, operands, 2, 0, m, &z, 1, words);
}
