/* SPDX-License-Identifier: BSD-3-Clause */
/* record --per-node: the ranks of a machine write one profile together.
 *
 *     name.HOST.h5.ranks/RANK.h5     the profile of a rank that has ended
 *     name.HOST.h5.ranks/RANK.lock   contains the job, and is locked by flock while the rank runs: a rank that is killed
 *                                    releases it
 *     name.HOST.h5.ranks/lock        locked while a rank begins, or looks whether it is the last one
 *
 * The last rank that ends sums the profiles up, and removes the directory. Without a launcher in the environment
 * (loadstone record --per-node -- mpirun PROGRAM) there is one recording of all ranks, which is summed up.
 *
 * Thread: one. */
#ifndef REC_NODE_H
#define REC_NODE_H

#include "common/ls_env.h"
#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>

enum { REC_NODE_JOB_BYTES = 64 };

struct rec_node {
    char output[PATH_MAX]; /* the machine's */
    char dir[PATH_MAX];
    char part[PATH_MAX]; /* the profile of this recording */
    struct ls_rank rank; /* variable NULL: no rank */
    bool force;
    uint64_t every; /* keep the samples of one rank in `every`, and outliers; 0: outliers only */
    int lock_fd;
    char job
        [REC_NODE_JOB_BYTES]; /* the same for all ranks of a job on this machine, and for no other job; "": not known */
};

/* The name of the machine's file and of this recording's part.  Errors: LS_ERR_RANGE: too long. */
ls_err rec_node_name(const char *output, bool force, struct rec_node *out);
/* Make the directory, remove the files of an earlier job from it, and show that this rank runs.
 * Errors: LS_ERR_EXISTS: another recording of the rank, or another job, runs; LS_ERR_BUSY: the lock is not released. */
ls_err rec_node_begin(struct rec_node *n);
/* This rank has ended, and its part is written, or could not be. The last one writes the file of the machine. False: it
 * could not be written; the reason is printed, and how to try again. */
bool rec_node_end(struct rec_node *n);

#endif
