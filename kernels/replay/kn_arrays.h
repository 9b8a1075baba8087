/* SPDX-License-Identifier: BSD-3-Clause */
/* A configuration worked out (sides, sizes, shares of the threads) and its arrays: allocated, filled by the
 * threads that use them, handed to the moving loops. */
#ifndef KN_ARRAYS_H
#define KN_ARRAYS_H

#include "kernels/kn_backend.h"
#include "kernels/kn_memory.h"
#include "kernels/replay/kn_job.h"
#include "kernels/kn_values.h"
#include "patterns/pat_config.h"
#include "patterns/pat_extent.h"

/* ---- a plan ---- */

/* Needs of a configuration, known before anything is allocated. */
struct kn_replay_need {
    uint64_t bytes;        /* published count of one run */
    uint64_t memory_bytes; /* data, dense buffers and index arrays together */
    uint64_t iterations;   /* elements moved in one run */
};

struct kn_plan;

/* One sparse array and how it is walked. */
struct kn_plan_side {
    bool used;
    const struct kn_plan *apart;     /* its plan, where each thread begins at its own element; else NULL */
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
    bool adds; /* scatters add to their destination, which begins with zeroes */
    struct kn_replay_need need;
};

/* Owns:   out points into c and into itself: neither may move.
 * Errors: as for kn_replay_need. */
ls_err kn_plan_init(struct kn_plan *out, const struct pat_config *c, const struct kn_options *o,
                    unsigned threads);

/* First row of share s: shares differ by one row at most. */
uint64_t kn_plan_begin(const struct kn_plan *p, unsigned s);
/* Return the distance of the rows of share s, in elements, from the places that the deltas alone give; 0 unless
 * threads are apart (pat_config_is_apart). */
int64_t kn_plan_shift(const struct kn_plan *p, unsigned s);
/* The index that element j of a row uses. */
static inline int64_t kn_plan_index(const struct kn_plan_side *s, size_t j)
{
    const int64_t i = s->outer.data[j];
    return s->inner.len ? s->inner.data[i] : i;
}
/* The element at which row i begins. */
int64_t kn_plan_base(const struct kn_plan_side *s, uint64_t i);

/* ---- arrays ---- */

/* The indices of one side in both widths; 64 bits are the configuration's own. */
struct kn_narrow {
    int32_t *outer, *inner; /* NULL until kn_arrays_narrow */
};

struct kn_arrays {
    const struct kn_plan *plan;
    const struct kn_backend *backend;
    enum kn_pages pages;
    struct kn_block from, to, dense;
    uint64_t dense_stride_bytes; /* from one thread's copy to the next: no line is shared */
    struct kn_narrow narrow_from, narrow_to;
    struct kn_runs runs_from, runs_to; /* runs of equal steps */
    struct kn_part *parts;             /* [plan->threads] */
    uint64_t *sums;                    /* [plan->threads], of reductions */
    bool linked;                       /* elements of from hold addresses (kn_chain_link), not values */
};

/* Owns:   out points to plan and backend; the caller ends it with kn_arrays_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err kn_arrays_init(struct kn_arrays *out, const struct kn_plan *plan, const struct kn_backend *backend,
                      enum kn_pages pages);
/* Like kn_arrays_init, but the only sparse side of plan uses existing memory: the lowest element of its extent
 * is the first one of lent. Owns: lent's memory is the caller's, and must outlive out. Errors: LS_ERR_NOMEM. */
ls_err kn_arrays_init_in(struct kn_arrays *out, const struct kn_plan *plan, const struct kn_backend *backend,
                         enum kn_pages pages, const struct kn_block *lent);
void kn_arrays_fini(struct kn_arrays *a);
/* Move part, one of a's or a copy, to the rows [begin, end). */
void kn_arrays_move_part(const struct kn_arrays *a, struct kn_part *part, uint64_t begin, uint64_t end);
/* Restore the values of all elements, as after kn_arrays_init. */
void kn_arrays_fill(struct kn_arrays *a);
/* Make the 32-bit indices when they are not there.  Errors: LS_ERR_NOMEM. */
ls_err kn_arrays_narrow(struct kn_arrays *a);
/* Free the 32-bit indices. */
void kn_arrays_forget_narrow(struct kn_arrays *a);
/* Return the job with indices of index_bits; 32 needs a previous kn_arrays_narrow. */
struct kn_job kn_arrays_job(const struct kn_arrays *a, unsigned index_bits);
/* Element e of a side's array, which begins at extent.low. */
uint64_t kn_arrays_get(const struct kn_arrays *a, const struct kn_plan_side *s, int64_t e);

/* ---- dependent loads as a list in memory ---- */

/* Dependent loads as a list in memory: each element holds the address of the element that is loaded next,
 * like the nodes of a program's list. Only the elements are read; a separate list of indices would be another
 * stream through the caches, which changes how long the loads wait. */

/* Can p's loads be linked? Only chases of one level can, with elements as wide as addresses, and not too many
 * of them. */
bool kn_chain_fits(const struct kn_plan *p);

/* Link the elements of a, in the order of the pattern, the last to the first, and set a->linked. Not where an
 * element would need two successors: then the elements are as kn_arrays_init left them, and a->linked is
 * false. a's plan fits. */
void kn_chain_link(struct kn_arrays *a);

/* Return the contents of element j of row i, which begins at element base, once a is linked: an address. */
uint64_t kn_chain_after(const struct kn_arrays *a, uint64_t i, size_t j, int64_t base);

#endif
