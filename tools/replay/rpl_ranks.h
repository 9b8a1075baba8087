/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that run as ranks of a parallel job: replay, stream and study. */
#ifndef RPL_RANKS_H
#define RPL_RANKS_H

#include "kernels/kn_ranks.h"
#include "kernels/kn_result.h"
#include "common/ls_json.h"

#include <stdio.h>

/* ---- options ---- */

#define RPL_RANKS_TIMEOUT_HELP "the longest that a rank of a parallel job waits for the others"
#define RPL_RANKS_TIMEOUT_DEFAULT "10min"

/* ---- the job ---- */

/* Start the ranks that the launcher's environment or o->backend (mpi, shmem) asks for, and set o->ranks, which
 * stays NULL where neither does. o->backend is then that of the threads. Only rank 0 prints from here on.
 * Owns:   o->ranks, which rpl_ranks_end ends.
 * Errors: LS_ERR_NOT_FOUND where the module is missing, others of kn_ranks_new. */
ls_err rpl_ranks_begin(struct kn_options *o, uint64_t timeout_ns);

/* Check that `hash`, of everything that ranks must have in common, is the same on all of them; own is this
 * rank's result so far.
 * Errors: own, or that of another rank; LS_ERR_ARG. */
ls_err rpl_ranks_same(struct kn_ranks *ranks, uint64_t hash, ls_err own);

/* Print err, once for all ranks that have it, and return the exit status; LS_OK: CLI_OK. An error that only
 * this rank has ends all ranks. */
int rpl_ranks_fail(struct kn_ranks *ranks, ls_err err);

/* Leave the job. */
void rpl_ranks_end(struct kn_options *o);

/* ---- results ---- */

/* Compute the averages over the ranks of r for Spatter's columns; r->ranks is not 0. */
struct rpl_ranks_means {
    double bytes, seconds, mb_per_s; /* one rank on average */
};
struct rpl_ranks_means rpl_ranks_means_of(const struct kn_result *r);

/* Write the ranks of r as an object; nothing without ranks. */
void rpl_ranks_json(struct ls_json *j, const struct kn_result *r);

/* Print the number of ranks, and the fastest and the slowest one: lines that begin with label. Nothing without
 * ranks. */
void rpl_ranks_print(const struct kn_options *o, FILE *out);
void rpl_ranks_print_spread(const struct kn_result *r, FILE *out);

#endif
