/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of the arrays: a distinct value for every element, so that an element at a wrong index is
 * noticed. All are numbers in [1, 2), so that arithmetic on them is ordinary.
 *
 * Thread: any, one at a time for each element of an array. */
#ifndef KN_VALUES_H
#define KN_VALUES_H

#include "common/ls_random.h"

#include <stdint.h>
#include <string.h>

enum kn_salt { KN_SALT_UPDATED, KN_SALT_SPARSE, KN_SALT_SOURCE, KN_SALT_DENSE };

/* The half of an element in which updates set their tags. */
static inline uint64_t kn_value_lower(unsigned element_bytes)
{
    return element_bytes == 8 ? UINT32_MAX : UINT16_MAX;
}

/* The bits of element e of the array salt: a double, or with 4 bytes a float. The lower half of an element
 * that is to be updated is zero. */
static inline uint64_t kn_value_bits(enum kn_salt salt, int64_t e, unsigned element_bytes)
{
    const uint64_t m = ls_random_mix((uint64_t)e + (uint64_t)salt * LS_RANDOM_STEP);
    const uint64_t bits =
        element_bytes == 8 ? UINT64_C(0x3ff0000000000000) | m >> 12 : UINT64_C(0x3f800000) | m >> 41;
    return salt == KN_SALT_UPDATED ? bits & ~kn_value_lower(element_bytes) : bits;
}

/* The bit of the lower half that an update by row i sets. Setting it again changes nothing, so any number of
 * runs gives the result of one; it is one instruction, like the increment of a counter. */
static inline uint64_t kn_value_tag(uint64_t i, unsigned element_bytes)
{
    return UINT64_C(1) << (i & (4 * element_bytes - 1));
}

/* The value that a fill by row i stores. */
static inline uint64_t kn_value_filled(uint64_t i, unsigned element_bytes)
{
    return element_bytes == 8 ? i + 1 : (uint32_t)(i + 1);
}

/* The value that element j of a row adds: a small whole number, so that sums of doubles are exact in any order. Sums of
 * floats count up to KN_VALUE_SUM_MAX, from where adding 1 changes nothing. */
static inline double kn_value_addend(uint64_t j, unsigned element_bytes)
{
    return element_bytes == 8 ? 1 + (double)(j & 7) : 1;
}
#define KN_VALUE_SUM_MAX 0x1p24

/* The bits of an exact number as an element. */
static inline uint64_t kn_value_number(double number, unsigned element_bytes)
{
    const float narrow = (float)number;
    uint64_t bits = 0;
    memcpy(&bits, element_bytes == 8 ? (const void *)&number : (const void *)&narrow, element_bytes);
    return bits;
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
