/* SPDX-License-Identifier: Apache-2.0 */
#include "modwright_mmio.h"

static int mmio_read(void *context, uint32_t offset, uint32_t *value)
{
    const volatile uint32_t *base = context;
    *value = base[offset / 4];
    return 0;
}

static int mmio_write(void *context, uint32_t offset, uint32_t value)
{
    volatile uint32_t *base = context;
    base[offset / 4] = value;
    return 0;
}

struct mw_bus mw_mmio(volatile uint32_t *base)
{
    struct mw_bus bus = {NULL, mmio_read, mmio_write, NULL};
    bus.context = (void *)(uintptr_t)base;
    return bus;
}
