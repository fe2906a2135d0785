/* SPDX-License-Identifier: Apache-2.0 */
/* One exponentiation on a stack of the program's own, and what is then found there: each operand's name and 0 or 1. */
#define _POSIX_C_SOURCE 200809L
#include "modwright.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { STACK = 1 << 18, STATUS = 0x24, DONE = 2 };

extern const struct mw_core CORE;

static const uint32_t modulus[] = {0x9C3F1D75u, 0x5B7A2E61u, 0xD4E8F093u, 0x86A1C3B7u};
static const uint32_t base[] = {0x1F2E3D4Cu, 0x7B6A5948u, 0x3C4D5E6Fu, 0x24681357u};
static const uint32_t exponent[] = {0xA5C3E197u, 0x6D4F2B8Eu, 0x19E7C5A3u, 0x4B2D6F81u};
static uint32_t result[4];
static int status;

static int read_word(void *context, uint32_t offset, uint32_t *value)
{
    (void)context;
    switch (offset) {
    case 0x00: *value = 0x4D4F4457u; break;
    case 0x04: *value = 2u << 24; break;
    case 0x08: *value = CORE.function; break;
    case STATUS: *value = DONE; break;
    default: *value = offset >= 0x10 && offset < 0x20 ? CORE.digest[offset / 4 - 4] : 0u;
    }
    return 0;
}

static int write_word(void *context, uint32_t offset, uint32_t value)
{
    (void)context;
    (void)offset;
    (void)value;
    return 0;
}

static void *work(void *device)
{
    status = mw_modexp(device, result, base, exponent, 4, modulus, 4);
    return NULL;
}

static int is_there(const unsigned char *stack, const uint32_t *words)
{
    for (size_t at = 0; at + sizeof base <= STACK; ++at)
        if (!memcmp(stack + at, words, sizeof base)) return 1;
    return 0;
}

int main(void)
{
    static unsigned char stack[STACK] __attribute__((aligned(4096)));
    static struct mw_device device;
    const struct mw_bus bus = {NULL, read_word, write_word, NULL, NULL};
    pthread_attr_t attributes;
    pthread_t thread;
    if (mw_open(&device, &bus, &CORE)) return 2;
    if (pthread_attr_init(&attributes) || pthread_attr_setstack(&attributes, stack, STACK)
        || pthread_create(&thread, &attributes, work, &device) || pthread_join(thread, NULL))
        return 1;
    printf("status %d\nmodulus %d\nbase %d\nexponent %d\n", status, is_there(stack, modulus), is_there(stack, base),
           is_there(stack, exponent));
    return 0;
}
