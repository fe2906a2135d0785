/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of the driver, for its functions. */
#ifndef MODWRIGHT_RUN_H
#define MODWRIGHT_RUN_H

#include "modwright.h"

struct mw_operand {
    const uint32_t *words;
    size_t count;
    int modular; /* below m */
};

/* `fresh` operands of the operation, then `kept` constants that belong to the modulus `given`. Each result has room for
 * `words` words; all are 0 after an error. */
int mw_run(struct mw_device *d, uint32_t function, const struct mw_operand *operands, uint32_t fresh, uint32_t kept,
           const uint32_t *given, uint32_t *const *results, uint32_t result_count, size_t words);

#endif /* MODWRIGHT_RUN_H */
