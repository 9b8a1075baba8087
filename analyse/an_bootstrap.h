/* SPDX-License-Identifier: BSD-3-Clause */
/* Confidence intervals of shares: a percentile bootstrap over bursts, because accesses of one burst are not
 * independent.
 *
 * Up to AN_BLOCKS_MAX bursts: plain resampling with replacement. Beyond: bursts are dealt at random into
 * AN_BLOCKS_MAX blocks and each block gets a Poisson(1) count per resample (Hanley and MacGibbon, "Creating
 * non-parametric bootstrap samples using Poisson frequencies", Comput. Methods Programs Biomed. 83, 2006): the
 * same intervals for the cost of 2,048 units. A share is a ratio: the denominator is resampled with the
 * numerator. The seed is fixed, so the same file gives the same digits. */
#ifndef AN_BOOTSTRAP_H
#define AN_BOOTSTRAP_H

#include "analyse/an_table.h"

#define AN_RESAMPLES 1000
#define AN_BLOCKS_MAX 2048
#define AN_BURSTS_MIN 30    /* below, no interval is given */
#define AN_BURSTS_GOOD 1000 /* a share of 50 % is known to about +-3 points */
#define AN_CONFIDENCE 0.95

enum an_metric { AN_TIME, AN_STALL };

struct an_interval {
    double share;     /* the estimate; NAN when the whole is 0 */
    double low, high; /* NAN with fewer than AN_BURSTS_MIN bursts */
};

typedef struct an_bootstrap an_bootstrap;

/* Errors: LS_ERR_NOMEM.  in and costs are not kept. */
ls_err an_bootstrap_new(const struct an_input *in, const struct an_costs *costs, uint64_t seed,
                        an_bootstrap **out);
void an_bootstrap_free(an_bootstrap *b);
/* One line for the report: how the intervals were made. */
const char *an_bootstrap_method(const an_bootstrap *b);
/* Return the number of bursts that a share of the metric rests on: for time, the bursts that represent time;
 * for stall, the ones among them with measured loads. */
size_t an_bootstrap_bursts(const an_bootstrap *b, enum an_metric metric);
/* Share of the group, all below it included, in the whole of the metric; a group's stall is at most its time. */
struct an_interval an_bootstrap_share(const an_bootstrap *b, const an_table *t, uint32_t group,
                                      enum an_metric metric);
/* The share of the group without the groups below it. */
struct an_interval an_bootstrap_share_self(const an_bootstrap *b, const an_table *t, uint32_t group,
                                           enum an_metric metric);
/* The stall of the group alone relative to the whole time: the maximum gain from a change of its accesses. */
struct an_interval an_bootstrap_gain(const an_bootstrap *b, const an_table *t, uint32_t group);
/* The resampled sums of a group's metric, in ns, and of the whole: their ratio r is share r of resample r. */
void an_bootstrap_sums(const an_bootstrap *b, const an_table *t, uint32_t group, enum an_metric metric,
                       double out[AN_RESAMPLES]);
const double *an_bootstrap_wholes(const an_bootstrap *b, enum an_metric metric, bool by_origin);
/* The resampled unit that a burst belongs to, UINT32_MAX for bursts with neither weight nor accesses; how
 * many there are; how often each resample holds one. */
uint32_t an_bootstrap_block(const an_bootstrap *b, uint32_t burst);
const uint8_t *an_bootstrap_counts(const an_bootstrap *b, uint32_t block);
/* Sort AN_RESAMPLES values, NAN at the end, and store the limits that hold AN_CONFIDENCE of them, NAN when
 * fewer than half are numbers. */
void an_bootstrap_limits(double values[AN_RESAMPLES], double *low, double *high);

/* --- medians of resamples ---
 *
 * The median latency of a group in every resample of the bootstrap over bursts. */

/* A measured load: its latency, and the resampled unit of its burst. */
struct an_latency {
    int32_t cycles;
    uint32_t block;
};

/* The median of the loads in each resample, refined by step as in an_median_refined; NAN in resamples without
 * loads. Sorts loads. All resamples bisect over the values at once; their ranges overlap near the median, so
 * few values are counted. Errors: LS_ERR_NOMEM. */
ls_err an_median_resample(const an_bootstrap *b, struct an_latency *loads, size_t len, double step,
                          double out[AN_RESAMPLES]);

#endif
