/* SPDX-License-Identifier: BSD-3-Clause */
/* The dispatcher of a burst. Compiled with -mgeneral-regs-only: the program's vector state is in the
 * registers while this runs. Other code, the translation above all, runs with that state put aside. Nothing
 * here calls libc or touches errno: the program changes them in the burst. */
#include "runtime/bursts/rt_burst_gs_sigsafe.h"
#include "runtime/translate/rt_tr_run.h"

enum {
    STATUS_FLAGS = 0xcd5, /* CF PF AF ZF SF DF OF */
    LONG_LINES = 64,      /* in a repeated instruction, which takes much longer than entering and leaving */
    FIXED_FLAG = 0x2,
    REFUSED_FLAGS = 0x100 | 0x4000 | 0x40000, /* TF NT AC */
    SW_RESERVED = 464,
    PKRU = 1 << 9,
    XSTATE_BV = 512,
    XSTATE_FIP = 8,
    PROBE_LOADS = 64,
    DISPATCHES_MOST = 1 << 22, /* a burst has some thousands: never keep a program, whatever goes wrong */
    SETTLE_ATTEMPTS = 64,
    GREG_RSP = 4,
    SHARE_ALL = 65536,
    KNOWN_PARTS = 7,   /* an eighth of the shares is the same for all counters */
    LEARN_LEAST = 256, /* instructions */
    PACE_SLACK = 20,   /* stretches of pace need not be exact, but they should be few */
};

static const uint8_t greg_order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                       REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                       REG_R12, REG_R13, REG_R14, REG_R15};

/* XSTATE_BV 0: all components in their initial state; MXCSR is loaded from here. */
static const struct {
    uint8_t legacy[24];
    uint32_t mxcsr;
    uint8_t rest[576 - 28];
} initial __attribute__((aligned(64))) = {.mxcsr = 0x1f80};

/* With xsaveopt nothing is written that did not change since it was loaded from area. */
static void xsave(void *area, uint64_t features)
{
    const uint32_t low = (uint32_t)features, high = (uint32_t)(features >> 32);
    if (rt_tr_process.has_xsaveopt)
        __asm__ volatile("xsaveopt64 (%0)" ::"r"(area), "a"(low), "d"(high) : "memory");
    else
        __asm__ volatile("xsave64 (%0)" ::"r"(area), "a"(low), "d"(high) : "memory");
}

static inline void xrstor(const void *area, uint64_t features)
{
    __asm__ volatile("xrstor64 (%0)" ::"r"(area), "a"((uint32_t)features), "d"((uint32_t)(features >> 32))
                     : "memory");
}

/* The kernel adds the tiles of AMX to a thread's state at their first use. When that was in this burst, the
 * frame has no room for them, and sigreturn would clear them: true. */
static bool needs_tiles(const struct rt_tr_run *u)
{
    uint32_t low, high;
    if (!rt_tr_process.tiles_end || u->features >> RT_TR_TILE_DATA & 1) return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1)); /* components not in their initial state */
    return low >> RT_TR_TILE_DATA & 1;
}

void rt_tr_put_aside(struct rt_tr_run *u)
{
    const bool adds_tiles = needs_tiles(u);
    if (adds_tiles) u->features |= UINT64_C(1) << RT_TR_TILE_DATA;
    xsave(u->t->xstate, u->features);
    xrstor(&initial, u->features & ~(uint64_t)PKRU);
    if (adds_tiles) rt_tr_frame_add(u->t, u->features, rt_tr_process.tiles_end);
}

void rt_tr_bring_back(struct rt_tr_run *u)
{
    xrstor(u->t->xstate, u->features);
}

/* Take the lock to translate a block; otherwise set *why. */
static bool may_begin(struct rt_tr_run *u, enum rt_tr_end *why)
{
    *why = RT_TR_END_TRANSLATIONS;
    if (u->plan->translations_max && u->r->translated >= u->plan->translations_max) return false;
    *why = RT_TR_END_LOCKED;
    if (!rt_tr_cache_try_lock(u->cache)) return false;
    *why = RT_TR_END_NONE;
    return true;
}

