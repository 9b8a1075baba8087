/* SPDX-License-Identifier: BSD-3-Clause */
/* A module of ranks (kernels/kn_ranks_module.h) for one process: it claims to have two more ranks; rank 1 runs
 * another version of Loadstone. */
#include "kernels/kn_ranks_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FAKE_RANKS = 3,
    FAKE_ODD = 1,
    FAKE_VERSION_AT =
        64 /* position of the version in the first gathered data (struct seat in kernels/kn_ranks.c) */
};

static enum kn_ranks_outcome fake_start(void)
{
    return KN_RANKS_DONE;
}

static void fake_describe(char *out, size_t room)
{
    snprintf(out, room, "made-up ranks");
}

static unsigned fake_rank(void)
{
    return 0;
}

static unsigned fake_len(void)
{
    return FAKE_RANKS;
}

static enum kn_ranks_outcome fake_max(double *values, size_t len, double timeout_s)
{
    (void)values, (void)len, (void)timeout_s;
    return KN_RANKS_DONE;
}

static enum kn_ranks_outcome fake_broadcast(void *data, size_t len_bytes, unsigned root, double timeout_s)
{
    (void)data, (void)len_bytes, (void)root, (void)timeout_s;
    return KN_RANKS_DONE;
}

static enum kn_ranks_outcome fake_gather(const void *data, size_t len_bytes, void *all, double timeout_s)
{
    char *rows = all;
    (void)timeout_s;
    for (size_t r = 0; r < FAKE_RANKS; r++)
        memcpy(rows + r * len_bytes, data, len_bytes);
    rows[FAKE_ODD * len_bytes + FAKE_VERSION_AT] ^= 1;
    return KN_RANKS_DONE;
}

static enum kn_ranks_outcome fake_scatter(const void *all, size_t len_bytes, void *data, double timeout_s)
{
    (void)timeout_s;
    memcpy(data, all, len_bytes);
    return KN_RANKS_DONE;
}

static void fake_abort(int status)
{
    exit(status);
}

static void fake_stop(void)
{
}

extern const struct kn_ranks_module KN_RANKS_TABLE;
const struct kn_ranks_module KN_RANKS_TABLE = {.version = KN_RANKS_MODULE_VERSION,
                                               .name = "made-up ranks",
                                               .start = fake_start,
                                               .describe = fake_describe,
                                               .rank = fake_rank,
                                               .len = fake_len,
                                               .max = fake_max,
                                               .broadcast = fake_broadcast,
                                               .gather = fake_gather,
                                               .scatter = fake_scatter,
                                               .abort = fake_abort,
                                               .stop = fake_stop};
