/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers of resampling: the same seed gives the same digits everywhere.
 *
 * Errors: none.  Thread: any, each with its own state.  Signal: safe. */
#ifndef PAT_COMPARE_RANDOM_H
#define PAT_COMPARE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood, OOPSLA 2014): any seed is a good seed. */
static inline uint64_t pat_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* 0 to n - 1; n is not 0. */
static inline size_t pat_random_below(uint64_t *state, size_t n)
{
    return (size_t)(((unsigned __int128)pat_random(state) * n) >> 64);
}

#endif
