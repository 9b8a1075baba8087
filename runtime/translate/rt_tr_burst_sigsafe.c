/* SPDX-License-Identifier: BSD-3-Clause */
/* The dispatcher of a burst. Compiled with -mgeneral-regs-only: the program's vector state is in the
 * registers while this runs. Other code, the translation above all, runs with that state put aside. Nothing
 * here calls libc or touches errno: the program changes them in the burst. */
#include "runtime/translate/rt_tr_internal.h"

#include <sys/resource.h>
#include <sys/syscall.h>

enum {
    STATUS_FLAGS = 0xcd5, /* CF PF AF ZF SF DF OF */
    FIXED_FLAG = 0x2,
    REFUSED_FLAGS = 0x100 | 0x4000 | 0x40000, /* TF NT AC */
    SW_RESERVED = 464,
    PKRU = 1 << 9,
    XSTATE_BV = 512,
    XSTATE_FIP = 8,
    PACE_ATTEMPTS = 16,
    COLD_TRANSLATIONS = 12, /* more in the first half of the warm-up, or while pace is tried: new code */
    PACE_LEAST = 256,
    LIST_INSTRUCTIONS_MOST = 2048, /* code with so few accesses is left to the fast versions */
    PROBE_LOADS = 64,
    DISPATCHES_MOST = 1 << 22, /* a burst has some thousands: never keep a program, whatever goes wrong */
    CONTROLS = 4,
    CONTROL_MOST_CYCLES = 2000, /* more is an interrupt */
    SETTLE_ATTEMPTS = 64,
    GREG_RCX = 1,
    GREG_RSP = 4,
    GREG_RSI = 6,
    GREG_RDI = 7,
    LINE_BYTES = 64,
    DIRECTION_FLAG = 0x400,
};

enum part { PART_WARM, PART_WARM_TIMED, PART_PACE, PART_LIST, PART_PROBE, PART_SETTLE };

struct run {
    struct rt_tr_thread *t;
    struct rt_tr_context *c;
    struct rt_tr_cache *cache;
    const struct rt_tr_plan *plan;
    uint32_t accesses, probes; /* numbers of the plan, limited by the room */
    struct rt_tr_result *r;
    uint64_t features;
    enum part part;
    uint64_t ip;
    uint64_t position, event; /* in instructions since the burst began, and lines of repeated ones */
    uint64_t lines;           /* part of position */
    bool due;                 /* the event is in the next block */
    bool limited;             /* the event is instructions_max */
    bool settled;             /* the flags are the program's */
    enum rt_tr_end reason, end;
    uint64_t random;
    uint64_t warm_tsc, warm_position;
    bool cold, no_pace, is_hot;
    uint64_t pace_from, pace_instructions, switches, list_from;
    unsigned settle_attempts;
    uint32_t translated_before_pace;
    uint32_t probe_loads;     /* mean distance of timed loads */
    struct rt_tr_block *next; /* the one at ip, where that is known */
    struct rt_tr_exit *link;  /* goes to the next block */
    unsigned tried;           /* positions in t->tried */
    bool missed;              /* the next block belongs into the table */
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

static uint64_t tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* After everything before, before everything after. */
static uint64_t tsc_fenced(void)
{
    __asm__ volatile("lfence" ::: "memory");
    const uint64_t now = tsc();
    __asm__ volatile("lfence" ::: "memory");
    return now;
}

/* With xsaveopt nothing is written that did not change since it was loaded from area. */
static void xsave(void *area, uint64_t features)
{
    const uint32_t low = (uint32_t)features, high = (uint32_t)(features >> 32);
    if (rt_tr_process.has_xsaveopt)
        __asm__ volatile("xsaveopt64 (%0)" ::"r"(area), "a"(low), "d"(high) : "memory");
    else
        __asm__ volatile("xsave64 (%0)" ::"r"(area), "a"(low), "d"(high) : "memory");
}

static void xrstor(const void *area, uint64_t features)
{
    __asm__ volatile("xrstor64 (%0)" ::"r"(area), "a"((uint32_t)features), "d"((uint32_t)(features >> 32))
                     : "memory");
}

static uint64_t context_switches(void)
{
    struct rusage used;
    long result = SYS_getrusage;
    __asm__ volatile("syscall" : "+a"(result) : "D"(RUSAGE_THREAD), "S"(&used) : "rcx", "r11", "memory");
    return result ? 0 : (uint64_t)used.ru_nvcsw + (uint64_t)used.ru_nivcsw;
}

/* xorshift64* (Vigna, 2014) */
static uint64_t draw(struct run *u)
{
    const uint64_t mean = u->probe_loads;
    u->random ^= u->random >> 12;
    u->random ^= u->random << 25;
    u->random ^= u->random >> 27;
    return 1 + (u->random * UINT64_C(0x2545f4914f6cdd1d) >> 33) % (2 * mean - 1);
}

/* The kernel adds the tiles of AMX to a thread's state at their first use. When that was in this burst, the
 * frame has no room for them, and sigreturn would clear them: true. */
static bool needs_tiles(const struct run *u)
{
    uint32_t low, high;
    if (!rt_tr_process.tiles_end || u->features >> RT_TR_TILE_DATA & 1) return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1)); /* components not in their initial state */
    return low >> RT_TR_TILE_DATA & 1;
}

