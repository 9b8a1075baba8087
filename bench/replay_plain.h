/* SPDX-License-Identifier: BSD-3-Clause */
/* The published kernels as plain loops, for comparison: compiled -O3 -march=native by whoever runs the
 * benchmark. */
#ifndef REPLAY_PLAIN_H
#define REPLAY_PLAIN_H

#include <stddef.h>
#include <stdint.h>

struct plain {
    double *sparse, *source, *dense; /* source: the elements that gs gathers */
    const int64_t *pattern, *gather, *scatter;
    int64_t delta, delta_gather, delta_scatter;
    size_t len, count, wrap;
    size_t dense_stride; /* elements from thread to thread; 0: all share one buffer, as Spatter 2 does by
                            default */
};

typedef void plain_kernel(const struct plain *p);
plain_kernel plain_gather, plain_scatter, plain_gs, plain_multigather, plain_multiscatter;

/* Reads len doubles by all threads as fast as this compiler can: the yardstick of a gather with stride 1. */
double plain_read(const double *array, size_t len);

#endif
