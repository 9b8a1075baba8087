/* SPDX-License-Identifier: BSD-3-Clause */
/* A burst by translation: its plan, its records, its cost. From the moment that the program's instructions run
 * nothing but raw system calls is made until the end of the handler, because errno is the program's. */
#include "runtime/translate/rt_tr_method_sigsafe.h"

#include "common/ls_clock.h"
#include "runtime/bursts/rt_burst_faults_sigsafe.h"
#include "runtime/bursts/rt_burst_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_tags_sigsafe.h"
#include "runtime/translate/rt_tr_code_sigsafe.h"
#include "spool/spool_packer_sigsafe.h"

#include <errno.h>
#include <sys/resource.h>
#include <x86intrin.h>

enum {
    FIRST_COST_NS = 60000,
    WARM_LEAST =
        512, /* past the loads that the core had issued before the trigger, and past its traces in L1 */
    WARM_MORE = 257,
    /* the pace of LULESH settles by 6,000, that of XSBench's random loads by 16,000; in flat code the translations
     * come from L3 or memory at first, so that few of them run in 15 us */
    SETTLE_INSTRUCTIONS = 24000,
    PACE_INSTRUCTIONS = 16000,
    PACE_US = 40,
    /* in virtual machines, the processor may be a third slower after a timer interrupt: for 110 to 150 us (KVM on a
     * shared Intel core) */
    LATE_US = 150,
    RATIO_WEIGHT = 8, /* the last one is an eighth of the mean */
    RATIO_LEAST = 250,
    RATIO_MOST = 2000, /* permille */
    PROBES_LEAST = 50,
    PROBES_MORE = 51,
    PROBE_LOADS = 64, /* with fewer the window of the core runs over the load that is timed */
    COLD_SHARE = 6,
    INSTRUCTIONS_MOST = 92000,
    LIFE_FIRST = 20000,
    LIFE_WEIGHT = 4, /* the last burst is a quarter of the mean */
    TRANSLATIONS_MOST = 160,
    TAGS_AHEAD = 8, /* records: their tags come from memory */
    /* what the recording takes after a burst, until the program's code and data are back in the caches: bursts
     * cost 9 to 14 us more than their handlers took in gzip, 17 to 30 us more in sqlite3 and python3 */
    AFTER_NS = 20000,
};

_Static_assert(sizeof(struct rt_tr_range) == 2 * sizeof(uint64_t) &&
                   sizeof(rt_burst_engine.devices.ranges[0]) == sizeof(struct rt_tr_range),
               "ranges of devices are ranges");

static struct rt_tr_own *own(const struct rt_burst_thread *t)
{
    return t->own[SPOOL_METHOD_TRANSLATE];
}

static uint32_t life_of(const struct rt_tr_own *o)
{
    return o->life ? o->life : LIFE_FIRST;
}

/* Shorten a part before the list in proportion to the bursts: where system calls end them early, accesses would not be
 * listed otherwise. most: the part's instructions in the longest burst. */
static uint32_t part_of_life(const struct rt_tr_own *o, uint32_t most)
{
    return (uint32_t)((uint64_t)most * life_of(o) / INSTRUCTIONS_MOST);
}

static void learn_life(struct rt_tr_own *o, const struct rt_tr_result *r)
{
    uint64_t lived = r->work < INSTRUCTIONS_MOST ? r->work : INSTRUCTIONS_MOST;
    switch (r->end) {
    case RT_TR_END_DONE:
    case RT_TR_END_INSTRUCTIONS:
        lived = INSTRUCTIONS_MOST;
        break;
    case RT_TR_END_LOCKED:
    case RT_TR_END_FULL:
    case RT_TR_END_TRANSLATIONS:
        return; /* the program would have gone on */
    default:
        break;
    }
    o->life = life_of(o) - life_of(o) / LIFE_WEIGHT + (uint32_t)lived / LIFE_WEIGHT;
}

