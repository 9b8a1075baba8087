/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_ticks.h"

#include "common/ls_clock.h"

struct pe_ticks pe_ticks_now(void)
{
    const uint64_t now_ns = ls_clock_mono_ns();
    return (struct pe_ticks){.hz = LS_NS_PER_S, .ticks = now_ns, .time_ns = now_ns};
}
