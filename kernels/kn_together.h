/* SPDX-License-Identifier: BSD-3-Clause */
/* Run several gather/scatter configurations at once: each thread does a few accesses of one, then of the
 * next, in turn, until all have ended together, as the loop does that they come from. What a loop reads
 * beside a gather takes caches and buffers from it; one after the other patterns do not show that. */
#ifndef KN_TOGETHER_H
#define KN_TOGETHER_H

#include "kernels/kn_replay.h"

/* What len configurations, one at least, need together, before anything is allocated: an array of several
 * counts once.
 * Errors: those of kn_replay_need; LS_ERR_UNSUPPORTED for one that copies through a dense buffer, naming it
 * by its number; LS_ERR_RANGE for an array of several patterns that does not fit 63 bits of bytes, naming it.
 * Thread: any.  Signal: not safe. */
ls_err kn_together_need(const struct pat_config *rows, size_t len, const struct kn_options *o,
                        struct kn_replay_need *out);

/* Allocate, warm up, measure, validate, free. Bytes, memory and times of out are of all rows together; the
 * runs are the most that one of them asks for. out->kernel stays NULL, and there are no trials: those are of
 * one pattern.
 * Owns:   the caller ends *out with kn_result_fini, also after a failure.
 * Errors: those of kn_together_need and kn_replay_run.
 * Thread: one at a time in a process.  Signal: not safe. */
ls_err kn_together_run(const struct pat_config *rows, size_t len, const struct kn_options *o,
                       struct kn_result *out);

#endif
