/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of work that know nothing of each other, on all processors that this process may use. */
#ifndef PAT_PARALLEL_H
#define PAT_PARALLEL_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

struct pat_jobs {
    size_t len;
    ls_err (*run)(void *user, size_t i);
    /* What job i weighs, memory say; jobs at work together weigh no more than weight_max, but one always may.
     * NULL: nothing. */
    uint64_t (*weigh)(const void *user, size_t i);
    uint64_t weight_max;
    void *user;
};

/* Calls run for each i below len, begun in that order, on this thread and others; returns when all are done.
 * After a failure no further job begins.
 * Errors: that of the failed job with the least number, with its text. */
ls_err pat_parallel(const struct pat_jobs *jobs);

#endif
