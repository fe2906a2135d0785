/* SPDX-License-Identifier: Apache-2.0 */
/* The program of a small system: one operation a call on the device at DEVICE, with operands and results in `box`, and
 * the clocks of the CPU for it. It ends at an EBREAK, and goes on from there with the next one. */
#include "modwright_mmio.h"

#ifndef DEVICE
#define DEVICE 0x40000000u
#endif

extern const struct mw_core CORE;

struct {
    uint32_t function, words;
    uint32_t in[7][MW_WORDS], out[2][MW_WORDS];
    uint32_t polls, given, cycles, core_cycles, error, swap;
    int32_t opened, status;
} box;

static struct mw_device device;
static uint32_t random_state = 1;

static int random_bytes(void *context, uint8_t *bytes, size_t count)
{
    (void)context;
    while (count--) {
        random_state = random_state * 1664525u + 1013904223u;
        *bytes++ = (uint8_t)(random_state >> 24);
    }
    return 0;
}

static uint32_t clock(void)
{
    uint32_t now;
    __asm__ volatile("rdcycle %0" : "=r"(now)::"memory");
    return now;
}

/* The clocks of a call, without those that choose it. */
#define TIMED(call)                    \
    do {                               \
        const uint32_t start = clock(); \
        box.status = (call);           \
        box.cycles = clock() - start;  \
    } while (0)

static void operation(void)
{
    const uint32_t *const m = box.given ? box.in[6] : NULL;
    const struct mw_curve curve = {box.in[6], box.in[3], box.in[4], box.in[5], box.words, box.words + 1u};
    const uint32_t words = box.words;
    switch (box.function) {
    case MW_MODMUL: TIMED(mw_modmul(&device, box.out[0], box.in[0], box.in[1], m, words)); break;
    case MW_MODADD: TIMED(mw_modadd(&device, box.out[0], box.in[0], box.in[1], m, words)); break;
    case MW_MODINV: TIMED(mw_modinv(&device, box.out[0], box.in[0], m, words)); break;
    case MW_MODEXP: TIMED(mw_modexp(&device, box.out[0], box.in[0], box.in[1], words, m, words)); break;
    case MW_ECPM:
        TIMED(mw_ecpm(&device, box.out[0], box.out[1], box.in[0], words + 1u, box.in[1], box.in[2], &curve));
        break;
    default: TIMED(mw_forget(&device)); break;
    }
}

void work(void)
{
    const struct mw_bus bus = mw_mmio((volatile uint32_t *)DEVICE);
    box.opened = mw_open(&device, &bus, &CORE);
    device.random = random_bytes;
    if (box.polls) device.polls = box.polls;
    box.swap = device.swap;
    for (;;) {
        __asm__ volatile("ebreak" ::: "memory");
        operation();
        box.core_cycles = device.cycles;
        box.error = device.error;
    }
}

__asm__(".globl _start\n_start:\n  li sp, 0x100000\n  j work\n");
