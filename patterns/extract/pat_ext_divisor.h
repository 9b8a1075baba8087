/* SPDX-License-Identifier: BSD-3-Clause */
/* The greatest common divisor of numbers that come one by one. Most are multiples of it, which a
 * multiplication tells (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI
 * 1994, section 9). */
#ifndef PAT_EXT_DIVISOR_H
#define PAT_EXT_DIVISOR_H

#include <stdint.h>

/* Zeroed: of no number, or of zeros only. */
struct pat_ext_divisor {
    uint64_t value;   /* 0: none */
    uint64_t inverse; /* of its odd part, modulo 2^64 */
    uint64_t most;    /* the largest quotient */
};

uint64_t pat_ext_gcd(uint64_t a, uint64_t b); /* of 0 and b: b. */

/* d's value, which is not a divisor of the number, becomes their greatest common one. */
void pat_ext_divisor_shrink(struct pat_ext_divisor *d, uint64_t number);

static inline void pat_ext_divisor_take(struct pat_ext_divisor *d, uint64_t number)
{
    const uint64_t product = number * d->inverse;
    const int twos = d->value ? __builtin_ctzll(d->value) : 0;
    const uint64_t quotient = product >> twos | product << (-twos & 63); /* of a multiple */
    if (!d->value || quotient > d->most) pat_ext_divisor_shrink(d, number);
}

#endif
