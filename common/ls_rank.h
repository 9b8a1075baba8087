/* SPDX-License-Identifier: BSD-3-Clause */
/* The rank of a process in a parallel job, from environment variables of the launcher.
 *
 * Signal: not safe. */
#ifndef LS_RANK_H
#define LS_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct ls_rank {
    const char *variable; /* the variable it was read from; NULL: no rank */
    uint32_t rank;
    uint32_t ranks_len; /* number of ranks in the job, 0 when not known */
};

/* Find the rank in the environment, through get (getenv). False: no parallel job; out->variable is NULL then.
 * Thread: as get. */
bool ls_rank_find(char *(*get)(const char *name), struct ls_rank *out);

#endif