/* Other code may use the vector registers in between. */
static void put_aside(struct run *u)
{
    const bool adds_tiles = needs_tiles(u);
    if (adds_tiles) u->features |= UINT64_C(1) << RT_TR_TILE_DATA;
    xsave(u->t->xstate, u->features);
    xrstor(&initial, u->features & ~(uint64_t)PKRU);
    if (adds_tiles) rt_tr_frame_add(u->t, u->features, rt_tr_process.tiles_end);
}

static void bring_back(struct run *u)
{
    xrstor(u->t->xstate, u->features);
}

/* Take the lock to translate a block; otherwise set *why. */
static bool may_begin(struct run *u, enum rt_tr_end *why)
{
    *why = RT_TR_END_TRANSLATIONS;
    if (u->plan->translations_max && u->r->translated >= u->plan->translations_max) return false;
    *why = RT_TR_END_LOCKED;
    if (!rt_tr_cache_try_lock(u->cache)) return false;
    *why = RT_TR_END_NONE;
    return true;
}

static struct rt_tr_block *translate(struct run *u)
{
    if (!may_begin(u, &u->end)) return NULL;
    const uint64_t begin = tsc();
    struct rt_tr_block *b = rt_tr_cache_find(u->cache, u->ip);
    if (!b) {
        put_aside(u);
        b = rt_tr_translate(u->cache, u->ip, &u->end);
        bring_back(u);
        u->r->translated++;
    }
    rt_tr_cache_unlock(u->cache);
    u->r->translate_cycles += tsc() - begin;
    return b;
}

static bool translate_slow(struct run *u, struct rt_tr_block *b, enum rt_tr_end *why)
{
    if (!may_begin(u, why)) return false;
    const uint64_t begin = tsc();
    bool done = b->slow;
    if (!done) {
        put_aside(u);
        done = rt_tr_translate_slow(u->cache, b, why);
        bring_back(u);
        u->r->translated++;
    }
    rt_tr_cache_unlock(u->cache);
    u->r->translate_cycles += tsc() - begin;
    return done;
}

/* The last exit was a direct branch that can go to b at once from now on. */
static void link_to(struct run *u, const struct rt_tr_block *b)
{
    const struct rt_tr_exit *x = u->link;
    const struct rt_tr_arena *a = &u->cache->arenas[u->cache->blocks[x->block].arena];
    const int64_t distance = (int64_t)(b->code - (a->base + x->patch + 4));
    if (distance != (int32_t)distance) return;
    int32_t *displacement = (int32_t *)(uintptr_t)(a->base + (uint64_t)a->write_delta + x->patch);
    __atomic_store_n(displacement, (int32_t)distance, __ATOMIC_RELEASE);
    u->r->links++;
}

/* Return the slot of ip in a thread's table, as rt_tr_template_lookup computes it. */
static unsigned table_slot(uint64_t ip)
{
    const uint32_t low = (uint32_t)ip;
    return (low ^ low >> RT_TR_TABLE_BITS) & ((1u << RT_TR_TABLE_BITS) - 1);
}

