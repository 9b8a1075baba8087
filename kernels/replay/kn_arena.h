/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrays of a plan: allocated, filled by the threads that use them, handed to the moving loops. */
#ifndef KN_ARENA_H
#define KN_ARENA_H

#include "kernels/kn_backend.h"
#include "kernels/kn_memory.h"
#include "kernels/replay/kn_plan.h"

/* The indices of one side in both widths; 64 bits are the configuration's own. */
struct kn_narrow {
    int32_t *outer, *inner; /* NULL until kn_arena_narrow */
};

struct kn_arena {
    const struct kn_plan *plan;
    const struct kn_backend *backend;
    struct kn_block from, to, dense;
    uint64_t dense_stride_bytes; /* from one thread's copy to the next: no line is shared */
    struct kn_narrow narrow_from, narrow_to;
    struct kn_runs runs_from, runs_to; /* runs of equal steps */
    struct kn_part *parts;             /* [plan->threads] */
    uint64_t *sums;                    /* [plan->threads], of reductions */
    bool linked;                       /* elements of from hold addresses (kn_chain.h), not values */
};

/* Owns:   out points to plan and backend; the caller ends it with kn_arena_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err kn_arena_init(struct kn_arena *out, const struct kn_plan *plan, const struct kn_backend *backend,
                     enum kn_pages pages);
/* As kn_arena_init, but the one sparse side of plan uses existing memory: its extent's lowest element is the
 * first of lent.
 * Owns:   lent's memory is the caller's, and must outlive out.
 * Errors: LS_ERR_NOMEM. */
ls_err kn_arena_init_in(struct kn_arena *out, const struct kn_plan *plan, const struct kn_backend *backend,
                        enum kn_pages pages, const struct kn_block *lent);
void kn_arena_fini(struct kn_arena *a);
/* Every element its value again, as kn_arena_init leaves them. */
void kn_arena_fill(struct kn_arena *a);
/* Make the 32-bit indices when they are not there.  Errors: LS_ERR_NOMEM. */
ls_err kn_arena_narrow(struct kn_arena *a);
/* The 32-bit indices are not needed any more. */
void kn_arena_forget_narrow(struct kn_arena *a);
/* The job with indices of index_bits; kn_arena_narrow came before for 32. */
struct kn_job kn_arena_job(const struct kn_arena *a, unsigned index_bits);
/* Element e of a side's array, which begins at extent.low. */
uint64_t kn_arena_get(const struct kn_arena *a, const struct kn_plan_side *s, int64_t e);

#endif