static struct rt_tr_plan plan_of(struct rt_burst_thread *t)
{
    const struct rt_burst_devices *d = &rt_burst_engine.devices;
    const uint64_t random = rt_burst_random_next(&t->random);
    const uint64_t accesses = rt_state.config.burst_accesses;
    return (struct rt_tr_plan){
        .warm_instructions = WARM_LEAST + (uint32_t)(random >> 8) % WARM_MORE,
        .settle_instructions = part_of_life(own(t), SETTLE_INSTRUCTIONS),
        .pace_instructions = part_of_life(own(t), PACE_INSTRUCTIONS),
        .pace_us = PACE_US,
        .tsc_per_us = rt_burst_engine.tsc_per_us,
        .late_tsc = t->burst_tsc + LATE_US * (uint64_t)rt_burst_engine.tsc_per_us,
        .accesses = accesses < RT_TR_ACCESSES_MAX ? (uint32_t)accesses : RT_TR_ACCESSES_MAX,
        .probes = PROBES_LEAST + (uint32_t)(random >> 40) % PROBES_MORE,
        .probe_loads = PROBE_LOADS,
        .cold_share = COLD_SHARE,
        .instructions_max = INSTRUCTIONS_MOST,
        .translations_max = TRANSLATIONS_MOST,
        .never_probe = (const struct rt_tr_range *)(const void *)d->ranges,
        .never_probe_len = __atomic_load_n(&d->count, __ATOMIC_ACQUIRE),
        .random = rt_burst_random_next(&t->random),
    };
}

/* --- records --- */

static void put(struct rt_burst_thread *t, struct spool_packer *p, struct spool_access *r, uint16_t flags)
{
    r->tsc_delta = spool_pack_tsc_delta(p->head.tsc_cycles, p->head.instructions, r->position);
    flags |= SPOOL_ACCESS_AFTER_GAP;
    if (rt_burst_engine.has_memory_nodes) rt_burst_numa_touch(&t->numa, r->addr);
    r->site = rt_tag_find(r->addr, &r->site_units);
    spool_packer_add(p, flags, r);
    rt_burst_note_access(t, r, flags);
}

static void put_listed(struct rt_burst_thread *t, struct spool_packer *p, const struct rt_tr_access *a)
{
    struct spool_access r = {
        .ip = a->ip, .addr = a->addr, .position = a->position, .size_bytes = a->size_bytes, .lane = a->lane};
    const uint16_t locked = (uint16_t)spool_flags_of_locked((a->does & RT_TR_LOCKED) != 0);
    const uint16_t returns = a->does & RT_TR_RETURN ? SPOOL_ACCESS_RETURN : 0;
    const uint16_t calls = a->does & RT_TR_CALL ? SPOOL_ACCESS_CALL : 0;
    if (a->does & RT_TR_LOAD) put(t, p, &r, (uint16_t)(SPOOL_OP_LOAD | locked | returns));
    if (a->does & RT_TR_STORE) put(t, p, &r, (uint16_t)(SPOOL_OP_STORE | locked | calls));
    if (a->does & RT_TR_PREFETCH) put(t, p, &r, (uint16_t)(SPOOL_OP_PREFETCH | locked));
}

static void put_probed(struct rt_burst_thread *t, struct spool_packer *packer, const struct rt_tr_probe *p)
{
    static const uint16_t flags_of[] = {[RT_TR_PROBE_TIMED] =
                                            SPOOL_ACCESS_LATENCY_VALID | SPOOL_ACCESS_DRAIN_VALID,
                                        [RT_TR_PROBE_FAULTED] = SPOOL_ACCESS_FAULTED,
                                        [RT_TR_PROBE_NEVER] = SPOOL_ACCESS_NO_PROBE};
    struct spool_access r = {
        .ip = p->ip, .addr = p->addr, .position = p->position, .size_bytes = p->size_bytes};
    uint16_t flags = p->state <= RT_TR_PROBE_NEVER ? flags_of[p->state] : 0;
    if (rt_burst_took_longer(p->cycles, RT_BURST_PREEMPTED_US)) flags = 0;
    if (flags & SPOOL_ACCESS_LATENCY_VALID) {
        r.latency_cycles = p->cycles;
        r.drain_cycles = p->drain_cycles;
    }
    put(t, packer, &r, (uint16_t)(SPOOL_OP_LOAD | flags));
}

