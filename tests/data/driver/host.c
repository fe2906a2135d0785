/* SPDX-License-Identifier: Apache-2.0 */
/* Runs operations that come as lines, on a device at a socket. Arguments: address, "wait" or "poll", time-out, and anything
 * for no random numbers. A line: function, words, then hexadecimal numbers; "-" for
 * a modulus that is built in. It answers each with a status and results. */
#include "modwright_linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct mw_core CORE;

#define MOST 160

static int number(uint32_t *words, size_t count, const char *text)
{
    uint8_t bytes[4 * MOST];
    const size_t digits = strlen(text);
    size_t length = 0;
    char pair[3] = {0, 0, 0};
    for (size_t at = 0; at < digits;) {
        const size_t take = (digits - at) % 2 ? 1 : 2;
        pair[0] = text[at];
        pair[1] = take == 2 ? text[at + 1] : 0;
        bytes[length++] = (uint8_t)strtoul(pair, NULL, 16);
        at += take;
    }
    return mw_from_bytes(words, count, bytes, length);
}

static void show(const uint32_t *words, size_t count)
{
    uint8_t bytes[4 * MOST];
    if (mw_to_bytes(bytes, 4 * count, words, count)) printf(" ?");
    else {
        printf(" ");
        for (size_t k = 0; k < 4 * count; ++k) printf("%02x", bytes[k]);
    }
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    struct mw_socket wire;
    struct mw_bus bus;
    struct mw_device device;
    int status;
    if (argc < 2 || mw_socket_open(&wire, &bus, argv[1])) return 2;
    if (argc > 2 && strcmp(argv[2], "poll") == 0) bus.wait = NULL;
    status = mw_open(&device, &bus, &CORE);
    printf("open %d %s\n", status, mw_message(status));
    if (argc <= 4) device.random = mw_linux_random;
    if (argc > 3) {
        device.milliseconds = (uint32_t)atoi(argv[3]);
        device.polls = (uint32_t)atoi(argv[3]);
    }
    while (!status && fgets(line, sizeof line, stdin)) {
        uint32_t in[16][MOST], out[2][MOST] = {{0}};
        char *word[18] = {0};
        int count = 0, result;
        size_t words;
        for (char *p = strtok(line, " \n"); p && count < 18; p = strtok(NULL, " \n")) word[count++] = p;
        words = (size_t)atoi(word[1]);
        for (int k = 2; k < count; ++k)
            if (strcmp(word[k], "-") && number(in[k - 2], words, word[k])) return 3;
        if (strcmp(word[0], "modmul") == 0)
            result = mw_modmul(&device, out[0], in[0], in[1], strcmp(word[4], "-") ? in[2] : NULL, words);
        else if (strcmp(word[0], "modadd") == 0)
            result = mw_modadd(&device, out[0], in[0], in[1], strcmp(word[4], "-") ? in[2] : NULL, words);
        else if (strcmp(word[0], "modinv") == 0)
            result = mw_modinv(&device, out[0], in[0], strcmp(word[3], "-") ? in[1] : NULL, words);
        else if (strcmp(word[0], "modexp") == 0)
            result = mw_modexp(&device, out[0], in[0], in[1], words, strcmp(word[4], "-") ? in[2] : NULL, words);
        else if (strcmp(word[0], "xmul") == 0)
        {
            const struct mw_montgomery curve = {in[4], in[2], words, in[3][0]};
            result = mw_xmul(&device, out[0], in[0], in[1], &curve);
        }
        else if (strcmp(word[0], "edmul") == 0)
        {
            const struct mw_edwards curve = {in[5], in[3], in[4], words};
            result = mw_edmul(&device, out[0], out[1], in[0], words, in[1], in[2], &curve);
        }
        else if (strcmp(word[0], "edmul_base") == 0)
            result = mw_edmul_base(&device, out[0], out[1], in[0], words, words);
        else if (strcmp(word[0], "ecdsa") == 0)
        {
            const struct mw_group group = {in[13], in[8], in[9], in[10], in[11], in[12], words};
            if (in[0][0] == 0) result = mw_ecdsa_key(&device, out[0], out[1], in[1], &group);
            else if (in[0][0] == 1)
                result = mw_ecdsa_sign(&device, out[0], out[1], in[1], in[2], in[3], in[4], in[5], &group);
            else result = mw_ecdsa_verify(&device, in[2], in[4], in[5], in[6], in[7], &group);
        }
        else if (strcmp(word[0], "eddsa") == 0)
        {
            const struct mw_edwards_group group = {in[14], in[9], in[10], in[11], in[12], in[13], words};
            if (in[0][0] == 0) result = mw_eddsa_combine(&device, out[0], out[1], in[2], in[3], in[4], in[5], &group);
            else if (in[0][0] == 1)
                result = mw_eddsa_sign(&device, out[0], in[1], in[2], in[3], in[4], in[5], in[7], in[8][0], &group);
            else result = mw_eddsa_verify(&device, in[3], in[4], in[5], in[6], in[7], in[8][0], &group);
        }
        else
        {
            const struct mw_curve curve = {in[6], in[3], in[4], in[5], words, words};
            result = mw_ecpm(&device, out[0], out[1], in[0], words, in[1], in[2], &curve);
        }
        printf("%d %u %u", result, (unsigned)device.error, (unsigned)device.cycles);
        show(out[0], words);
        if (strcmp(word[0], "ecpm") == 0 || strncmp(word[0], "ed", 2) == 0 || strcmp(word[0], "ecdsa") == 0)
            show(out[1], words);
        printf("\n");
        fflush(stdout);
    }
    mw_socket_close(&wire);
    return 0;
}
