/* SPDX-License-Identifier: BSD-3-Clause */
/* VPGATHER and VPSCATTER on 512-bit vectors; ends of rows by masks. Needs AVX-512 F and VL. */
#include "kernels/replay/kn_variant.h"

#include <immintrin.h>

#define KN_E uint64_t
#define KN_I int64_t
#define KN_NAME(x) e8_i64_##x
#define KN_LANES 8
#define KN_MASK __mmask8
#define KN_MASK_OF(n) ((__mmask8)((1u << (n)) - 1))
#define KN_LOAD_INDEX(p, m) _mm512_maskz_loadu_epi64(m, p)
#define KN_INNER(p, i, m) _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), m, i, p, 8)
#define KN_LOAD(p, m) _mm512_maskz_loadu_epi64(m, p)
#define KN_STORE(p, v, m) _mm512_mask_storeu_epi64(p, m, v)
#define KN_GATHER(p, i, m) _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), m, i, p, 8)
#define KN_SCATTER(p, i, v, m) _mm512_mask_i64scatter_epi64(p, m, i, v, 8)
#include "kernels/replay/kn_vector.inc.h"

#define KN_E uint64_t
#define KN_I int32_t
#define KN_NAME(x) e8_i32_##x
#define KN_LOAD_INDEX(p, m) _mm256_maskz_loadu_epi32(m, p)
#define KN_INNER(p, i, m) _mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), m, i, p, 4)
#define KN_LOAD(p, m) _mm512_maskz_loadu_epi64(m, p)
#define KN_STORE(p, v, m) _mm512_mask_storeu_epi64(p, m, v)
#define KN_GATHER(p, i, m) _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), m, i, p, 8)
#define KN_SCATTER(p, i, v, m) _mm512_mask_i32scatter_epi64(p, m, i, v, 8)
#include "kernels/replay/kn_vector.inc.h"

#define KN_E uint32_t
#define KN_I int64_t
#define KN_NAME(x) e4_i64_##x
#define KN_LOAD_INDEX(p, m) _mm512_maskz_loadu_epi64(m, p)
#define KN_INNER(p, i, m) _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), m, i, p, 8)
#define KN_LOAD(p, m) _mm256_maskz_loadu_epi32(m, p)
#define KN_STORE(p, v, m) _mm256_mask_storeu_epi32(p, m, v)
#define KN_GATHER(p, i, m) _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), m, i, p, 4)
#define KN_SCATTER(p, i, v, m) _mm512_mask_i64scatter_epi32(p, m, i, v, 4)
#include "kernels/replay/kn_vector.inc.h"
#undef KN_LANES
#undef KN_MASK
#undef KN_MASK_OF

#define KN_E uint32_t
#define KN_I int32_t
#define KN_NAME(x) e4_i32_##x
#define KN_LANES 16
#define KN_MASK __mmask16
#define KN_MASK_OF(n) ((__mmask16)((1u << (n)) - 1))
#define KN_LOAD_INDEX(p, m) _mm512_maskz_loadu_epi32(m, p)
#define KN_INNER(p, i, m) _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m, i, p, 4)
#define KN_LOAD(p, m) _mm512_maskz_loadu_epi32(m, p)
#define KN_STORE(p, v, m) _mm512_mask_storeu_epi32(p, m, v)
#define KN_GATHER(p, i, m) _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m, i, p, 4)
#define KN_SCATTER(p, i, v, m) _mm512_mask_i32scatter_epi32(p, m, i, v, 4)
#include "kernels/replay/kn_vector.inc.h"

static const struct kn_variant rows[] = {
    KN_VARIANT(e8_i64, KN_METHOD_AVX512, KN_STORES_REGULAR, 8, 64),
    KN_VARIANT(e8_i32, KN_METHOD_AVX512, KN_STORES_REGULAR, 8, 32),
    KN_VARIANT(e4_i64, KN_METHOD_AVX512, KN_STORES_REGULAR, 4, 64),
    KN_VARIANT(e4_i32, KN_METHOD_AVX512, KN_STORES_REGULAR, 4, 32),
};
KN_VARIANTS(kn_variants_avx512, rows);
