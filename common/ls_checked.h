/* SPDX-License-Identifier: BSD-3-Clause */
/* Arithmetic that reports overflow instead of wrapping.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_CHECKED_H
#define LS_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *out = a + b; false when it does not fit. */
static inline bool ls_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* *out = a * b; false when it does not fit. */
static inline bool ls_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* *out = a * b; false when it does not fit. */
static inline bool ls_mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* a * num / den with a 128-bit product; den must not be 0. */
static inline uint64_t ls_muldiv_u64(uint64_t a, uint64_t num, uint64_t den)
{
    return (uint64_t)((unsigned __int128)a * num / den);
}

/* The greatest common divisor; of 0 and b: b. */
static inline uint64_t ls_gcd_u64(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The nearest integer; 0 for negative numbers and NAN, at most 2^63 (sums of damaged input may be larger). */
static inline uint64_t ls_round_u64(double value)
{
    if (!(value > 0)) return 0;
    return value + 0.5 < 0x1p63 ? (uint64_t)(value + 0.5) : UINT64_C(1) << 63;
}

#endif
