/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/samplers/rt_step_burst_sigsafe.h"

#include "common/ls_clock.h"
#include "runtime/core/rt_bell_sigsafe.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_maps_sigsafe.h"
#include "runtime/core/rt_resources_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_tap_sigsafe.h"
#include "runtime/core/rt_tls_blocks_sigsafe.h"
#include "runtime/samplers/rt_step_asm_sigsafe.h"
#include "runtime/samplers/rt_step_faults_sigsafe.h"
#include "runtime/samplers/rt_step_probe_sigsafe.h"
#include "runtime/samplers/rt_step_syscall_sigsafe.h"
#include "runtime/samplers/rt_step_traced_sigsafe.h"

#include <immintrin.h>
#include <sched.h>
#include <x86intrin.h>

#define TRAP_FLAG 0x100LL
enum {
    OWN_STEPS_MAX = 2048,    /* traps spent in the runtime's own code in one burst */
    CLOCK_EVERY = 16,        /* steps between looks at the clock */
    FIRST_COST_NS = 3000000, /* expected before the first burst was measured */
    WINDOW_NS = 100000000,
    CLOCK_LEAST_US = 200,
    BACKSTOP_COSTS = 4, /* a burst that went silent is given up after so many times its cost */
};

static void set_trap_flag(ucontext_t *uc, bool set)
{
    if (set)
        uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    else
        uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static struct rt_step_spent spent_now(void)
{
    return (struct rt_step_spent){
        .bursts_ns = __atomic_load_n(&rt_state.budget.spent_ns, __ATOMIC_RELAXED),
        .hooks_ns = rt_budget_hooks_ns() + __atomic_load_n(&rt_state.budget.starts_ns, __ATOMIC_RELAXED),
    };
}

static uint64_t expected_cost_ns(void)
{
    const uint64_t mean_ns = __atomic_load_n(&rt_step_engine.mean_cost_ns, __ATOMIC_RELAXED);
    return mean_ns ? mean_ns : FIRST_COST_NS;
}

/* Threads that use a CPU right now, from the process's CPU time over the last window. */
static double threads_running(uint64_t now_ns)
{
    struct rt_step_engine *e = &rt_step_engine;
    if (now_ns - e->window_wall_ns >= WINDOW_NS &&
        !__atomic_exchange_n(&e->window_busy, 1, __ATOMIC_ACQUIRE)) {
        const uint64_t cpu_ns = rt_step_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
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

/* Time that the budget is a share of: one that waits, for others or for a processor, earns nothing. */
static uint64_t worked_ns(uint64_t now_ns)
{
    const uint64_t start_ns = rt_step_engine.governor.start_ns;
    const uint64_t wall_ns = now_ns > start_ns ? now_ns - start_ns : 0;
    const uint64_t cpu_ns = rt_step_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - rt_step_engine.start_cpu_ns;
    return cpu_ns < wall_ns ? cpu_ns : wall_ns;
}

/* Draw the next interval. What was left of an older one does not matter: the process has no memory. */
static void draw_and_arm(struct rt_step_thread *t, uint64_t cpu_ns)
{
    const uint64_t now_ns = ls_clock_mono_ns();
    t->mean_ns = rt_step_governor_interval_ns(&rt_step_engine.governor, worked_ns(now_ns), spent_now(),
                                              expected_cost_ns(), threads_running(now_ns));
    t->drawn_ns = rt_step_governor_draw_ns(t->mean_ns, &t->random);
    t->armed_cpu_ns = cpu_ns;
    rt_step_engine.trigger->arm(t, t->drawn_ns);
}

void rt_step_burst_rearm(struct rt_step_thread *t)
{
    draw_and_arm(t, rt_step_cpu_ns(CLOCK_THREAD_CPUTIME_ID));
}

void rt_step_burst_arm_other(struct rt_step_thread *t)
{
    if (!t->mean_ns) draw_and_arm(t, UINT64_MAX); /* its clock is not ours to read */
}

void rt_step_burst_disarm(struct rt_step_thread *t)
{
    t->mean_ns = 0;
    rt_step_engine.trigger->disarm(t);
}

/* Return the CPU time that a burst represents which begins now. A timer that fires once may be late by a
 * tick: its delay is part of the interval. Where another thread armed it (armed_cpu_ns is UINT64_MAX) the sum
 * wraps to less than drawn_ns, and the delay counts as none. */
static uint64_t weight_now_ns(const struct rt_step_thread *t)
{
    if (rt_step_engine.trigger->repeats) return t->mean_ns;
    const uint64_t due_ns = t->armed_cpu_ns + t->drawn_ns, cpu_ns = rt_step_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    return t->mean_ns + (due_ns > t->drawn_ns && cpu_ns > due_ns ? cpu_ns - due_ns : 0);
}

static bool masks_trap(const ucontext_t *uc)
{
    const uint64_t *mask = (const uint64_t *)&uc->uc_sigmask;
    return *mask >> (SIGTRAP - 1) & 1;
}

/* The runtime works for itself in this thread, as seen from where the handler came in. */
static bool in_own_work(const struct rt_step_thread *t)
{
    return !t->outside;
}

static uint64_t gs_base(void)
{
    enum { GET_GS = 0x1004 }; /* ARCH_GET_GS, asm/prctl.h */
    uint64_t base = 0;
    if (rt_step_engine.has_fsgsbase)
        __asm__("rdgsbase %0" : "=r"(base));
    else
        rt_step_syscall4(SYS_arch_prctl, GET_GS, (long)(uintptr_t)&base, 0, 0);
    return base;
}

/* The handler runs with the program's fs; the ABI keeps its value at fs:0 (x86-64 psABI, TLS variant II). */
static uint64_t fs_base(void)
{
    uint64_t base;
    if (rt_step_engine.has_fsgsbase)
        __asm__("rdfsbase %0" : "=r"(base));
    else
        __asm__("mov %%fs:0, %0" : "=r"(base));
    return base;
}

static bool uses_segment(const struct rt_step_plan *p, uint8_t segment)
{
    for (unsigned i = 0; i < p->mem_count; i++)
        if (p->mem[i].segment == segment) return true;
    return false;
}

static unsigned list_accesses(struct rt_step_thread *t, const struct rt_step_plan *p, const ucontext_t *uc)
{
    const struct rt_step_regs regs = {
        .gregs = uc->uc_mcontext.gregs,
        .fs_base = uses_segment(p, RT_STEP_SEG_FS) ? fs_base() : 0,
        .gs_base = uses_segment(p, RT_STEP_SEG_GS) ? gs_base() : 0,
        .xstate = rt_step_xstate_view(uc->uc_mcontext.fpregs, rt_step_engine.xlayout),
    };
    return rt_step_accesses(p, &regs, t->accesses);
}

/* A store to the rseq_cs word opens a restartable sequence, which every trap would restart. */
static bool opens_rseq(const struct rt_step_access *a)
{
    enum { RSEQ_CS_OFFSET = 8, RSEQ_CS_BYTES = 8 }; /* struct rseq, linux/rseq.h */
    if (!rt_step_engine.has_rseq || a->op != SPOOL_OP_STORE) return false;
    const uint64_t word = fs_base() + rt_step_engine.rseq_area_offset + RSEQ_CS_OFFSET;
    return a->addr < word + RSEQ_CS_BYTES && word < a->addr + a->size_bytes;
}

/* Calls and returns tell resolve where frames begin and end. */
static uint16_t frame_flag(const struct rt_step_plan *p, const struct rt_step_access *a)
{
    if (p->flow == RT_STEP_FLOW_RET) return SPOOL_ACCESS_RETURN;
    return p->flow >= RT_STEP_FLOW_CALL && a->op == SPOOL_OP_STORE ? SPOOL_ACCESS_CALL : 0;
}

/* For callbacks: what is in the spool, and only that. */
static void tap(struct rt_step_thread *t, const struct spool_access *r, uint16_t flags)
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

static void record_access(struct rt_step_thread *t, const struct rt_step_access *a,
                          const struct rt_step_plan *p)
{
    const uint64_t delta = __rdtsc() - t->burst_tsc;
    struct spool_access r = {
        .ip = p->ip,
        .addr = a->addr,
        .tsc_delta = delta < UINT32_MAX ? (uint32_t)delta : UINT32_MAX,
        .position = t->position,
        .size_bytes = a->size_bytes,
        .lane = a->lane,
    };
    if (rt_step_engine.has_memory_nodes) rt_step_numa_touch(&t->numa, a->addr);
    const bool measure = t->position >= t->valid_from;
    const uint16_t probed = rt_step_probe_access(&t->probe, a, measure, &r.latency_cycles);
    const uint16_t flags =
        (uint16_t)(a->op | frame_flag(p, a) | probed | spool_flags_of_locked(p->is_locked));
    if (!spool_put_access(rt_spool_writer(t->rt), flags, &r)) return;
    if (rt_tap_is_open(t->rt)) tap(t, &r, flags);
    t->recorded++;
}

/* How fast the time stamp counter runs, from a burst: good to a percent. */
static void learn_clock(const struct rt_step_thread *t)
{
    const uint64_t took_us = (ls_clock_mono_ns() - t->burst_begin_ns) / 1000;
    if (took_us >= CLOCK_LEAST_US)
        rt_step_engine.tsc_per_us = (uint32_t)((__rdtsc() - t->burst_tsc) / took_us);
}

/* Time in our handlers, while the thread had a processor: the rest of what a burst costs is the kernel's, for
 * traps and signals. The kernel's own split of CPU time is too coarse for a burst. */
static void note_handler_time(struct rt_step_thread *t)
{
    const uint64_t now = __rdtsc(), took = now - t->handler_tsc;
    if (!rt_step_took_longer(took, RT_STEP_PREEMPTED_US)) t->handlers_tsc += took;
    t->handler_tsc = now;
}

void rt_step_burst_end(struct rt_step_thread *t, ucontext_t *uc, uint16_t why)
{
    if (uc) set_trap_flag(uc, false);
    if (t->state == RT_STEP_IDLE) return;
    t->state = RT_STEP_IDLE;
    struct rt_step_engine *e = &rt_step_engine;
    rt_maps_poll_sigsafe(t->rt, ls_clock_mono_ns());
    rt_step_numa_put(rt_spool_writer(t->rt), &t->numa, rt_step_numa_ask_kernel, ls_clock_mono_ns());
    rt_resources_poll_sigsafe(t->rt, ls_clock_mono_ns());
    const uint64_t cpu_ns = rt_step_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint64_t spent_ns = why == SPOOL_BURST_LOST ? expected_cost_ns() : cpu_ns - t->burst_begin_cpu_ns;
    const uint64_t cost_ns = spent_ns < cpu_ns ? spent_ns : cpu_ns;
    const uint64_t all_ns = __atomic_add_fetch(&rt_state.budget.spent_ns, cost_ns, __ATOMIC_RELAXED);
    if (why != SPOOL_BURST_LOST) {
        learn_clock(t);
        note_handler_time(t);
        const uint64_t handlers_ns = e->tsc_per_us ? t->handlers_tsc * 1000 / e->tsc_per_us : cost_ns / 2;
        if (handlers_ns < cost_ns)
            __atomic_add_fetch(&rt_state.budget.spent_kernel_ns, cost_ns - handlers_ns, __ATOMIC_RELAXED);
        if (t->position) e->mean_cost_ns = rt_step_governor_mean_ns(e->mean_cost_ns, cost_ns);
    }
    const struct spool_burst_end r = {
        .time_ns = ls_clock_mono_ns(),
        .spent_ns = cost_ns,
        .hooks_ns = spent_now().hooks_ns,
        .all_spent_ns = all_ns,
        .instructions = t->position,
        .control_cycles = t->probe.control_cycles,
        .control_len = t->probe.control_len,
        .in_place = t->in_place,
    };
    t->rt->spent_ns += cost_ns;
    if (rt_tap_is_open(t->rt)) {
        rt_tap_add_controls(r.control_cycles, r.control_len);
        if (rt_tap_room(t->rt) < RT_TAP_ROWS - RT_TAP_BELL_ROWS) rt_bell_ring();
    }
    spool_put_burst_end(rt_spool_writer(t->rt), why, r);
    rt_step_faults_go_on(t);
}

static void finish(struct rt_step_thread *t, ucontext_t *uc, enum spool_burst_end_why why)
{
    rt_step_burst_end(t, uc, why);
    rt_step_burst_rearm(t);
}

/* Why a burst must end before the instruction p, or -1. */
static int forbids(const struct rt_step_plan *p)
{
    switch ((enum rt_step_class)p->klass) {
    case RT_STEP_SYSCALL:
        return SPOOL_BURST_SYSCALL;
    case RT_STEP_FLAGS:
        return SPOOL_BURST_FLAGS;
    case RT_STEP_TSX:
        return SPOOL_BURST_TSX;
    case RT_STEP_PLAIN:
        break;
    }
    return -1;
}

static bool out_of_budget(const struct rt_step_thread *t)
{
    return t->position >= rt_step_engine.burst_instructions || t->own_steps >= OWN_STEPS_MAX;
}

/* Why the clock ends the burst, looked at now and then; or -1. */
static int out_of_time(const struct rt_step_thread *t)
{
    if ((t->position + t->own_steps) % CLOCK_EVERY != CLOCK_EVERY - 1) return -1;
    const uint64_t now_ns = ls_clock_mono_ns();
    if (!rt_control_is_sampling(now_ns)) return SPOOL_BURST_STOPPED; /* by another thread, or the duration */
    return now_ns - t->burst_begin_ns > rt_step_engine.burst_max_ns ? SPOOL_BURST_TIME : -1;
}

/* Is a signal about to be delivered? Its handler would find the context in a slot, and would run as part of
 * the burst: unsampled, and charged to the recording. */
static bool signals_wait(struct rt_step_thread *t, const ucontext_t *uc)
{
    uint64_t pending = 0;
    const uint64_t *mask = (const uint64_t *)&uc->uc_sigmask;
    const uint64_t before = __rdtsc();
    rt_step_syscall4(SYS_rt_sigpending, (long)(uintptr_t)&pending, sizeof pending, 0, 0);
    t->handler_tsc += __rdtsc() - before; /* the kernel's part of the handler */
    return pending & ~*mask;
}

/* What follows p may be issued before the trap: it is not timed. */
static void step_in_place(struct rt_step_thread *t, const struct rt_step_plan *p)
{
    if (t->valid_from < t->position + RT_STEP_IN_PLACE_AHEAD)
        t->valid_from = t->position + RT_STEP_IN_PLACE_AHEAD;
    if (rt_is_own_text(p->ip)) return;
    t->in_place++;
    __atomic_fetch_add(&rt_step_engine.in_place[p->mnemonic], 1, __ATOMIC_RELAXED);
}

/* Let the instruction of p execute. True: it was a branch, done here, and the next instruction can be looked
 * at. */
static bool execute(struct rt_step_thread *t, const struct rt_step_plan *p, ucontext_t *uc, uint64_t operand)
{
    const bool may_move = p->flow != RT_STEP_FLOW_NONE;
    if (may_move && signals_wait(t, uc)) {
        finish(t, uc, SPOOL_BURST_SIGNAL);
        return false;
    }
    const enum rt_step_isolated how =
        may_move ? rt_step_isolate(&t->slots, p, uc, operand) : RT_STEP_IN_PLACE;
    if (how == RT_STEP_DONE) return true;
    if (how == RT_STEP_IN_PLACE) step_in_place(t, p);
    set_trap_flag(uc, how == RT_STEP_IN_PLACE);
    return false;
}

/* The processor did something else since the last step, and the caches are no longer the program's. Natively
 * they would be again within microseconds; a burst would go on reporting misses. */
static bool was_preempted(struct rt_step_thread *t)
{
    const uint64_t before = t->step_tsc, now = __rdtsc();
    t->step_tsc = now;
    if (before && !rt_step_took_longer(now - before, RT_STEP_USUAL_US)) return false;
    const uint64_t switches = t->switches;
    t->switches = rt_step_context_switches();
    return before && (t->switches != switches || rt_step_took_longer(now - before, RT_STEP_PREEMPTED_US));
}

/* Why the burst cannot go on at all, or -1. */
static int must_end(struct rt_step_thread *t, const ucontext_t *uc)
{
    const bool preempted = was_preempted(t);
    if (masks_trap(uc)) return SPOOL_BURST_MASKED;
    const int late = out_of_time(t);
    if (late >= 0) return late;
    if (out_of_budget(t)) return SPOOL_BURST_BUDGET;
    if (rt_tap_must_wait(t->rt, RT_TAP_LEAST_ROWS)) return SPOOL_BURST_FULL;
    return preempted ? SPOOL_BURST_PREEMPTED : -1;
}

/* Record what the instruction of p is about to touch. False: it opens a restartable sequence. */
static bool record(struct rt_step_thread *t, const struct rt_step_plan *p, const ucontext_t *uc)
{
    const unsigned count = list_accesses(t, p, uc);
    if (rt_is_own_text(p->ip)) {
        t->own_steps++;
        return true;
    }
    for (unsigned i = 0; i < count; i++)
        if (opens_rseq(&t->accesses[i])) return false;
    for (unsigned i = 0; i < count; i++)
        record_access(t, &t->accesses[i], p);
    t->position++;
    return true;
}

/* Address of the first memory operand, for indirect branches and for what stands in for rip. */
static uint64_t first_operand(const struct rt_step_thread *t, const struct rt_step_plan *p)
{
    const bool lists = p->mem_count && p->mem[0].kind == RT_STEP_MEM_PLAIN;
    return lists ? t->accesses[0].addr : p->ip + p->len_bytes + (uint64_t)p->rip_disp;
}

/* Look at the instruction about to execute; let it, or end the burst. True: look at the next one too. */
static bool advance_one(struct rt_step_thread *t, ucontext_t *uc)
{
    if (in_own_work(t)) {
        t->state = RT_STEP_SUSPENDED;
        rt_tls.resume = rt_step_burst_resume;
        set_trap_flag(uc, false);
        return false;
    }
    int why = must_end(t, uc);
    const uint64_t ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    const struct rt_step_plan *p = why < 0 ? rt_step_code_plan(&t->code, &rt_step_engine.zydis, ip) : NULL;
    if (why < 0) why = p ? forbids(p) : SPOOL_BURST_DECODE;
    if (why < 0 && !record(t, p, uc)) why = SPOOL_BURST_RSEQ;
    if (why < 0) return execute(t, p, uc, first_operand(t, p));
    finish(t, uc, (enum spool_burst_end_why)why);
    return false;
}

static void advance(struct rt_step_thread *t, ucontext_t *uc)
{
    while (advance_one(t, uc)) {
    }
}

void rt_step_burst_step(struct rt_step_thread *t, ucontext_t *uc)
{
    t->handler_tsc = __rdtsc();
    if (rt_step_engine.quiet)
        set_trap_flag(uc, false);
    else
        advance(t, uc);
    note_handler_time(t);
}

static void record_stack(struct rt_step_thread *t, const ucontext_t *uc)
{
    const struct rt_step_stack_source s = {
        .mode = rt_step_engine.stack_mode,
        .devices = &rt_step_engine.devices,
        .gregs = uc->uc_mcontext.gregs,
        .base = t->rt->stack_base,
        .end = t->rt->stack_end,
        .time_ns = t->burst_begin_ns,
        .links = t->links,
    };
    rt_step_stack_put(rt_spool_writer(t->rt), &s);
}

/* why: it cannot go on, but the time that it represents is counted all the same; or -1. */
static void begin(struct rt_step_thread *t, ucontext_t *uc, int why)
{
    unsigned cpu = 0;
    const uint64_t weight_ns = weight_now_ns(t);
    rt_step_faults_stop(t);
    t->burst_begin_cpu_ns = rt_step_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    t->handlers_tsc = 0;
    t->handler_tsc = __rdtsc();
    /* what was loaded may lie where something else was before: this burst's samples must find it */
    if (rt_maps_is_dirty()) rt_maps_poll_sigsafe(t->rt, ls_clock_mono_ns());
    __rdtscp(&cpu);
    t->burst_tsc = __rdtsc(); /* beside the clock: samples are placed in time by the distance from both */
    t->burst_begin_ns = ls_clock_mono_ns();
    t->position = t->own_steps = t->recorded = t->in_place = 0;
    t->valid_from = RT_STEP_RUN_AHEAD;
    t->step_tsc = 0;
    rt_step_xlayout_learn(&rt_step_engine.xlayout);
    if (!t->probe.pages.len_max) t->probe.pages.len_max = rt_step_pages_entries();
    rt_step_probe_begin(&t->probe);
    rt_step_numa_clear(&t->numa);
    const struct spool_burst_begin r = {
        .time_ns = t->burst_begin_ns,
        .tsc = t->burst_tsc,
        .weight_ns = weight_ns,
        .ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP],
        .cpu =
            cpu &
            0xfff, /* Linux keeps the CPU in the lower 12 bits of TSC_AUX (arch/x86/include/asm/segment.h) */
        .number = t->number++,
    };
    rt_tls_blocks_poll_sigsafe(t->rt, r.time_ns);
    spool_put_burst_begin(rt_spool_writer(t->rt), r);
    record_stack(t, uc);
    t->state = RT_STEP_STEPPING;
    if (why >= 0) return finish(t, uc, (enum spool_burst_end_why)why);
    rt_step_engine.trigger->arm(t, BACKSTOP_COSTS * expected_cost_ns());
    advance(t, uc);
    note_handler_time(t);
}

/* A trigger inside a burst is the backstop: the burst may go on, or its trap flag may be lost, as when a
 * handler of the program left by siglongjmp. */
static bool is_alive(const struct rt_step_thread *t, const ucontext_t *uc, bool in_slot)
{
    if (t->state == RT_STEP_SUSPENDED) return in_own_work(t);
    return t->state == RT_STEP_STEPPING && (in_slot || uc->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG);
}

/* The trigger fell into time that no burst represents: the runtime's own, the kernel's, or time in which
 * nothing is sampled. The instant at which sampling is found to be switched on belongs to the time before, so
 * that a burst there would be one too many. */
static bool is_outside_program(struct rt_step_thread *t, const ucontext_t *uc)
{
    if (in_own_work(t) || t->in_kernel || t->rt->writer.stopped) return true;
    if (rt_is_own_text((uintptr_t)uc->uc_mcontext.gregs[REG_RIP])) return true; /* a hook that only looks */
    const bool was_sampling = rt_control_was_sampling();
    return !rt_control_is_sampling(ls_clock_mono_ns()) || !was_sampling;
}

void rt_step_burst_trigger(struct rt_step_thread *t, ucontext_t *uc, bool in_slot)
{
    if (rt_step_engine.quiet) return;
    if (is_alive(t, uc, in_slot)) {
        set_trap_flag(uc, t->state == RT_STEP_STEPPING); /* in a slot: it goes on in place */
        return rt_step_engine.trigger->arm(t, BACKSTOP_COSTS * expected_cost_ns());
    }
    if (t->state != RT_STEP_IDLE) {
        __atomic_fetch_add(&rt_step_engine.lost, 1, __ATOMIC_RELAXED);
        t->stale = true;
        rt_step_slots_abandon(&t->slots);
        rt_step_burst_end(t, NULL, SPOOL_BURST_LOST);
        return rt_step_burst_rearm(t); /* the backstop's time is not the Poisson process's */
    }
    if (t->tid != rt_step_gettid()) return; /* a raw clone that shares our thread block */
    if (is_outside_program(t, uc)) return rt_step_burst_rearm(t);
    if (rt_step_is_traced(&rt_step_engine, 0)) {
        __atomic_fetch_add(&rt_step_engine.traced_triggers, 1, __ATOMIC_RELAXED);
        return rt_step_burst_disarm(t); /* the tracer would see the next one */
    }
    const int why = masks_trap(uc)                               ? SPOOL_BURST_MASKED
                    : rt_tap_must_wait(t->rt, RT_TAP_BURST_ROWS) ? SPOOL_BURST_FULL /* callbacks are behind */
                                                                 : -1;
    begin(t, uc, why);
}

/* Why a suspended burst does not go on, or -1. */
static int must_not_resume(uint64_t mask)
{
    if (mask >> (SIGTRAP - 1) & 1 || rt_step_engine.quiet) return SPOOL_BURST_MASKED;
    return rt_control_is_sampling(ls_clock_mono_ns()) ? -1 : SPOOL_BURST_STOPPED;
}

void rt_step_burst_resume(void)
{
    struct rt_step_thread *t = rt_step_self;
    uint64_t mask = 0;
    rt_tls.resume = NULL;
    if (!t || t->state != RT_STEP_SUSPENDED) return;
    rt_step_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)(uintptr_t)&mask, sizeof mask);
    rt_tls.depth = 1;
    const int why = must_not_resume(mask);
    if (why >= 0) finish(t, NULL, (enum spool_burst_end_why)why);
    rt_tls.depth = 0;
    if (why >= 0) return;
    t->state = RT_STEP_STEPPING;
    rt_step_arm();
}
