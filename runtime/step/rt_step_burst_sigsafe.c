/* SPDX-License-Identifier: BSD-3-Clause */
/* A burst of single steps: each trap decodes the next instruction, times its loads and records its
 * accesses. */
#include "runtime/step/rt_step_sigsafe.h"

#include "common/ls_clock.h"
#include "runtime/bursts/rt_burst_access_sigsafe.h"
#include "runtime/bursts/rt_burst_asm_sigsafe.h"
#include "runtime/bursts/rt_burst_gs_sigsafe.h"
#include "runtime/bursts/rt_burst_sigsafe.h"
#include "runtime/core/rt_control_sigsafe.h"
#include "runtime/core/rt_spool_sigsafe.h"
#include "runtime/core/rt_tags_sigsafe.h"
#include "runtime/core/rt_tap_sigsafe.h"

#include <string.h>
#include <sys/resource.h>
#include <x86intrin.h>

enum {
    FIRST_COST_NS = 3000000,
    INSTRUCTIONS_USUAL = 1200, /* per burst */
    TIME_MOST_NS = 50000000,   /* per burst */
    OWN_STEPS_MAX = 2048,      /* traps spent in the runtime's own code in one burst */
    CLOCK_EVERY = 16,          /* steps between looks at the clock */
    RUN_AHEAD = 600,     /* instructions that the core may have issued before the trigger: a reorder buffer */
    IN_PLACE_AHEAD = 64, /* instructions that may be issued after one that is stepped in place */
};

enum { CODE_SLOTS = 512, PAGE_BYTES = 4096 };

/* Instructions already decoded, by ip and checked against the code bytes: code may be rewritten (JIT). */
struct decoded {
    struct rt_burst_scratch scratch;
    struct rt_burst_plan plans[CODE_SLOTS]; /* a loop body; direct-mapped */
};

/* A thread's part of the engine, beside struct rt_burst_thread. */
struct step_thread {
    uint64_t switches;   /* context switches up to the last look */
    uint64_t step_tsc;   /* when the last step of the burst was taken; 0: none was */
    uint32_t valid_from; /* first position whose loads nothing has issued early */
    uint32_t own_steps;  /* steps of the burst in the runtime's own code */
    uint32_t in_place;   /* instructions of the burst that were stepped in place */
    struct rt_burst_access accesses[RT_BURST_ACCESS_MAX];
    struct rt_step_slots slots;
    struct rt_step_probe probe;
    struct decoded decoded;
};

uint64_t rt_step_in_place[ZYDIS_MNEMONIC_MAX_VALUE + 1];

static struct step_thread *own(const struct rt_burst_thread *t)
{
    return t->own[SPOOL_METHOD_STEP];
}

static struct rt_burst_plan *slot_of(struct decoded *c, uint64_t ip)
{
    const uint64_t mixed = ip * UINT64_C(0x9e3779b97f4a7c15);
    return &c->plans[mixed >> 55];
}
_Static_assert(CODE_SLOTS == 1 << (64 - 55), "slot_of takes the upper bits");

static size_t left_in_page(uint64_t ip)
{
    const size_t left = PAGE_BYTES - (ip & (PAGE_BYTES - 1));
    return left < RT_BURST_CODE_BYTES ? left : RT_BURST_CODE_BYTES;
}

/* The plan of the instruction at ip, valid until the next call; NULL when its bytes cannot be read or
 * decoded. The next page is read only when the instruction goes on there. */
static const struct rt_burst_plan *plan_at(struct decoded *c, uint64_t ip)
{
    uint8_t bytes[RT_BURST_CODE_BYTES] = {0};
    const struct rt_burst_zydis *z = &rt_burst_engine.zydis;
    const void *code = (const void *)(uintptr_t)ip;
    size_t have = rt_burst_copy(bytes, code, left_in_page(ip));
    if (!have) return NULL;
    struct rt_burst_plan *p = slot_of(c, ip);
    const bool is_known = p->ip == ip && p->len_bytes && p->len_bytes <= have;
    if (is_known && memcmp(p->code, bytes, p->len_bytes) == 0) return p;
    p->len_bytes = 0;
    enum rt_burst_decoded d = rt_burst_decode_slot(z, &c->scratch, p, bytes, have, ip);
    if (d == RT_BURST_NEEDS_MORE && have < RT_BURST_CODE_BYTES) {
        have += rt_burst_copy(bytes + have, (const uint8_t *)code + have, RT_BURST_CODE_BYTES - have);
        d = rt_burst_decode_slot(z, &c->scratch, p, bytes, have, ip);
    }
    if (d == RT_BURST_DECODED) return p;
    p->len_bytes = 0;
    return NULL;
}

