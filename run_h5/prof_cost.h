/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of each sampled access: the model that turns bursts into time. Resolve (for the fields of natural
 * domains) and analyse/ both use it.
 *
 * The accesses of a burst represent data_weight_ns of CPU time, "weight" here. Its first accesses were in
 * flight already when it was triggered and carry no latency; after that run-ahead window loads are timed. The
 * model looks at one window only, the instructions and the loads from the window's end to the burst's end:
 *
 *   penalty of a load     p = max(latency - L1 latency, 0) of a load that L3 or memory served; 0 for loads
 * that L1 or L2 served, whose latency overlaps with other work, for stores, and for loads without a latency
 *   issue time            I = instructions in the window / issue width
 *   stall of the burst    = weight * S / (S + I), S the sum of all p; an upper bound, as overlap is not seen
 *   stall of an access    = weight * p / (S + I)
 *   time of an access     = weight * (p + I / accesses in the window) / (S + I)
 *
 * Translated bursts. Only one of some 64 loads is timed, and each represents as many: its p is multiplied by that
 * number. Latencies are those at nearly native pace, so that L2 counts, too, where at least PROF_COST_PAIR_LOADS loads
 * of one instruction on one node are on average PROF_COST_PAIR_CYCLES beyond L1: single readings of a coarse counter
 * are too high or too low by a step, and only that mean is right. p is scaled to it. Loads that the prefetcher serves
 * read like L1, wherever their lines come from. For them, S also contains the transfer of lines:
 *
 *   walk                  one instruction on one node, in one burst
 *   transfer of a walk    (new lines + lines that become dirty) x the time of a line from the level X that has them
 *   X                     by the number of lines that the burst touches before the walk comes back to a line: the
 *                         walk's own footprint (its range in this and neighbouring bursts of the thread, or in this
 *                         one alone where it returns within it, x the part of the lines in that range that it
 *                         touches), and what the other walks touch meanwhile
 *   time of a line        calibrated: of a sweep by one thread beyond that of a sweep in L1, and for memory of all
 *                         CPUs together, scaled to the threads that run at the time
 *
 * The pace gives the limit: with C cycles of the window's instructions at the measured pace, S is at most C - I, and
 * I becomes C - S, because the rest of the time is execution. Where the pace was measured in a loop of one block, I is
 * at least what its chains of dependent instructions, its stores, loads and divisions take in L1 (pace_least_cycles,
 * runtime/translate/rt_tr_loop_sigsafe.c). If in addition the times of all its instructions are known (pace_rest_waits)
 * and walks bring lines from beyond L1, S is C - I: neither the overlap of latencies nor the bandwidth that a loop gets
 * must be guessed then. Elsewhere the estimate is too high where computation overlaps with waiting. It is too low where lines conflict in a cache, and where a load arrives during the fences of its
 * probe. The window goes from the first timed load to the end. The transfers belong to the accesses before it, which
 * have no gaps.
 *
 * Times of a burst's accesses add up to its weight. A burst without a timed load has no stall estimate and
 * its time is split evenly over its accesses; so is the time of every burst where less than
 * PROF_COST_TIMED_MIN of the loads of the run were timed. A burst without accesses belongs to no data.
 *
 * Data that stays in the caches. Each trap of the step engine evicts some lines, so that even the loads of a
 * 4 KiB array miss now and then: 1 to 2 % of them read like L3, a few per thousand like memory. For a node
 * with at most PROF_COST_KEPT_LINES distinct touched cache lines (256 KiB, the smallest usual L2), each
 * touched by two bursts on average, such loads count as served by L1 or L2 as long as fewer than
 * PROF_COST_KEPT_FAR of the node's timed loads are beyond L2, and fewer than PROF_COST_KEPT_MEMORY beyond L3.
 *
 * With a coarse counter the latencies of single loads err to both sides, and only their sum over all loads of
 * the burst is right: S is then at most that sum.
 *
 * Outliers. A latency above PROF_COST_LATENCY_TIMES x the calibrated latency of memory is an interrupted
 * load: loaded memory answers several times later than idle memory, but not 16 times, while a timer interrupt
 * or a preemption takes thousands of cycles. Such a load counts as served by idle memory. A weight that
 * exceeds both PROF_COST_WEIGHT_TIMES x the median and a quarter of all smaller weights together is damaged
 * or an accident of sampling: the burst gets the median. Fewer than PROF_COST_BURSTS_MIN bursts are left
 * alone. */
#ifndef PROF_COST_H
#define PROF_COST_H

