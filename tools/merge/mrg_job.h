/* SPDX-License-Identifier: BSD-3-Clause */
/* Sum the profiles of the ranks of a job up: one profile whose size hardly grows with the ranks (doc/scale.md). Files
 * are ordinary profiles of ranks, or such sums; the result does not depend on their order, or on how they were summed
 * up before, and a rank counts once.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef MRG_JOB_H
#define MRG_JOB_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MRG_MISSING_BYTES = 128 };

struct mrg_options {
    const char *const *paths;
    size_t paths_len;
    const char *output_path;
    bool force;
    uint64_t every; /* keep the samples of one rank in `every`; 0: outliers only */
    /* Receives a line with the reason for each file or rank that is left out. */
    void (*warn)(void *user, const char *text);
    void *user;
};
struct mrg_stats {
    size_t files, ranks, kept;
    uint64_t ranks_len;              /* ranks of the job, 0: not known */
    char missing[MRG_MISSING_BYTES]; /* ranks of the job that no file has: "3, 10 to 19, ..." */
};

/* Is the profile such a sum? False if it cannot be read. */
bool mrg_is_sum(const char *path);

/* Errors: LS_ERR_NOT_FOUND: no file has ranks; as of prof_writer_new. Nothing is written then. */
ls_err mrg_sum_up(const struct mrg_options *options, struct mrg_stats *out);

#endif
