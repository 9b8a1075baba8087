/* SPDX-License-Identifier: BSD-3-Clause */
/* Run the loops of a replay on all threads, and find the fastest of several variants by trial.
 *
 * Unless noted otherwise: Thread: any.  Signal: not safe. */
#ifndef KN_TRIAL_H
#define KN_TRIAL_H

#include "kernels/replay/kn_arrays.h"
#include "kernels/kn_result.h"
#include "kernels/kn_share_time.h"
#include "kernels/replay/kn_variant.h"

/* ---- loops of a replay on all threads ---- */

struct kn_runner {
    const struct kn_arrays *arrays;
    kn_move *move;
    struct kn_job job;
    uint64_t rows_max;           /* limit for each share; UINT64_MAX: all rows */
    unsigned repeats;            /* how often each share is moved in a run; 0 is 1 */
    bool sweeps;                 /* a try takes the rows after the earlier tries, not the first rows */
    uint64_t tries;              /* so far */
    bool is_alone;               /* tries run the largest share only, in the calling thread */
    struct kn_share_time *times; /* [threads], NULL: not measured */
};

/* A runner of v's loop over all of a, without times. fence: a release fence ends each share.
 * Owns:   nothing: a and v must outlive the runner.  Thread: any.  Signal: not safe. */
struct kn_runner kn_runner_of(const struct kn_arrays *a, const struct kn_variant *v, bool fence);
/* Time runs of arg, which is a kn_runner (kn_once).
 * Thread: one at a time (threads of the backend run the shares).  Signal: not safe. */
struct kn_span kn_runner_time(void *arg, struct kn_turn turn);
/* Time a try, for choices: its seconds are the slowest share's for its rows, by the CPU clock if r->times is there, or by
 * the wall clock, which notices no interruption.
 * Thread: as kn_runner_time.  Signal: not safe. */
struct kn_span kn_runner_try(struct kn_runner *r);
/* Set r so that a try takes about a millisecond, or some microseconds where all rows take less, and finds its rows in the
 * caches in which the whole job does. Short tries are timed by the wall clock (r->times is then NULL), because a reading of the CPU
 * clock evicts lines; very short ones run one share alone, because several threads would mostly wait.
 * Thread: as kn_runner_time.  Signal: not safe. */
void kn_runner_shorten(struct kn_runner *r);

/* Find the fastest of candidates (one at least) on some rows of every share, each tried up to four times
 * in turn; the results go to r->trials. A single candidate is not tried; only the first KN_TRIALS_MAX are.
 * If r->trial_disturbed is set, other programs run: threads would wait for each other at each try, so that one share is tried
 * alone, by its CPU time, and no try is repeated. It is set if other programs interrupt all tries of a candidate.
 * Owns:   nothing: the result is one of candidates.
 * Thread: as kn_runner_time.  Signal: not safe. */
const struct kn_variant *kn_trial(const struct kn_arrays *a, const struct kn_variant *const *candidates,
                                  size_t len, struct kn_result *r);

/* ---- validation ---- */

/* Check the arrays after a replay against a naive, serial model. */

/* Check the destination after complete runs: all of it if that is cheap, otherwise the ends of every thread's
 * share and random elements. If several threads write an element, the last store of any of them is accepted.
 * Sets r->valid and r->invalid. */
void kn_validate(const struct kn_arrays *a, struct kn_result *r);

#endif
