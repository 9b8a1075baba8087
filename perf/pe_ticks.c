/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_ticks.h"

#include "common/ls_checked.h"
#include "common/ls_clock.h"

uint64_t pe_ticks_time_ns(const struct pe_ticks *t, uint64_t ticks)
{
    if (!t->hz) return t->time_ns;
    if (ticks >= t->ticks) return t->time_ns + ls_muldiv_u64(ticks - t->ticks, LS_NS_PER_S, t->hz);
    const uint64_t ago_ns = ls_muldiv_u64(t->ticks - ticks, LS_NS_PER_S, t->hz);
    return ago_ns < t->time_ns ? t->time_ns - ago_ns : 0;
}