static bool uses_segment(const struct rt_burst_plan *p, uint8_t segment)
{
    for (unsigned i = 0; i < p->mem_count; i++)
        if (p->mem[i].segment == segment) return true;
    return false;
}

static unsigned list_accesses(struct rt_burst_thread *t, const struct rt_burst_plan *p, const ucontext_t *uc)
{
    const bool has_fsgsbase = rt_burst_engine.has_fsgsbase;
    const struct rt_burst_regs regs = {
        .gregs = uc->uc_mcontext.gregs,
        .fs_base = uses_segment(p, RT_BURST_SEG_FS) ? rt_burst_fs_base(has_fsgsbase) : 0,
        .gs_base = uses_segment(p, RT_BURST_SEG_GS) ? rt_burst_gs_base(has_fsgsbase) : 0,
        .xstate = rt_burst_xstate_view(uc->uc_mcontext.fpregs, rt_burst_engine.xlayout),
    };
    return rt_burst_accesses(p, &regs, own(t)->accesses);
}

/* A store to the rseq_cs word opens a restartable sequence, which every trap would restart. */
static bool opens_rseq(const struct rt_burst_access *a)
{
    enum { RSEQ_CS_OFFSET = 8, RSEQ_CS_BYTES = 8 }; /* struct rseq, linux/rseq.h */
    if (!rt_burst_engine.has_rseq || a->op != SPOOL_OP_STORE) return false;
    const uint64_t word =
        rt_burst_fs_base(rt_burst_engine.has_fsgsbase) + rt_burst_engine.rseq_area_offset + RSEQ_CS_OFFSET;
    return a->addr < word + RSEQ_CS_BYTES && word < a->addr + a->size_bytes;
}

/* Calls and returns show resolve where frames begin and end. */
static uint16_t frame_flag(const struct rt_burst_plan *p, const struct rt_burst_access *a)
{
    if (p->flow == RT_BURST_FLOW_RET) return SPOOL_ACCESS_RETURN;
    return p->flow >= RT_BURST_FLOW_CALL && a->op == SPOOL_OP_STORE ? SPOOL_ACCESS_CALL : 0;
}

static void record_access(struct rt_burst_thread *t, const struct rt_burst_access *a,
                          const struct rt_burst_plan *p)
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
    r.site = rt_tag_find(r.addr, &r.site_units);
    if (rt_burst_engine.has_memory_nodes) rt_burst_numa_touch(&t->numa, a->addr);
    const bool measure = t->position >= own(t)->valid_from;
    const uint16_t probed = rt_step_probe_access(&own(t)->probe, a, measure, &r.latency_cycles);
    const uint16_t flags =
        (uint16_t)(a->op | frame_flag(p, a) | probed | spool_flags_of_locked(p->is_locked));
    rt_burst_put_access(t, &r, flags);
}

/* Return why a burst must end before the instruction p, or -1. */
static int forbids(const struct rt_burst_plan *p)
{
    switch ((enum rt_burst_class)p->klass) {
    case RT_BURST_SYSCALL:
        return SPOOL_BURST_SYSCALL;
    case RT_BURST_FLAGS:
        return SPOOL_BURST_FLAGS;
    case RT_BURST_TSX:
        return SPOOL_BURST_TSX;
    case RT_BURST_PLAIN:
        break;
    }
    return -1;
}

static bool out_of_budget(const struct rt_burst_thread *t)
{
    const uint64_t wanted = rt_state.config.burst_instructions;
    const uint32_t most = wanted ? (uint32_t)wanted : INSTRUCTIONS_USUAL;
    return t->position >= most || own(t)->own_steps >= OWN_STEPS_MAX;
}

/* Return why the clock ends the burst, or -1; called now and then. */
static int out_of_time(const struct rt_burst_thread *t)
{
    if ((t->position + own(t)->own_steps) % CLOCK_EVERY != CLOCK_EVERY - 1) return -1;
    const uint64_t now_ns = ls_clock_mono_ns();
    if (!rt_control_update(now_ns)) return SPOOL_BURST_STOPPED; /* by another thread, or the duration */
    return now_ns - t->burst_begin_ns > TIME_MOST_NS ? SPOOL_BURST_TIME : -1;
}

