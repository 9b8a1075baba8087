/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers of tests, the same on every machine: xorshift64 (Marsaglia, "Xorshift RNGs", 2003). */
#ifndef TESTS_XORSHIFT_H
#define TESTS_XORSHIFT_H

#include <stdint.h>

#define XORSHIFT_SEED UINT64_C(88172645463325252)

/* Advance the state, which is not 0, and return it. */
static inline uint64_t xorshift(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

#endif
