/* SPDX-License-Identifier: BSD-3-Clause */
/* How many accesses of the program a sampled one stands for.
 *
 * Hardware tells it (column events). For bursts it is estimated: the CPU time that all bursts stand for, by
 * the time that their instructions take natively, which is what profile/prof_cost.h takes it for:
 * instructions / issue width + the measured waiting of loads, an upper bound. */
#ifndef PAT_RUN_SCALE_H
#define PAT_RUN_SCALE_H

#include "profile/prof_reader.h"

struct pat_run_scale_input {
    const struct prof_run *run;
    const struct prof_samples *samples;
    const struct prof_burst *bursts;
    const uint32_t *order; /* the bursts that count; their samples are there */
    size_t order_len;
};

/* NAN: not known. */
double pat_run_scale(const struct pat_run_scale_input *in);

#endif
