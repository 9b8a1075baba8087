/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a running burst, and the functions that the files of its dispatcher share. They are compiled with
 * -mgeneral-regs-only: the vector registers keep the program's values. */
#ifndef RUNTIME_TRANSLATE_RT_TR_RUN_H
#define RUNTIME_TRANSLATE_RT_TR_RUN_H
#include "runtime/translate/rt_tr_internal.h"

#include <sys/resource.h>
#include <sys/syscall.h>

enum rt_tr_part {
    RT_TR_PART_WARM,
    RT_TR_PART_WARM_REST,
    RT_TR_PART_PACE,
    RT_TR_PART_LIST,
    RT_TR_PART_PROBE,
    RT_TR_PART_LATE,
    RT_TR_PART_SETTLE
};

enum rt_tr_look { RT_TR_LOOK_NONE, RT_TR_LOOK_LEAVES, RT_TR_LOOK_LOAD };

/* Instructions that ran in fast versions without a return to the dispatcher, their TSC cycles, and the operations that
 * the translation added to them. */
struct rt_tr_stretch {
    uint64_t instructions, cycles, added;
};

struct rt_tr_run {
    struct rt_tr_thread *t;
    struct rt_tr_context *c;
    struct rt_tr_cache *cache;
    const struct rt_tr_plan *plan;
    uint32_t accesses, probes; /* numbers of the plan, limited by the room */
    struct rt_tr_result *r;
    uint64_t features;
    enum rt_tr_part part;
    uint64_t ip;
    uint64_t position, event; /* in instructions since the burst began, and lines of repeated ones */
    uint64_t lines;           /* part of position */
    uint64_t until;           /* event, or instructions_max, of the fast versions that ran last */
    bool due;                 /* until is in the next block */
    bool limited;             /* the event is instructions_max */
    bool settled;             /* the flags are the program's */
    enum rt_tr_end reason, end;
    uint32_t shares[RT_TR_COUNTERS]; /* part of the instructions that use this counter; 65536: all */
    uint64_t random;
    bool cold, no_pace;
    uint64_t list_from, switches;
    struct rt_tr_stretch stretch;  /* the last one whose time was taken */
    struct rt_tr_stretch settling; /* all before the pace window */
    uint64_t pace_from;            /* position at which the present stretch began */
    uint64_t added;                /* operations, in the pace window */
    uint32_t settle_instructions, stretches;
    uint64_t now;              /* TSC at which the present stretch of the last part began */
    struct rt_tr_stretch late; /* all of its window */
    unsigned settle_attempts;
    uint32_t translated_before_pace, translated_before_stretch;
    uint32_t probe_loads; /* mean distance of timed loads */
    /* Instructions of the blocks that use a counter, before the next one of them whose load is timed. */
    int64_t left[RT_TR_COUNTERS];
    struct rt_tr_block *next; /* the one at ip, where that is known */
    struct rt_tr_exit *link;  /* goes to the next block */
    struct rt_tr_exit *stay;  /* from a slow version to the next block */
    unsigned tried;           /* positions in t->tried */
    bool missed;              /* the next block belongs into the table */
};

