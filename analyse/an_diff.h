/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes between two sides, A and B, of one or several runs each, and whether they are significant: a
 * bootstrap over the bursts of each run.
 *
 * Rows are objects found in any run under the same name. The CPU time of a run is known, its distribution
 * over rows is sampled: time of a row = CPU time that bursts represent x the row's share. A side's value is
 * the mean over its runs. Intervals are of the difference B - A: percentiles of independent resamples of all
 * runs. They include the sampling error, not the variation of the program itself from run to run.
 *
 * With several runs the interval also holds Welch's t interval of the difference of the runs' means (Welch,
 * "The generalization of 'Student's' problem when several different population variances are involved",
 * Biometrika 34, 1947), which includes how runs vary. A side of one run is taken to vary like the other one.
 *
 * A row that no burst of a side met may still be there: with 95 % confidence its share is below 3 / bursts
 * (Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249, 1983). This bound is
 * added to the interval on that side.
 *
 * Rows of a profile of a job are sums over ranks, which cannot be resampled: with such a run there are no intervals. */
#ifndef AN_DIFF_H
#define AN_DIFF_H

#include "analyse/an_bootstrap.h"
#include "analyse/an_combine.h"
#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct an_name {
    const char *text;
    uint32_t side; /* 0 or 1 */
    uint32_t row;  /* out: names with the same row are the same object */
};

/* Match names of two sides. Equal texts are one row. Among the unmatched names of both sides, names that
 * differ only in their line numbers (":12") are one row if no other name of the kind is unmatched: the source
 * was edited above the line. Rows are numbered by text. *out_labels: by row, the index of a name that
 * represents it, of side 1 if it has one; free it.
 * Owns:   nothing of names, whose order is unchanged.
 * Errors: LS_ERR_NOMEM. */
ls_err an_match_names(struct an_name *names, size_t len, uint32_t *out_rows_len, uint32_t **out_labels);

/* --- names in both runs ---
 *
 * Names that identify the same object in another run of the program or of its next version: without
 * addresses, process and thread numbers; the program is called "program", whatever the name of its file. */

/* Name of a key; for AN_NO_KEY the dimension's text.
 * Owns:   nothing; the text is in out or constant.  Errors: none, cut where out ends. */
const char *an_identity(const struct an_dimension *d, const struct an_tables *t, uint32_t key,
                        char out[AN_LABEL_BYTES]);

enum { AN_IDENTITY_BYTES = AN_COMBINE_MAX * AN_LABEL_BYTES };

/* Name of a group: its name in each dimension, joined by " / ".
 * Owns:   nothing; the text is in out. */
void an_identity_of_group(const struct an_combination *c, const struct an_tables *t, uint32_t group,
                          char out[AN_IDENTITY_BYTES]);

/* Least number of bursts that touch the row on both sides together; with fewer, there is no interval. */
#define AN_DIFF_BURSTS_MIN 5

struct an_diff_run {
    const struct an_input *in;
    const struct an_costs *costs;
    const uint32_t *row_of_sample, *row_of_burst; /* UINT32_MAX: in no row */
    bool by_origin;                               /* as in an_grouping */
};

struct an_diff_side {
    const struct an_diff_run *runs;
    size_t len; /* 1 or more */
};

/* b - a is in [low, high]; NAN where it is unknown. */
struct an_change {
    double a, b, low, high;
};

struct an_difference {
    uint32_t row;
    bool has_interval;                         /* false: a run is a profile of a job */
    uint64_t samples[2], bursts[2];            /* all runs of a side */
    struct an_change time_ns, share, stall_ns; /* means over runs; share: fraction of the run's time */
    struct an_change median_cycles;            /* median over measured loads; set by an_diff_median */
};

typedef struct an_diff an_diff;

/* Does the interval exclude 0? */
bool an_change_is_significant(const struct an_change *c);
/* The distance from the change to the end of its interval that is nearer to 0. A significant change exceeds it. Half the
 * width of the interval can be larger than that, because intervals of few bursts are not symmetric. NAN: not known. */
double an_change_margin(const struct an_change *c);

/* Owns:   the caller ends *out with an_diff_free; sides[] and the objects that they point to must live as
 *         long.
 * Errors: LS_ERR_NOMEM. */
ls_err an_diff_new(const struct an_diff_side sides[2], uint32_t rows_len, an_diff **out);
/* Owns:   frees d, NULL-safe. */
void an_diff_free(an_diff *d);
/* All figures of a row except the median, which takes longer to compute. */
struct an_difference an_diff_row(const an_diff *d, uint32_t row);
/* Fill in the median.
 * Errors: LS_ERR_NOMEM. */
ls_err an_diff_median(const an_diff *d, struct an_difference *row);
/* Are there intervals? Not if any run is a profile of a job. */
bool an_diff_has_intervals(const an_diff *d);
/* Bursts of a side that represent time. */
size_t an_diff_bursts(const an_diff *d, int side);

#endif
