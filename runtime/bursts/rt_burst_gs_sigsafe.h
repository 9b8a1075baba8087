/* SPDX-License-Identifier: BSD-3-Clause */
/* The bases of the segments GS and FS of the calling thread, by the instructions of FSGSBASE or, where the processor or
 * the kernel (before Linux 5.9) has none, by other means. No vector register is used, and errno stays as it is.
 *
 * Thread: any.  Signal: safe. */
#ifndef RT_BURST_GS_SIGSAFE_H
#define RT_BURST_GS_SIGSAFE_H

#include "common/ls_compat.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/* asm/prctl.h */
enum { RT_BURST_SET_GS = 0x1001, RT_BURST_GET_GS = 0x1004 };

static inline uint64_t rt_burst_gs_base(bool has_fsgsbase)
{
    uint64_t base = 0;
    if (has_fsgsbase)
        __asm__ volatile("rdgsbase %0" : "=r"(base));
    else
        ls_syscall(SYS_arch_prctl, RT_BURST_GET_GS, &base);
    return base;
}

/* False: the kernel refused, and nothing changed. */
static inline bool rt_burst_set_gs_base(bool has_fsgsbase, uint64_t base)
{
    if (!has_fsgsbase) return ls_syscall(SYS_arch_prctl, RT_BURST_SET_GS, base) == 0;
    __asm__ volatile("wrgsbase %0" ::"r"(base) : "memory");
    return true;
}

/* A handler runs with the program's fs; the ABI keeps its value at fs:0 (x86-64 psABI, TLS variant II). */
static inline uint64_t rt_burst_fs_base(bool has_fsgsbase)
{
    uint64_t base;
    if (has_fsgsbase)
        __asm__ volatile("rdfsbase %0" : "=r"(base));
    else
        __asm__ volatile("mov %%fs:0, %0" : "=r"(base));
    return base;
}

#endif
