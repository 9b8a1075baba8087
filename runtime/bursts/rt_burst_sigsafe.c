/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_sigsafe.h"

#include "common/ls_clock.h"
#include "runtime/bursts/rt_burst_cpu_sigsafe.h"
#include "runtime/bursts/rt_burst_faults_sigsafe.h"
#include "runtime/bursts/rt_burst_traced_sigsafe.h"
#include "runtime/core/rt_bell_sigsafe.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_tap_sigsafe.h"
#include "runtime/core/rt_tls_blocks_sigsafe.h"

#include <x86intrin.h>

enum {
    WINDOW_NS = 100000000,
    CLOCK_LEAST_US = 1000,
    TSC_PER_US_MOST = 5000, /* before the first burst has measured it */
    BACKSTOP_COSTS = 4,     /* a silent burst is given up after this multiple of its cost */
    DELIVERY_NS = 2500,     /* a signal, and the return from it: right order */
    REARM_EVERY = 16,       /* bursts between measurements of the cost to arm */
    INTERRUPTS_FIRST = 4,
    INTERRUPT_EVERY = 64, /* bursts between measurements, after the first ones */
    INTERRUPT_US_LEAST = 1,
    INTERRUPT_US_MOST = 100,
    /* A look takes 60 us. A tracer that attaches stops the program for longer than this, and sees the signals of a few
     * triggers at worst; the steps of a burst it must not see. */
    TRACER_AGE_NS = 50000000,
    OUTLIER_TIMES = 4,
    /* What an interrupt costs the program until its data, its code and what the processor knows about its branches
     * are back in the caches, in times of the interrupt itself. In a virtual machine whose interrupts take 46 us it
     * was 16 us in a loop over L1, none in chases, 90 in a stream, 120 in perl and 280 in xz. */
    AFTER_INTERRUPTS = 2,
    /* Mean between triggers that only see whether sampling was switched on. A burst that one of them begins represents
     * as much. */
    UNSAMPLED_MEAN_NS = 10000000,
};

uint32_t rt_burst_cycles_per_us(void)
{
    const uint32_t per_us = rt_burst_engine.tsc_per_us;
    return per_us ? per_us : TSC_PER_US_MOST;
}

bool rt_burst_took_longer(uint64_t cycles, unsigned us)
{
    return cycles > us * (uint64_t)rt_burst_cycles_per_us();
}

static struct rt_burst_spent spent_now(void)
{
    const uint64_t spent_ns = __atomic_load_n(&rt_state.budget.spent_ns, __ATOMIC_RELAXED) +
                              __atomic_load_n(&rt_state.budget.after_ns, __ATOMIC_RELAXED),
                   unsampled_ns = __atomic_load_n(&rt_burst_engine.unsampled_spent_ns, __ATOMIC_RELAXED);
    return (struct rt_burst_spent){
        .bursts_ns = spent_ns > unsampled_ns ? spent_ns - unsampled_ns : 0,
        .hooks_ns = rt_budget_hooks_ns() + rt_budget_more_hooks_ns() +
                    __atomic_load_n(&rt_state.budget.starts_ns, __ATOMIC_RELAXED),
    };
}

static uint64_t expected_cost_ns(void)
{
    const uint64_t mean_ns = __atomic_load_n(&rt_burst_engine.mean_cost_ns, __ATOMIC_RELAXED);
    return mean_ns ? mean_ns : rt_burst_engine.method->first_cost_ns;
}

/* It is charged to the budget, but not to the recording's time: that of the program is what the program takes. */
static uint64_t after_ns(void)
{
    return AFTER_INTERRUPTS * rt_burst_engine.interrupt_ns;
}

/* As long as a burst of t may be silent: one that is stepped takes longer than the mean of all methods. */
static uint64_t backstop_ns(const struct rt_burst_thread *t)
{
    const uint64_t mean_ns = expected_cost_ns(), first_ns = t->method->first_cost_ns;
    return BACKSTOP_COSTS * (mean_ns > first_ns ? mean_ns : first_ns);
}

