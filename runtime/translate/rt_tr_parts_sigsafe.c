/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a burst: when each of them ends, and how the next one begins. The vector registers keep the
 * program's values while this runs, and nothing here calls libc or touches errno. */
#include "runtime/translate/rt_tr_run.h"

enum {
    PACE_ATTEMPTS = 16,
    COLD_TRANSLATIONS = 12, /* more in the first half of the warm-up, or while pace is tried: new code */
    PACE_LEAST = 256,
    LIST_INSTRUCTIONS_MOST = 2048, /* code with so few accesses is left to the fast versions */
    CONTROLS = 4,
    CONTROL_MOST_CYCLES = 2000, /* more is an interrupt */
};

static void begin_timed_warm_up(struct rt_tr_run *u, uint64_t event)
{
    u->part = RT_TR_PART_WARM_TIMED;
    u->due = false;
    u->warm_tsc = rt_tr_tsc();
    u->warm_position = u->position;
    u->event = event;
}

/* Return how many instructions take us microseconds at the pace of the timed warm-up, but not more than most. */
static uint64_t instructions_within(const struct rt_tr_run *u, uint32_t us, uint64_t most)
{
    const uint64_t cycles = rt_tr_tsc() - u->warm_tsc, instructions = u->position - u->warm_position;
    if (!u->plan->tsc_per_us || !us || !cycles || !instructions) return most;
    const uint64_t in_time = (uint64_t)us * u->plan->tsc_per_us * instructions / cycles;
    return in_time < most ? in_time : most;
}

/* In code that was translated before, a longer warm-up costs nothing: the program goes on in it. Streams need it: the
 * prefetcher follows them again only after tens of lines. */
static bool may_warm_longer(const struct rt_tr_run *u)
{
    return !u->is_hot && u->plan->hot_times > 1 && !u->r->translated && !u->cold;
}

/* Begin the pace window; the timed part of the warm-up predicts how many instructions it needs. */
static void begin_pace(struct rt_tr_run *u)
{
    const struct rt_tr_plan *p = u->plan;
    u->part = RT_TR_PART_PACE;
    u->due = false;
    u->translated_before_pace = u->r->translated;
    u->pace_instructions = p->pace_instructions;
    if (!p->pace_instructions) return;
    u->switches = rt_tr_context_switches();
    const uint64_t wanted = (uint64_t)p->pace_instructions * (u->is_hot ? p->hot_times : 1);
    const uint64_t in_time = instructions_within(u, p->pace_us, wanted);
    u->pace_instructions = in_time > PACE_LEAST ? in_time : PACE_LEAST;
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

void rt_tr_advance(struct rt_tr_run *u, const struct rt_tr_block *b)
{
    const struct rt_tr_plan *p = u->plan;
    if (u->part != RT_TR_PART_SETTLE && p->instructions_max &&
        (u->position >= p->instructions_max || (u->due && u->limited)))
        rt_tr_settle(u, RT_TR_END_INSTRUCTIONS);
    if (u->part == RT_TR_PART_WARM && (u->due || u->position >= u->event)) {
        if (u->r->translated > COLD_TRANSLATIONS) turn_cold(u);
        begin_timed_warm_up(u, p->warm_instructions);
        if (u->cold) rt_tr_begin_list(u);
    }
    if (u->part == RT_TR_PART_WARM_TIMED && (u->due || u->position >= u->event)) {
        if (may_warm_longer(u)) {
            u->is_hot = true;
            begin_timed_warm_up(u,
                                u->position + instructions_within(u, p->pace_us / 2, p->pace_instructions));
        } else if (u->no_pace)
            rt_tr_begin_list(u);
        else
            begin_pace(u);
    }
    if (u->part == RT_TR_PART_PACE) {
        const bool cold = u->r->translated - u->translated_before_pace > COLD_TRANSLATIONS;
        const bool enough = u->r->pace.instructions || u->r->pace.discarded >= PACE_ATTEMPTS || cold;
        if (!enough && u->pace_instructions) {
            measure_round_trip(u, b);
            if (u->r->pace.discarded && u->pace_instructions > p->pace_instructions)
                u->pace_instructions = p->pace_instructions;
            if (u->due) u->switches = rt_tr_context_switches();
            u->pace_from = u->position;
            u->event = u->position + u->pace_instructions;
            return;
        }
        u->r->pace.overhead_cycles = u->t->round_trip_cycles;
        if (cold) turn_cold(u);
        rt_tr_begin_list(u);
    }
    if (u->part == RT_TR_PART_LIST &&
        (u->r->access_count >= u->accesses || u->position - u->list_from >= LIST_INSTRUCTIONS_MOST)) {
        u->part = RT_TR_PART_PROBE;
        const uint64_t from = u->position > p->warm_instructions ? u->position : p->warm_instructions;
        u->event = from + rt_tr_draw(u);
        if (u->probes) measure_controls(u, b);
    }
    if (u->part == RT_TR_PART_PROBE && u->r->probe_count >= u->probes) rt_tr_settle(u, RT_TR_END_DONE);
}
