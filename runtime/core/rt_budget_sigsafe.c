/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time that hooks cost the program, and the limit of allocations that follows from it. */
#include "common/ls_random.h"
#include "runtime/core/rt_alloc_limit_sigsafe.h"
#include "runtime/core/rt_alloc_note.h"
#include "runtime/core/rt_marker_sigsafe.h"
#include "runtime/core/rt_state.h"
#include "runtime/core/rt_thread.h"

enum {
    RT_HOOK_TIMED_EVERY = 64,
    RT_UNWIND_TIMED_EVERY = 8,
    RT_LOOKED_PAIR_PS = 1500,  /* a malloc and its free that were only looked at (bench/alloc.py) */
    RT_TAGGED_PAIR_PS = 12000, /* that left a tag as well */
    RT_CLOCK_TRIES = 4,
    RT_HOOK_CLOCKS = 2, /* readings of the clock that time a call */
};

static const double RT_USUAL_OVERHEAD = 0.03;

static struct {
    uint64_t random;
    uint64_t clock_ns; /* cost of reading the thread's CPU clock; 0: not measured yet */
    uint32_t busy;
    uint64_t look_ns; /* last look at the limit */
    struct rt_alloc_limit limit;
} rt_hooks;

/* Draw geometrically, so that each call has the same chance, whatever came before it. */
static uint32_t rt_draw_untimed(double log_missed)
{
    const uint64_t drawn = __atomic_add_fetch(&rt_hooks.random, LS_RANDOM_STEP, __ATOMIC_RELAXED);
    const uint64_t seed = rt_state.config.has_seed ? rt_state.config.seed : rt_state.budget.start_ticks;
    const double u = (double)((ls_random_mix(drawn ^ seed) >> 11) + 1) * 0x1p-53; /* (0, 1] */
    return (uint32_t)(rt_negative_log(u) / log_missed);
}

static uint32_t rt_draw_hook(void)
{
    return rt_draw_untimed(0.015748356968139); /* -ln(1 - 1 / RT_HOOK_TIMED_EVERY) */
}

static uint32_t rt_draw_unwind(void)
{
    return rt_draw_untimed(0.133531392624523); /* -ln(1 - 1 / RT_UNWIND_TIMED_EVERY) */
}

void rt_budget_draw_untimed(struct rt_thread *t)
{
    t->untimed_hooks = rt_is_traced() ? 0 : rt_draw_hook();
    t->untimed_unwinds = rt_draw_unwind();
}

/* Take the least of several measurements: a switch to another thread or an interrupt only adds. */
static uint64_t rt_clock_measure_ns(void)
{
    uint64_t least_ns = UINT64_MAX, before_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < RT_CLOCK_TRIES; i++) {
        const uint64_t now_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
        if (now_ns - before_ns < least_ns) least_ns = now_ns - before_ns;
        before_ns = now_ns;
    }
    return least_ns;
}

/* The rate is measured per process, not per thread: threads may be short, and their samples seem to come
 * fast. */
uint32_t rt_budget_adapt(struct rt_budget_rate *r, uint64_t usual_ns)
{
    const double share = rt_state.config.overhead_share;
    const uint32_t threads = __atomic_load_n(&rt_state.budget.live_threads, __ATOMIC_RELAXED);
    const double every_ns =
        (double)usual_ns * (threads ? threads : 1) * RT_USUAL_OVERHEAD / (share < 1 ? share : 1);
    const uint64_t now_ns = ls_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    const uint64_t last_ns = __atomic_exchange_n(&r->last_ns, now_ns, __ATOMIC_RELAXED);
    const uint32_t mean = __atomic_load_n(&r->mean, __ATOMIC_RELAXED);
    const uint32_t next =
        rt_sampled_mean(mean, now_ns > last_ns ? (double)(now_ns - last_ns) : every_ns, every_ns);
    __atomic_store_n(&r->mean, next, __ATOMIC_RELAXED);
    return next;
}

uint64_t rt_budget_clock_ns(void)
{
    if (rt_hooks.clock_ns == 0) rt_hooks.clock_ns = rt_clock_measure_ns();
    return rt_hooks.clock_ns;
}