/* Return b if its code is as it was translated. */
static struct rt_tr_block *unchanged(struct rt_tr_block *b)
{
    if (!b || !b->is_generated || rt_tr_sum((const void *)(uintptr_t)b->low, b->high - b->low) == b->sum)
        return b;
    rt_tr_cache_forget(b);
    return NULL;
}

static struct rt_tr_block *translate(struct rt_tr_run *u)
{
    if (!may_begin(u, &u->end)) return NULL;
    const uint64_t begin = rt_tr_tsc();
    struct rt_tr_block *b = unchanged(rt_tr_cache_find(u->cache, u->ip));
    if (!b) {
        rt_tr_put_aside(u);
        b = rt_tr_translate(u->cache, u->ip, &u->end);
        rt_tr_bring_back(u);
        u->r->translated++;
    }
    rt_tr_cache_unlock(u->cache);
    u->r->translate_cycles += rt_tr_tsc() - begin;
    return b;
}

static bool translate_slow(struct rt_tr_run *u, struct rt_tr_block *b, enum rt_tr_end *why)
{
    if (!may_begin(u, why)) return false;
    const uint64_t begin = rt_tr_tsc();
    bool done = b->slow;
    if (!done) {
        rt_tr_put_aside(u);
        done = rt_tr_translate_slow(u->cache, b, why);
        rt_tr_bring_back(u);
        u->r->translated++;
    }
    rt_tr_cache_unlock(u->cache);
    u->r->translate_cycles += rt_tr_tsc() - begin;
    return done;
}

/* The last exit was a direct branch that can go to b at once from now on. */
static void link_to(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    const struct rt_tr_exit *x = u->link;
    const struct rt_tr_arena *a = &u->cache->arenas[u->cache->blocks[x->block].arena];
    const int64_t distance = (int64_t)(b->code - (a->base + x->patch + 4));
    if (distance != (int32_t)distance) return;
    int32_t *displacement = (int32_t *)(uintptr_t)(a->base + (uint64_t)a->write_delta + x->patch);
    __atomic_store_n(displacement, (int32_t)distance, __ATOMIC_RELEASE);
    u->r->links++;
}

/* Let rt_tr_template_lookup find b: in the first of its places, from where another block moves to the second. */
static void add_to_table(struct rt_tr_cache *c, const struct rt_tr_block *b)
{
    const uint32_t low = (uint32_t)b->ip;
    const uint32_t place = (low ^ low >> RT_TR_TABLE_BITS) & ((1u << RT_TR_TABLE_BITS) - 1);
    const uint32_t offset = (uint32_t)((const char *)b - (const char *)&c->none);
    const uint32_t before = __atomic_load_n(&c->table[place], __ATOMIC_RELAXED);
    if (before && before != offset) __atomic_store_n(&c->table[place ^ 1], before, __ATOMIC_RELEASE);
    __atomic_store_n(&c->table[place], offset, __ATOMIC_RELEASE);
}

/* Empty the thread's quick table: its blocks were dropped. */
static void clear_quick(struct rt_tr_run *u)
{
    enum { HASH_BITS = 32 };
    struct rt_tr_context *c = u->c;
    c->quick_scale = UINT64_C(1) << (64 - HASH_BITS + RT_TR_QUICK_BITS);
    for (unsigned i = 0; i < 1u << RT_TR_QUICK_BITS; i++)
        c->quick[i] = u->cache->none.arrive;
    u->t->quick_generation = u->cache->generation;
}

/* Return the block at ip; NULL: none, and end is the reason. */
static struct rt_tr_block *next_block(struct rt_tr_run *u)
{
    struct rt_tr_block *b = unchanged(u->next ? u->next : rt_tr_cache_find(u->cache, u->ip));
    u->next = NULL;
    if (!b) b = translate(u);
    if (b && u->t->quick_generation != u->cache->generation) clear_quick(u);
    const bool direct = b && rt_tr_may_link(b);
    if (direct && u->link) link_to(u, b);
    if (direct && u->missed) add_to_table(u->cache, b);
    if (b && u->stay) __atomic_store_n(&u->stay->next, (uint32_t)(b - u->cache->blocks), __ATOMIC_RELAXED);
    u->link = u->stay = NULL;
    u->missed = false;
    return b;
}