#include "run_h5/prof_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Used when the profile carries no calibration. */
#define PROF_COST_L1_CYCLES 5.0
#define PROF_COST_DRAM_CYCLES 500.0
#define PROF_COST_ISSUE_WIDTH 4.0

#define PROF_COST_LATENCY_TIMES 16.0
#define PROF_COST_WEIGHT_TIMES 20.0
#define PROF_COST_BURSTS_MIN 30
#define PROF_COST_TIMED_MIN 0.05
#define PROF_COST_LINE_BYTES 64
#define PROF_COST_KEPT_LINES 4096
#define PROF_COST_KEPT_TIMED 34 /* loads; of fewer ones a single miss exceeds PROF_COST_KEPT_FAR */
#define PROF_COST_KEPT_FAR 0.03
#define PROF_COST_KEPT_MEMORY 0.01
#define PROF_COST_LINE_LEAST 0.01 /* cycles of a line that a sweep gets from L2 as fast as from L1 */
#define PROF_COST_PAIR_LOADS 30
#define PROF_COST_PAIR_CYCLES 2.0 /* more than the error of the probe's control */

struct prof_cost_nodes;
struct prof_cost_walks;

struct prof_cost_model {
    double l1_cycles, dram_cycles;
    double beyond_l2_cycles;   /* a load whose level is not known is beyond L2 above this latency */
    double latency_max_cycles; /* above: an interrupted load */
    bool l1_is_l2;             /* see prof_level_l1_is_l2 */
    double step_cycles;        /* step of the counter that latencies were read from; 1: not coarse */
    double issue_width;
    double weight_max_ns, weight_usual_ns; /* above the maximum a burst gets the usual weight */
    uint32_t window_begin;                 /* first position that carries a latency anywhere in the run */
    bool is_timed;                         /* enough loads carry a latency */
    bool is_stepped;                       /* single-stepping evicts lines from the caches */
    const struct prof_cost_nodes *nodes;   /* borrowed; NULL: no data is known to stay in the caches */
    const struct prof_cost_walks *walks;   /* borrowed; NULL: no transfer is known */
    double level_bytes[PROF_LEVEL_COUNT];  /* capacity of a cache */
    double last_level_bytes; /* capacity of the cache before memory that the program has; 0: not known */
    /* of a line that a sweep brings from each level, beyond one in L1, 0: not known; and per thread that sweeps
     * through memory */
    double line_cycles[PROF_LEVEL_COUNT], line_cycles_each;
    double tsc_hz; /* 0: not known */
};
/* The calibration of a run, or the defaults above. No weight is limited, window_begin is 0, loads count as
 * timed. */
void prof_cost_model_init(struct prof_cost_model *m, const struct prof_run *run);

/* Columns of samples; borrowed. */
struct prof_cost_samples {
    const uint8_t *op, *latency_valid, *level;
    const int32_t *latency_cycles;
    const uint32_t *position, *node;
    const uint64_t *addr, *ip;
    const uint32_t *count; /* accesses of a row that is a sum; UINT32_MAX or NULL: one */
    uint64_t len;
};

/* A load whose latency is a measurement. */
static inline int prof_cost_is_measured(const struct prof_cost_samples *s, uint64_t i)
{
    return s->op[i] == 0 && s->latency_valid[i] == 1 && s->latency_cycles[i] != INT32_MIN;
}

#define PROF_COST_LISTED_MOST 512
/* Return how many of the len samples from first on come before the first timed load, at most
 * PROF_COST_LISTED_MOST. */
uint64_t prof_cost_listed(const struct prof_cost_samples *s, uint64_t first, uint64_t len);
/* Return the instructions that the first `listed` samples of a burst go over; at least two. */
double prof_cost_listed_instructions(const struct prof_cost_samples *s, uint64_t listed);
/* Return how many of b's first samples are all accesses of the instructions between the first and the last of
 * them. In a burst whose timed loads were drawn at random, the loads between those are missing.  s: samples of
 * the whole run; op, latency_valid and latency_cycles are read. */
uint32_t prof_cost_gapless(const struct prof_burst *b, const struct prof_cost_samples *s);

/* Loads of the run, and where the run-ahead window of its engine ends: the earliest timed load of all shows
 * it. */
struct prof_cost_loads {
    uint64_t loads, timed;
    uint32_t earliest; /* position; UINT32_MAX: none is timed */
};
#define PROF_COST_NO_LOADS ((struct prof_cost_loads){.earliest = UINT32_MAX})
void prof_cost_loads_add(struct prof_cost_loads *l, const struct prof_cost_samples *s);
/* Set window_begin and is_timed. */
void prof_cost_model_loads(struct prof_cost_model *m, const struct prof_cost_loads *l);

