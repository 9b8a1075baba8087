/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/core/rt_timed.h"

#include "common/ls_random.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_sampler.h"
#include "spool/spool_put_sigsafe.h"

#include <errno.h>

enum {
    RT_TIMED_EVERY_NS = 4000000, /* between timed calls of one kind */
    RT_TIMED_ALLOCATOR_NS = 300, /* a call of the allocator that took less did not call the kernel */
    RT_PAGE_BYTES = 4096,
    RT_TIMED_OWN_CLOCKS = 3, /* cost of timing a call, in readings of the clock */
};

static struct rt_budget_rate rt_timed_rates[RT_TIMED_KINDS];

/* Engines that do not sample CPU time have no kernel time to split. */
static bool rt_timed_is_wanted(void)
{
    return rt_is_recording() && rt_state.engine->splits_kernel_time && rt_control_update(ls_clock_mono_ns());
}

/* Geometric: each call has the same chance. */
static void rt_timed_draw(uint32_t *mean_of_thread, enum rt_timed_kind kind, uint32_t mean)
{
    *mean_of_thread = mean;
    const double missed = 1 - 1.0 / mean;
    const double u = (double)((ls_random_next(&rt_tls.timed_random) >> 11) + 1) * 0x1p-53; /* (0, 1] */
    rt_tls.untimed_calls[kind] = mean > 1 ? (uint32_t)(rt_negative_log(u) / rt_negative_log(missed)) : 0;
}

/* Handle the first call of this kind in a thread: false, if a later one is drawn. */
static bool rt_timed_begin_thread(uint32_t *mean_of_thread, enum rt_timed_kind kind)
{
    const uint32_t mean = __atomic_load_n(&rt_timed_rates[kind].mean, __ATOMIC_RELAXED);
    if (!rt_tls.timed_random) rt_tls.timed_random = rt_ticks() ^ (uintptr_t)&rt_tls;
    rt_timed_draw(mean_of_thread, kind, mean ? mean : 1);
    return rt_tls.untimed_calls[kind]-- == 0;
}

struct rt_timed_call rt_timed_choose(enum rt_timed_kind kind, void *caller)
{
    struct rt_timed_call c = {.kind = kind, .caller = caller};
    struct rt_thread *t = rt_tls.thread;
    rt_tls.untimed_calls[kind] = 0; /* ask again at the next call, unless set below */
    if (!t || rt_tls.depth || rt_tls.dead || !rt_is_own_process() || !rt_timed_is_wanted()) return c;
    uint32_t *mean = &t->timed_means[kind];
    if (*mean == 0 && !rt_timed_begin_thread(mean, kind)) return c;
    c.represents = *mean;
    rt_timed_draw(mean, kind, *mean); /* now: this call may never return */
    return c;
}

void rt_timed_start(struct rt_timed_call *c)
{
    if (!c->represents) return;
    /* first: this system call ends a burst that is on its way */
    c->begin_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    c->burst_ns = rt_tls.thread->spent_ns;
}

/* Exclude the bursts that began and ended in the call. */
void rt_timed_stop(struct rt_timed_call *c)
{
    struct rt_thread *t = rt_tls.thread;
    if (!c->represents) return;
    const uint64_t now_ns = ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID), clock_ns = rt_budget_clock_ns();
    if (!t || now_ns <= c->begin_ns) return;
    rt_timed_draw(&t->timed_means[c->kind], c->kind,
                  rt_budget_adapt(&rt_timed_rates[c->kind], RT_TIMED_EVERY_NS));
    __atomic_fetch_add(&rt_state.budget.hooks_ns, RT_TIMED_OWN_CLOCKS * clock_ns, __ATOMIC_RELAXED);
    const uint64_t all_ns = now_ns - c->begin_ns, other_ns = t->spent_ns - c->burst_ns + clock_ns;
    c->cpu_ns = all_ns > other_ns ? all_ns - other_ns : 1;
}

void rt_timed_put(struct rt_thread *t, const struct rt_timed_call *c, struct spool_kernel_call r)
{
    r.ip = (uint64_t)(uintptr_t)c->caller;
    r.cpu_ns = c->cpu_ns;
    r.calls = c->represents;
    spool_put_kernel_call(rt_spool_writer(t), r);
}

struct rt_timed_call rt_timed_begin(enum rt_timed_kind kind, void *caller)
{
    struct rt_timed_call c = rt_timed_choose(kind, caller);
    rt_timed_start(&c);
    return c;
}

static void rt_timed_write(const struct rt_timed_call *c, unsigned flags, const void *addr,
                           uint64_t len_bytes)
{
    const int saved = errno;
    struct rt_thread *t = rt_enter();
    if (t) {
        rt_timed_put(t, c,
                     (struct spool_kernel_call){.rec.flags = (uint16_t)flags,
                                                .time_ns = ls_clock_mono_ns(),
                                                .addr = (uint64_t)(uintptr_t)addr,
                                                .len_bytes = len_bytes});
        rt_leave();
    }
    errno = saved;
}

void rt_timed_end(struct rt_timed_call *c, unsigned flags, const void *addr, uint64_t len_bytes)
{
    rt_timed_stop(c);
    if (c->cpu_ns) rt_timed_write(c, flags, addr, len_bytes);
}

void rt_timed_announce(const struct rt_timed_call *c, const void *block, uint64_t len_bytes)
{
    if (c->represents) rt_timed_write(c, SPOOL_CALL_BLOCK | SPOOL_CALL_ANNOUNCED, block, len_bytes);
}

/* Is a page in the middle of the block not mapped, or without memory? mincore(2). */
static bool rt_timed_is_empty(const void *block, uint64_t len_bytes)
{
    uint8_t is_resident = 0;
    const uint64_t page = ((uint64_t)(uintptr_t)block + len_bytes / 2) & ~(uint64_t)(RT_PAGE_BYTES - 1);
    return ls_syscall(SYS_mincore, page, RT_PAGE_BYTES, &is_resident) < 0 || !(is_resident & 1);
}

void rt_timed_end_allocator(const struct rt_timed_call *c, unsigned flags, const void *block,
                            uint64_t len_bytes)
{
    const bool moved_break = (flags & SPOOL_CALL_KIND_MASK) == SPOOL_CALL_BREAK;
    if (c->cpu_ns >= RT_TIMED_ALLOCATOR_NS && (moved_break || rt_timed_is_empty(block, len_bytes)))
        rt_timed_write(c, flags | SPOOL_CALL_BLOCK, block, len_bytes);
}
