/* SPDX-License-Identifier: BSD-3-Clause */
/* Result of a kernel's run: variant that ran, times, validation. */
#ifndef KN_RESULT_H
#define KN_RESULT_H

#include "kernels/kn_options.h"
#include "kernels/kn_stats.h"
#include "perf/pe_count.h"

struct kn_kernel;

enum { KN_VARIANT_BYTES = 48, KN_ADVICE_BYTES = 320, KN_COUNTS_BYTES = 512, KN_TRIALS_MAX = 24 };

/* One candidate of the trial that chose the variant; its rate is of CPU time (kn_share_time.h). */
struct kn_trial {
    char variant[KN_VARIANT_BYTES];
    double mb_per_s;
};

struct kn_result {
    const struct kn_kernel *kernel;
    char backend[16];
    char variant[KN_VARIANT_BYTES]; /* "jammed, 32-bit indices, regular stores" */
    enum kn_method method;
    enum kn_stores stores;
    enum kn_pin pin;     /* pinning in effect, never AUTO */
    unsigned index_bits; /* 0: the elements were linked */
    unsigned element_bytes, threads;
    uint64_t bytes;              /* bytes a run, as published; mb_per_s is based on them */
    uint64_t bytes_with_indices; /* bytes a run, including index loads */
    uint64_t flops;              /* floating-point operations a run */
    uint64_t memory_bytes;       /* allocated */
    uint64_t huge_bytes;         /* part of memory_bytes in huge pages, as reported by the kernel */
    struct kn_stats seconds;     /* times of the timed runs */
    double cpu_seconds_min;      /* the least CPU time of the slowest thread, of all complete runs */
    double mb_per_s;             /* bytes / least time / 1e6 */
    double mb_per_s_hmean,
        mb_per_s_hstderr;            /* harmonic mean over the runs and its standard error (Spatter 1) */
    double stream_share;             /* mb_per_s / STREAM's on this machine, NAN when not measured */
    double worst_error;              /* largest relative error found by the validation */
    struct pe_tally counts;          /* mean over the timed runs; NAN: not counted here */
    bool counts_hardware;            /* some of them are of the processors or memory controllers */
    char no_counts[KN_COUNTS_BYTES]; /* which of these are not there, and the remedy; "" all are */
    double *run_seconds;             /* [seconds.len], owned */
    unsigned warmups;
    bool steady; /* the warm-up ended because times were steady, not because it was long enough */
    bool valid;  /* results agree with a naive model */
    char invalid[KN_ADVICE_BYTES]; /* why not */
    char advice[KN_ADVICE_BYTES];  /* a faster alternative, "" when none is known */
    struct kn_trial trials[KN_TRIALS_MAX];
    unsigned trials_len;
};

/* Free everything that r owns; r may be all zero. */
void kn_result_fini(struct kn_result *r);

#endif