/* Is a signal about to be delivered? Its handler would find the context in a slot, and would run as part of
 * the burst: unsampled, and charged to the recording. */
static bool signals_wait(struct rt_burst_thread *t, const ucontext_t *uc)
{
    uint64_t pending = 0;
    const uint64_t *mask = (const uint64_t *)&uc->uc_sigmask;
    const uint64_t before = __rdtsc();
    ls_syscall(SYS_rt_sigpending, &pending, sizeof pending);
    t->handler_tsc += __rdtsc() - before; /* the kernel's part of the handler */
    return pending & ~*mask;
}

/* The instructions after p may be issued before the trap: do not time them. */
static void step_in_place(struct rt_burst_thread *t, const struct rt_burst_plan *p)
{
    struct step_thread *s = own(t);
    if (s->valid_from < t->position + IN_PLACE_AHEAD) s->valid_from = t->position + IN_PLACE_AHEAD;
    if (rt_is_own_text(p->ip)) return;
    s->in_place++;
    __atomic_fetch_add(&rt_step_in_place[p->mnemonic], 1, __ATOMIC_RELAXED);
}

/* Let the instruction of p execute. True: it was a branch, done here, and the next instruction can be looked
 * at. */
static bool execute(struct rt_burst_thread *t, const struct rt_burst_plan *p, ucontext_t *uc,
                    uint64_t operand)
{
    const bool may_move = p->flow != RT_BURST_FLOW_NONE;
    if (may_move && signals_wait(t, uc)) {
        rt_burst_finish(t, uc, SPOOL_BURST_SIGNAL);
        return false;
    }
    const enum rt_step_isolated how =
        may_move ? rt_step_isolate(&own(t)->slots, p, uc, operand) : RT_STEP_IN_PLACE;
    if (how == RT_STEP_DONE) return true;
    if (how == RT_STEP_IN_PLACE) step_in_place(t, p);
    rt_burst_set_trap_flag(uc, how == RT_STEP_IN_PLACE);
    return false;
}

/* Context switches of the calling thread, voluntary or not. */
static uint64_t context_switches(void)
{
    struct rusage used = {0};
    ls_syscall(SYS_getrusage, RUSAGE_THREAD, &used);
    return (uint64_t)used.ru_nvcsw + (uint64_t)used.ru_nivcsw;
}

/* Note the time of a step. True: the processor did something else since the last one, and the caches are no
 * longer the program's. Natively they would be again within microseconds; a burst would go on reporting
 * misses. */
static bool note_step(struct step_thread *s)
{
    const uint64_t before = s->step_tsc, now = __rdtsc();
    s->step_tsc = now;
    const enum rt_step_length length =
        before ? rt_step_judge(&rt_step_lengths, now - before, rt_burst_cycles_per_us()) : RT_STEP_LONG;
    if (length == RT_STEP_USUAL) return false;
    const uint64_t switches = s->switches;
    s->switches = context_switches();
    return before && (s->switches != switches || length == RT_STEP_INTERRUPTED);
}

/* Return why the burst must end, or -1. */
static int must_end(struct rt_burst_thread *t, const ucontext_t *uc)
{
    const bool preempted = note_step(own(t));
    if (rt_burst_masks_trap(uc)) return SPOOL_BURST_MASKED;
    const int late = out_of_time(t);
    if (late >= 0) return late;
    if (out_of_budget(t)) return SPOOL_BURST_BUDGET;
    if (rt_tap_call_for_room(t->rt, RT_TAP_LEAST_ROWS)) return SPOOL_BURST_FULL;
    return preempted ? SPOOL_BURST_PREEMPTED : -1;
}

/* Record the accesses that the instruction of p is about to make. False: it opens a restartable sequence. */
static bool record(struct rt_burst_thread *t, const struct rt_burst_plan *p, const ucontext_t *uc)
{
    const unsigned count = list_accesses(t, p, uc);
    if (rt_is_own_text(p->ip)) {
        own(t)->own_steps++;
        return true;
    }
    for (unsigned i = 0; i < count; i++)
        if (opens_rseq(&own(t)->accesses[i])) return false;
    for (unsigned i = 0; i < count; i++)
        record_access(t, &own(t)->accesses[i], p);
    t->position++;
    return true;
}

