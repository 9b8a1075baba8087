/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_checked.h"
#include "runtime/core/rt_state.h"
#include "runtime/core/rt_thread.h"

/* Cost of an allocator call that is only looked at: two loads, a comparison, a counter (bench/overhead). */
enum { RT_SMALL_CALL_TICKS = 6 };

uint64_t rt_budget_hooks_ns(void)
{
    struct rt_budget *b = &rt_state.budget;
    const uint64_t small_ticks = (uint64_t)rt_tls.small_calls * RT_SMALL_CALL_TICKS;
    rt_tls.small_calls = 0;
    const uint64_t ticks = __atomic_add_fetch(&b->small_ticks, small_ticks, __ATOMIC_RELAXED) +
                           __atomic_load_n(&b->hooks_ticks, __ATOMIC_RELAXED);
    const uint64_t elapsed_ticks = rt_ticks() - b->start_ticks;
    if (elapsed_ticks == 0) return 0;
    return ls_muldiv_u64(ticks, ls_clock_mono_ns() - b->start_ns, elapsed_ticks);
}