/* A branch to an address outside user space faults before it is taken, on some processors: the program must
 * execute it. */
static void arrive_indirect(struct rt_tr_run *u, const struct rt_tr_exit *x)
{
    struct rt_tr_context *c = u->c;
    if (c->target >> 47) {
        c->gregs[GREG_RSP] += (uint64_t)(int64_t)x->undo_rsp;
        u->position--;
        u->end = RT_TR_END_FAULT;
        return;
    }
    u->ip = c->target;
    u->missed = !x->executed;
    u->r->misses += u->missed;
}

/* Slow versions are not linked: their exits remember the block that the dispatcher found. */
static void arrive_known(struct rt_tr_run *u, struct rt_tr_exit *x)
{
    struct rt_tr_block *b = &u->cache->blocks[__atomic_load_n(&x->next, __ATOMIC_RELAXED)];
    if (__atomic_load_n(&b->ip, __ATOMIC_RELAXED) == x->target)
        u->next = b;
    else
        u->stay = x;
}

void rt_tr_arrive(struct rt_tr_run *u)
{
    struct rt_tr_context *c = u->c;
    u->r->dispatches++;
    u->due = false;
    u->settled = true;
    if (c->exit == RT_TR_EXIT_FAULT) {
        u->ip = u->t->fault_ip;
        u->position += (uint64_t)(int64_t)u->t->fault_executed;
        u->end = RT_TR_END_FAULT;
        return;
    }
    if (c->exit >= RT_TR_EXIT_TRIGGER) {
        u->next = &u->cache->blocks[c->exit - RT_TR_EXIT_TRIGGER];
        u->ip = u->next->low;
        u->position -= u->next->len;
        u->due = u->position + u->next->len > u->until;
        u->settled = !u->next->flags_dead;
        return;
    }
    struct rt_tr_exit *x = &u->cache->exits[c->exit];
    u->position += (uint64_t)(int64_t)x->executed;
    u->ip = x->target;
    switch ((enum rt_tr_exit_kind)x->kind) {
    case RT_TR_EXIT_INDIRECT:
        arrive_indirect(u, x);
        break;
    case RT_TR_EXIT_LINK:
        if (x->patch) u->link = x;
        break;
    case RT_TR_EXIT_STAY:
        arrive_known(u, x);
        break;
    case RT_TR_EXIT_STOP:
        u->end = (enum rt_tr_end)x->k;
        break;
    case RT_TR_EXIT_LIST:
        break;
    }
}

/* End the burst if it is over, and the flags are the program's. */
static bool ends_here(struct rt_tr_run *u)
{
    const bool nothing =
        u->position == u->lines && u->reason == RT_TR_END_DONE; /* all listed in the first one */
    if (u->part != RT_TR_PART_SETTLE || !u->settled || nothing) return false;
    u->end = u->reason;
    return true;
}

/* Let fast versions from b on run for a number of instructions, or for fewer: as soon as one of the counters is used up.
 * Returns the argument for counted(). slack: how many more may run through each counter. */
static uint64_t share_out(struct rt_tr_run *u, const struct rt_tr_block *b, uint64_t ahead, uint64_t slack)
{
    const uint64_t first = b->len < ahead ? b->len : ahead, rest = ahead - first;
    uint64_t left = ahead, total = RT_TR_COUNTERS;
    int64_t *counts = u->c->counts;
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++) {
        const uint64_t share = rest * u->shares[i] / SHARE_ALL;
        left -= share;
        total += share + slack;
        counts[i] = -((int64_t)(share + slack + 1) << RT_TR_COUNT_BIT);
    }
    counts[b->counter] -= (int64_t)left << RT_TR_COUNT_BIT;
    return total + left;
}