static uint16_t why_of(enum rt_tr_end end)
{
    static const uint8_t of[RT_TR_END_COUNT] = {
        [RT_TR_END_NONE] = SPOOL_BURST_LOST,
        [RT_TR_END_DONE] = SPOOL_BURST_BUDGET,
        [RT_TR_END_INSTRUCTIONS] = SPOOL_BURST_LENGTH,
        [RT_TR_END_SYSCALL] = SPOOL_BURST_SYSCALL,
        [RT_TR_END_UNSUPPORTED] = SPOOL_BURST_UNSUPPORTED,
        [RT_TR_END_GS] = SPOOL_BURST_UNSUPPORTED,
        [RT_TR_END_UNDECODABLE] = SPOOL_BURST_DECODE,
        [RT_TR_END_CODE] = SPOOL_BURST_CODE,
        [RT_TR_END_REACH] = SPOOL_BURST_REACH,
        [RT_TR_END_FULL] = SPOOL_BURST_CACHE,
        [RT_TR_END_LOCKED] = SPOOL_BURST_LOCKED,
        [RT_TR_END_TRANSLATIONS] = SPOOL_BURST_COLD,
        [RT_TR_END_FAULT] = SPOOL_BURST_FAULT,
    };
    return of[end];
}

static uint64_t ns_of_tsc(uint64_t cycles)
{
    const uint32_t per_us = rt_burst_engine.tsc_per_us;
    return per_us ? cycles * 1000 / per_us : 0;
}

static void learn_late(struct rt_tr_own *o, const struct rt_tr_late *late)
{
    if (!late->instructions || !o->pace_millicycles) return;
    uint64_t ratio = late->cycles * 1000 / late->instructions * 1000 / o->pace_millicycles;
    ratio = ratio < RATIO_LEAST ? RATIO_LEAST : ratio > RATIO_MOST ? RATIO_MOST : ratio;
    const uint32_t before = o->late_permille ? o->late_permille : 1000;
    o->late_permille = before - before / RATIO_WEIGHT + (uint32_t)ratio / RATIO_WEIGHT;
}

/* The program would have been as fast as it is long after the trigger. */
static uint64_t program_ns(struct rt_tr_own *o, uint64_t burst_ns)
{
    const struct rt_tr_pace *pace = &o->result.pace;
    if (pace->instructions && pace->cycles > pace->overhead_cycles) {
        o->pace_millicycles = (pace->cycles - pace->overhead_cycles) * 1000 / pace->instructions;
        learn_late(o, &o->result.late);
    }
    const uint64_t late_permille = o->late_permille ? o->late_permille : 1000;
    const struct rt_tr_burst_time time = {burst_ns, o->pace_millicycles * late_permille / 1000,
                                          rt_burst_engine.tsc_per_us};
    return rt_tr_program_ns(&o->result, &time);
}

