/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_alloc_limit_sigsafe.h"

#include "runtime/core/rt_thread.h"

enum {
    RT_LIMIT_HIGHEST_BYTES = 1 << 20, /* larger blocks are always recorded: there are never many */
    RT_LIMIT_LOOK_NS = 2000000,       /* shorter stretches say little: one hook in 64 is timed */
    RT_LIMIT_PART = 2,                /* of the budget; the rest is for sampling */
};
/* What was not spent is saved, because programs allocate in fits: at the start, and of so long a time at
 * most. */
#define RT_LIMIT_FIRST_NS 5e6
#define RT_LIMIT_SAVED_SHARE_OF_NS 4e9

static struct {
    uint32_t busy;
    uint64_t look_ns, look_cpu_ns, look_ticks; /* last look, CPU time and hook cost then */
    double saved_ns;
} rt_limit;

static double rt_limit_hook_ns(uint64_t ticks, uint64_t now_ns)
{
    const struct rt_budget *b = &rt_state.budget;
    const uint64_t elapsed_ticks = rt_ticks() - b->start_ticks;
    if (elapsed_ticks == 0) return 0;
    return (double)ticks * (double)(now_ns - b->start_ns) / (double)elapsed_ticks;
}

static void rt_limit_set(uint64_t bytes)
{
    if (bytes < rt_state.config.alloc_min_bytes) bytes = rt_state.config.alloc_min_bytes;
    __atomic_store_n(&rt_state.alloc_record_bytes, bytes, __ATOMIC_RELAXED);
}

/* The time that a share is taken of: wall time, but no more than the program worked. One that waits, for
 * others or for a processor, has done nothing that a cost could be compared with. */
static uint64_t rt_limit_worked_ns(uint64_t now_ns, uint64_t cpu_ns)
{
    const uint64_t wall = now_ns - rt_limit.look_ns;
    const uint64_t cpu = cpu_ns > rt_limit.look_cpu_ns ? cpu_ns - rt_limit.look_cpu_ns : 0;
    return cpu < wall ? cpu : wall;
}

/* Overdrawn and spending more than comes in: record less. Half of the savings back: record more. */
static void rt_limit_look(uint64_t now_ns, uint64_t ticks)
{
    const double share = rt_state.config.overhead_share / RT_LIMIT_PART;
    const uint64_t cpu_ns = ls_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    const double earned_ns = share * (double)rt_limit_worked_ns(now_ns, cpu_ns);
    const double spent_ns = rt_limit_hook_ns(ticks - rt_limit.look_ticks, now_ns);
    const double most_ns = share * RT_LIMIT_SAVED_SHARE_OF_NS + RT_LIMIT_FIRST_NS;
    const uint64_t bytes = rt_state.alloc_record_bytes;
    rt_limit.saved_ns += earned_ns - spent_ns;
    if (rt_limit.saved_ns > most_ns) rt_limit.saved_ns = most_ns;
    if (rt_limit.saved_ns < 0 && spent_ns > earned_ns && bytes < RT_LIMIT_HIGHEST_BYTES)
        rt_limit_set(2 * bytes);
    else if (rt_limit.saved_ns > RT_LIMIT_FIRST_NS / 2)
        rt_limit_set(bytes / 2);
    rt_limit.look_ns = now_ns;
    rt_limit.look_cpu_ns = cpu_ns;
    rt_limit.look_ticks = ticks;
}

void rt_alloc_limit_adjust(uint64_t now_ns)
{
    if (rt_state.config.traced) return; /* every block counts, time does not */
    if (__atomic_exchange_n(&rt_limit.busy, 1, __ATOMIC_ACQUIRE)) return;
    if (rt_limit.look_ns < rt_state.budget.start_ns) { /* first look in this process */
        rt_limit.look_ns = rt_state.budget.start_ns;
        rt_limit.look_cpu_ns = rt_limit.look_ticks = 0;
        rt_limit.saved_ns = RT_LIMIT_FIRST_NS;
    }
    if (now_ns > rt_limit.look_ns && now_ns - rt_limit.look_ns >= RT_LIMIT_LOOK_NS)
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