/* Return the address of the first memory operand, for indirect branches and for the register that replaces
 * rip. */
static uint64_t first_operand(const struct rt_burst_thread *t, const struct rt_burst_plan *p)
{
    const bool lists = p->mem_count && p->mem[0].kind == RT_BURST_MEM_PLAIN;
    return lists ? own(t)->accesses[0].addr : p->ip + p->len_bytes + (uint64_t)p->rip_disp;
}

/* Return why a suspended burst does not continue, or -1. */
static int must_not_resume(uint64_t mask)
{
    if (mask >> (SIGTRAP - 1) & 1 || rt_burst_engine.quiet) return SPOOL_BURST_MASKED;
    return rt_control_update(ls_clock_mono_ns()) ? -1 : SPOOL_BURST_STOPPED;
}

/* The runtime has finished its own work in this thread: go on with the burst that was suspended for it. */
static void resume(void)
{
    struct rt_burst_thread *t = rt_burst_self;
    uint64_t mask = 0;
    rt_tls.resume = NULL;
    if (!t || t->state != RT_BURST_SUSPENDED) return;
    ls_syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, &mask, sizeof mask);
    rt_tls.depth = 1;
    const int why = must_not_resume(mask);
    if (why >= 0) rt_burst_finish(t, NULL, (enum spool_burst_end_why)why);
    rt_tls.depth = 0;
    if (why >= 0) return;
    t->state = RT_BURST_RUNNING;
    rt_burst_arm();
}

/* Look at the instruction about to execute; let it, or end the burst. True: look at the next one too. */
static bool advance_one(struct rt_burst_thread *t, ucontext_t *uc)
{
    if (!t->outside) {
        t->state = RT_BURST_SUSPENDED;
        rt_tls.resume = resume;
        rt_burst_set_trap_flag(uc, false);
        return false;
    }
    int why = must_end(t, uc);
    const uint64_t ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    const struct rt_burst_plan *p = why < 0 ? plan_at(&own(t)->decoded, ip) : NULL;
    if (why < 0) why = p ? forbids(p) : SPOOL_BURST_DECODE;
    if (why < 0 && !record(t, p, uc)) why = SPOOL_BURST_RSEQ;
    if (why < 0) return execute(t, p, uc, first_operand(t, p));
    rt_burst_finish(t, uc, (enum spool_burst_end_why)why);
    return false;
}

static void advance(struct rt_burst_thread *t, ucontext_t *uc)
{
    while (advance_one(t, uc)) {
    }
}

static void step(struct rt_burst_thread *t, ucontext_t *uc)
{
    t->handler_tsc = __rdtsc();
    if (rt_burst_engine.quiet)
        rt_burst_set_trap_flag(uc, false);
    else
        advance(t, uc);
    rt_burst_note_handler_time(t);
}

void rt_step_thread_open(struct rt_burst_thread *t, bool is_new)
{
    if (is_new && !rt_burst_engine.has_shadow_stack) rt_step_slots_open(&own(t)->slots);
    own(t)->slots.pending = false;
}

static void begin(struct rt_burst_thread *t)
{
    struct step_thread *s = own(t);
    s->own_steps = s->in_place = 0;
    s->valid_from = RUN_AHEAD;
    s->step_tsc = 0;
    rt_step_probe_begin(&s->probe);
}

static bool take_back(struct rt_burst_thread *t, ucontext_t *uc)
{
    return rt_step_unslot(&own(t)->slots, uc);
}

static void abandon(struct rt_burst_thread *t)
{
    rt_step_slots_abandon(&own(t)->slots);
}

static void end(const struct rt_burst_thread *t, struct spool_burst_end *r)
{
    r->control_cycles = own(t)->probe.control_cycles;
    r->control_len = own(t)->probe.control_len;
    r->in_place = own(t)->in_place;
}

const struct rt_burst_method rt_step_method = {
    .id = SPOOL_METHOD_STEP,
    .thread_bytes = sizeof(struct step_thread),
    .first_cost_ns = FIRST_COST_NS,
    .begin = begin,
    .run = advance,
    .step = step,
    .take_back = take_back,
    .abandon = abandon,
    .end = end,
};
