/* SPDX-License-Identifier: BSD-3-Clause */
/* The place of a process in a parallel job, as launchers tell it in the environment.
 *
 * Signal: not safe. */
#ifndef LS_RANK_H
#define LS_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct ls_rank {
    const char *variable; /* that named it; NULL: no rank */
    uint32_t rank;
    uint32_t ranks_len; /* of the job, 0 when not known */
};

/* Look into the environment through get (getenv). False: no parallel job, *out says so.
 * Thread: as get. */
bool ls_rank_find(char *(*get)(const char *name), struct ls_rank *out);

#endif
