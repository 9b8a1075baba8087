/* SPDX-License-Identifier: BSD-3-Clause */
/* A configuration worked out: sides, sizes, the shares of the threads; nothing allocated for data yet. */
#ifndef KN_PLAN_H
#define KN_PLAN_H

#include "kernels/replay/kn_job.h"
#include "kernels/replay/kn_replay.h"
#include "kernels/kn_values.h"
#include "patterns/pat_config.h"
#include "patterns/pat_extent.h"

/* One sparse array and how it is walked. */
struct kn_plan_side {
    bool used;
    struct pat_indices outer, inner; /* the configuration's own; inner.len 0: one level */
    struct pat_extent extent;
    const struct pat_indices *deltas; /* the configuration's list; len 0: delta alone */
    int64_t delta;
    const int64_t *steps; /* into the configuration or at delta */
    size_t steps_len;
    struct kn_fold fold; /* fold of the indices if there is one level */
    enum kn_salt salt;
    uint64_t elements;
};

struct kn_plan {
    const struct pat_config *config;
    struct kn_plan_side from, to; /* gathers use from, scatters to, gs both */
    size_t len;
    uint64_t count, wrap;
    uint64_t dense_elements; /* elements in one copy, 0 for gs */
    unsigned dense_copies;
    unsigned element_bytes, threads;
    bool indices_fit_32_bits, rows_may_be_jammed;
    struct kn_replay_need need;
};

/* Owns:   out points into c and into itself: neither may move.
 * Errors: as for kn_replay_need. */
ls_err kn_plan_init(struct kn_plan *out, const struct pat_config *c, const struct kn_options *o,
                    unsigned threads);

/* First row of share s: shares differ by one row at most. */
uint64_t kn_plan_begin(const struct kn_plan *p, unsigned s);
/* The index that element j of a row uses. */
int64_t kn_plan_index(const struct kn_plan_side *s, size_t j);
/* The element at which row i begins. */
int64_t kn_plan_base(const struct kn_plan_side *s, uint64_t i);

#endif