/* Return the block at ip; NULL: none, and end is the reason. */
static struct rt_tr_block *next_block(struct run *u)
{
    struct rt_tr_block *b = u->next ? u->next : rt_tr_cache_find(u->cache, u->ip);
    u->next = NULL;
    if (!b) b = translate(u);
    const bool direct = b && !b->repeats;
    if (direct && u->link) link_to(u, b);
    if (direct && u->missed) __atomic_store_n(&u->c->table[table_slot(u->ip)], b, __ATOMIC_RELEASE);
    u->link = NULL;
    u->missed = false;
    return b;
}

/* Take the entries that slow versions wrote since the last call, up to instruction before of the block. */
static void take_list(struct run *u, const struct rt_tr_block *b, unsigned before)
{
    struct rt_tr_result *r = u->r;
    for (const struct rt_tr_raw *raw = u->t->raw; raw < u->c->list; raw++) {
        const struct rt_tr_site *s = &u->cache->sites[raw->site];
        if (s->k >= before || r->access_count >= u->accesses) continue;
        struct rt_tr_access *a = &r->accesses[r->access_count++];
        a->ip = rt_tr_ip_of(u->cache, b, s->k);
        a->addr = raw->addr;
        a->position = (uint32_t)(u->position + s->k);
        a->size_bytes = s->size_bytes;
        a->lane = 0;
        a->does = s->does;
    }
    u->c->list = u->c->list_end = u->t->raw;
}

static void open_list(struct run *u)
{
    const uint32_t left = u->part == PART_LIST ? u->accesses - u->r->access_count : 0;
    u->c->list = u->t->raw;
    u->c->list_end = u->t->raw + left;
}

/* Instruction k of b is about to access memory in a way that only C computes. */
static void list_accesses(struct run *u, const struct rt_tr_block *b, unsigned k)
{
    if (u->part != PART_LIST) return;
    struct rt_tr_result *r = u->r;
    take_list(u, b, k);
    const uint32_t room = u->accesses - r->access_count;
    if (room && rt_tr_cache_try_lock(u->cache)) {
        put_aside(u);
        struct rt_tr_access *out = &r->accesses[r->access_count];
        const unsigned count = rt_tr_list_accesses(u->t, rt_tr_ip_of(u->cache, b, k), out, room);
        bring_back(u);
        rt_tr_cache_unlock(u->cache);
        for (unsigned i = 0; i < count; i++)
            out[i].position = (uint32_t)(u->position + k);
        r->access_count += count;
    } else if (room) {
        r->unlisted++;
    }
    open_list(u);
}

/* Report the readings of the probes in b; returns their number. */
static void take_probes(struct run *u, const struct rt_tr_block *b)
{
    struct rt_tr_result *r = u->r;
    const unsigned count = (unsigned)(u->c->timed - u->t->timed);
    for (unsigned i = 0; i < count; i++) {
        const struct rt_tr_timed *timed = &u->t->timed[i];
        const struct rt_tr_site *s = &u->cache->sites[u->t->at[i]];
        struct rt_tr_probe *p = &r->probes[r->probe_count++];
        p->ip = rt_tr_ip_of(u->cache, b, s->k);
        p->addr = timed->addr;
        p->position = (uint32_t)u->t->at_position[i];
        p->cycles = timed->cycles;
        p->drain_cycles = timed->drain_cycles;
        p->size_bytes = s->size_bytes;
        p->state = (uint8_t)timed->state;
    }
}

/* A branch to an address outside user space faults before it is taken, on some processors: the program must
 * execute it. */
static void arrive_indirect(struct run *u, const struct rt_tr_exit *x)
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

/* Handle an exit from translated code. Advances ip and position. */
static void arrive(struct run *u)
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
    struct rt_tr_exit *x = &u->cache->exits[c->exit];
    u->position += (uint64_t)(int64_t)x->executed;
    u->ip = x->target;
    if (x->kind == RT_TR_EXIT_INDIRECT) arrive_indirect(u, x);
    if (x->kind == RT_TR_EXIT_LINK && x->patch) u->link = x;
    if (x->kind == RT_TR_EXIT_STOP) u->end = (enum rt_tr_end)x->k;
    if (x->kind == RT_TR_EXIT_TRIGGER) {
        u->due = true;
        u->next = &u->cache->blocks[x->block];
        u->settled = !u->next->flags_dead;
    }
}