static inline uint64_t rt_tr_tsc(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* After everything before, before everything after. */
static inline uint64_t rt_tr_tsc_fenced(void)
{
    __asm__ volatile("lfence" ::: "memory");
    const uint64_t now = rt_tr_tsc();
    __asm__ volatile("lfence" ::: "memory");
    return now;
}

static inline uint64_t rt_tr_context_switches(void)
{
    struct rusage used;
    long result = SYS_getrusage;
    __asm__ volatile("syscall" : "+a"(result) : "D"(RUSAGE_THREAD), "S"(&used) : "rcx", "r11", "memory");
    return result ? 0 : (uint64_t)used.ru_nvcsw + (uint64_t)used.ru_nivcsw;
}

/* Draw the number of instructions before the next one whose load is timed. It is geometric: each instruction has the same
 * chance, whatever was drawn before it, so each counter may be drawn for separately. xorshift64* (Vigna, 2014); the
 * logarithm of base 2 of 1 + f is f (1.3465 - 0.3465 f), off by 0.009 at most, in units of 1 / 65536. */
static inline int64_t rt_tr_draw(struct rt_tr_run *u)
{
    enum { ONE = 65536, LINEAR = 88244, SQUARE = 22708, LN_2 = 45426 };
    u->random ^= u->random >> 12;
    u->random ^= u->random << 25;
    u->random ^= u->random >> 27;
    if (u->probe_loads < 2) return 0;
    const uint64_t random = u->random * UINT64_C(0x2545f4914f6cdd1d) | 1;
    const unsigned zeros = (unsigned)__builtin_clzll(random);
    const uint64_t f = random << zeros << 1 >> 48, log = f * (LINEAR - f * SQUARE / ONE) / ONE;
    return (int64_t)(((zeros + UINT64_C(1)) * ONE - log) * LN_2 / ONE * (2 * u->probe_loads - UINT64_C(1)) /
                     (2 * ONE));
}

/* End the burst for this reason as soon as the flags are the program's. */
static inline void rt_tr_settle(struct rt_tr_run *u, enum rt_tr_end reason)
{
    u->part = RT_TR_PART_SETTLE;
    u->reason = reason;
}

/* Is the pace measured now? */
static inline bool rt_tr_measures_pace(const struct rt_tr_run *u)
{
    return u->part == RT_TR_PART_PACE || u->part == RT_TR_PART_LATE;
}

/* Are loads timed from b on? */
static inline bool rt_tr_probes(const struct rt_tr_run *u, const struct rt_tr_block *b)
{
    return u->part == RT_TR_PART_PROBE && u->event < u->position + b->len;
}

/* The position at which the burst ends at the latest; 0: none. */
static inline uint64_t rt_tr_most(const struct rt_tr_run *u)
{
    return u->part < RT_TR_PART_LATE ? u->plan->instructions_max : 0;
}

static inline void rt_tr_begin_list(struct rt_tr_run *u)
{
    u->part = RT_TR_PART_LIST;
    u->list_from = u->position;
}

/* rt_tr_burst_sigsafe.c */
/* Between these two, other code may use the vector registers. */
void rt_tr_put_aside(struct rt_tr_run *u);
void rt_tr_bring_back(struct rt_tr_run *u);
/* Handle an exit from translated code. Advances ip and position. */
void rt_tr_arrive(struct rt_tr_run *u);

/* rt_tr_parts_sigsafe.c */
/* Move on to the part that applies before block b; its event is set. */
void rt_tr_advance(struct rt_tr_run *u, const struct rt_tr_block *b);
/* End the pace part: too short a pace is none, nor one in which another thread ran. */
void rt_tr_end_pace(struct rt_tr_run *u);
/* End the last part: the same for its window. */
void rt_tr_end_late(struct rt_tr_run *u);
/* Take stretch s of the pace part, which began in b at pace_from and ended here; its cycles are of all, with entering and
 * leaving. disturbed: a signal, or the limit of the burst, was in it. */
void rt_tr_take_stretch(struct rt_tr_run *u, const struct rt_tr_block *b, const struct rt_tr_stretch *s,
                        bool disturbed);

/* rt_tr_core_sigsafe.c */
/* Measure a cycle of the core, in thousandths of a TSC cycle, and the time between two simple instructions, in thousandths
 * of a cycle of the core; takes about a microsecond. false: something else had the processor. */
bool rt_tr_core_measure(uint32_t *core_cycle, uint32_t *issue);

/* rt_tr_watch_sigsafe.c */
/* Draw the positions in b at which a load would be timed, beginning with the distance left[] of its counter, which then
 * leads to the first one after b. RT_TR_LOOK_LOAD: one of them has a load. RT_TR_LOOK_LEAVES: there is one without,
 * but the thread may leave the block before it, which is then the position of another instruction. */
enum rt_tr_look rt_tr_look_for_loads(struct rt_tr_run *u, const struct rt_tr_block *b);
/* Subtract b from the distance of its counter: it was looked at, and executed from position from to here. */
void rt_tr_pass(struct rt_tr_run *u, const struct rt_tr_block *b, uint64_t from);
/* Execute the slow version of b, which lists its accesses and times its loads. */
void rt_tr_run_slow(struct rt_tr_run *u, struct rt_tr_block *b);
/* Go through the lines of the repeated instruction b, before it is executed, until they are over or the burst is.
 * A part of the burst may end inside. No pace is measured: the time of such instructions is not in their number.
 * Where the burst begins in one, its lines are what the thread does at that time: they are listed at once. Returns the
 * number of its lines. */
uint64_t rt_tr_walk_lines(struct rt_tr_run *u, const struct rt_tr_block *b);
#endif
