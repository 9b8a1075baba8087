/* SPDX-License-Identifier: BSD-3-Clause */
/* Index arrays as functions: threads fill their own parts, and a result is checked against the intended
 * index, not against the contents of the array. */
#ifndef KN_SEQUENCE_H
#define KN_SEQUENCE_H

#include "kernels/kn_values.h"

#include <stdbool.h>

struct kn_sequence {
    uint64_t len, mask, key[3];
    unsigned shift;
    double hot_share; /* 0: a permutation of 0..len-1 */
    uint64_t hot_len; /* that share of the indices is below this */
};

/* A permutation of 0..len-1 without apparent order, another one for each seed. */
struct kn_sequence kn_sequence_permutation(uint64_t len, uint64_t seed);
/* share of the indices at random below hot_len, the rest at random below len. */
struct kn_sequence kn_sequence_hotspot(uint64_t len, uint64_t seed, double share, uint64_t hot_len);

/* One step of a bijection of 0..mask: multiplication by an odd number and x ^ x >> s both are. */
static inline uint64_t kn_sequence_stir(const struct kn_sequence *s, uint64_t x)
{
    for (int round = 0; round < 3; round++) {
        x = (x * (s->key[round] | 1) + (s->key[round] >> 32)) & s->mask;
        x ^= x >> s->shift;
    }
    return x;
}

/* Index j, 0 <= j < len. */
static inline uint64_t kn_sequence_at(const struct kn_sequence *s, uint64_t j)
{
    if (s->hot_share > 0) {
        const uint64_t m = ls_random_mix(j + s->key[0]);
        const bool hot = (double)(m >> 11) * 0x1p-53 < s->hot_share;
        return ls_random_mix(m ^ s->key[1]) % (hot ? s->hot_len : s->len);
    }
    /* a bijection of a power of two, walked until it is inside: a bijection of 0..len-1 */
    uint64_t x = kn_sequence_stir(s, j);
    while (x >= s->len)
        x = kn_sequence_stir(s, x);
    return x;
}

#endif
