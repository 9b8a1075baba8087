/* SPDX-License-Identifier: BSD-3-Clause */
/* From the probe's readings to latencies. */
#ifndef PROF_LATENCY_H
#define PROF_LATENCY_H

#include "machine/mach_calibration.h"
#include "run_h5/prof_writer.h"
#include "spool/spool_format.h"

/* State of one process image. */
struct prof_latency {
    const struct mach_calibration *calibration; /* NULL: no levels */
    uint64_t subtracted_cycles;                 /* from every reading, before it went to the spool */
    uint64_t control_cycles, control_len;       /* totals of all bursts so far */
    double carry_cycles;                        /* remainder of rounding */
};

/* The part of a reading that is not latency: the mean of the controls so far (before the first of them: the
 * calibration's) without the latency of L1. */
double prof_latency_cost_cycles(const struct prof_latency *l);
/* Add the controls of a burst. */
void prof_latency_learn(struct prof_latency *l, const struct spool_burst_end *end);
/* Latency and level of an access, into s; s is unchanged where nothing was measured. Latencies are whole
 * cycles, rounded so that their sum is kept; where the counter is coarse one may be negative. */
void prof_latency_set(struct prof_latency *l, const struct spool_access *a, struct prof_sample *s);

#endif
