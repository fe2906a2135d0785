/* SPDX-License-Identifier: Apache-2.0 */
/* A device whose registers are mapped into memory: bare metal, or a mapping that was made by others. */
#ifndef MODWRIGHT_MMIO_H
#define MODWRIGHT_MMIO_H

#include "modwright.h"

/* The bus of the registers at `base`, which is aligned to 4 bytes. */
struct mw_bus mw_mmio(volatile uint32_t *base);

#endif /* MODWRIGHT_MMIO_H */