/* Execute fast versions until the event, or until something else needs the dispatcher. */
static void run_fast(struct run *u, const struct rt_tr_block *b)
{
    struct rt_tr_context *c = u->c;
    const uint64_t max = u->plan->instructions_max;
    u->limited = max && max < u->event && u->part != PART_SETTLE;
    const uint64_t event = u->limited ? max : u->event;
    const int64_t ahead = (int64_t)(event - u->position);
    const uint32_t interruptions = u->t->interruptions;
    c->count = -(ahead + 1);
    const uint64_t begin = u->part == PART_PACE ? tsc_fenced() : 0;
    rt_tr_enter(c, b->code);
    const uint64_t end = u->part == PART_PACE ? tsc_fenced() : 0;
    u->position += (uint64_t)(c->count + ahead + 1);
    arrive(u);
    if (u->part != PART_PACE) return;
    const bool undisturbed = context_switches() == u->switches && u->t->interruptions == interruptions;
    if (u->due && !u->limited && undisturbed) {
        u->r->pace.cycles = end - begin;
        u->r->pace.instructions = u->position - u->pace_from;
        const bool is_loop = u->next->ip == b->ip;
        u->r->pace.low = b->low;
        u->r->pace.high = b->high;
        u->r->pace.least_millicycles = is_loop ? b->least_millicycles : 0;
        u->r->pace.rest_waits = is_loop && b->rest_waits;
    } else {
        u->r->pace.discarded++;
    }
}

/* The site of the load of instruction k that can be timed, or 0. */
static uint32_t site_of(const struct run *u, const struct rt_tr_block *b, uint64_t k)
{
    for (uint32_t s = b->sites; s < b->sites + b->sites_len; s++)
        if (u->cache->sites[s].k == k && u->cache->sites[s].does & RT_TR_LOAD) return s;
    return 0;
}

/* Plan the loads of b that are timed, out of the positions that look_for_loads drew; returns their number. */
static unsigned plan_probes(struct run *u, const struct rt_tr_block *b)
{
    const uint32_t left = u->probes - u->r->probe_count;
    unsigned count = 0;
    for (unsigned i = 0; i < u->tried && count < left; i++) {
        const uint32_t site = site_of(u, b, u->t->tried[i] - u->position);
        u->t->at[count] = site;
        u->t->at_position[count] = u->t->tried[i];
        count += site > 0;
    }
    u->t->at[count] = 0;
    return count;
}

/* If the thread left the block early, the first drawn position that it did not reach becomes the event again. */
static void resume_tries(struct run *u)
{
    for (unsigned i = 0; i < u->tried; i++)
        if (u->t->tried[i] >= u->position) {
            u->event = u->t->tried[i];
            return;
        }
}

static void run_slow(struct run *u, struct rt_tr_block *b)
{
    struct rt_tr_context *c = u->c;
    const unsigned planned = u->part == PART_PROBE ? plan_probes(u, b) : 0;
    c->at = planned ? u->t->at[0] : 0;
    c->at_next = u->t->at + 1;
    c->timed = u->t->timed;
    c->count = -1;
    open_list(u);
    uint64_t code = b->slow;
    for (;;) {
        rt_tr_enter(c, code);
        const struct rt_tr_exit *x = c->exit != RT_TR_EXIT_FAULT ? &u->cache->exits[c->exit] : NULL;
        if (!x || x->kind != RT_TR_EXIT_LIST) break;
        list_accesses(u, b, x->k);
        code = x->target;
        u->r->dispatches++;
    }
    c->at = 0;
    take_list(u, b, c->exit == RT_TR_EXIT_FAULT ? u->t->fault_k : RT_TR_BLOCK_MOST);
    take_probes(u, b);
    arrive(u);
    if (u->part == PART_PROBE) resume_tries(u);
}

static void begin_timed_warm_up(struct run *u, uint64_t event)
{
    u->part = PART_WARM_TIMED;
    u->due = false;
    u->warm_tsc = tsc();
    u->warm_position = u->position;
    u->event = event;
}

/* Return how many instructions take us microseconds at the pace of the timed warm-up, but not more than most. */
static uint64_t instructions_within(const struct run *u, uint32_t us, uint64_t most)
{
    const uint64_t cycles = tsc() - u->warm_tsc, instructions = u->position - u->warm_position;
    if (!u->plan->tsc_per_us || !us || !cycles || !instructions) return most;
    const uint64_t in_time = (uint64_t)us * u->plan->tsc_per_us * instructions / cycles;
    return in_time < most ? in_time : most;
}