static void finish(struct rt_burst_thread *t, ucontext_t *uc, uint64_t burst_ns)
{
    struct rt_tr_own *o = own(t);
    const struct rt_tr_result *r = &o->result;
    o->ran = true;
    o->end_tsc = __rdtsc();
    learn_life(o, r);
    const uint64_t signals_ns = t->inside_ns < burst_ns ? t->inside_ns : burst_ns;
    t->program_ns = program_ns(o, burst_ns - signals_ns);
    const uint64_t own_ns = burst_ns - signals_ns - t->program_ns;
    t->handlers_tsc =
        own_ns * rt_burst_engine.tsc_per_us / 1000; /* most of the handler's rest is system calls */
    t->position = r->sampled_work < UINT32_MAX ? (uint32_t)r->sampled_work : UINT32_MAX;
    struct spool_packer packer;
    spool_packer_begin(&packer, rt_spool_writer(t->rt), r->sampled_tsc - t->burst_tsc, t->position);
    for (uint32_t i = 0; i < r->access_count; i++) {
        if (i + TAGS_AHEAD < r->access_count) rt_tag_prefetch(r->accesses[i + TAGS_AHEAD].addr);
        put_listed(t, &packer, &r->accesses[i]);
    }
    for (uint32_t i = 0; i < r->probe_count; i++) {
        if (i + TAGS_AHEAD < r->probe_count) rt_tag_prefetch(r->probes[i + TAGS_AHEAD].addr);
        put_probed(t, &packer, &r->probes[i]);
    }
    spool_packer_end(&packer);
    t->handlers_tsc += __rdtsc() - o->end_tsc;
    rt_burst_measure_trigger(t);
    t->handler_tsc = __rdtsc();
    rt_burst_finish(t, uc, (enum spool_burst_end_why)why_of(r->end));
}

/* Did the burst not begin, for a reason that does not keep it from being stepped? */
static bool is_to_be_stepped(const struct rt_tr_result *r)
{
    if (r->instructions) return false;
    switch (r->end) {
    case RT_TR_END_UNSUPPORTED:
    case RT_TR_END_GS:
    case RT_TR_END_UNDECODABLE:
    case RT_TR_END_CODE:
    case RT_TR_END_REACH:
    case RT_TR_END_FULL:
        return true;
    default:
        return false;
    }
}

static const uint64_t fault_signals = UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1) |
                                      UINT64_C(1) << (SIGFPE - 1) | UINT64_C(1) << (SIGILL - 1);

/* Faults in the burst are ours, whether or not the program blocks their signals. The return from the handler
 * brings its mask back. */
static void open_faults(const ucontext_t *uc)
{
    const uint64_t *mask = (const uint64_t *)&uc->uc_sigmask;
    if (*mask & fault_signals)
        ls_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &fault_signals, NULL, sizeof fault_signals);
}

/* For the thread again, or by kill() for any thread: the program may block the signal in this one, and wait for it in
 * another. The kernel lets only the first thread of the process keep the sender of the latter. */
static void send_one_again(const siginfo_t *info)
{
    const long pid = ls_syscall(SYS_getpid);
    if (info->si_code != SI_USER)
        ls_syscall(SYS_rt_tgsigqueueinfo, pid, rt_burst_gettid(), info->si_signo, info);
    else if (ls_syscall(SYS_rt_sigqueueinfo, pid, info->si_signo, info) < 0)
        ls_syscall(SYS_kill, pid, info->si_signo);
}

/* Signals that were sent by hand since holds was set are delivered when the handler returns. */
static void send_again(struct rt_tr_own *o)
{
    o->holds = false;
    for (unsigned i = 0; i < o->waiting_len; i++)
        send_one_again(&o->waiting[i]);
    o->waiting_len = 0;
}

/* From here on nothing may fault. A signal must not be handled on the translator's stack, which ends where the frame that
 * returns begins: they are blocked until then. */
static void block_faults(void)
{
    ls_syscall(SYS_rt_sigprocmask, SIG_BLOCK, &fault_signals, NULL, sizeof fault_signals);
}

static uint64_t page_faults(void)
{
    struct rusage used = {0};
    ls_syscall(SYS_getrusage, RUSAGE_THREAD, &used);
    return (uint64_t)used.ru_minflt + (uint64_t)used.ru_majflt;
}

