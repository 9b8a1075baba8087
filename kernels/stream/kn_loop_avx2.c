/* SPDX-License-Identifier: BSD-3-Clause */
/* The same loops as the scalar ones, vectorised by the compiler for AVX2. */
#include "kernels/stream/kn_loop.h"

#include <immintrin.h>

#define KN_LOOP _Pragma("omp simd")
#define KN_TAG avx2
#define KN_METHOD KN_METHOD_AVX2
#include "kernels/stream/kn_loop_family.inc.h"
KN_LOOPS_TABLE(kn_loops_avx2, avx2_rows);

/* Stores past the caches, 32 bytes each. */
#define KN_METHOD KN_METHOD_AVX2
#define KN_VECTOR_BYTES 32
#define KN_STREAM_STORE(p, lanes) \
    _mm256_stream_si256((__m256i *)(p), _mm256_load_si256((const __m256i *)(lanes)))
#include "kernels/stream/kn_loop_nontemporal.inc.h"
KN_LOOPS_TABLE(kn_loops_nontemporal_avx2, rows);
