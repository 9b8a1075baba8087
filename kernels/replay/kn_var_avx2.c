/* SPDX-License-Identifier: BSD-3-Clause */
/* VPGATHER on 256-bit vectors. AVX2 has no scatter: lanes are stored one by one. */
#include "kernels/replay/kn_variant.h"

#include <immintrin.h>

/* Masks are vectors: the top bit of each lane. */
static const int64_t mask_8[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
static const int32_t mask_4[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
#define KN_ALWAYS static inline __attribute__((always_inline))

struct lanes_8 {
    __m256i wide;   /* mask of four 8-byte lanes */
    __m128i narrow; /* mask of four 4-byte lanes */
    int len;
};

KN_ALWAYS struct lanes_8 lanes_8_of(size_t n)
{
    return (struct lanes_8){_mm256_loadu_si256((const __m256i *)(mask_8 + 4 - n)),
                            _mm_loadu_si128((const __m128i *)(mask_4 + 8 - n)), (int)n};
}

struct lanes_4 {
    __m256i wide; /* mask of eight 4-byte lanes */
    int len;
};

KN_ALWAYS struct lanes_4 lanes_4_of(size_t n)
{
    return (struct lanes_4){_mm256_loadu_si256((const __m256i *)(mask_4 + 8 - n)), (int)n};
}

/* Lane by lane; lanes are few and known, so this unrolls. */
#define SCATTER(name, element, vector, index, index_vector, lanes)     \
    KN_ALWAYS void name(element *p, index_vector i, vector v, int len) \
    {                                                                  \
        index at[lanes];                                               \
        element of[lanes];                                             \
        __builtin_memcpy(at, &i, sizeof(at));                          \
        __builtin_memcpy(of, &v, sizeof(of));                          \
        for (int k = 0; k < (len < (lanes) ? len : (lanes)); k++)      \
            *(volatile element *)(p + at[k]) = of[k];                  \
    }
SCATTER(scatter_e8_i64, uint64_t, __m256i, int64_t, __m256i, 4)
SCATTER(scatter_e8_i32, uint64_t, __m256i, int32_t, __m128i, 4)
SCATTER(scatter_e4_i64, uint32_t, __m128i, int64_t, __m256i, 4)
SCATTER(scatter_e4_i32, uint32_t, __m256i, int32_t, __m256i, 8)
#undef SCATTER
#undef KN_ALWAYS

/* Move full vectors, which are known at compile time, without masks, because masked moves are slow on some
 * processors. */
#define LOAD_256(p, m, masked) ((m).len == KN_LANES ? _mm256_loadu_si256((const __m256i *)(p)) : (masked))
#define LOAD_128(p, m, masked) ((m).len == KN_LANES ? _mm_loadu_si128((const __m128i *)(p)) : (masked))
#define STORE_256(p, v, m, masked) ((m).len == KN_LANES ? _mm256_storeu_si256((__m256i *)(p), v) : (masked))
#define STORE_128(p, v, m, masked) ((m).len == KN_LANES ? _mm_storeu_si128((__m128i *)(p), v) : (masked))

#define KN_E uint64_t
#define KN_I int64_t
#define KN_NAME(x) e8_i64_##x
#define KN_LANES 4
#define KN_MASK struct lanes_8
#define KN_MASK_OF(n) lanes_8_of(n)
#define KN_LOAD_INDEX(p, m) LOAD_256(p, m, _mm256_maskload_epi64((const long long *)(p), (m).wide))
#define KN_INNER(p, i, m) \
    _mm256_mask_i64gather_epi64(_mm256_setzero_si256(), (const long long *)(p), i, (m).wide, 8)
#define KN_LOAD(p, m) LOAD_256(p, m, _mm256_maskload_epi64((const long long *)(p), (m).wide))
#define KN_STORE(p, v, m) STORE_256(p, v, m, _mm256_maskstore_epi64((long long *)(p), (m).wide, v))
#define KN_GATHER(p, i, m) \
    _mm256_mask_i64gather_epi64(_mm256_setzero_si256(), (const long long *)(p), i, (m).wide, 8)
#define KN_SCATTER(p, i, v, m) scatter_e8_i64(p, i, v, (m).len)
#include "kernels/replay/kn_vector.inc.h"

#define KN_E uint64_t
#define KN_I int32_t
#define KN_NAME(x) e8_i32_##x
#define KN_LOAD_INDEX(p, m) LOAD_128(p, m, _mm_maskload_epi32(p, (m).narrow))
#define KN_INNER(p, i, m) _mm_mask_i32gather_epi32(_mm_setzero_si128(), p, i, (m).narrow, 4)
#define KN_LOAD(p, m) LOAD_256(p, m, _mm256_maskload_epi64((const long long *)(p), (m).wide))
#define KN_STORE(p, v, m) STORE_256(p, v, m, _mm256_maskstore_epi64((long long *)(p), (m).wide, v))
#define KN_GATHER(p, i, m) \
    _mm256_mask_i32gather_epi64(_mm256_setzero_si256(), (const long long *)(p), i, (m).wide, 8)
#define KN_SCATTER(p, i, v, m) scatter_e8_i32(p, i, v, (m).len)
#include "kernels/replay/kn_vector.inc.h"

#define KN_E uint32_t
#define KN_I int64_t
#define KN_NAME(x) e4_i64_##x
#define KN_LOAD_INDEX(p, m) LOAD_256(p, m, _mm256_maskload_epi64((const long long *)(p), (m).wide))
#define KN_INNER(p, i, m) \
    _mm256_mask_i64gather_epi64(_mm256_setzero_si256(), (const long long *)(p), i, (m).wide, 8)
#define KN_LOAD(p, m) LOAD_128(p, m, _mm_maskload_epi32((const int *)(p), (m).narrow))
#define KN_STORE(p, v, m) STORE_128(p, v, m, _mm_maskstore_epi32((int *)(p), (m).narrow, v))
#define KN_GATHER(p, i, m) \
    _mm256_mask_i64gather_epi32(_mm_setzero_si128(), (const int *)(p), i, (m).narrow, 4)
#define KN_SCATTER(p, i, v, m) scatter_e4_i64(p, i, v, (m).len)
#include "kernels/replay/kn_vector.inc.h"
#undef KN_LANES
#undef KN_MASK
#undef KN_MASK_OF

#define KN_E uint32_t
#define KN_I int32_t
#define KN_NAME(x) e4_i32_##x
#define KN_LANES 8
#define KN_MASK struct lanes_4
#define KN_MASK_OF(n) lanes_4_of(n)
#define KN_LOAD_INDEX(p, m) LOAD_256(p, m, _mm256_maskload_epi32(p, (m).wide))
#define KN_INNER(p, i, m) _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), p, i, (m).wide, 4)
#define KN_LOAD(p, m) LOAD_256(p, m, _mm256_maskload_epi32((const int *)(p), (m).wide))
#define KN_STORE(p, v, m) STORE_256(p, v, m, _mm256_maskstore_epi32((int *)(p), (m).wide, v))
#define KN_GATHER(p, i, m) \
    _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)(p), i, (m).wide, 4)
#define KN_SCATTER(p, i, v, m) scatter_e4_i32(p, i, v, (m).len)
#include "kernels/replay/kn_vector.inc.h"

static const struct kn_variant rows[] = {
    KN_VARIANT(e8_i64, KN_METHOD_AVX2, KN_STORES_REGULAR, 8, 64),
    KN_VARIANT(e8_i32, KN_METHOD_AVX2, KN_STORES_REGULAR, 8, 32),
    KN_VARIANT(e4_i64, KN_METHOD_AVX2, KN_STORES_REGULAR, 4, 64),
    KN_VARIANT(e4_i32, KN_METHOD_AVX2, KN_STORES_REGULAR, 4, 32),
};
KN_VARIANTS(kn_variants_avx2, rows);
