/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores past the caches (MOVNTI), element by element. */
#include "kernels/replay/kn_variant.h"

#include <immintrin.h>

static inline __attribute__((always_inline)) void put_8(uint64_t *p, uint64_t v)
{
    _mm_stream_si64((long long *)p, (long long)v);
}

static inline __attribute__((always_inline)) void put_4(uint32_t *p, uint32_t v)
{
    _mm_stream_si32((int *)p, (int)v);
}

#define KN_STREAM(p, v) _Generic((p), uint64_t * : put_8, uint32_t * : put_4)((p), (v))

#define KN_PUT(p, v) KN_STREAM(p, v)
#define KN_END() _mm_sfence()
#define KN_ROWS 1
#define KN_UNROLL 8
#define KN_TAG unrolled
#include "kernels/replay/kn_family.inc.h"

#define KN_PUT(p, v) KN_STREAM(p, v)
#define KN_END() _mm_sfence()
#define KN_ROWS 4
#define KN_UNROLL 2
#define KN_TAG jammed
#include "kernels/replay/kn_family.inc.h"

static const struct kn_variant rows[] = {
    KN_FAMILY(unrolled, KN_METHOD_UNROLLED, KN_STORES_NONTEMPORAL),
    KN_FAMILY(jammed, KN_METHOD_JAMMED, KN_STORES_NONTEMPORAL),
};
KN_VARIANTS(kn_variants_nontemporal, rows);