/* Return the threads that use a CPU now, from the process's CPU time over the last window. */
static double threads_running(uint64_t now_ns)
{
    struct rt_burst_engine *e = &rt_burst_engine;
    if (now_ns - e->window_wall_ns >= WINDOW_NS &&
        !__atomic_exchange_n(&e->window_busy, 1, __ATOMIC_ACQUIRE)) {
        const uint64_t cpu_ns = rt_burst_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
        const uint64_t wall_ns = now_ns - e->window_wall_ns;
        if (wall_ns >= WINDOW_NS) {
            e->running_milli = (uint32_t)((cpu_ns - e->window_cpu_ns) * 1000 / wall_ns);
            e->window_wall_ns = now_ns;
            e->window_cpu_ns = cpu_ns;
        }
        __atomic_store_n(&e->window_busy, 0, __ATOMIC_RELEASE);
    }
    const double live = __atomic_load_n(&e->threads_live, __ATOMIC_RELAXED);
    const double running = e->running_milli ? e->running_milli / 1000.0 : live;
    return running < live ? running : live;
}

/* Waiting, for others or for a processor, does not count. */
static uint64_t worked_ns(uint64_t now_ns)
{
    const uint64_t start_ns = rt_burst_engine.governor.start_ns;
    const uint64_t wall_ns = now_ns > start_ns ? now_ns - start_ns : 0;
    const uint64_t cpu_ns = rt_burst_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - rt_burst_engine.start_cpu_ns;
    return cpu_ns < wall_ns ? cpu_ns : wall_ns;
}

/* Return the time that the budget is a share of. None is saved while nothing is sampled. */
static uint64_t sampled_ns(uint64_t now_ns)
{
    struct rt_burst_engine *e = &rt_burst_engine;
    const uint64_t worked = worked_ns(now_ns),
                   before = __atomic_exchange_n(&e->worked_ns, worked, __ATOMIC_RELAXED);
    if (worked > before && !rt_control_wants(now_ns))
        __atomic_fetch_add(&e->unsampled_ns, worked - before, __ATOMIC_RELAXED);
    const uint64_t unsampled = __atomic_load_n(&e->unsampled_ns, __ATOMIC_RELAXED);
    return worked > unsampled ? worked - unsampled : 0;
}

static double thinning(void)
{
    const double times = rt_burst_governor_thinning(
        __atomic_load_n(&rt_state.cap.used_bytes, __ATOMIC_RELAXED), rt_state.cap.limit_bytes);
    if (times > 1 && !__atomic_exchange_n(&rt_burst_engine.is_thinned, 1, __ATOMIC_RELAXED))
        rt_event_count_sigsafe(SPOOL_EVENT_SPOOL_THINNED, 1, 0);
    return times;
}

/* Draw the next interval. The rest of an older one does not matter: the process has no memory. */
static void draw_and_arm(struct rt_burst_thread *t, uint64_t cpu_ns)
{
    const uint64_t now_ns = ls_clock_mono_ns();
    t->mean_ns = rt_burst_governor_interval_ns(&rt_burst_engine.governor, sampled_ns(now_ns), spent_now(),
                                               expected_cost_ns() + after_ns(), threads_running(now_ns));
    t->mean_ns = (uint64_t)((double)t->mean_ns * thinning());
    if (t->mean_ns < UNSAMPLED_MEAN_NS && !rt_control_wants(now_ns)) t->mean_ns = UNSAMPLED_MEAN_NS;
    t->drawn_ns = rt_burst_governor_draw_ns(t->mean_ns, &t->random);
    t->armed_cpu_ns = cpu_ns;
    if (cpu_ns == UINT64_MAX || t->number % REARM_EVERY) return rt_burst_engine.trigger->arm(t, t->drawn_ns);
    const uint64_t begin_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    rt_burst_engine.trigger->arm(t, t->drawn_ns);
    const uint64_t took_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    rt_burst_engine.rearm_ns = rt_burst_governor_mean_ns(rt_burst_engine.rearm_ns, took_ns);
}