/* Return how many instructions ran since share_out() returned total. */
static uint64_t counted(const struct rt_tr_run *u, uint64_t total)
{
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++)
        total += (uint64_t)(u->c->counts[i] >> RT_TR_COUNT_BIT);
    return total;
}

/* Return how many operations the translation added to the instructions that ran since share_out(). */
static uint64_t added(const struct rt_tr_run *u)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++)
        sum += (uint64_t)u->c->counts[i] & ((1u << RT_TR_COUNT_BIT) - 1);
    return sum;
}

/* Learn how the last run used the counters, which began at counts. An unused one keeps a small share, so that it does
 * not end the next run at once. */
static void learn_shares(struct rt_tr_run *u, const int64_t *counts)
{
    uint64_t used[RT_TR_COUNTERS], all = 0;
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++) {
        const int64_t ran = (u->c->counts[i] - counts[i]) >> RT_TR_COUNT_BIT;
        used[i] = ran > 0 ? (uint64_t)ran : 0;
        all += used[i];
    }
    if (all < LEARN_LEAST) return;
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++)
        u->shares[i] = (uint32_t)((used[i] * KNOWN_PARTS + all / RT_TR_COUNTERS) *
                                  (SHARE_ALL / (KNOWN_PARTS + 1)) / all);
}

/* Execute fast versions until the event, or until something else needs the dispatcher. */
static void run_fast(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    struct rt_tr_context *c = u->c;
    const uint64_t max = rt_tr_most(u);
    u->limited = max && max < u->event;
    u->until = u->limited ? max : u->event;
    const bool is_pace = rt_tr_measures_pace(u);
    const uint64_t ahead = u->until > u->position ? u->until - u->position : 0;
    const uint32_t interruptions = u->t->interruptions;
    const uint64_t total = share_out(u, b, ahead, is_pace ? ahead / PACE_SLACK : 0);
    int64_t counts[RT_TR_COUNTERS];
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++)
        counts[i] = c->counts[i];
    const uint64_t begin = is_pace ? rt_tr_tsc_fenced() : 0;
    rt_tr_enter(c, b->code);
    const uint64_t end = is_pace ? rt_tr_tsc_fenced() : 0;
    u->position += counted(u, total);
    rt_tr_arrive(u);
    if (!is_pace) return;
    learn_shares(u, counts);
    const struct rt_tr_stretch s = {u->position - u->pace_from, end - begin, added(u)};
    rt_tr_take_stretch(u, b, &s, u->limited || u->t->interruptions != interruptions);
}

/* Let fast versions from b on run as far as is left of their counters, but hardly beyond the longest burst. b, which may
 * always run, contains the next instruction that was drawn if it leaves. */
static void allow_to_draw(struct rt_tr_run *u, const struct rt_tr_block *b, bool leaves, int64_t *allowed)
{
    const uint64_t most = rt_tr_most(u);
    const int64_t room = most > u->position ? (int64_t)(most - u->position) : 0;
    int64_t all = 0;
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++)
        all += u->left[i];
    u->limited = most && all > room;
    u->until = most ? most : UINT64_MAX;
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++)
        allowed[i] = u->limited && u->left[i] > room / RT_TR_COUNTERS ? room / RT_TR_COUNTERS : u->left[i];
    if (!leaves && allowed[b->counter] < b->len) allowed[b->counter] = b->len;
}

/* Execute fast versions from b on, until the next instruction that was drawn is in the next block. leaves: it is in b, whose
 * check, which would end the run, is skipped. */
