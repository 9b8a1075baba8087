/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels of trf_kernel.h as native loops on real arrays, and their traffic by the counters of the machine.
 *
 * Thread: the owner of the objects. */
#ifndef TRF_NATIVE_H
#define TRF_NATIVE_H

#include "kernels/kn_backend.h"
#include "traffic/trf_kernel.h"
#include "traffic/trf_sampler.h"

enum { TRF_BATCH_MAX = 1024 };

/* Arrays of a kernel; copies of a batch have their own. */
struct trf_native {
    const struct trf_kernel *kernel;
    struct trf_size size;
    const struct kn_backend *backend;
    unsigned copies;
    double *arrays[TRF_ARRAYS_MAX]; /* all copies, one after the other */
    size_t bytes[TRF_ARRAYS_MAX];   /* all copies */
};

/* Allocate and fill the arrays. The copies of a batch run on one thread each.
 * Owns:   trf_native_fini ends *out.
 * Errors: as of trf_kernel_check; LS_ERR_UNSUPPORTED: a library's loops, stores that pass the caches on a processor
 *         without them, fewer threads than copies; LS_ERR_NOMEM. */
ls_err trf_native_init(struct trf_native *out, const struct trf_kernel *k, const struct trf_size *s);
/* Run the kernel once. */
void trf_native_run(struct trf_native *n);
/* Write the lines of all arrays back, and remove them from the caches. */
void trf_native_flush(struct trf_native *n);
void trf_native_fini(struct trf_native *n);

/* Lowest, mean and highest value of several runs. */
struct trf_band {
    double low, mean, high; /* bytes of one repetition; NAN: not counted */
    unsigned len;           /* runs without a gap */
};

/* The traffic of a kernel by one source. */
struct trf_measured {
    const struct trf_source *source;
    struct trf_band read, written, moved;
    struct trf_band one_read, one_written, one_moved; /* runs of one repetition */
};

struct trf_measure_options {
    unsigned runs;        /* runs of `repetitions`, and runs of one */
    unsigned repetitions; /* runs of the kernel between two readings; 0: trf_repetitions, within second_ns */
    uint64_t second_ns;   /* time that a run should not exceed; at least one repetition is run */
};

/* Sums of a sampler's points in one run; its owner passes them to trf_measure_point. */
struct trf_measure {
    const trf_sampler *sampler;
    double sums[TRF_SOURCES_MAX][LS_COUNTER_KINDS_LEN]; /* bytes, by source and kind */
    bool has[TRF_SOURCES_MAX][LS_COUNTER_KINDS_LEN], has_gap[TRF_SOURCES_MAX];
};

void trf_measure_point(struct trf_measure *m, const struct trf_point *p);

/* Measure the traffic of n: in each run the caches are emptied, the counters read, the kernel repeated on data that
 * is not cached, written back, and the counters read again; the traffic of others, counted while nothing ran, is
 * subtracted. out has a row for each source of the sampler, *out_len of them, at most TRF_SOURCES_MAX;
 * *out_repetitions of the longer runs.  Errors: LS_ERR_NOMEM. */
ls_err trf_measure(struct trf_measure *m, trf_sampler *sampler, struct trf_native *n,
                   const struct trf_measure_options *o, struct trf_measured *out, size_t *out_len,
                   unsigned *out_repetitions);

#endif
