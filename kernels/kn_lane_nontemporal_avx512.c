/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores past the caches, 64 bytes each. */
#include "kernels/kn_lane_rows.h"

#include <immintrin.h>

#define KN_VECTOR_BYTES 64
#define KN_STREAM_STORE(p, lanes) _mm512_stream_si512((void *)(p), _mm512_load_si512(lanes))

#define KN_E double
#define KN_I int64_t
#define KN_NAME(x) e8_i64_##x
#include "kernels/kn_lane_stream.inc.h"
#define KN_E double
#define KN_I int32_t
#define KN_NAME(x) e8_i32_##x
#include "kernels/kn_lane_stream.inc.h"
#define KN_E float
#define KN_I int64_t
#define KN_NAME(x) e4_i64_##x
#include "kernels/kn_lane_stream.inc.h"
#define KN_E float
#define KN_I int32_t
#define KN_NAME(x) e4_i32_##x
#include "kernels/kn_lane_stream.inc.h"

#define ROW(tag, bytes, bits)                                                                             \
    {                                                                                                     \
        KN_METHOD_AVX512, KN_STORES_NONTEMPORAL, bytes, bits,                                             \
        {                                                                                                 \
            [KN_SHAPE_sequential] = {tag##_sequential_copy, tag##_sequential_scale, tag##_sequential_sum, \
                                     tag##_sequential_triad},                                             \
            [KN_SHAPE_gather] = {                                                                         \
                tag##_gather_copy,                                                                        \
                tag##_gather_scale,                                                                       \
                tag##_gather_sum,                                                                         \
                tag##_gather_triad                                                                        \
            }                                                                                             \
        }                                                                                                 \
    }
static const struct kn_lane_variant rows[] = {ROW(e8_i64, 8, 64), ROW(e8_i32, 8, 32), ROW(e4_i64, 4, 64),
                                              ROW(e4_i32, 4, 32)};
KN_LANES_TABLE(kn_lanes_nontemporal_avx512, rows);
