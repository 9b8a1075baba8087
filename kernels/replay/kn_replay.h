/* SPDX-License-Identifier: BSD-3-Clause */
/* Run one gather/scatter configuration (patterns/pat_config.h) and measure it. */
#ifndef KN_REPLAY_H
#define KN_REPLAY_H

#include "kernels/kn_result.h"
#include "kernels/replay/kn_arena.h"

struct pat_config;

/* Errors: LS_ERR_RANGE when an address or a size does not fit 63 bits, LS_ERR_ARG for a configuration without
 * indices, with count or wrap 0, or with gather and scatter patterns of unequal length; all name the
 * configuration. */
ls_err kn_replay_need(const struct pat_config *c, const struct kn_options *o, struct kn_replay_need *out);

/* Allocate, warm up, measure, validate, free. A result that fails its validation is not an error: out->valid
 * is then false.
 * Owns:   the caller ends *out with kn_result_fini, also after a failure.
 * Errors: as for kn_replay_need; LS_ERR_NOMEM with the needed and the available memory; LS_ERR_UNSUPPORTED
 *         for a backend, an instruction set, an index width or a number of threads that is not available,
 *         with the available ones.
 * Thread: one at a time in a process. */
ls_err kn_replay_run(const struct pat_config *c, const struct kn_options *o, struct kn_result *out);

#endif
