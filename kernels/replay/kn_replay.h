/* SPDX-License-Identifier: BSD-3-Clause */
/* Run one gather/scatter configuration (patterns/pat_config.h) and measure it. */
#ifndef KN_REPLAY_H
#define KN_REPLAY_H

#include "kernels/kn_result.h"
#include "kernels/replay/kn_arrays.h"
#include "patterns/pat_config.h"

struct kn_ranks_info;

/* Errors: LS_ERR_RANGE when an address or a size does not fit 63 bits, LS_ERR_ARG for a configuration without
 * indices, with count or wrap 0, or with gather and scatter patterns of unequal length; all name the
 * configuration. */
ls_err kn_replay_need(const struct pat_config *c, const struct kn_options *o, struct kn_replay_need *out);

/* Check that c can run by o: its need of memory, here or on the device of o. label names c in messages.
 * Errors: as for kn_replay_run. */
ls_err kn_replay_check(const struct pat_config *c, const struct kn_options *o, const char *label);

/* Allocate, warm up, measure, validate, free. A result that fails its validation is not an error: out->valid
 * is then false.
 * Owns:   the caller ends *out with kn_result_fini, also after a failure.
 * Errors: as for kn_replay_need; LS_ERR_NOMEM with the needed and the available memory; LS_ERR_UNSUPPORTED
 *         for a backend, an instruction set, an index width or a number of threads that is not available,
 *         with the available ones.
 * Thread: one at a time in a process. */
ls_err kn_replay_run(const struct pat_config *c, const struct kn_options *o, struct kn_result *out);

/* ---- ranks ---- */

/* A configuration on several ranks: weak scaling, where each runs all of it, or strong scaling, where they
 * split its iterations, or its indices as Spatter 1 does, into contiguous parts. */
enum kn_scaling { KN_SCALING_WEAK, KN_SCALING_COUNT, KN_SCALING_PATTERN };

struct kn_split {
    struct pat_config config; /* the part of this rank; points into the whole and into turned */
    int64_t *turned[3];       /* lists of deltas that begin elsewhere */
};

/* Owns:   the caller ends out with kn_split_fini, also after a failure, and does not end out->config.
 * Errors: LS_ERR_RANGE when there are more ranks than parts; LS_ERR_NOMEM. */
ls_err kn_split_init(struct kn_split *out, const struct pat_config *whole, enum kn_scaling scaling,
                     const struct kn_ranks_info *info);
void kn_split_fini(struct kn_split *s);

#endif
