/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/perf_events/rt_perf_sample.h"

#include <asm/perf_regs.h>

/* By DWARF numbers (x86-64 psABI, figure 3.36): rax rdx rcx rbx rsi rdi rbp rsp r8-r15, instruction pointer. */
const uint8_t rt_perf_regs_numbers[SPOOL_REGS] = {
    PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,  PERF_REG_X86_SI,
    PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,  PERF_REG_X86_R9,
    PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
    PERF_REG_X86_R15, PERF_REG_X86_IP};
const uint64_t rt_perf_regs_mask = 0x1ff | UINT64_C(0xff) << PERF_REG_X86_R8;
