/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a burst: when each of them ends, and how the next one begins. The vector registers keep the
 * program's values while this runs, and nothing here calls libc or touches errno. */
#include "runtime/translate/rt_tr_run.h"

enum {
    COLD_TRANSLATIONS = 12, /* more in the first half of the warm-up, or while pace is tried: new code */
    STRETCHES_MOST = 64,
    STRETCH_FIRST = 1000,           /* instructions; how fast they are is not known */
    STRETCH_LEAST = 100,            /* in shorter ones, the fences at both ends count too much */
    STRETCH_ASKED = 200,            /* a stretch is shorter than asked for, because blocks are not cut */
    PACE_LEAST = 512,               /* instructions; fewer are no pace */
    SETTLE_AFTER_TRANSLATION = 500, /* the translator evicts code and data of the program */
    LIST_INSTRUCTIONS_MOST = 2048,  /* code with so few accesses is left to the fast versions */
    CONTROLS = 4,
    CONTROL_MOST_CYCLES = 2000, /* more is an interrupt */
    ADDED_MILLICYCLES = 350,    /* core cycles of an added operation */
    MILLI = 1000,
    GROWTH_MOST = 16, /* from one stretch to the next: the pace of the next may be slower */
    NEAR_BYTES = 4096,
};

static void begin_rest_of_warm_up(struct rt_tr_run *u, uint64_t event)
{
    u->part = RT_TR_PART_WARM_REST;
    u->due = false;
    u->event = event;
}

static void begin_pace(struct rt_tr_run *u)
{
    u->part = RT_TR_PART_PACE;
    u->due = false;
    u->translated_before_pace = u->translated_before_stretch = u->r->translated;
    u->settle_instructions = u->plan->settle_instructions;
    u->settling = u->stretch = (struct rt_tr_stretch){0};
    u->added = 0;
    u->stretches = 0;
    if (u->plan->pace_instructions) u->switches = rt_tr_context_switches();
}

/* TSC cycles of the plan for settling, and for a window; 0: any number. */
static uint64_t time_of_pace(const struct rt_tr_run *u)
{
    return (uint64_t)u->plan->pace_us * u->plan->tsc_per_us;
}

/* Is this time over? */
static bool is_over(const struct rt_tr_run *u, uint64_t cycles)
{
    const uint64_t time = time_of_pace(u);
    return time && cycles >= time;
}

/* The code, its data and its branches are not yet as the program has them. */
static bool is_settling(const struct rt_tr_run *u)
{
    return u->settle_instructions >= STRETCH_LEAST && !is_over(u, u->settling.cycles);
}

/* Return the TSC cycles that the added operations took: in loops of one block none beyond the least time, which contains
 * them. The rest takes at least as long as its instructions occupy the core. */
static uint32_t cycles_of_added(uint32_t least_millicycles, const struct rt_tr_stretch *s)
{
    const struct rt_tr_times *times = &rt_tr_process.times;
    const uint64_t least = s->instructions * times->issue / MILLI * times->core_cycle / MILLI,
                   added = s->added * ADDED_MILLICYCLES / MILLI * times->core_cycle / MILLI;
    if (least_millicycles || s->cycles <= least) return 0;
    return (uint32_t)(added < s->cycles - least ? added : s->cycles - least);
}

static void settle_after_translation(struct rt_tr_run *u)
{
    if (u->r->translated != u->translated_before_stretch && u->settle_instructions < SETTLE_AFTER_TRANSLATION)
        u->settle_instructions = SETTLE_AFTER_TRANSLATION;
    u->translated_before_stretch = u->r->translated;
}

/* Is this number of instructions and cycles a pace? Slow instructions may be fewer. */
static bool are_a_pace(const struct rt_tr_run *u, uint64_t instructions, uint64_t cycles)
{
    const uint64_t most = u->plan->pace_instructions, least = most < PACE_LEAST ? most / 2 : PACE_LEAST;
    return instructions >= least || (instructions >= STRETCH_LEAST && is_over(u, 2 * cycles));
}

/* --- the last part --- */

/* Begin it instead of the end of the burst, if there is a pace to compare with. */
static void begin_late(struct rt_tr_run *u, enum rt_tr_end reason)
{
    rt_tr_settle(u, reason);
    u->r->sampled_work = u->position;
    u->r->sampled_tsc = u->now = rt_tr_tsc();
    if (!u->plan->late_tsc || !time_of_pace(u) || !u->r->pace.instructions) return;
    u->part = RT_TR_PART_LATE;
    u->due = false;
    u->translated_before_stretch = u->r->translated;
    u->settle_instructions = 0;
    u->late = (struct rt_tr_stretch){0};
    u->stretches = 0;
}

static bool waits_for_late(const struct rt_tr_run *u)
{
    return u->now < u->plan->late_tsc || u->settle_instructions >= STRETCH_LEAST;
}

