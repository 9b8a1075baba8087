/* SPDX-License-Identifier: BSD-3-Clause */
/* The same loops as the scalar ones, vectorised by the compiler for AVX512. */
#include "kernels/stream/kn_loop.h"

#include <immintrin.h>

#define KN_LOOP _Pragma("omp simd")
#define KN_TAG avx512
#define KN_METHOD KN_METHOD_AVX512
#include "kernels/stream/kn_loop_family.inc.h"
KN_LOOPS_TABLE(kn_loops_avx512, avx512_rows);

/* Stores past the caches, 64 bytes each. */
#define KN_METHOD KN_METHOD_AVX512
#define KN_VECTOR_BYTES 64
#define KN_STREAM_STORE(p, lanes) _mm512_stream_si512((void *)(p), _mm512_load_si512(lanes))
#include "kernels/stream/kn_loop_nontemporal.inc.h"
KN_LOOPS_TABLE(kn_loops_nontemporal_avx512, rows);
