/* SPDX-License-Identifier: BSD-3-Clause */
/* STREAM and RaiderSTREAM: run kernels of the table on three arrays and measure them. */
#ifndef KN_STREAM_H
#define KN_STREAM_H

#include "kernels/kn_kernel.h"
#include "kernels/kn_result.h"

#include <stddef.h>

/* Stride of the kernels that skip elements; share and extent of the hot spots. */
enum { KN_STREAM_STRIDE = 8, KN_STREAM_HOT_OF = 1024 };
#define KN_STREAM_HOT_SHARE 0.9

struct kn_stream_options {
    struct kn_options run;
    uint64_t elements; /* elements of an array; 0: by the run rule */
    uint64_t stride;   /* 0: KN_STREAM_STRIDE */
    double hot_share;  /* 0: KN_STREAM_HOT_SHARE */
    uint64_t hot_len;  /* elements; 0: one of KN_STREAM_HOT_OF */
    bool reaches_all;  /* indices reach the elements of all ranks (kn_reach.h) */
};

struct kn_stream_need {
    uint64_t elements;         /* an array */
    uint64_t memory_bytes;     /* all arrays */
    uint64_t rule_elements;    /* STREAM's run rule: 4 times all last-level caches, 1 M elements at least */
    uint64_t last_level_bytes; /* sum of all last-level caches; 0: unknown */
};

/* Errors: LS_ERR_UNSUPPORTED for an element size that there is not, LS_ERR_RANGE when the arrays do not fit
 * 63 bits. */
ls_err kn_stream_need(const struct kn_kernel *const *kernels, size_t len, const struct kn_stream_options *o,
                      struct kn_stream_need *out);

/* Allocate, run each kernel by itself (trial, warm-up, timed runs), validate it, free. results has room for
 * len.
 * Owns:   the caller ends each of results[0..len) with kn_result_fini, also after a failure.
 * Errors: as for kn_stream_need; LS_ERR_NOMEM with the needed and the available memory; LS_ERR_UNSUPPORTED.
 * Thread: one at a time in a process. */
ls_err kn_stream_run(const struct kn_kernel *const *kernels, size_t len, const struct kn_stream_options *o,
                     struct kn_result *results);

/* STREAM triad's MB/s on all threads of o by the run rule: the reference for rates of patterns. stores AUTO:
 * the best of the machine; REGULAR: as STREAM's own program, the reference of the papers.
 * Errors: as for kn_stream_run.  Thread: one at a time in a process. */
ls_err kn_stream_reference(const struct kn_options *o, enum kn_stores stores, double *out_mb_per_s);

#endif