static void take_late(struct rt_tr_run *u, const struct rt_tr_block *b, const struct rt_tr_stretch *s,
                      bool disturbed)
{
    struct rt_tr_late *late = &u->r->late;
    const uint64_t round_trip = u->t->round_trip_cycles, n = s->instructions;
    const bool waits = waits_for_late(u);
    u->stretches++;
    u->settle_instructions -= n < u->settle_instructions ? (uint32_t)n : u->settle_instructions;
    if (disturbed || n < STRETCH_LEAST || s->cycles <= round_trip) return;
    u->stretch = (struct rt_tr_stretch){n, s->cycles - round_trip, s->added};
    if (waits) return;
    if (!u->late.instructions) late->is_near = b->low - u->r->pace.low + NEAR_BYTES <= 2 * NEAR_BYTES;
    u->late.instructions += n;
    u->late.cycles += u->stretch.cycles;
    u->late.added += s->added;
}

static bool has_late(const struct rt_tr_run *u)
{
    return u->stretches >= STRETCHES_MOST ||
           u->late.instructions + STRETCH_LEAST > u->plan->pace_instructions || is_over(u, u->late.cycles);
}

static void begin_late_stretch(struct rt_tr_run *u)
{
    u->now = rt_tr_tsc();
    settle_after_translation(u);
    const uint64_t time = u->now < u->plan->late_tsc ? u->plan->late_tsc - u->now
                                                     : time_of_pace(u) - u->late.cycles,
                   in_time =
                       u->stretch.cycles ? time * u->stretch.instructions / u->stretch.cycles : STRETCH_FIRST,
                   most = GROWTH_MOST * (u->stretch.instructions + STRETCH_LEAST);
    uint64_t n = in_time < most ? in_time : most;
    if (!waits_for_late(u) && n > u->plan->pace_instructions - u->late.instructions)
        n = u->plan->pace_instructions - u->late.instructions;
    if (u->now >= u->plan->late_tsc && u->settle_instructions >= STRETCH_LEAST) n = u->settle_instructions;
    u->pace_from = u->position;
    u->event = u->position + (n > STRETCH_ASKED ? n : STRETCH_ASKED);
}

void rt_tr_end_late(struct rt_tr_run *u)
{
    const struct rt_tr_stretch *s = &u->late;
    if (!are_a_pace(u, s->instructions, s->cycles) || rt_tr_context_switches() != u->switches) return;
    struct rt_tr_times *times = &rt_tr_process.times;
    uint32_t core_cycle, issue;
    if (rt_tr_core_measure(&core_cycle, &issue)) {
        u->r->late.core_millicycles = (uint16_t)core_cycle;
        __atomic_store_n(&times->core_cycle, core_cycle, __ATOMIC_RELAXED);
        __atomic_store_n(&times->issue, issue, __ATOMIC_RELAXED);
    }
    u->r->late.instructions = s->instructions;
    u->r->late.cycles = s->cycles - cycles_of_added(u->r->pace.least_millicycles, s);
}

void rt_tr_take_stretch(struct rt_tr_run *u, const struct rt_tr_block *b, const struct rt_tr_stretch *s,
                        bool disturbed)
{
    if (u->part == RT_TR_PART_LATE) {
        take_late(u, b, s, disturbed);
        return;
    }
    struct rt_tr_pace *pace = &u->r->pace;
    const uint64_t n = s->instructions, cycles = s->cycles;
    const uint32_t round_trip = u->t->round_trip_cycles;
    const bool settling = is_settling(u);
    u->stretches++;
    if (settling) u->settle_instructions -= n < u->settle_instructions ? (uint32_t)n : u->settle_instructions;
    if (disturbed || n < STRETCH_LEAST) {
        pace->discarded += disturbed;
        if (!disturbed && pace->instructions)
            u->stretches = STRETCHES_MOST; /* the next one would be as short */
        return;
    }
    u->stretch = (struct rt_tr_stretch){n, cycles > round_trip ? cycles - round_trip : 1, s->added};
    if (settling) {
        u->settling.cycles += u->stretch.cycles;
        return;
    }
    const bool is_loop = u->next && u->next->ip == b->ip && b->least_millicycles;
    if (!pace->instructions) {
        pace->low = b->low;
        pace->high = b->high;
        pace->least_millicycles = is_loop ? b->least_millicycles : 0;
        pace->slots_permille = is_loop ? b->slots_permille : 0;
        pace->rest_waits = is_loop && b->rest_waits;
    } else if (!is_loop || pace->low != b->low || pace->least_millicycles != b->least_millicycles) {
        pace->least_millicycles = 0;
        pace->rest_waits = false;
    }
    pace->cycles += cycles;
    pace->overhead_cycles += round_trip;
    pace->instructions += n;
    u->added += s->added;
}

/* Return the length of the next stretch: as many instructions as the plan's time lets at the pace of the last one. */
static uint64_t next_stretch(const struct rt_tr_run *u)
{
    const bool settling = is_settling(u);
    const uint64_t left =
        settling ? u->settle_instructions : u->plan->pace_instructions - u->r->pace.instructions;
    const uint64_t spent = settling ? u->settling.cycles : u->r->pace.cycles;
    const uint64_t time = time_of_pace(u);
    uint64_t n = left;
    if (time && !u->stretch.cycles && n > STRETCH_FIRST) n = STRETCH_FIRST;
    if (time && u->stretch.cycles) {
        const uint64_t in_time =
            (time > spent ? time - spent : 1) * u->stretch.instructions / u->stretch.cycles;
        if (in_time < n) n = in_time;
    }
    if (n < STRETCH_ASKED) n = STRETCH_ASKED;
    return n < left ? n : left;
}

