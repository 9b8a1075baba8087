/* SPDX-License-Identifier: BSD-3-Clause */
/* Run several gather/scatter configurations at once: each thread does a few accesses of one, then of the
 * next, in turn, until all have ended together, as the loop does that they come from. What a loop reads
 * beside a gather takes caches and buffers from it; one after the other patterns do not show that. */
#ifndef KN_TOGETHER_H
#define KN_TOGETHER_H

#include "kernels/kn_result.h"

struct pat_config;

/* May a configuration take turns? Errors: LS_ERR_UNSUPPORTED for one that copies through a dense buffer,
 * naming it by its number. Thread: any.  Signal: not safe. */
ls_err kn_together_check(const struct pat_config *c, size_t number);

/* Allocate, warm up, measure, validate, free. Bytes, memory and times of out are of all rows together; the
 * runs are the most that one of them asks for. Owns:   the caller ends *out with kn_result_fini, also after a
 * failure. Errors: those of kn_together_check and kn_replay_run; LS_ERR_RANGE for an array of several
 * patterns that does not fit the address space, naming it. Thread: one at a time in a process.  Signal: not
 * safe. */
ls_err kn_together_run(const struct pat_config *rows, size_t len, const struct kn_options *o,
                       struct kn_result *out);

#endif