/* The time stamps of this loop have a gap where the interrupt was. */
void rt_burst_measure_trigger(struct rt_burst_thread *t)
{
    enum { DUE_US = RT_BURST_SHORTEST_NS / 1000 };
    struct rt_burst_engine *e = &rt_burst_engine;
    const uint64_t us = e->tsc_per_us;
    if (!us || !e->trigger->repeats) return;
    const uint32_t number = __atomic_fetch_add(&e->interrupts_measured, 1, __ATOMIC_RELAXED);
    if (number >= INTERRUPTS_FIRST && number % INTERRUPT_EVERY) return;
    e->trigger->arm(t, RT_BURST_SHORTEST_NS);
    const uint64_t begin = __rdtsc();
    for (uint64_t before = begin, now; before - begin < 4 * DUE_US * us; before = now) {
        now = __rdtsc();
        const uint64_t gap = now - before;
        if (before - begin < DUE_US / 2 * us || gap < INTERRUPT_US_LEAST * us) continue;
        if (gap < INTERRUPT_US_MOST * us) /* else something else had the processor */
            e->interrupt_ns = rt_burst_governor_mean_ns(e->interrupt_ns, gap * 1000 / us);
        return;
    }
}

void rt_burst_rearm(struct rt_burst_thread *t)
{
    draw_and_arm(t, rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID));
}

void rt_burst_arm_other(struct rt_burst_thread *t)
{
    if (!t->mean_ns) return draw_and_arm(t, UINT64_MAX); /* its clock is not ours to read */
    /* sampling begins in this thread: it does not wait for the end of a long interval */
    if (t == rt_burst_self && t->mean_ns >= UNSAMPLED_MEAN_NS && t->state == RT_BURST_IDLE) rt_burst_rearm(t);
}

void rt_burst_disarm(struct rt_burst_thread *t)
{
    t->mean_ns = 0;
    rt_burst_engine.trigger->disarm(t);
}

/* Return the CPU time that a burst represents which begins now. A timer that fires once may be late by a
 * tick: its delay is part of the interval. Where another thread armed it (armed_cpu_ns is UINT64_MAX) the sum
 * wraps to less than drawn_ns, and the delay counts as none. */
static uint64_t weight_now_ns(const struct rt_burst_thread *t)
{
    if (rt_burst_engine.trigger->repeats) return t->mean_ns;
    const uint64_t due_ns = t->armed_cpu_ns + t->drawn_ns, cpu_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    return t->mean_ns + (due_ns > t->drawn_ns && cpu_ns > due_ns ? cpu_ns - due_ns : 0);
}

/* Measure the rate of the time stamp counter from the start to this burst: accurate to a percent. */
static void learn_clock(const struct rt_burst_thread *t)
{
    struct rt_burst_engine *e = &rt_burst_engine;
    const uint64_t took_us = (t->burst_begin_ns - e->clock_ns) / 1000;
    if (took_us >= CLOCK_LEAST_US) e->tsc_per_us = (uint32_t)((t->burst_tsc - e->clock_tsc) / took_us);
}

void rt_burst_note_handler_time(struct rt_burst_thread *t)
{
    const uint64_t now = __rdtsc(), took = now - t->handler_tsc;
    if (!rt_burst_took_longer(took, RT_BURST_PREEMPTED_US)) t->handlers_tsc += took;
    t->handler_tsc = now;
}

/* Pass an access that is in the spool to callbacks. */
static void tap(struct rt_burst_thread *t, const struct spool_access *r, uint16_t flags)
{
    const struct rt_tap_sample s = {
        .burst_ns = t->burst_begin_ns,
        .ip = r->ip,
        .addr = r->addr,
        .tsc_delta = r->tsc_delta,
        .latency_cycles = r->latency_cycles,
        .tid = (uint32_t)t->tid,
        .burst = t->number - 1, /* counted on when it began */
        .access = t->recorded,
        .flags = flags,
    };
    rt_tap_put(t->rt, &s);
}

void rt_burst_note_access(struct rt_burst_thread *t, const struct spool_access *r, uint16_t flags)
{
    if (rt_tap_is_open(t->rt)) tap(t, r, flags);
    t->recorded++;
}

bool rt_burst_put_access(struct rt_burst_thread *t, const struct spool_access *r, uint16_t flags)
{
    if (!spool_put_access(rt_spool_writer(t->rt), flags, r)) return false;
    rt_burst_note_access(t, r, flags);
    return true;
}

