/* SPDX-License-Identifier: Apache-2.0 */
#include "modwright_mmio.h"

struct mw_bus mw_mmio(volatile uint32_t *base)
{
    struct mw_bus bus = {NULL, NULL, NULL, NULL, NULL};
    bus.base = base;
    return bus;
}