/* Is there nothing more to measure? */
static bool has_pace(const struct rt_tr_run *u)
{
    const struct rt_tr_pace *pace = &u->r->pace;
    const uint64_t most = u->plan->pace_instructions;
    return pace->instructions + STRETCH_LEAST > most || u->stretches >= STRETCHES_MOST ||
           (!is_settling(u) && is_over(u, pace->cycles));
}

/* Switches to other threads are looked for here only: after a system call, the next thousand instructions would be slow. */
void rt_tr_end_pace(struct rt_tr_run *u)
{
    struct rt_tr_pace *pace = &u->r->pace;
    if (pace->instructions && rt_tr_context_switches() != u->switches)
        *pace = (struct rt_tr_pace){.discarded = pace->discarded + 1};
    if (pace->instructions &&
        (!are_a_pace(u, pace->instructions, pace->cycles) || pace->cycles <= pace->overhead_cycles))
        *pace = (struct rt_tr_pace){.discarded = pace->discarded};
    const struct rt_tr_stretch all = {pace->instructions, pace->cycles - pace->overhead_cycles, u->added};
    if (pace->instructions) pace->overhead_cycles += cycles_of_added(pace->least_millicycles, &all);
}

/* Measure the probe's reading for a line in L1, by the same code. */
static void measure_controls(struct rt_tr_run *u, const struct rt_tr_block *b)
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
static void measure_round_trip(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    const uint64_t code = u->cache->arenas[b->arena].base + rt_tr_template_at(rt_tr_template_exit);
    uint64_t least = u->t->round_trip_cycles ? u->t->round_trip_cycles : UINT32_MAX;
    for (unsigned i = 0; i < CONTROLS; i++) {
        const uint64_t begin = rt_tr_tsc_fenced();
        rt_tr_enter(u->c, code);
        const uint64_t took = rt_tr_tsc_fenced() - begin;
        if (took < least) least = took;
    }
    u->t->round_trip_cycles = (uint32_t)least;
}

/* Rounded up, so that a number above 0 does not become 0. */
static uint32_t part_of(uint32_t number, uint32_t share)
{
    return (number + share - 1) / share;
}

/* The code is mostly new to the cache. Its translation costs far more than the timing of loads: less of it is watched,
 * no pace is measured, and accesses are listed in the second half of the warm-up. */
static void turn_cold(struct rt_tr_run *u)
{
    if (u->cold || !u->plan->cold_share) return;
    u->cold = true;
    u->accesses = part_of(u->accesses, u->plan->cold_share);
    u->probes = part_of(u->probes, u->plan->cold_share);
    u->probe_loads = part_of(u->probe_loads, u->plan->cold_share);
}

static void begin_stretch(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    if (!u->stretches) measure_round_trip(u, b);
    settle_after_translation(u);
    u->pace_from = u->position;
    u->event = u->position + next_stretch(u);
}

void rt_tr_advance(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    const struct rt_tr_plan *p = u->plan;
    const uint64_t most = rt_tr_most(u);
    if (most && (u->position >= most || (u->due && u->limited))) begin_late(u, RT_TR_END_INSTRUCTIONS);
    if (u->part == RT_TR_PART_WARM && (u->due || u->position >= u->event)) {
        if (u->r->translated > COLD_TRANSLATIONS) turn_cold(u);
        begin_rest_of_warm_up(u, p->warm_instructions);
        if (u->cold) rt_tr_begin_list(u);
    }
    if (u->part == RT_TR_PART_WARM_REST && (u->due || u->position >= u->event)) {
        if (u->no_pace)
            rt_tr_begin_list(u);
        else
            begin_pace(u);
    }
    if (u->part == RT_TR_PART_PACE) {
        const bool cold = u->r->translated - u->translated_before_pace > COLD_TRANSLATIONS;
        if (u->plan->pace_instructions && !cold && !has_pace(u)) {
            begin_stretch(u, b);
            return;
        }
        rt_tr_end_pace(u);
        if (cold) turn_cold(u);
        rt_tr_begin_list(u);
    }
    if (u->part == RT_TR_PART_LIST &&
        (u->r->access_count >= u->accesses || u->position - u->list_from >= LIST_INSTRUCTIONS_MOST)) {
        u->part = RT_TR_PART_PROBE;
        u->event = p->warm_instructions; /* in new code the list comes before */
        for (unsigned i = 0; i < RT_TR_COUNTERS; i++)
            u->left[i] = rt_tr_draw(u);
        if (u->probes) measure_controls(u, b);
    }
    if (u->part == RT_TR_PART_PROBE && u->r->probe_count >= u->probes) begin_late(u, RT_TR_END_DONE);
    if (u->part == RT_TR_PART_LATE) {
        if (!has_late(u)) {
            begin_late_stretch(u);
            return;
        }
        rt_tr_end_late(u);
        rt_tr_settle(u, u->reason);
    }
}
