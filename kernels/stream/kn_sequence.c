/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/stream/kn_sequence.h"

struct kn_sequence kn_sequence_permutation(uint64_t len, uint64_t seed)
{
    struct kn_sequence s = {.len = len, .mask = 1};
    unsigned bits = 1;
    while (s.mask + 1 < len) {
        s.mask = 2 * s.mask + 1;
        bits++;
    }
    s.shift = bits / 2 + 1;
    for (unsigned k = 0; k < 3; k++)
        s.key[k] = ls_random_mix(seed + k * LS_RANDOM_STEP + 1);
    return s;
}

struct kn_sequence kn_sequence_hotspot(uint64_t len, uint64_t seed, double share, uint64_t hot_len)
{
    struct kn_sequence s = kn_sequence_permutation(len, seed);
    s.hot_share = share;
    s.hot_len = hot_len < 1 ? 1 : hot_len < len ? hot_len : len;
    return s;
}
