/* SPDX-License-Identifier: BSD-3-Clause */
/* Run several gather/scatter configurations at once: each thread does a few accesses of one, then of the
 * next, in turn, until all have ended together, like the loop that they come from. Loads of a loop other than
 * its gather use caches and buffers, too; patterns that run one after the other do not show that. */
#ifndef KN_TOGETHER_H
#define KN_TOGETHER_H

#include "kernels/replay/kn_replay.h"

/* ---- configurations in turn ---- */

/* Compute the joint needs of len configurations, at least one, before anything is allocated: an array that
 * several use counts once.
 * Errors: as for kn_replay_need; LS_ERR_UNSUPPORTED for one that copies through a dense buffer, naming it by
 *         its number; LS_ERR_RANGE for an array of several patterns that does not fit 63 bits of bytes,
 *         naming it.
 * Thread: any.  Signal: not safe. */
ls_err kn_together_need(const struct pat_config *rows, size_t len, const struct kn_options *o,
                        struct kn_replay_need *out);

/* Allocate, warm up, measure, validate, free. Bytes, memory and times of out are totals over all rows; the
 * number of runs is the maximum that a row requests; element_bytes is 0 where rows have different ones. out->kernel stays NULL and there are no trials, since a
 * trial covers one pattern only.
 * Owns:   the caller ends *out with kn_result_fini, also after a failure.
 * Errors: as for kn_together_need and kn_replay_run.
 * Thread: one at a time in a process.  Signal: not safe. */
ls_err kn_together_run(const struct pat_config *rows, size_t len, const struct kn_options *o,
                       struct kn_result *out);

#endif