/* On the stack of the translator's thread; uc is a copy, which the signal returns by. */
static void work(struct rt_tr_thread *thread, ucontext_t *uc, void *arg)
{
    struct rt_burst_thread *t = arg;
    struct rt_tr_own *o = own(t);
    const struct rt_tr_plan plan = plan_of(t);
    t->deaf = rt_burst_engine.trigger->repeats;
    open_faults(uc);
    rt_burst_faults_open(t);
    const uint64_t faults = page_faults(), begin_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    const enum rt_tr_refused refused = rt_tr_burst(thread, uc, &plan, &o->result);
    const uint64_t burst_ns = rt_burst_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
    rt_burst_faults_shut(t);
    t->program_faults = (uint32_t)(page_faults() - faults);
    const int program_errno = errno;
    if (refused || is_to_be_stepped(&o->result)) {
        rt_burst_step_instead(t, uc);
        rt_burst_note_handler_time(t);
    } else {
        finish(t, uc, burst_ns);
    }
    rt_burst_leave();
    errno = program_errno;
    block_faults();
    send_again(o);
}

/* --- the method --- */

static void begin(struct rt_burst_thread *t)
{
    own(t)->ran = false;
}

static void run(struct rt_burst_thread *t, ucontext_t *uc)
{
    struct rt_tr_own *o = own(t);
    errno = t->saved_errno;
    o->holds = true;
    if (o->thread && !rt_tr_code_is_unloading()) rt_tr_on_own_stack(o->thread, uc, work, t);
    send_again(o);
    rt_burst_step_instead(t, uc); /* it refused */
}

static bool fault(struct rt_burst_thread *t, const siginfo_t *info, ucontext_t *uc)
{
    struct rt_tr_own *o = own(t);
    const bool is_of_instruction = info->si_signo != SIGTRAP && info->si_code > 0 &&
                                   !(info->si_signo == SIGBUS && info->si_code == BUS_MCEERR_AO);
    if (is_of_instruction) return rt_tr_fault(o->thread, uc);
    if (!o->holds) return false;
    for (unsigned i = 0; i < o->waiting_len; i++)
        if (o->waiting[i].si_signo == info->si_signo) return true; /* one is kept, as by the kernel */
    o->waiting[o->waiting_len++] = *info;
    return true;
}

static uint64_t interrupted(struct rt_burst_thread *t, const siginfo_t *info, ucontext_t *uc)
{
    return rt_tr_interrupted(own(t)->thread, (uint64_t)(uintptr_t)info->si_addr, uc);
}

static void end(const struct rt_burst_thread *t, struct spool_burst_end *r)
{
    const struct rt_tr_own *o = own(t);
    const struct rt_tr_result *result = &o->result;
    if (!o->ran) return;
    const struct rt_tr_pace *pace = &result->pace;
    r->control_cycles = result->control_cycles;
    r->control_len = result->control_len;
    r->pace_instructions = (uint32_t)pace->instructions;
    r->pace_cycles = pace->cycles > pace->overhead_cycles ? pace->cycles - pace->overhead_cycles : 0;
    r->pace_discarded = pace->discarded;
    const uint32_t least = pace->least_millicycles;
    r->pace_least_millicycles = least < UINT16_MAX ? (uint16_t)least : UINT16_MAX;
    r->pace_rest_waits = pace->rest_waits;
    r->translate_ns = (uint32_t)ns_of_tsc(result->translate_cycles);
    r->probe_loads = result->probe_loads;
    if (result->late.instructions)
        spool_put_burst_late(rt_spool_writer(t->rt), result->late.is_near,
                             (struct spool_burst_late){.time_ns = r->time_ns,
                                                       .cycles = (uint32_t)result->late.cycles,
                                                       .instructions = (uint16_t)result->late.instructions,
                                                       .core_millicycles = result->late.core_millicycles});
}

const struct rt_burst_method rt_translate_method = {
    .id = SPOOL_METHOD_TRANSLATE,
    .thread_bytes = sizeof(struct rt_tr_own),
    .first_cost_ns = FIRST_COST_NS,
    .after_ns = AFTER_NS,
    .is_whole = true,
    .begin = begin,
    .run = run,
    .fault = fault,
    .interrupted = interrupted,
    .end = end,
};