static void run_to_draw(struct rt_tr_run *u, const struct rt_tr_block *b, bool leaves)
{
    struct rt_tr_context *c = u->c;
    int64_t allowed[RT_TR_COUNTERS];
    const int64_t after_b = u->left[b->counter], in_b = leaves ? (int64_t)(u->t->tried[0] - u->position) : 0;
    if (leaves) u->left[b->counter] = in_b;
    allow_to_draw(u, b, leaves, allowed);
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++)
        c->counts[i] = -(allowed[i] + 1) * (INT64_C(1) << RT_TR_COUNT_BIT);
    if (leaves) c->counts[b->counter] += (int64_t)b->len << RT_TR_COUNT_BIT;
    rt_tr_enter(c, leaves ? b->code + b->check_bytes : b->code);
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++) {
        const int64_t ran = allowed[i] + 1 + (c->counts[i] >> RT_TR_COUNT_BIT);
        u->position += (uint64_t)ran;
        u->left[i] -= ran;
    }
    rt_tr_arrive(u);
    if (u->next) u->left[u->next->counter] += u->next->len; /* a trigger: it was counted, but did not run */
    if (u->left[b->counter] < 0) u->left[b->counter] += after_b - in_b; /* it was executed, and has no load */
}

/* Execute b in its fast version, and go on with the next block. */
static void run_past(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    const uint64_t from = u->position, event = u->event;
    const bool probes = rt_tr_probes(u, b);
    u->event = u->position + b->len;
    run_fast(u, b);
    if (!probes) return;
    u->event = event;
    rt_tr_pass(u, b, from);
}

/* Execute the repeated instruction b at once, even if an event comes inside. One that goes through many lines takes
 * as long as in the program, also where it faults in their pages: its time is measured. */
static void run_repeated(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    const uint64_t from = u->position, lines = rt_tr_walk_lines(u, b), after = u->position + b->len;
    struct rt_tr_result *r = u->r;
    rt_tr_advance(u, b);
    if (ends_here(u)) return;
    const bool probes = rt_tr_probes(u, b);
    if (probes) rt_tr_look_for_loads(u, b); /* none of its loads is timed */
    if (lines < LONG_LINES && probes) {
        run_to_draw(u, b, false);
        return;
    }
    if (lines < LONG_LINES && u->part != RT_TR_PART_LIST && u->part != RT_TR_PART_SETTLE &&
        u->event >= after) {
        run_fast(u, b);
        return;
    }
    const uint64_t begin = rt_tr_tsc(), event = u->event;
    run_past(u, b);
    if (event > u->position) { /* it comes later */
        u->event = event;
        u->due = false;
    }
    if (lines < LONG_LINES) return;
    r->repeated_cycles += rt_tr_tsc() - begin;
    r->repeated_work += u->position - from;
}

/* Execute from b on, until the dispatcher is needed again. */
static void dispatch(struct rt_tr_run *u, struct rt_tr_block *b)
{
    if (b->repeats) {
        run_repeated(u, b);
        return;
    }
    rt_tr_advance(u, b);
    if (ends_here(u)) return;
    if (rt_tr_probes(u, b)) {
        const enum rt_tr_look look = rt_tr_look_for_loads(u, b);
        if (look != RT_TR_LOOK_LOAD) {
            run_to_draw(u, b, look == RT_TR_LOOK_LEAVES);
            return;
        }
    } else if (u->part != RT_TR_PART_LIST && u->part != RT_TR_PART_SETTLE) {
        run_fast(u, b);
        return;
    }
    if (b->is_quiet) {
        run_past(u, b);
        return;
    }
    enum rt_tr_end why = RT_TR_END_NONE;
    if (b->slow || translate_slow(u, b, &why)) {
        rt_tr_run_slow(u, b);
        return;
    }
    if (u->part != RT_TR_PART_SETTLE) rt_tr_settle(u, why);
    if (u->settled || ++u->settle_attempts > SETTLE_ATTEMPTS) {
        u->end = u->reason;
        return;
    }
    run_past(u, b); /* the end of b has the program's flags */
}

static void take_registers(struct rt_tr_context *c, const ucontext_t *uc)
{
    for (unsigned i = 0; i < 16; i++)
        c->gregs[i] = (uint64_t)uc->uc_mcontext.gregs[greg_order[i]];
    c->eflags = ((uint64_t)uc->uc_mcontext.gregs[REG_EFL] & STATUS_FLAGS) | FIXED_FLAG;
}

