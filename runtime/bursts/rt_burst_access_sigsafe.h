/* SPDX-License-Identifier: BSD-3-Clause */
/* Compute the addresses that an instruction is about to access, from its plan and the present registers.
 *
 * Thread: any. */
#ifndef RT_BURST_ACCESS_SIGSAFE_H
#define RT_BURST_ACCESS_SIGSAFE_H

#include "runtime/bursts/rt_burst_decode_sigsafe.h"
#include "runtime/bursts/rt_burst_xstate_sigsafe.h"

/* Enough for a 64-lane byte mask with every other lane set, as a load and a store. */
enum { RT_BURST_ACCESS_MAX = 72 };

struct rt_burst_access {
    uint64_t addr;
    uint16_t size_bytes, lane;
    uint8_t op; /* enum spool_op */
};

struct rt_burst_regs {
    const long long *gregs; /* uc_mcontext.gregs */
    uint64_t fs_base, gs_base;
    struct rt_burst_xstate xstate;
};

/* Place in gregs of a register number of machine code. */
int rt_burst_greg_of(unsigned number);

/* Write the accesses of p, loads of an operand before its stores, to out; returns their number.
 * Lanes whose mask bit is clear touch no memory (their faults are suppressed) and are left out. */
unsigned rt_burst_accesses(const struct rt_burst_plan *p, const struct rt_burst_regs *regs,
                           struct rt_burst_access out[RT_BURST_ACCESS_MAX]);

#endif