/* In code that was translated before, a longer warm-up costs nothing: the program goes on in it. Streams need it: the
 * prefetcher follows them again only after tens of lines. */
static bool may_warm_longer(const struct run *u)
{
    return !u->is_hot && u->plan->hot_times > 1 && !u->r->translated && !u->cold;
}

/* Begin the pace window; the timed part of the warm-up predicts how many instructions it needs. */
static void begin_pace(struct run *u)
{
    const struct rt_tr_plan *p = u->plan;
    u->part = PART_PACE;
    u->due = false;
    u->translated_before_pace = u->r->translated;
    u->pace_instructions = p->pace_instructions;
    if (!p->pace_instructions) return;
    u->switches = context_switches();
    const uint64_t wanted = (uint64_t)p->pace_instructions * (u->is_hot ? p->hot_times : 1);
    const uint64_t in_time = instructions_within(u, p->pace_us, wanted);
    u->pace_instructions = in_time > PACE_LEAST ? in_time : PACE_LEAST;
}

/* Measure the probe's reading for a line in L1, by the same code. */
static void measure_controls(struct run *u, const struct rt_tr_block *b)
{
    const uint64_t code = u->cache->arenas[b->arena].base + rt_tr_template_at(rt_tr_template_access);
    for (unsigned i = 0; i <= CONTROLS; i++) {
        u->t->at[0] = 0;
        u->c->at_next = u->t->at;
        u->c->timed = u->t->timed;
        rt_tr_probe_once(code, &u->t->control_line);
        const uint32_t cycles = u->t->timed[0].cycles;
        if (!i || cycles >= CONTROL_MOST_CYCLES) continue;
        u->r->control_cycles += cycles;
        u->r->control_len++;
    }
}

/* Measure the cost that entering and leaving adds to a window. */
static void measure_round_trip(struct run *u, const struct rt_tr_block *b)
{
    const uint64_t code = u->cache->arenas[b->arena].base + rt_tr_template_at(rt_tr_template_exit);
    uint64_t least = u->t->round_trip_cycles ? u->t->round_trip_cycles : UINT32_MAX;
    for (unsigned i = 0; i < CONTROLS; i++) {
        const uint64_t begin = tsc_fenced();
        rt_tr_enter(u->c, code);
        const uint64_t took = tsc_fenced() - begin;
        if (took < least) least = took;
    }
    u->t->round_trip_cycles = (uint32_t)least;
}

static void settle(struct run *u, enum rt_tr_end reason)
{
    u->part = PART_SETTLE;
    u->reason = reason;
}

/* Rounded up, so that a number above 0 does not become 0. */
static uint32_t part_of(uint32_t number, uint32_t share)
{
    return (number + share - 1) / share;
}

/* The code is mostly new to the cache. Its translation costs far more than the timing of loads: less of it is watched,
 * no pace is measured, and accesses are listed in the second half of the warm-up. */
static void turn_cold(struct run *u)
{
    if (u->cold || !u->plan->cold_share) return;
    u->cold = true;
    u->accesses = part_of(u->accesses, u->plan->cold_share);
    u->probes = part_of(u->probes, u->plan->cold_share);
    u->probe_loads = part_of(u->probe_loads, u->plan->cold_share);
}

static void begin_list(struct run *u)
{
    u->part = PART_LIST;
    u->list_from = u->position;
}

