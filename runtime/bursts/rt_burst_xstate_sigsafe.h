/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector and mask registers of interrupted code, out of the XSAVE area of its signal frame.
 *
 * Thread: any. */
#ifndef RT_BURST_XSTATE_SIGSAFE_H
#define RT_BURST_XSTATE_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

/* Offsets of the components in the standard XSAVE format (CPUID leaf 0DH, EBX of sub-leaf i); 0: not on this
 * CPU. */
struct rt_burst_xlayout {
    uint32_t ymm_high, k, zmm_high, zmm_16_31, tile_config;
    uint32_t is_known; /* atomic: the others are set */
};

struct rt_burst_xstate {
    const uint8_t *area; /* NULL: the frame holds no vector state */
    uint32_t len_bytes;
    uint64_t present; /* components not in their initial (zero) state: XSTATE_BV */
    struct rt_burst_xlayout layout;
};

/* Fill in *l unless it is known. Not at the start of a process, which may have no burst: a virtual machine
 * traps each cpuid instruction (5 us). */
void rt_burst_xlayout_learn(struct rt_burst_xlayout *l);

/* View of uc_mcontext.fpregs (may be NULL). Recognises FP_XSTATE_MAGIC1 (asm/sigcontext.h); without it only
 * the legacy part is believed. */
struct rt_burst_xstate rt_burst_xstate_view(const void *fpregs, struct rt_burst_xlayout layout);

/* Copy vector register 0..31 whole (64 bytes, upper parts that do not exist are zero) to out. */
void rt_burst_xstate_vector(const struct rt_burst_xstate *x, unsigned number, uint8_t out[64]);
/* MMX register 0..7. */
uint64_t rt_burst_xstate_mmx(const struct rt_burst_xstate *x, unsigned number);
/* Mask register k0..k7. */
uint64_t rt_burst_xstate_k(const struct rt_burst_xstate *x, unsigned number);

struct rt_burst_tile {
    uint16_t row_bytes;
    uint8_t first_row, rows; /* first_row: the one to go on with */
};

/* Read the configuration of tile 0..7 (AMX); all 0: not configured. */
struct rt_burst_tile rt_burst_xstate_tile(const struct rt_burst_xstate *x, unsigned number);

#endif
