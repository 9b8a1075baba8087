/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_divisor.h"

uint64_t pat_ext_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void pat_ext_divisor_shrink(struct pat_ext_divisor *d, uint64_t number)
{
    d->value = pat_ext_gcd(number, d->value);
    if (!d->value) return;
    const uint64_t odd = d->value >> __builtin_ctzll(d->value);
    d->inverse = odd; /* right in the low three bits; each step doubles them (Newton's method) */
    for (int bits = 3; bits < 64; bits *= 2)
        d->inverse *= 2 - odd * d->inverse;
    d->most = UINT64_MAX / d->value;
}