/* Move on to the part that applies before block b; its event is set. */
static void advance(struct run *u, const struct rt_tr_block *b)
{
    const struct rt_tr_plan *p = u->plan;
    if (u->part != PART_SETTLE && p->instructions_max &&
        (u->position >= p->instructions_max || (u->due && u->limited)))
        settle(u, RT_TR_END_INSTRUCTIONS);
    if (u->part == PART_WARM && (u->due || u->position >= u->event)) {
        if (u->r->translated > COLD_TRANSLATIONS) turn_cold(u);
        begin_timed_warm_up(u, p->warm_instructions);
        if (u->cold) begin_list(u);
    }
    if (u->part == PART_WARM_TIMED && (u->due || u->position >= u->event)) {
        if (may_warm_longer(u)) {
            u->is_hot = true;
            begin_timed_warm_up(u,
                                u->position + instructions_within(u, p->pace_us / 2, p->pace_instructions));
        } else if (u->no_pace)
            begin_list(u);
        else
            begin_pace(u);
    }
    if (u->part == PART_PACE) {
        const bool cold = u->r->translated - u->translated_before_pace > COLD_TRANSLATIONS;
        const bool enough = u->r->pace.instructions || u->r->pace.discarded >= PACE_ATTEMPTS || cold;
        if (!enough && u->pace_instructions) {
            measure_round_trip(u, b);
            if (u->r->pace.discarded && u->pace_instructions > p->pace_instructions)
                u->pace_instructions = p->pace_instructions;
            if (u->due) u->switches = context_switches();
            u->pace_from = u->position;
            u->event = u->position + u->pace_instructions;
            return;
        }
        u->r->pace.overhead_cycles = u->t->round_trip_cycles;
        if (cold) turn_cold(u);
        begin_list(u);
    }
    if (u->part == PART_LIST &&
        (u->r->access_count >= u->accesses || u->position - u->list_from >= LIST_INSTRUCTIONS_MOST)) {
        u->part = PART_PROBE;
        const uint64_t from = u->position > p->warm_instructions ? u->position : p->warm_instructions;
        u->event = from + draw(u);
        if (u->probes) measure_controls(u, b);
    }
    if (u->part == PART_PROBE && u->r->probe_count >= u->probes) settle(u, RT_TR_END_DONE);
}

enum look { LOOK_NONE, LOOK_LEAVES, LOOK_LOAD };

/* Draw the positions in b at which a load would be timed, beginning with the event, which becomes the first position
 * after b. LOOK_LOAD: one of them has a load. LOOK_LEAVES: none has, but the thread may leave the block before one of
 * them, which is then the position of another instruction. */
static enum look look_for_loads(struct run *u, const struct rt_tr_block *b)
{
    enum look found = LOOK_NONE;
    u->tried = 0;
    if (u->event < u->position) u->event = u->position - 1 + draw(u);
    for (; u->event - u->position < b->len; u->event += draw(u)) {
        const uint64_t k = u->event - u->position;
        const bool is_load = b->loads >> k & 1;
        if (!is_load && k < b->sure) continue;
        u->t->tried[u->tried++] = u->event;
        if (found != LOOK_LOAD) found = is_load ? LOOK_LOAD : LOOK_LEAVES;
    }
    return found;
}

/* Execute the fast version of b from after its check, which would stop because a drawn position lies in b. */
static void run_through(struct run *u, const struct rt_tr_block *b)
{
    struct rt_tr_context *c = u->c;
    const int64_t ahead = (int64_t)(u->t->tried[0] - u->position);
    u->limited = false;
    c->count = b->len - (ahead + 1);
    rt_tr_enter(c, b->code + b->check_bytes);
    u->position += (uint64_t)(c->count + ahead + 1);
    arrive(u);
    resume_tries(u);
}

/* Bytes that the repeated instruction b goes through. */
static uint64_t repeated_bytes(const struct run *u, const struct rt_tr_block *b)
{
    const uint64_t count = u->c->gregs[GREG_RCX], most = UINT64_C(1) << 40;
    return (count < most ? count : most) << b->elem_log2;
}

/* Add line number `done` of b to the list, at the next position. */
static void list_line(struct run *u, const struct rt_tr_block *b, uint64_t bytes, uint64_t done)
{
    static const struct {
        uint8_t does, greg;
    } sides[] = {{RT_TR_LOAD, GREG_RSI}, {RT_TR_STORE, GREG_RDI}};
    struct rt_tr_result *r = u->r;
    const uint64_t begin = done * LINE_BYTES;
    const uint64_t len_bytes = bytes - begin < LINE_BYTES ? bytes - begin : LINE_BYTES;
    const uint64_t elem_bytes = UINT64_C(1) << b->elem_log2;
    const bool is_down = u->c->eflags & DIRECTION_FLAG;
    for (unsigned i = 0; i < 2 && r->access_count < u->accesses; i++) {
        if (!(b->repeats & sides[i].does)) continue;
        struct rt_tr_access *a = &r->accesses[r->access_count++];
        a->ip = rt_tr_ip_of(u->cache, b, 0);
        a->addr = u->c->gregs[sides[i].greg] + (is_down ? elem_bytes - begin - len_bytes : begin);
        a->position = (uint32_t)u->position;
        a->size_bytes = (uint16_t)len_bytes;
        a->lane = 0;
        a->does = sides[i].does;
    }
}

