/* SPDX-License-Identifier: BSD-3-Clause */
/* The processor that the calling thread runs on.
 *
 * Thread: any.  Signal: safe. */
#ifndef RT_BURST_CPU_SIGSAFE_H
#define RT_BURST_CPU_SIGSAFE_H

#include <stdbool.h>
#include <stdint.h>

/* has_rseq: the C library registered a rseq area, at this offset from the thread pointer; the kernel keeps the number
 * there. Otherwise, or where the area of this thread is not registered, ask the kernel. TSC_AUX (rdtscp, rdpid, and
 * getcpu of the vDSO by them) is not asked: in some virtual machines it has the number of the host's processor.
 * UINT32_MAX: not known. */
uint32_t rt_burst_cpu(bool has_rseq, uint64_t rseq_area_offset);

#endif
