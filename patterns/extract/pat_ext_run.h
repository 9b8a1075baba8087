/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of one row: so many accesses in succession by one distance. */
#ifndef PAT_EXT_RUN_H
#define PAT_EXT_RUN_H

#include <stddef.h>
#include <stdint.h>

struct pat_ext_run {
    int64_t distance;
    uint64_t len; /* accesses */
};

/* Runs of one row, one after the other. */
struct pat_ext_runs {
    const struct pat_ext_run *data;
    size_t len;
    uint32_t weight; /* how often short ones count: pat_ext_tally_weigh */
};

/* Without the first n. */
static inline struct pat_ext_runs pat_ext_runs_from(struct pat_ext_runs runs, size_t n)
{
    return (struct pat_ext_runs){runs.data + n, runs.len - n, runs.weight};
}

/* Of INT64_MIN, too. */
static inline uint64_t pat_ext_magnitude(int64_t distance)
{
    return distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
}

#endif
