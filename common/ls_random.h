/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
 *
 * Thread: any, each with its own state.  Signal: safe. */
#ifndef LS_RANDOM_H
#define LS_RANDOM_H

#include <stdint.h>

/* The increment of the state for each draw: the golden ratio in 64 bits. */
#define LS_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The finaliser, a bijection: neighbouring inputs give unrelated outputs. 0 stays 0. */
static inline uint64_t ls_random_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The inverse of ls_random_mix: undoes its shifts, and its products by the inverses modulo 2^64. */
static inline uint64_t ls_random_unmix(uint64_t x)
{
    x = (x ^ (x >> 31) ^ (x >> 62)) * UINT64_C(0x319642b2d24d8ec3);
    x = (x ^ (x >> 27) ^ (x >> 54)) * UINT64_C(0x96de1b173f119089);
    return x ^ (x >> 30) ^ (x >> 60);
}

/* The next 64 bits; any state is a good seed. */
static inline uint64_t ls_random_next(uint64_t *state)
{
    return ls_random_mix(*state += LS_RANDOM_STEP);
}

/* 0 to n - 1, by multiplication (Lemire, ACM TOMACS 29, 2019); n is not 0. */
static inline uint64_t ls_random_below(uint64_t *state, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)ls_random_next(state) * n) >> 64);
}

/* [0, 1), of 53 bits. */
static inline double ls_random_uniform(uint64_t *state)
{
    return (double)(ls_random_next(state) >> 11) * 0x1p-53;
}

#endif