static void give_registers(const struct rt_tr_context *c, ucontext_t *uc, uint64_t ip)
{
    greg_t *gregs = uc->uc_mcontext.gregs;
    for (unsigned i = 0; i < 16; i++)
        gregs[greg_order[i]] = (greg_t)c->gregs[i];
    gregs[REG_EFL] =
        (greg_t)(((uint64_t)gregs[REG_EFL] & ~(uint64_t)STATUS_FLAGS) | (c->eflags & STATUS_FLAGS));
    gregs[REG_RIP] = (greg_t)ip;
}

/* The x87 keeps the address of its last instruction: make it the program's. */
static void restore_fip(struct rt_tr_run *u)
{
    uint64_t *fip = (uint64_t *)(void *)(u->t->xstate + XSTATE_FIP);
    const uint64_t *present = (const uint64_t *)(const void *)(u->t->xstate + XSTATE_BV);
    struct rt_tr_block *b;
    bool slow;
    if (!(*present & 1) || !rt_tr_arena_of(u->cache, *fip)) return;
    const struct rt_tr_mark *m = rt_tr_mark_of(u->cache, *fip, &b, &slow);
    *fip = m ? b->low + m->ip_rel : 0;
}

static void begin_result(struct rt_tr_result *r, uint64_t ip)
{
    r->end = RT_TR_END_NONE;
    r->begin_ip = r->end_ip = ip;
    r->instructions = r->work = r->translate_cycles = r->repeated_cycles = r->repeated_work = 0;
    r->translated = r->dispatches = r->links = r->misses = r->unlisted = 0;
    r->control_cycles = r->control_len = 0;
    r->flags_dead = false;
    r->pace = (struct rt_tr_pace){0};
    r->late = (struct rt_tr_late){0};
    r->sampled_work = r->sampled_tsc = 0;
    r->access_count = r->probe_count = 0;
}

static void begin_thread(struct rt_tr_thread *t, struct rt_tr_cache *cache, const struct rt_tr_plan *plan)
{
    struct rt_tr_context *c = &t->context;
    c->table = cache->table;
    c->blocks = &cache->none;
    c->never = plan->never_probe;
    c->never_len = plan->never_probe_len;
    c->list = c->list_end = t->raw;
    c->at = 0;
    c->fs_base = rt_burst_fs_base(rt_tr_process.options.has_fsgsbase);
}

/* Are all accesses that the burst listed or timed in the code of its pace window? */
static bool stays_in_loop(const struct rt_tr_result *r)
{
    const uint64_t low = r->pace.low, len_bytes = r->pace.high - low;
    for (uint32_t i = 0; i < r->access_count; i++)
        if (r->accesses[i].ip - low >= len_bytes) return false;
    for (uint32_t i = 0; i < r->probe_count; i++)
        if (r->probes[i].ip - low >= len_bytes) return false;
    return r->access_count > 0;
}

/* A loop takes at least as long as its instructions occupy the core, as wide as that is now. */
static void limit_by_issue(struct rt_tr_pace *pace)
{
    const uint32_t issue =
        __atomic_load_n(&rt_tr_process.times.issue, __ATOMIC_RELAXED) * pace->slots_permille / 1000;
    if (pace->least_millicycles && issue > pace->least_millicycles) pace->least_millicycles = issue;
}

static void execute(struct rt_tr_run *u)
{
    while (!u->end) {
        struct rt_tr_block *b = next_block(u);
        if (b) dispatch(u, b);
        if (!u->end && u->r->dispatches > DISPATCHES_MOST) u->end = RT_TR_END_INSTRUCTIONS;
    }
}

