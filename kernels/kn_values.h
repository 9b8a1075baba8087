/* SPDX-License-Identifier: BSD-3-Clause */
/* What the arrays hold: a value of its own for every element, so that an element in the wrong place is seen.
 * All are numbers in [1, 2), so that arithmetic on them is ordinary. */
#ifndef KN_VALUES_H
#define KN_VALUES_H

#include <stdint.h>
#include <string.h>

enum kn_salt { KN_SALT_SPARSE = 1, KN_SALT_SOURCE, KN_SALT_DENSE };

/* splitmix64's finaliser (Steele, Lea, Flood 2014): neighbouring inputs, unrelated outputs. */
static inline uint64_t kn_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The bits of element e of the array salt: a double, or with 4 bytes a float. */
static inline uint64_t kn_value_bits(enum kn_salt salt, int64_t e, unsigned element_bytes)
{
    const uint64_t m = kn_mix((uint64_t)e + (uint64_t)salt * UINT64_C(0x9e3779b97f4a7c15));
    return element_bytes == 8 ? UINT64_C(0x3ff0000000000000) | m >> 12 : UINT64_C(0x3f800000) | m >> 41;
}

static inline void kn_value_put(void *array, uint64_t at, uint64_t bits, unsigned element_bytes)
{
    if (element_bytes == 8)
        ((uint64_t *)array)[at] = bits;
    else
        ((uint32_t *)array)[at] = (uint32_t)bits;
}

static inline uint64_t kn_value_get(const void *array, uint64_t at, unsigned element_bytes)
{
    return element_bytes == 8 ? ((const uint64_t *)array)[at] : ((const uint32_t *)array)[at];
}

#endif
