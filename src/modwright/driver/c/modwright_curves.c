/* SPDX-License-Identifier: Apache-2.0 */
/* Multiples of points. */
#include "modwright_run.h"

int mw_ecpm(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, const uint32_t *x,
            const uint32_t *y, const struct mw_curve *curve)
{
    const size_t words = curve->words;
    const struct mw_operand operands[] = {
        {k, k_words, 0},      {x, words, 1},        {y, words, 1},
        {curve->a, words, 1}, {curve->b, words, 1}, {curve->order, curve->order_words, 0},
    };
    uint32_t *const results[] = {rx, ry};
    return mw_run(device, MW_ECPM, operands, 3, 3, curve->p, results, 2, words);
}

int mw_xmul(struct mw_device *device, uint32_t *z, const uint32_t *k, const uint32_t *u,
            const struct mw_montgomery *curve)
{
    const size_t words = curve->words;
    const struct mw_operand operands[] = {{k, words, 0}, {u, words, 0}, {curve->a24, words, 1}, {&curve->clamp, 1, 0}};
    return mw_run(device, MW_XMUL, operands, 2, 2, curve->p, &z, 1, words);
}

int mw_edmul(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, const uint32_t *x,
             const uint32_t *y, const struct mw_edwards *curve)
{
    const size_t words = curve->words;
    const struct mw_operand operands[] = {
        {k, k_words, 0}, {x, words, 1}, {y, words, 1}, {curve->a, words, 1}, {curve->d, words, 1}};
    uint32_t *const results[] = {rx, ry};
    return mw_run(device, MW_EDMUL, operands, 3, 2, curve->p, results, 2, words);
}

int mw_edmul_base(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, size_t words)
{
    const struct mw_operand operands[] = {{k, k_words, 0}};
    uint32_t *const results[] = {rx, ry};
    return mw_run(device, MW_EDMUL, operands, 1, 0, NULL, results, 2, words);
}