/* The kernel may have begun to refuse it: a filter of system calls that nobody saw. */
static void execute_with_gs(struct rt_tr_run *u)
{
    const bool has_fsgsbase = rt_tr_process.options.has_fsgsbase;
    if (!rt_burst_set_gs_base(has_fsgsbase, (uint64_t)(uintptr_t)u->c)) {
        u->end = RT_TR_END_GS;
        return;
    }
    execute(u);
    rt_burst_set_gs_base(has_fsgsbase, 0);
    if (u->part == RT_TR_PART_PACE) rt_tr_end_pace(u);
    if (u->part == RT_TR_PART_LATE) rt_tr_end_late(u);
}

static enum rt_tr_refused refuses(const struct rt_tr_thread *t, const ucontext_t *uc)
{
    if (!rt_tr_process.cache) return RT_TR_NOT_OPEN;
    if (rt_tr_is_running(t)) return RT_TR_BUSY;
    if (uc != &t->frame.uc) return RT_TR_FRAME;
    if (uc->uc_mcontext.gregs[REG_EFL] & REFUSED_FLAGS) return RT_TR_FLAGS;
    return rt_burst_gs_base(rt_tr_process.options.has_fsgsbase) ? RT_TR_GS_IN_USE : RT_TR_ACCEPTED;
}

enum rt_tr_refused rt_tr_burst(struct rt_tr_thread *t, ucontext_t *uc, const struct rt_tr_plan *plan,
                               struct rt_tr_result *result)
{
    const enum rt_tr_refused refused = refuses(t, uc);
    if (refused) return refused;
    struct rt_tr_cache *cache = rt_tr_process.cache;
    if (!rt_tr_cache_join(cache)) return RT_TR_DROPPING;
    struct rt_tr_run u;
    u.t = t;
    u.c = &t->context;
    u.cache = cache;
    u.plan = plan;
    u.accesses = plan->accesses < RT_TR_ACCESSES_MAX ? plan->accesses : RT_TR_ACCESSES_MAX;
    u.probes = plan->probes < RT_TR_PROBES_MAX ? plan->probes : RT_TR_PROBES_MAX;
    u.r = result;
    u.features = *(const uint64_t *)(const void *)(t->xstate + SW_RESERVED + 8);
    u.part = RT_TR_PART_WARM;
    u.ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    u.position = u.lines = 0;
    u.event = plan->warm_instructions / 2;
    u.due = u.limited = u.missed = false;
    u.settled = true;
    u.reason = u.end = RT_TR_END_NONE;
    u.random = plan->random | 1;
    u.cold = u.no_pace = false;
    u.pace_from = u.switches = u.list_from = 0;
    u.settle_attempts = 0;
    for (unsigned i = 0; i < RT_TR_COUNTERS; i++)
        u.shares[i] = SHARE_ALL / RT_TR_COUNTERS;
    u.translated_before_pace = 0;
    u.probe_loads = plan->probe_loads ? plan->probe_loads : PROBE_LOADS;
    u.link = u.stay = NULL;
    u.next = NULL;
    u.tried = 0;
    if (rt_tr_is_before_sequence(u.ip)) u.end = RT_TR_END_CODE;
    begin_result(result, u.ip);
    begin_thread(t, cache, plan);
    take_registers(&t->context, uc);
    __atomic_store_n(&t->running, 1, __ATOMIC_SEQ_CST);
    rt_tr_bring_back(&u);
    execute_with_gs(&u);
    rt_tr_put_aside(&u);
    __atomic_store_n(&t->running, 0, __ATOMIC_SEQ_CST);
    restore_fip(&u);
    give_registers(&t->context, uc, u.ip);
    result->end = u.part == RT_TR_PART_LATE ? u.reason : u.end;
    result->end_ip = u.ip;
    result->instructions = u.position - u.lines;
    result->work = u.position;
    if (!result->sampled_tsc) {
        result->sampled_work = u.position;
        result->sampled_tsc = rt_tr_tsc();
    }
    result->probe_loads = u.probe_loads;
    result->flags_dead = !u.settled;
    limit_by_issue(&result->pace);
    result->pace.rest_waits = result->pace.rest_waits && stays_in_loop(result);
    rt_tr_cache_leave(cache);
    return RT_TR_ACCEPTED;
}
