/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of one row: as many accesses in succession by one distance.  Thread: any.  Signal: safe. */
#ifndef PAT_EXT_RUN_H
#define PAT_EXT_RUN_H

#include <stdint.h>

struct pat_ext_run {
    int64_t distance;
    uint64_t len; /* accesses */
};

/* Of INT64_MIN, too.  Errors: none. */
static inline uint64_t pat_ext_magnitude(int64_t distance)
{
    return distance < 0 ? -(uint64_t)distance : (uint64_t)distance;
}

#endif