/* Find the nodes whose data stays in the caches: add the samples of each burst (node and addr are needed),
 * then judge once. Without stepping, or where memory for the lines is short, no node counts as one. */
struct prof_cost_nodes {
    struct prof_cost_node *rows; /* by node */
    size_t len;
    uint32_t bursts;
};
void prof_cost_nodes_add(struct prof_cost_nodes *n, const struct prof_cost_model *m,
                         const struct prof_cost_samples *burst);
void prof_cost_nodes_judge(struct prof_cost_nodes *n);
void prof_cost_nodes_fini(struct prof_cost_nodes *n);

/* Walks of translated bursts: add the bursts with their samples, in any order, then judge once.
 * Errors: LS_ERR_NOMEM. */
struct prof_cost_walks {
    struct prof_walk *walks;
    struct prof_walks_burst *bursts;
    size_t walks_len, walks_room, bursts_len, bursts_room;
    struct prof_pair *pairs; /* open addressing */
    size_t pairs_len, pairs_room;
};
ls_err prof_cost_walks_add(struct prof_cost_walks *w, const struct prof_cost_model *m,
                           const struct prof_burst *b, const struct prof_cost_samples *burst);
/* The model borrows w, and has an estimate where there are walks. */
void prof_cost_model_walks(struct prof_cost_model *m, struct prof_cost_walks *w);
void prof_cost_walks_fini(struct prof_cost_walks *w);
/* Part of the latency of timed load i beyond L1 that counts; negative: too few loads are like it. */
double prof_cost_counted(const struct prof_cost_walks *w, const struct prof_cost_samples *s, uint64_t i);
/* The nearest level that holds so many lines. */
enum prof_level prof_cost_level_of_lines(const struct prof_cost_model *m, double lines);
/* The walks of b, or NULL; its accesses without gaps; the instructions that these go over; the transfer of access i of
 * them, in cycles. */
const struct prof_walks_burst *prof_cost_walks_of(const struct prof_cost_walks *w,
                                                  const struct prof_burst *b);
uint64_t prof_cost_walks_listed(const struct prof_walks_burst *b);
double prof_cost_walks_instructions(const struct prof_walks_burst *b);
double prof_cost_transfer_cycles(const struct prof_cost_walks *w, const struct prof_walks_burst *b,
                                 const struct prof_cost_samples *s, uint64_t i);

/* The latency of timed load i, or that of memory where it was interrupted; its part beyond L1, 0 where it is of L1. */
double prof_cost_latency_cycles(const struct prof_cost_model *m, const struct prof_cost_samples *s,
                                uint64_t i);
double prof_cost_beyond_cycles(const struct prof_cost_model *m, const struct prof_cost_samples *s,
                               uint64_t i);

/* Set the limit of weights. Errors: LS_ERR_NOMEM. */
ls_err prof_cost_model_weights(struct prof_cost_model *m, const struct prof_burst *bursts, size_t len);

/* Weight of a burst; a missing one represents nothing. */
static inline double prof_cost_weight_ns(const struct prof_cost_model *m, const struct prof_burst *b)
{
    const double weight_ns = b->weight_ns == UINT64_MAX ? 0.0 : (double)b->weight_ns;
    return weight_ns > m->weight_max_ns ? m->weight_usual_ns : weight_ns;
}

/* CPU time that the accesses of a burst represent, or their absence: bursts that were cut short leave it to
 * others of the same function (prof_account.c). An outlier is cut in proportion. */
static inline double prof_cost_data_weight_ns(const struct prof_cost_model *m, const struct prof_burst *b)
{
    if (b->data_weight_ns == UINT64_MAX || b->weight_ns == UINT64_MAX) return 0;
    if (b->count > 0) return (double)b->data_weight_ns; /* a sum over ranks, without outliers */
    if (b->weight_ns == 0) return 0;
    return (double)b->data_weight_ns * (prof_cost_weight_ns(m, b) / (double)b->weight_ns);
}

struct prof_cost_burst {
    uint64_t measured; /* loads */
    double stall_ns;
    double most_ns; /* the stall that the pace leaves room for; without a pace the stall itself */
};
/* Split the weight of b over its samples s (only this burst's): time_ns and stall_ns, s->len values each,
 * zeroed before. s->len is at least 1. */
struct prof_cost_burst prof_cost_split(const struct prof_cost_model *m, const struct prof_burst *b,
                                       const struct prof_cost_samples *s, float *time_ns, float *stall_ns);

#endif
