/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to words and back, and what return values mean. */
#include "modwright.h"

int mw_from_bytes(uint32_t *words, size_t word_count, const uint8_t *bytes, size_t byte_count)
{
    uint8_t over = 0;
    for (size_t k = 0; k < word_count; ++k) *(volatile uint32_t *)&words[k] = 0; /* no call of memset */
    for (size_t k = 0; k < byte_count; ++k) {
        const uint8_t byte = bytes[byte_count - 1 - k];
        if (k / 4 < word_count) words[k / 4] |= (uint32_t)byte << (8 * (k % 4));
        else over = (uint8_t)(over | byte);
    }
    return over ? MW_E_RANGE : MW_OK;
}

int mw_to_bytes(uint8_t *bytes, size_t byte_count, const uint32_t *words, size_t word_count)
{
    uint32_t over = 0;
    for (size_t k = 0; k < byte_count; ++k)
        bytes[byte_count - 1 - k] = k / 4 < word_count ? (uint8_t)(words[k / 4] >> (8 * (k % 4))) : 0;
    for (size_t k = byte_count; k < 4 * word_count; ++k) over |= words[k / 4] >> (8 * (k % 4)) & 0xFFu;
    return over ? MW_E_RANGE : MW_OK;
}

const char *mw_message(int status)
{
    switch (status) {
    case MW_OK: return "done";
    case MW_INFINITY: return "the point at infinity";
    case MW_E_BUS: return "an access to the device failed";
    case MW_E_TIMEOUT: return "the device gave no result in time";
    case MW_E_IDENTITY: return "the device is not the core that was expected";
    case MW_E_FUNCTION: return "the core computes another function";
    case MW_E_RANGE: return "an operand is out of range";
    case MW_E_MODULUS: return "the modulus does not fit the core";
    case MW_E_CORE: return "the core reports an error";
    case MW_E_UNSUPPORTED: return "the core's representation is not known to the driver";
    case MW_E_RANDOM: return "the core needs random numbers, and there are none";
    case MW_E_BUSY: return "others use the device";
    case MW_E_PEER: return "the socket of the device is another user's";
    case MW_E_SIGNATURE: return "the signature is not valid";
    default: return "unknown";
    }
}
