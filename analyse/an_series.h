/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters by phase: their amounts and levels while any thread was in the phase.
 *
 * Thread: any.  Signal: not safe. */
#ifndef AN_SERIES_H
#define AN_SERIES_H

#include "common/ls_error.h"
#include "run_h5/prof_schema.h"

#include <stdbool.h>
#include <stddef.h>

/* Borrowed tables of a profile. */
struct an_series_in {
    const struct prof_phase *phases;
    size_t phases_len;
    const struct prof_phase_span *spans;
    size_t spans_len;
    const struct prof_counter *counters;
    size_t counters_len;
    const struct prof_reading *readings;
    size_t readings_len;
    uint64_t duration_ns; /* length of the run; open spans end there */
};

#define AN_SERIES_ALL UINT32_MAX

struct an_series_row {
    uint32_t phase;       /* AN_SERIES_ALL: the whole run */
    uint32_t counter;     /* for a total, the first of its counters */
    bool is_total;        /* the sum of the source's counters of memory bytes */
    uint64_t phase_ns;    /* length of the phase: time in which any thread was in it */
    uint64_t known_ns;    /* part of it that has values */
    uint64_t gap_ns;      /* part of it in gaps */
    double amount;        /* in the known part; NAN for levels */
    double mean, most;    /* levels, or amounts per second. NAN without values */
    double share_of_roof; /* mean / roof; NAN where no roof is known */
};

struct an_series {
    struct an_series_row
        *rows; /* by phase, the whole run first; then by counter, totals after their counters */
    size_t len;
};

/* Owns:   end *out with an_series_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err an_series_init(struct an_series *out, const struct an_series_in *in);
void an_series_fini(struct an_series *s);

/* Store the mean level of a counter, or its mean growth per second, in each of slices equal parts of the run;
 * NAN in parts without a value.  Errors: LS_ERR_NOMEM. */
ls_err an_series_slices(const struct an_series_in *in, uint32_t counter, uint32_t slices, double *out);

#endif