/* Go through the lines of the repeated instruction b, before it is executed, until they are over or the burst is.
 * A part of the burst may end inside. No pace is measured: the time of such instructions is not in their number.
 * Where the burst begins in one, its lines are what the thread does at that time: they are listed at once. */
static void walk_lines(struct run *u, const struct rt_tr_block *b)
{
    const uint64_t bytes = repeated_bytes(u, b), lines = (bytes + LINE_BYTES - 1) / LINE_BYTES;
    if (u->position == 0 && lines > 0) begin_list(u);
    for (uint64_t done = 0; done < lines;) {
        advance(u, b);
        u->due = false;
        if (u->part == PART_SETTLE) return;
        if (u->part == PART_PACE) {
            u->part = PART_WARM_TIMED;
            u->no_pace = true;
            u->event = u->position + u->pace_instructions;
        }
        uint64_t step = lines - done;
        if (u->part == PART_LIST) {
            list_line(u, b, bytes, done);
            step = 1;
        } else if (u->part != PART_PROBE && u->event - u->position < step) {
            step = u->event - u->position;
        }
        done += step;
        u->position += step;
        u->lines += step;
    }
}

/* Execute b in its fast version, and go on with the next block. */
static void run_past(struct run *u, const struct rt_tr_block *b)
{
    u->event = u->position + b->len;
    run_fast(u, b);
}

/* Execute the repeated instruction b at once, also where an event lies inside. */
static void run_repeated(struct run *u, const struct rt_tr_block *b)
{
    const uint64_t after = u->position + b->len;
    while (u->part == PART_PROBE && u->event < after)
        u->event += draw(u);
    if (u->part == PART_LIST || u->part == PART_SETTLE || u->event < after)
        run_past(u, b);
    else
        run_fast(u, b);
}

