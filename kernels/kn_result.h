/* SPDX-License-Identifier: BSD-3-Clause */
/* Result of a kernel's run: statistics, variant that ran, times, validation; how it is measured. */
#ifndef KN_RESULT_H
#define KN_RESULT_H

#include "kernels/kn_backend.h"
#include "perf/pe_count.h"

#include <stddef.h>

/* ---- statistics of repeated measurements ---- */

/* All NAN when there is nothing to describe. */
struct kn_stats {
    size_t len;
    double min, quartile1, median, quartile3, max, mean, deviation;
};

/* Describe values[0..len). Quartiles by linear interpolation between order statistics; deviation is the
 * sample's (n - 1). Owns:   sorts nothing of the caller's. Errors: none; without memory for a sorted copy
 * only min, max and mean are set. */
struct kn_stats kn_stats_of(const double *values, size_t len);

/* len / sum(1/v); NAN when len is 0 or a value is not positive. */
double kn_harmonic_mean(const double *values, size_t len);
/* hmean^2 * sigma(1/v) / sqrt(len), which Spatter 1 prints as H.StdErr; NAN when len < 2. */
double kn_harmonic_stderr(const double *values, size_t len);
/* Pearson's R = cov(x, y) / (std(x) std(y)) (Spatter paper, equation 1); NAN when len < 2 or one of them is
 * constant. */
double kn_pearson_r(const double *x, const double *y, size_t len);

/* ---- a result ---- */

struct kn_kernel;

enum {
    KN_VARIANT_BYTES = 64,
    KN_ADVICE_BYTES = 320,
    KN_INVALID_BYTES = 200,
    KN_COUNTS_BYTES = 512,
    KN_TRIALS_MAX = 24
};

/* The work of one rank, where several run a kernel together (kn_ranks.h). */
struct kn_rank_row {
    char host[64], processors[64]; /* processors: "0-3", "" where others of this node may use the same */
    char variant[KN_VARIANT_BYTES];
    char invalid[KN_INVALID_BYTES]; /* "": its result agrees with a naive model */
    uint64_t bytes, bytes_with_indices, flops, memory_bytes, huge_bytes;
    uint32_t threads;
    double seconds_min, seconds_mean; /* its own runs */
    double worst_error;
};

/* One candidate of the trial that chose the variant; its rate is of CPU time (kn_share_time.h) unless its tries are short. */
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
    enum kn_pin pin;        /* pinning in effect, never AUTO */
    unsigned index_bits;    /* 0: the elements were linked */
    unsigned element_bytes; /* 0: of several sizes */
    unsigned threads;
    uint64_t bytes;              /* bytes a run, as published; mb_per_s is based on them */
    uint64_t bytes_with_indices; /* bytes a run, including index loads */
    uint64_t flops;              /* floating-point operations a run */
    uint64_t memory_bytes;       /* allocated */
    uint64_t huge_bytes;         /* part of memory_bytes in huge pages, as reported by the kernel */
    struct kn_stats seconds;     /* times of the timed runs */
    double cpu_seconds_min;      /* the least CPU time of the busiest thread, of all timed runs */
    double mb_per_s;             /* bytes / least time / 1e6 */
    double mb_per_s_hmean,
        mb_per_s_hstderr;    /* harmonic mean over the runs and its standard error (Spatter 1) */
    double mb_per_s_regular; /* with regular stores, if need be of another variant; NAN: not measured */
    double stream_share;     /* mb_per_s / STREAM's on this machine, NAN when not measured */
    double worst_error;      /* largest relative error found by the validation */
    struct pe_tally counts;  /* mean over the timed runs; NAN: not counted here */
    bool counts_hardware;    /* some of them are of the processors or memory controllers */
    char no_counts[KN_COUNTS_BYTES]; /* counters that are not available, and the remedy; "": all are */
    double *run_seconds;             /* [seconds.len], owned */
    unsigned repeats; /* runs between two readings of the clock: short ones are timed together */
    /* timed runs that other programs slowed down, after the ones below; 0 where only the least time counts and some runs were
     * not interrupted */
    unsigned interrupted;
    unsigned repeated;    /* interrupted runs that do not count, because another run replaced them */
    bool trial_disturbed; /* other programs run: the trial used one share, and counts only while they do */
    bool remembered;      /* the variant is that of an earlier trial (kn_options.choices) */
    unsigned warmups;
    bool steady; /* the warm-up ended because times were steady, not because it was long enough */
    bool valid;  /* results agree with a naive model */
    char invalid[KN_ADVICE_BYTES]; /* why not */
    char advice[KN_ADVICE_BYTES];  /* a faster alternative, "" when none is known */
    struct kn_trial trials[KN_TRIALS_MAX];
    unsigned trials_len;
    double own_seconds_min, own_seconds_mean; /* this rank; seconds are the slowest one's */
    unsigned ranks, nodes;                    /* 0: one process */
    struct kn_rank_row *rank_rows;            /* [ranks], on rank 0, owned */
};

/* Free everything that r owns; r may be all zero. */
void kn_result_fini(struct kn_result *r);

/* ---- the course of a measurement ---- */

/* The course of a measurement, the same for every kernel: warm up until steady, then timed runs. */

/* The time of one run, from that of turn.repeats runs in succession. */
typedef struct kn_span kn_once(void *arg, struct kn_turn turn);

/* Runs shorter than this are repeated between two readings of the clock, whose own time is then negligible. */
#define KN_SHORT_SECONDS 20e-6
#define KN_SHORT_SECONDS_OF_RANKS 1e-3

/* KN_WARMUPS_SHORT: of runs that take some milliseconds together */
enum { KN_WARMUPS_MAX = 10, KN_WARMUPS_SHORT = 100, KN_RUNS = 10 };

/* Warm up until no time is shorter than an earlier one by 3 % and the last three are equal within 3 %, which o->times_only does
 * not need, then runs timed ones; fills the times of r. Interrupted runs are repeated, as many as there are runs at most, and with
 * o->times_only only a few, until some were not interrupted; ten long runs or more then warm up once. r->counts is set
 * unless o->times_only; o also has the limit of warm-ups. Ranks begin each run together, and its time is that
 * of the slowest one.
 * Owns:   r->run_seconds, freed by kn_result_fini.  Errors: LS_ERR_NOMEM. */
ls_err kn_measure(kn_once *once, void *arg, const struct kn_options *o, unsigned runs, struct kn_result *r);

/* Join the results of all ranks. Bytes, operations and memory are summed. A rate is the sum of the bytes divided by the
 * time of the slowest rank. The result is valid if every rank's is valid. Without ranks, r stays as it is.
 * Owns:   r->rank_rows, freed by kn_result_fini.  Errors: as kn_ranks_agree. */
ls_err kn_result_join(struct kn_ranks *ranks, struct kn_result *r);

#endif