/* Under a tracer, each call comes here: its time does not count, but its accesses must not be the program's. */
static void rt_traced_hook_begin(struct rt_thread *t)
{
    t->untimed_hooks = 0;
    rt_tls.hook_begin_ns = 1;
    rt_mark(LS_MARKER_PAUSE, 0, 0, 0);
}

static void rt_traced_hook_end(void)
{
    rt_tls.hook_begin_ns = 0;
    rt_mark(LS_MARKER_RESUME, 0, 0, 0);
}

void rt_budget_hook_begin(struct rt_thread *t)
{
    if (rt_is_traced()) {
        rt_traced_hook_begin(t);
        return;
    }
    t->untimed_hooks = rt_draw_hook();
    rt_tls.hook_represents = RT_HOOK_TIMED_EVERY;
    rt_tls.hook_burst_ns = t->spent_ns;
    rt_tls.hook_begin_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

void rt_budget_hook_unwinds(struct rt_thread *t)
{
    if (rt_is_traced()) return;
    if (t->untimed_unwinds-- > 0) {
        rt_tls.hook_begin_ns = 0; /* it was drawn among all calls: they do not represent calls that unwind */
        return;
    }
    t->untimed_unwinds = rt_draw_unwind();
    rt_tls.hook_represents = RT_UNWIND_TIMED_EVERY;
    if (rt_tls.hook_begin_ns) return;
    rt_tls.hook_burst_ns = t->spent_ns;
    rt_tls.hook_begin_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

void rt_budget_hook_end(const struct rt_thread *t)
{
    if (rt_is_traced()) {
        rt_traced_hook_end();
        return;
    }
    const struct rt_timed_hook h = {.begin_ns = rt_tls.hook_begin_ns,
                                    .end_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID),
                                    .burst_begin_ns = rt_tls.hook_burst_ns,
                                    .burst_end_ns = t ? t->spent_ns : rt_tls.hook_burst_ns,
                                    .clock_ns = rt_budget_clock_ns()};
    rt_tls.hook_begin_ns = 0;
    __atomic_fetch_add(&rt_state.budget.hooks_ns,
                       rt_timed_hook_cost_ns(&h, rt_tls.hook_represents) + RT_HOOK_CLOCKS * h.clock_ns,
                       __ATOMIC_RELAXED);
}

void rt_budget_hook_forget(void)
{
    if (!rt_is_traced()) rt_tls.hook_begin_ns = 0;
}

/* During the call, hook_begin_ns is a difference. */
void rt_budget_call_begin(void)
{
    if (rt_is_traced()) {
        if (rt_tls.hook_begin_ns) rt_mark(LS_MARKER_RESUME, 0, 0, 0);
        return;
    }
    if (rt_tls.hook_begin_ns) rt_tls.hook_begin_ns -= ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

void rt_budget_call_end(void)
{
    if (rt_is_traced()) {
        if (rt_tls.hook_begin_ns) rt_mark(LS_MARKER_PAUSE, 0, 0, 0);
        return;
    }
    if (rt_tls.hook_begin_ns)
        rt_tls.hook_begin_ns += ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + rt_budget_clock_ns();
}

/* Add the calling thread's pending counts to the budget. */
static void rt_budget_flush(void)
{
    struct rt_thread *t = rt_thread_self();
    __atomic_fetch_add(&rt_state.budget.looked_calls, rt_tls.looked_calls, __ATOMIC_RELAXED);
    rt_tls.looked_calls = 0;
    if (!t) return;
    __atomic_fetch_add(&rt_state.budget.hook_bytes, t->hook_bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&rt_state.budget.allocs, t->allocs, __ATOMIC_RELAXED);
    __atomic_fetch_add(&rt_state.budget.large_allocs, t->large_allocs, __ATOMIC_RELAXED);
    t->hook_bytes = t->allocs = t->large_allocs = 0;
}

static uint64_t rt_budget_looked_ns(void)
{
    return __atomic_load_n(&rt_state.budget.looked_calls, __ATOMIC_RELAXED) * RT_LOOKED_PAIR_PS / 1000;
}

static void rt_limit_look(uint64_t now_ns)
{
    const struct rt_budget *b = &rt_state.budget;
    if (rt_hooks.look_ns < b->start_ns) /* first look in this process */
        rt_alloc_limit_init(&rt_hooks.limit, rt_state.config.overhead_share, rt_state.config.alloc_min_bytes);
    rt_hooks.look_ns = now_ns;
    const struct rt_alloc_costs costs = {
        .wall_ns = now_ns - b->start_ns,
        .cpu_ns = ls_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID),
        .hooks_ns = __atomic_load_n(&b->hooks_ns, __ATOMIC_RELAXED),
        .looked_ns = rt_budget_looked_ns() + rt_budget_more_hooks_ns(),
        .hook_bytes = __atomic_load_n(&b->hook_bytes, __ATOMIC_RELAXED),
        .allocs = __atomic_load_n(&b->allocs, __ATOMIC_RELAXED),
        .large_allocs = __atomic_load_n(&b->large_allocs, __ATOMIC_RELAXED),
    };
    rt_alloc_limit_look(&rt_hooks.limit, &costs);
    const bool is_over_budget = rt_hooks.limit.time_ns.saved < 0;
    __atomic_store_n(&rt_state.is_over_budget, is_over_budget, __ATOMIC_RELAXED);
    rt_tags_hold(is_over_budget);
    __atomic_store_n(&rt_state.alloc_period_bytes, rt_hooks.limit.period_bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&rt_state.alloc_always_bytes, rt_hooks.limit.always_bytes, __ATOMIC_RELAXED);
}

void rt_budget_look(uint64_t now_ns)
{
    const uint64_t last_ns = __atomic_load_n(&rt_hooks.look_ns, __ATOMIC_RELAXED);
    if (now_ns < last_ns + RT_LIMIT_LOOK_NS) return;
    if (rt_state.config.traced || rt_state.alloc_always_bytes == 0)
        return; /* each block counts, time does not */
    rt_budget_flush();
    if (__atomic_exchange_n(&rt_hooks.busy, 1, __ATOMIC_ACQUIRE)) return;
    rt_limit_look(now_ns);
    __atomic_store_n(&rt_hooks.busy, 0, __ATOMIC_RELEASE);
}

uint64_t rt_budget_hooks_ns(void)
{
    rt_budget_flush();
    rt_budget_look(ls_clock_mono_ns());
    return __atomic_load_n(&rt_state.budget.hooks_ns, __ATOMIC_RELAXED) +
           __atomic_load_n(&rt_state.budget.copies_ns, __ATOMIC_RELAXED) + rt_budget_looked_ns();
}

uint64_t rt_budget_more_hooks_ns(void)
{
    const struct rt_budget *b = &rt_state.budget;
    const bool leave_tags = __atomic_load_n(&rt_tags.is_on, __ATOMIC_RELAXED);
    const uint64_t calls = __atomic_load_n(&b->looked_calls, __ATOMIC_RELAXED),
                   looked_ns = rt_budget_looked_ns();
    const uint64_t usual_ns = calls * (leave_tags ? RT_TAGGED_PAIR_PS : RT_LOOKED_PAIR_PS) / 1000;
    const uint64_t all_ns = rt_quick_calls_ns(usual_ns, __atomic_load_n(&b->passed_ns, __ATOMIC_RELAXED));
    return all_ns > looked_ns ? all_ns - looked_ns : 0;
}

void rt_alloc_put_skipped(void)
{
    if (rt_tls.skipped_allocs == 0) return;
    __atomic_fetch_add(&rt_state.pending_events[SPOOL_EVENT_ALLOCS_SKIPPED], rt_tls.skipped_allocs,
                       __ATOMIC_RELAXED);
    rt_tls.skipped_allocs = 0;
}

static void put_tag_count(uint64_t *count, enum spool_event_kind kind)
{
    const uint64_t n = __atomic_exchange_n(count, 0, __ATOMIC_RELAXED);
    if (n) __atomic_fetch_add(&rt_state.pending_events[kind], n, __ATOMIC_RELAXED);
}

void rt_alloc_put_tag_counts(void)
{
    put_tag_count(&rt_tags.regions_refused, SPOOL_EVENT_TAGS_REFUSED);
    put_tag_count(&rt_tags.others, SPOOL_EVENT_TAGS_OTHERS);
    put_tag_count(&rt_tags.checked, SPOOL_EVENT_TAGS_CHECKED);
    put_tag_count(&rt_tags.wrong, SPOOL_EVENT_TAGS_WRONG);
}
