/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/trace/plugin/trc_decode.h"

#include <string.h>

/* Pairs of registers (LDP, STP and their kin), Arm ARM C4.1.88: bits 29..27 are 101, bit 25 is 0; opc is bits
 * 31..30, V bit 26, L bit 22. */
static struct trc_shape_of trc_decode_aarch64(const void *bytes, size_t len)
{
    struct trc_shape_of s = {.ends_block = true};
    uint32_t word = 0;
    if (len != sizeof(word)) return s;
    memcpy(&word, bytes, sizeof(word));
    if ((word & 0x3a000000) != 0x28000000) return s;
    const unsigned opc = word >> 30;
    const bool is_vector = word >> 26 & 1, is_load = word >> 22 & 1;
    const unsigned shift = is_vector ? 2 + opc : 2 + (opc >> 1);
    if (opc == 3) return s;
    s.shape = TRC_SHAPE_PLAIN;
    *(is_load ? &s.load_bytes : &s.store_bytes) = (uint16_t)(2u << shift);
    return s;
}

struct trc_shape_of trc_decode(const char *target, const void *bytes, size_t len)
{
    if (strcmp(target, "x86_64") == 0) return trc_decode_x86_64(bytes, len);
    if (strcmp(target, "aarch64") == 0) return trc_decode_aarch64(bytes, len);
    return (struct trc_shape_of){.ends_block = true};
}