static uint64_t trigger_cost_ns(void)
{
    return rt_burst_engine.interrupt_ns + rt_burst_engine.rearm_ns + DELIVERY_NS;
}

/* The cost of the trigger of the burst that begins. Where the caches are not the kernel's, triggers come later than elsewhere:
 * their delay divides the mean cost. */
static uint64_t this_trigger_cost_ns(const struct rt_burst_thread *t)
{
    enum { LATES_FIRST = 16 };
    struct rt_burst_engine *e = &rt_burst_engine;
    const uint64_t due_ns = t->armed_cpu_ns + t->drawn_ns, cpu_ns = t->burst_begin_cpu_ns;
    if (!e->trigger->repeats || due_ns < t->drawn_ns || cpu_ns <= due_ns) return trigger_cost_ns();
    const uint64_t count = __atomic_load_n(&e->lates, __ATOMIC_RELAXED);
    const uint64_t mean_ns = count ? __atomic_load_n(&e->late_ns, __ATOMIC_RELAXED) / count : 0;
    uint64_t late_ns = cpu_ns - due_ns;
    /* the trigger was due in the kernel, where it does not count */
    if (count >= LATES_FIRST && late_ns > OUTLIER_TIMES * mean_ns) return trigger_cost_ns();
    __atomic_fetch_add(&e->late_ns, late_ns, __ATOMIC_RELAXED);
    __atomic_fetch_add(&e->lates, 1, __ATOMIC_RELAXED);
    return count >= LATES_FIRST && mean_ns ? trigger_cost_ns() * late_ns / mean_ns : trigger_cost_ns();
}

void rt_burst_end(struct rt_burst_thread *t, ucontext_t *uc, uint16_t why)
{
    if (uc) rt_burst_set_trap_flag(uc, false);
    if (t->state == RT_BURST_IDLE) return;
    t->state = RT_BURST_IDLE;
    struct rt_burst_engine *e = &rt_burst_engine;
    rt_maps_poll_sigsafe(t->rt, ls_clock_mono_ns());
    rt_burst_numa_put(rt_spool_writer(t->rt), &t->numa, rt_burst_numa_ask_kernel, ls_clock_mono_ns());
    rt_resources_poll_sigsafe(t->rt, ls_clock_mono_ns());
    const uint64_t cpu_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t spent_ns = why == SPOOL_BURST_LOST ? expected_cost_ns()
                                                      : cpu_ns - t->burst_begin_cpu_ns - t->program_ns +
                                                            t->trigger_ns + t->method->after_ns;
    const uint64_t cost_ns = spent_ns < cpu_ns ? spent_ns : cpu_ns;
    const uint64_t all_ns = __atomic_add_fetch(&rt_state.budget.spent_ns, cost_ns, __ATOMIC_RELAXED) +
                            __atomic_add_fetch(&rt_state.budget.after_ns, after_ns(), __ATOMIC_RELAXED);
    if (why != SPOOL_BURST_LOST) {
        rt_burst_note_handler_time(t);
        const uint64_t handlers_ns = e->tsc_per_us ? t->handlers_tsc * 1000 / e->tsc_per_us : cost_ns / 2;
        if (handlers_ns < cost_ns)
            __atomic_add_fetch(&rt_state.budget.spent_kernel_ns, cost_ns - handlers_ns, __ATOMIC_RELAXED);
        if (t->position) e->mean_cost_ns = rt_burst_governor_mean_ns(expected_cost_ns(), cost_ns);
    }
    struct spool_burst_end r = {
        .time_ns = ls_clock_mono_ns(),
        .spent_ns = cost_ns,
        .hooks_ns = spent_now().hooks_ns,
        .all_spent_ns = all_ns,
        .instructions = t->position,
        .method = t->method->id,
        .program_ns = t->program_ns,
        .faults = t->program_faults,
    };
    t->method->end(t, &r);
    t->rt->spent_ns += cost_ns;
    if (rt_tap_is_open(t->rt)) {
        rt_tap_add_controls(r.control_cycles, r.control_len);
        if (rt_tap_room(t->rt) < RT_TAP_ROWS - RT_TAP_BELL_ROWS) rt_bell_ring();
    }
    spool_put_burst_end(rt_spool_writer(t->rt), why, r);
    if (!t->method->is_whole) rt_burst_faults_go_on(t);
}

