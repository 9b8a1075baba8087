/* SPDX-License-Identifier: BSD-3-Clause */
/* The same loops as the scalar ones, vectorised by the compiler for AVX512. */
#include "kernels/stream/kn_lane.h"

#define KN_LOOP _Pragma("omp simd")
#define KN_TAG avx512
#define KN_METHOD KN_METHOD_AVX512
#include "kernels/stream/kn_lane_family.inc.h"
KN_LANES_TABLE(kn_lanes_avx512, rows);
