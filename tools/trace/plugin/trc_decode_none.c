/* SPDX-License-Identifier: BSD-3-Clause */
/* Without Zydis: vector accesses appear as the 8-byte pieces that QEMU makes of them. */
#include "tools/trace/plugin/trc_decode.h"

const bool trc_decode_sees_gathers = false;

struct trc_shape_of trc_decode_x86_64(const void *bytes, size_t len)
{
    /* EVEX, in programs of 64 bits */
    return (struct trc_shape_of){
        .ends_block = true, .isa = len > 0 && *(const uint8_t *)bytes == 0x62 ? TRC_ISA_AVX512 : TRC_ISA_HAD};
}