void rt_burst_finish(struct rt_burst_thread *t, ucontext_t *uc, enum spool_burst_end_why why)
{
    rt_burst_end(t, uc, why);
    rt_burst_rearm(t);
}

static void record_stack(struct rt_burst_thread *t, const ucontext_t *uc)
{
    const struct rt_burst_stack_source s = {
        .mode = rt_burst_engine.stack_mode,
        .devices = &rt_burst_engine.devices,
        .gregs = uc->uc_mcontext.gregs,
        .base = t->rt->stack_base,
        .end = t->rt->stack_end,
        .time_ns = t->burst_begin_ns,
        .links = t->links,
        .packer = &t->stacks,
        .known = &t->callers,
        .stream = t->rt->streams,
        .own_base = rt_state.text_base,
        .own_end = rt_state.text_end,
    };
    rt_burst_stack_put(rt_spool_writer(t->rt), &s);
}

/* why: it cannot go on, but the time that it represents is counted all the same; or -1. */
static void begin(struct rt_burst_thread *t, ucontext_t *uc, int why)
{
    const uint64_t weight_ns = weight_now_ns(t);
    if (!rt_burst_engine.method->is_whole) rt_burst_faults_stop(t);
    t->burst_begin_cpu_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    t->trigger_ns = this_trigger_cost_ns(t);
    t->handlers_tsc = 0;
    t->handler_tsc = __rdtsc();
    /* a newly loaded object may use addresses of an unloaded one: this burst's samples must find it */
    if (rt_maps_is_dirty()) rt_maps_poll_sigsafe(t->rt, ls_clock_mono_ns());
    t->burst_tsc = __rdtsc(); /* beside the clock: samples are placed in time by the distance from both */
    t->burst_begin_ns = ls_clock_mono_ns();
    t->position = t->recorded = 0;
    learn_clock(t);
    rt_burst_xlayout_learn(&rt_burst_engine.xlayout);
    t->program_ns = t->inside_ns = t->program_faults = 0;
    t->method = rt_burst_engine.method;
    t->method->begin(t);
    rt_burst_numa_clear(&t->numa);
    const struct spool_burst_begin r = {
        .time_ns = t->burst_begin_ns,
        .tsc = t->burst_tsc,
        .weight_ns = weight_ns,
        .ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP],
        .cpu = rt_burst_cpu(rt_burst_engine.has_rseq, rt_burst_engine.rseq_area_offset),
        .number = t->number++,
    };
    rt_tls_blocks_poll_sigsafe(t->rt, r.time_ns);
    spool_put_burst_begin(rt_spool_writer(t->rt), r);
    if (rt_tls.mpi) spool_put_mpi(rt_spool_writer(t->rt), (uint16_t)rt_tls.mpi, rt_tls.mpi_ip);
    record_stack(t, uc);
    t->state = RT_BURST_RUNNING;
    if (why >= 0)
        return rt_burst_finish(t, NULL, (enum spool_burst_end_why)why); /* a trap flag is the program's */
    if (!t->method->is_whole) rt_burst_engine.trigger->arm(t, backstop_ns(t));
    t->method->run(t, uc);
    rt_burst_note_handler_time(t);
}

void rt_burst_step_instead(struct rt_burst_thread *t, ucontext_t *uc)
{
    t->method = rt_burst_engine.methods[SPOOL_METHOD_STEP];
    t->method->begin(t);
    if (rt_burst_look_for_tracer(&rt_burst_engine, 0)) return rt_burst_finish(t, uc, SPOOL_BURST_STOPPED);
    rt_burst_faults_stop(t);
    rt_burst_engine.trigger->arm(t, backstop_ns(t));
    t->method->run(t, uc);
}

/* A trigger inside a burst is the backstop: the burst may go on, or its trap flag may be lost, as when a
 * handler of the program left by siglongjmp. */
