/* SPDX-License-Identifier: BSD-3-Clause */
/* kn_loop.inc.h for both element sizes and both index widths, and their table rows, in TAG_rows; KN_TAG is the
 * family's name, KN_METHOD its method. Undefines its parameters. */
#define KN_E double
#define KN_I int64_t
#define KN_NAME(x) KN_GLUE(KN_TAG, _e8_i64_, x)
#include "kernels/stream/kn_loop.inc.h"
#define KN_E double
#define KN_I int32_t
#define KN_NAME(x) KN_GLUE(KN_TAG, _e8_i32_, x)
#include "kernels/stream/kn_loop.inc.h"
#define KN_E float
#define KN_I int64_t
#define KN_NAME(x) KN_GLUE(KN_TAG, _e4_i64_, x)
#include "kernels/stream/kn_loop.inc.h"
#define KN_E float
#define KN_I int32_t
#define KN_NAME(x) KN_GLUE(KN_TAG, _e4_i32_, x)
#include "kernels/stream/kn_loop.inc.h"

#define KN_SHAPE_ROW(shape, to, from)                                                     \
    {KN_GLUE(KN_TAG, KN_WIDTHS, shape##_copy), KN_GLUE(KN_TAG, KN_WIDTHS, shape##_scale), \
     KN_GLUE(KN_TAG, KN_WIDTHS, shape##_sum), KN_GLUE(KN_TAG, KN_WIDTHS, shape##_triad)},
static const struct kn_loop_variant KN_GLUE(KN_TAG, _, rows)[] = {
#define KN_WIDTHS _e8_i64_
    {KN_METHOD, KN_STORES_REGULAR, 8, 64, {KN_SHAPE_LIST(KN_SHAPE_ROW)}},
#undef KN_WIDTHS
#define KN_WIDTHS _e8_i32_
    {KN_METHOD, KN_STORES_REGULAR, 8, 32, {KN_SHAPE_LIST(KN_SHAPE_ROW)}},
#undef KN_WIDTHS
#define KN_WIDTHS _e4_i64_
    {KN_METHOD, KN_STORES_REGULAR, 4, 64, {KN_SHAPE_LIST(KN_SHAPE_ROW)}},
#undef KN_WIDTHS
#define KN_WIDTHS _e4_i32_
    {KN_METHOD, KN_STORES_REGULAR, 4, 32, {KN_SHAPE_LIST(KN_SHAPE_ROW)}},
#undef KN_WIDTHS
};
#undef KN_SHAPE_ROW
#undef KN_TAG
#undef KN_METHOD
#undef KN_LOOP