/* Execute from b on, until the dispatcher is needed again. */
static void dispatch(struct run *u, struct rt_tr_block *b)
{
    if (b->repeats) walk_lines(u, b);
    advance(u, b);
    const bool nothing =
        u->position == u->lines && u->reason == RT_TR_END_DONE; /* all listed in the first one */
    if (u->part == PART_SETTLE && u->settled && !nothing) {
        u->end = u->reason;
        return;
    }
    if (b->repeats) {
        run_repeated(u, b);
        return;
    }
    const enum look look = u->part == PART_PROBE  ? look_for_loads(u, b)
                           : u->part >= PART_LIST ? LOOK_LOAD
                                                  : LOOK_NONE;
    if (look == LOOK_NONE) {
        run_fast(u, b);
        return;
    }
    if (look == LOOK_LEAVES) {
        run_through(u, b);
        return;
    }
    if (b->is_quiet) {
        run_past(u, b);
        return;
    }
    enum rt_tr_end why = RT_TR_END_NONE;
    if (b->slow || translate_slow(u, b, &why)) {
        run_slow(u, b);
        return;
    }
    if (u->part != PART_SETTLE) settle(u, why);
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
static void restore_fip(struct run *u)
{
    uint64_t *fip = (uint64_t *)(void *)(u->t->xstate + XSTATE_FIP);
    const uint64_t *present = (const uint64_t *)(const void *)(u->t->xstate + XSTATE_BV);
    struct rt_tr_block *b;
    bool slow;
    if (!(*present & 1) || !rt_tr_arena_of(u->cache, *fip)) return;
    const struct rt_tr_mark *m = rt_tr_mark_of(u->cache, *fip, &b, &slow);
    *fip = m ? b->low + (uint64_t)(int64_t)m->ip_rel : 0;
}

static void begin_result(struct rt_tr_result *r, uint64_t ip)
{
    r->end = RT_TR_END_NONE;
    r->begin_ip = r->end_ip = ip;
    r->instructions = r->work = r->translate_cycles = 0;
    r->translated = r->dispatches = r->links = r->misses = r->unlisted = 0;
    r->control_cycles = r->control_len = 0;
    r->flags_dead = false;
    r->pace = (struct rt_tr_pace){0};
    r->access_count = r->probe_count = 0;
}

static void begin_thread(struct rt_tr_thread *t, struct rt_tr_cache *cache, const struct rt_tr_plan *plan)
{
    struct rt_tr_context *c = &t->context;
    c->table = t->table;
    c->never = plan->never_probe;
    c->never_len = plan->never_probe_len;
    c->list = c->list_end = t->raw;
    c->at = 0;
    __asm__ volatile("rdfsbase %0" : "=r"(c->fs_base));
    const uint64_t generation = __atomic_load_n(&cache->generation, __ATOMIC_ACQUIRE);
    if (t->generation == generation) return;
    for (unsigned i = 0; i < 1u << RT_TR_TABLE_BITS; i++)
        t->table[i] = &cache->none;
    t->generation = generation;
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

static void execute(struct run *u)
{
    while (!u->end) {
        struct rt_tr_block *b = next_block(u);
        if (b) dispatch(u, b);
        if (!u->end && u->r->dispatches > DISPATCHES_MOST) u->end = RT_TR_END_INSTRUCTIONS;
    }
}

static enum rt_tr_refused refuses(const struct rt_tr_thread *t, const ucontext_t *uc)
{
    uint64_t gs_base;
    if (!rt_tr_process.cache) return RT_TR_NOT_OPEN;
    if (rt_tr_is_running(t)) return RT_TR_BUSY;
    if (uc != &t->frame.uc) return RT_TR_FRAME;
    if (uc->uc_mcontext.gregs[REG_EFL] & REFUSED_FLAGS) return RT_TR_FLAGS;
    __asm__ volatile("rdgsbase %0" : "=r"(gs_base));
    return gs_base ? RT_TR_GS_IN_USE : RT_TR_ACCEPTED;
}

enum rt_tr_refused rt_tr_burst(struct rt_tr_thread *t, ucontext_t *uc, const struct rt_tr_plan *plan,
                               struct rt_tr_result *result)
{
    const enum rt_tr_refused refused = refuses(t, uc);
    if (refused) return refused;
    struct rt_tr_cache *cache = rt_tr_process.cache;
    if (!rt_tr_cache_join(cache)) return RT_TR_DROPPING;
    struct run u;
    u.t = t;
    u.c = &t->context;
    u.cache = cache;
    u.plan = plan;
    u.accesses = plan->accesses < RT_TR_ACCESSES_MAX ? plan->accesses : RT_TR_ACCESSES_MAX;
    u.probes = plan->probes < RT_TR_PROBES_MAX ? plan->probes : RT_TR_PROBES_MAX;
    u.r = result;
    u.features = *(const uint64_t *)(const void *)(t->xstate + SW_RESERVED + 8);
    u.part = PART_WARM;
    u.ip = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
    u.position = u.lines = 0;
    u.event = plan->warm_instructions / 2;
    u.due = u.limited = u.missed = false;
    u.settled = true;
    u.reason = u.end = RT_TR_END_NONE;
    u.random = plan->random | 1;
    u.cold = u.no_pace = u.is_hot = false;
    u.warm_tsc = u.warm_position = u.pace_from = u.pace_instructions = u.switches = u.list_from = 0;
    u.settle_attempts = 0;
    u.translated_before_pace = 0;
    u.probe_loads = plan->probe_loads ? plan->probe_loads : PROBE_LOADS;
    u.link = NULL;
    u.next = NULL;
    u.tried = 0;
    if (rt_tr_is_before_sequence(u.ip)) u.end = RT_TR_END_CODE;
    begin_result(result, u.ip);
    begin_thread(t, cache, plan);
    take_registers(&t->context, uc);
    __atomic_store_n(&t->running, 1, __ATOMIC_SEQ_CST);
    bring_back(&u);
    __asm__ volatile("wrgsbase %0" ::"r"(&t->context) : "memory");
    execute(&u);
    __asm__ volatile("wrgsbase %0" ::"r"(UINT64_C(0)) : "memory");
    put_aside(&u);
    __atomic_store_n(&t->running, 0, __ATOMIC_SEQ_CST);
    restore_fip(&u);
    give_registers(&t->context, uc, u.ip);
    result->end = u.end;
    result->end_ip = u.ip;
    result->instructions = u.position - u.lines;
    result->work = u.position;
    result->probe_loads = u.probe_loads;
    result->flags_dead = !u.settled;
    result->pace.rest_waits = result->pace.rest_waits && stays_in_loop(result);
    rt_tr_cache_leave(cache);
    return RT_TR_ACCEPTED;
}