static bool is_alive(const struct rt_burst_thread *t, const ucontext_t *uc, bool taken_back)
{
    if (t->state == RT_BURST_SUSPENDED) return !t->outside;
    return t->state == RT_BURST_RUNNING &&
           (taken_back || uc->uc_mcontext.gregs[REG_EFL] & RT_BURST_TRAP_FLAG);
}

/* The trigger fell into time that no burst represents: the runtime's own measured time, the kernel's, or time
 * in which nothing is sampled. The instant at which sampling is found to be switched on belongs to the time before, so
 * that a burst there would be one too many. */
static bool is_outside_program(const struct rt_burst_thread *t)
{
    if (!t->outside || t->in_kernel || t->rt->writer.stopped) return true;
    const bool was_sampling = rt_control_was_sampling();
    return !rt_control_update(ls_clock_mono_ns()) || !was_sampling;
}

/* A hook that is not timed, because it only looks or tags. */
static bool is_in_quick_hook(const struct rt_burst_thread *t, const ucontext_t *uc)
{
    return t->outside && !t->in_kernel && rt_is_own_text((uintptr_t)uc->uc_mcontext.gregs[REG_RIP]);
}

/* A trigger without a burst costs, too, also afterwards. In a hook whose time is measured that is not the hook's. */
static void pass_over(struct rt_burst_thread *t)
{
    const uint64_t cost_ns = trigger_cost_ns();
    rt_burst_rearm(t);
    if (!rt_control_was_sampling())
        __atomic_fetch_add(&rt_burst_engine.unsampled_spent_ns, cost_ns + after_ns(), __ATOMIC_RELAXED);
    __atomic_fetch_add(&rt_state.budget.after_ns, after_ns(), __ATOMIC_RELAXED);
    t->rt->spent_ns += cost_ns;
    __atomic_fetch_add(&rt_state.budget.spent_ns, cost_ns, __ATOMIC_RELAXED);
    __atomic_fetch_add(&rt_state.budget.spent_kernel_ns, cost_ns, __ATOMIC_RELAXED);
}

void rt_burst_take_trigger(struct rt_burst_thread *t, ucontext_t *uc, bool taken_back)
{
    if (rt_burst_engine.quiet) return;
    if (t->state == RT_BURST_RUNNING && t->method->is_whole)
        return; /* inside of it, whose end arms the next */
    if (is_alive(t, uc, taken_back)) {
        rt_burst_set_trap_flag(uc, t->state == RT_BURST_RUNNING); /* taken back: it goes on in place */
        return rt_burst_engine.trigger->arm(t, backstop_ns(t));
    }
    if (t->state != RT_BURST_IDLE) {
        t->stale = true;
        t->method->abandon(t);
        rt_burst_end(t, NULL, SPOOL_BURST_LOST);
        return rt_burst_rearm(t); /* the backstop's time is not the Poisson process's */
    }
    if (!rt_is_recording()) return rt_burst_disarm(t); /* another recording may wake the thread */
    rt_stream_refresh(t->rt);
    if (t->tid != rt_burst_gettid()) return; /* a raw clone that shares our thread block */
    if (is_in_quick_hook(t, uc)) {
        __atomic_fetch_add(&rt_state.budget.passed_ns, weight_now_ns(t), __ATOMIC_RELAXED);
        return pass_over(t);
    }
    if (is_outside_program(t)) return pass_over(t);
    if (rt_burst_look_for_tracer(&rt_burst_engine, rt_burst_engine.method->is_whole ? TRACER_AGE_NS : 0)) {
        __atomic_fetch_add(&rt_burst_engine.traced_triggers, 1, __ATOMIC_RELAXED);
        return rt_burst_disarm(t); /* the tracer would see the next one */
    }
    const bool steps_itself = uc->uc_mcontext.gregs[REG_EFL] & RT_BURST_TRAP_FLAG;
    const int why = rt_burst_masks_trap(uc) ? SPOOL_BURST_MASKED
                    : steps_itself          ? SPOOL_BURST_FLAGS
                    : rt_tap_call_for_room(t->rt, RT_TAP_BURST_ROWS)
                        ? SPOOL_BURST_FULL /* callbacks are too slow */
                        : -1;
    begin(t, uc, why);
}
