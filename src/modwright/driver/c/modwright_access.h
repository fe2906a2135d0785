/* SPDX-License-Identifier: Apache-2.0 */
/* The registers for modwright.c: their offsets, and words and windows over whatever bus there is. */
#ifndef MODWRIGHT_ACCESS_H
#define MODWRIGHT_ACCESS_H

#include "modwright_words.h"

/* Registers: the part of the map that all cores share. */
enum {
    REG_ID = 0x00,
    REG_VERSION = 0x04,
    REG_FUNCTION = 0x08,
    REG_DIGEST = 0x10,
    REG_CONTROL = 0x20,
    REG_STATUS = 0x24,
    REG_INTERRUPT = 0x28,
    REG_CYCLES = 0x2C,
    REG_KEEP = 0x30
};
#define IDENTITY UINT32_C(0x4D4F4457) /* "MODW" */
#define MAP_VERSION 2u
#define CONTROL_START 1u
#define CONTROL_WIPE 2u
#define CONTROL_RESET 4u
#define STATUS_BUSY 1u
#define STATUS_DONE 2u
#define INTERRUPT_ENABLE 1u
#define INTERRUPT_PENDING 2u

static inline uint32_t swapped(uint32_t a) { return a << 24 | (a & 0xFF00u) << 8 | (a >> 8 & 0xFF00u) | a >> 24; }

static inline int get(struct mw_device *d, uint32_t offset, uint32_t *value)
{
    if (d->bus.base) *value = d->bus.base[offset / 4u];
    else if (d->bus.read(d->bus.context, offset, value)) return MW_E_BUS;
    if (d->swap) *value = swapped(*value);
    return MW_OK;
}

static inline int put(struct mw_device *d, uint32_t offset, uint32_t value)
{
    if (d->swap) value = swapped(value);
    if (!d->bus.base) return d->bus.write(d->bus.context, offset, value) ? MW_E_BUS : MW_OK;
    d->bus.base[offset / 4u] = value;
    return MW_OK;
}

/* A window from its first word on; words that are not written are 0 there. */
static inline int send(struct mw_device *d, uint32_t offset, const uint32_t *words, size_t count)
{
    if (d->bus.base && !d->swap) {
        volatile uint32_t *to = d->bus.base + offset / 4u;
        MW_UNROLL for (size_t k = 0; k < count; ++k) to[k] = words[k];
        return MW_OK;
    }
    for (size_t k = 0; k < count; ++k)
        if (put(d, offset + 4u * (uint32_t)k, words[k])) return MW_E_BUS;
    return MW_OK;
}

static inline int receive(struct mw_device *d, uint32_t offset, uint32_t *words, size_t count)
{
    if (d->bus.base && !d->swap) {
        const volatile uint32_t *from = d->bus.base + offset / 4u;
        MW_UNROLL for (size_t k = 0; k < count; ++k) words[k] = from[k];
        return MW_OK;
    }
    for (size_t k = 0; k < count; ++k)
        if (get(d, offset + 4u * (uint32_t)k, &words[k])) return MW_E_BUS;
    return MW_OK;
}

#endif /* MODWRIGHT_ACCESS_H */
