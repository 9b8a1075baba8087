/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/patterns/pat_zoo.h"
#include "common/ls_random.h"

#include <stdlib.h>

static int64_t zoo_far(size_t i)
{
    static const int64_t ends[] = {0, INT64_MAX / 2, -INT64_MAX / 2, INT64_MAX, 3, INT64_MIN};
    return ends[i % (sizeof(ends) / sizeof(ends[0]))];
}

struct pat_indices zoo_make(enum zoo_kind kind, size_t len, uint64_t seed)
{
    static const int64_t stencil[] = {-1024, -32, -1, 0, 1, 32, 1024};
    struct pat_indices p = {malloc(len * sizeof(int64_t)), len};
    uint64_t random = seed;
    int64_t at = 0;
    if (!p.data) abort();
    for (size_t i = 0; i < len; i++) {
        const int64_t n = (int64_t)i;
        switch (kind) {
        case ZOO_STRIDE1:
            p.data[i] = n;
            break;
        case ZOO_STRIDE2:
            p.data[i] = 2 * n;
            break;
        case ZOO_STRIDE_BACK:
            p.data[i] = -n;
            break;
        case ZOO_STRIDE_PAGE:
            p.data[i] = 512 * n;
            break;
        case ZOO_SAME:
            p.data[i] = 5;
            break;
        case ZOO_SMALL_LOOP:
            p.data[i] = n % 40;
            break;
        case ZOO_STENCIL:
            p.data[i] = n / 7 + stencil[i % 7];
            break;
        case ZOO_RANDOM_SMALL:
            p.data[i] = (int64_t)(ls_random_next(&random) % 64);
            break;
        case ZOO_RANDOM_LARGE:
            p.data[i] = (int64_t)(ls_random_next(&random) >> 34);
            break;
        case ZOO_WALK:
            p.data[i] = at += (int64_t)(ls_random_next(&random) % 129) - 64;
            break;
        case ZOO_FAR:
            p.data[i] = zoo_far(i);
            break;
        case ZOO_KINDS:
            abort();
        }
    }
    return p;
}

struct pat_indices zoo_jumps(size_t len, unsigned near_share, uint64_t room, uint64_t seed)
{
    struct pat_indices p = {malloc(len * sizeof(int64_t)), len};
    uint64_t random = seed;
    if (!p.data) abort();
    for (size_t i = 0; i < len; i++) {
        const bool near = i > 0 && (ls_random_next(&random) >> 56) < near_share;
        p.data[i] = near ? p.data[i - 1] + 1 : (int64_t)(ls_random_next(&random) % room);
    }
    return p;
}
