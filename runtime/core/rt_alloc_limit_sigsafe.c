/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_alloc_limit_sigsafe.h"

#include "runtime/core/rt_thread.h"

enum {
    RT_LIMIT_HIGHEST_BYTES = 1 << 20, /* larger blocks are always recorded: there are never many */
    RT_LIMIT_WINDOW_NS = 50000000,
    RT_LIMIT_FIRST_HOLD_NS = 500000000,
    RT_LIMIT_PART = 2, /* of the budget; the rest is for sampling */
};

#define RT_LIMIT_LONGEST_HOLD_NS UINT64_C(10000000000)

static struct {
    uint32_t busy;
    uint64_t window_ns, window_ticks; /* begin of the window, hook cost then */
    uint64_t lower_ns; /* not before: a program that allocates steadily is not tried all the time */
    uint64_t hold_ns;
} rt_limit;

static double rt_limit_hook_ns(uint64_t ticks, uint64_t now_ns)
{
    const struct rt_budget *b = &rt_state.budget;
    const uint64_t elapsed_ticks = rt_ticks() - b->start_ticks;
    if (elapsed_ticks == 0) return 0;
    return (double)ticks * (double)(now_ns - b->start_ns) / (double)elapsed_ticks;
}

static void rt_limit_raise(uint64_t now_ns)
{
    if (rt_state.alloc_record_bytes >= RT_LIMIT_HIGHEST_BYTES) return;
    __atomic_store_n(&rt_state.alloc_record_bytes, rt_state.alloc_record_bytes * 2, __ATOMIC_RELAXED);
    rt_limit.hold_ns = rt_limit.hold_ns ? rt_limit.hold_ns * 2 : RT_LIMIT_FIRST_HOLD_NS;
    if (rt_limit.hold_ns > RT_LIMIT_LONGEST_HOLD_NS) rt_limit.hold_ns = RT_LIMIT_LONGEST_HOLD_NS;
    rt_limit.lower_ns = now_ns + rt_limit.hold_ns;
}

static void rt_limit_lower(uint64_t now_ns)
{
    uint64_t lower = rt_state.alloc_record_bytes / 2;
    if (now_ns < rt_limit.lower_ns) return;
    if (lower < rt_state.config.alloc_min_bytes) lower = rt_state.config.alloc_min_bytes;
    __atomic_store_n(&rt_state.alloc_record_bytes, lower, __ATOMIC_RELAXED);
    rt_limit.lower_ns = now_ns + rt_limit.hold_ns;
}

static void rt_limit_look(uint64_t now_ns, uint64_t ticks)
{
    const double share = rt_state.config.overhead_share / RT_LIMIT_PART;
    const uint64_t window_ns = now_ns - rt_limit.window_ns;
    const uint64_t longer_ns = window_ns > RT_LIMIT_WINDOW_NS ? window_ns : RT_LIMIT_WINDOW_NS;
    const double cost_ns = rt_limit_hook_ns(ticks - rt_limit.window_ticks, now_ns);
    const bool is_over = cost_ns > share * (double)longer_ns;
    if (!is_over && window_ns < RT_LIMIT_WINDOW_NS) return;
    if (is_over)
        rt_limit_raise(now_ns);
    else if (cost_ns < share / 4 * (double)longer_ns)
        rt_limit_lower(now_ns);
    rt_limit.window_ns = now_ns;
    rt_limit.window_ticks = ticks;
}

void rt_alloc_limit_adjust(uint64_t now_ns)
{
    if (__atomic_exchange_n(&rt_limit.busy, 1, __ATOMIC_ACQUIRE)) return;
    if (rt_limit.window_ns < rt_state.budget.start_ns) { /* first look in this process */
        rt_limit.window_ns = rt_state.budget.start_ns;
        rt_limit.window_ticks = 0;
    }
    rt_limit_look(now_ns, __atomic_load_n(&rt_state.budget.hooks_ticks, __ATOMIC_RELAXED));
    __atomic_store_n(&rt_limit.busy, 0, __ATOMIC_RELEASE);
}

void rt_alloc_tell_skipped(void)
{
    if (rt_tls.skipped_allocs == 0) return;
    __atomic_fetch_add(&rt_state.pending_events[SPOOL_EVENT_ALLOCS_SKIPPED], rt_tls.skipped_allocs,
                       __ATOMIC_RELAXED);
    rt_tls.skipped_allocs = 0;
}
