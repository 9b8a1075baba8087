/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash that is different for different things. */
#ifndef PAT_EXT_HASH_H
#define PAT_EXT_HASH_H

#include <stdint.h>

/* The finalizer of MurmurHash3 (Appleby), a bijection; 0 only for 2^64 - 1. */
static inline uint64_t pat_ext_hash(uint64_t thing)
{
    uint64_t h = thing + 1;
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

#endif
