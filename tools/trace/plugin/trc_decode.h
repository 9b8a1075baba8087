/* SPDX-License-Identifier: BSD-3-Clause */
/* Decode the memory access of an instruction: QEMU may split one access into several, which the tracer merges
 * again.
 *
 * Thread: any.  Signal: not needed. */
#ifndef TRC_DECODE_H
#define TRC_DECODE_H

#include "tools/trace/trc_ring.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum trc_shape {
    TRC_SHAPE_UNKNOWN,  /* accesses are recorded as QEMU makes them: gathers, masked moves, saved state */
    TRC_SHAPE_PLAIN,    /* at most one load and one store, of these lengths */
    TRC_SHAPE_TWO_LOADS /* two loads of this length at each execution (cmps) */
};
struct trc_shape_of {
    enum trc_shape shape;
    uint16_t load_bytes, store_bytes; /* 0: none */
    enum trc_isa isa;
    bool is_broken_gather; /* QEMU 7.2 computes wrong addresses for it */
    bool ends_block;       /* jumps, calls, returns, system calls; also set without a decoder */
    uint8_t len;           /* bytes; 0: not known */
};

/* Decode the instruction in bytes, for the machine called target ("x86_64", "aarch64"). */
struct trc_shape_of trc_decode(const char *target, const void *bytes, size_t len);

/* Can trc_decode detect gathers that QEMU computes wrongly? If not, AVX2 stays hidden. */
extern const bool trc_decode_sees_gathers;

#endif
