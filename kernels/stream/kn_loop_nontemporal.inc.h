/* SPDX-License-Identifier: BSD-3-Clause */
/* kn_loop_stream.inc.h for both element sizes and both index widths, and their table rows. Define before the
 * inclusion: the vector macros that kn_loop_stream.inc.h requires, and KN_METHOD. */
#define KN_E double
#define KN_I int64_t
#define KN_NAME(x) e8_i64_##x
#include "kernels/stream/kn_loop_stream.inc.h"
#define KN_E double
#define KN_I int32_t
#define KN_NAME(x) e8_i32_##x
#include "kernels/stream/kn_loop_stream.inc.h"
#define KN_E float
#define KN_I int64_t
#define KN_NAME(x) e4_i64_##x
#include "kernels/stream/kn_loop_stream.inc.h"
#define KN_E float
#define KN_I int32_t
#define KN_NAME(x) e4_i32_##x
#include "kernels/stream/kn_loop_stream.inc.h"

#define ROW(tag, bytes, bits)                                                                             \
    {                                                                                                     \
        KN_METHOD, KN_STORES_NONTEMPORAL, bytes, bits,                                                    \
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
static const struct kn_loop_variant rows[] = {ROW(e8_i64, 8, 64), ROW(e8_i32, 8, 32), ROW(e4_i64, 4, 64),
                                              ROW(e4_i32, 4, 32)};
