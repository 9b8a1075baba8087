/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/bench_ring.h"

#include <stdlib.h>
#include <time.h>

double bench_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Knuth's MMIX generator; its upper half is used. */
uint64_t bench_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 32;
}

int bench_ring_make(char *base, size_t len_bytes)
{
    const size_t lines = len_bytes / BENCH_LINE_BYTES;
    uint32_t *order = malloc(lines * sizeof(*order));
    uint64_t state = 42;
    if (!order) return -1;
    for (size_t i = 0; i < lines; i++)
        order[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 0; i--) {
        const size_t j = bench_random(&state) % i;
        const uint32_t swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
    /* the permutation is one cycle: follow it */
    for (size_t i = 0; i < lines; i++)
        *(void **)(base + i * BENCH_LINE_BYTES) = base + (size_t)order[i] * BENCH_LINE_BYTES;
    free(order);
    return 0;
}

#define STEP p = *(void *volatile *)p;
#define STEP_4 STEP STEP STEP STEP

void *bench_ring_walk(void *p, size_t steps)
{
    for (size_t i = 0; i < steps; i += 16) {
        STEP_4 STEP_4 STEP_4 STEP_4
    }
    return p;
}
