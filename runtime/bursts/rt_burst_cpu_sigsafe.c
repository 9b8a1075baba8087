/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_cpu_sigsafe.h"

#include "common/ls_compat.h"

#include <sys/syscall.h>

/* struct rseq, linux/rseq.h: negative where the thread is not registered. */
static int32_t registered_cpu(uint64_t rseq_area_offset)
{
    enum { CPU_ID_OFFSET = 4 };
    int32_t cpu;
    __asm__ volatile("movl %%fs:(%1), %0" : "=r"(cpu) : "r"(rseq_area_offset + CPU_ID_OFFSET));
    return cpu;
}

uint32_t rt_burst_cpu(bool has_rseq, uint64_t rseq_area_offset)
{
    const int32_t registered = has_rseq ? registered_cpu(rseq_area_offset) : -1;
    uint32_t cpu = UINT32_MAX;
    if (registered >= 0) return (uint32_t)registered;
    ls_syscall(SYS_getcpu, &cpu);
    return cpu;
}
