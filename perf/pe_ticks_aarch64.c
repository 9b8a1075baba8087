/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_ticks.h"

#include "common/ls_clock.h"

/* Arm ARM DDI 0487: PMSCR_EL1.PCT is 0 unless physical time was requested, so packets have the virtual
 * counter. */
struct pe_ticks pe_ticks_now(void)
{
    struct pe_ticks t;
    const uint64_t before_ns = ls_clock_mono_ns();
    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(t.ticks)::"memory");
    __asm__("mrs %0, cntfrq_el0" : "=r"(t.hz));
    t.time_ns = before_ns + (ls_clock_mono_ns() - before_ns) / 2;
    return t;
}
