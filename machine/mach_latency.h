/* SPDX-License-Identifier: BSD-3-Clause */
/* Load latencies of one working set, measured with the probe that the step engine uses.
 *
 * Unless noted otherwise: Thread: any.  Signal: not safe. */
#ifndef MACH_LATENCY_H
#define MACH_LATENCY_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mach_working_set {
    uint64_t len_bytes;
    bool from_memory; /* flush the lines out of every cache first */
};

/* Typical latency of probes at random lines of the working set, the probe's cost included.
 * Errors: LS_ERR_NOMEM, LS_ERR_UNSUPPORTED (no probe here).  Thread: any. */
ls_err mach_latency_measure(const struct mach_working_set *set, uint32_t tsc_step_cycles, double *out_cycles);

/* Native latency of a load in a chase over len_bytes, in TSC cycles: the best of many short stretches, since
 * disturbances only add time.  Errors: LS_ERR_NOMEM.  Thread: any. */
ls_err mach_latency_chase(uint64_t len_bytes, double *out_cycles);

/* Mean reading of many probes of a line in L1: the probe's cost plus the latency of L1.  Thread: any. */
double mach_latency_control(void);

/* The median of len latencies (they get sorted), refined where the counter is coarse: the mean of all values
 * within 1.5 steps of it. Readings of a counter that advances in steps fall on two neighbouring multiples, in
 * proportions whose mean is the true time. */
double mach_latency_typical(uint64_t *latencies_cycles, size_t len, uint32_t tsc_step_cycles);

#endif
