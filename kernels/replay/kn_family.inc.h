/* SPDX-License-Identifier: BSD-3-Clause */
/* kn_move.inc.h for both element sizes and both index widths; KN_TAG is the family's name. Undefines its
 * parameters. */
#define KN_E uint64_t
#define KN_I int64_t
#define KN_NAME(x) KN_GLUE(KN_TAG, _e8_i64_, x)
#include "kernels/replay/kn_move.inc.h"
#define KN_E uint64_t
#define KN_I int32_t
#define KN_NAME(x) KN_GLUE(KN_TAG, _e8_i32_, x)
#include "kernels/replay/kn_move.inc.h"
#define KN_E uint32_t
#define KN_I int64_t
#define KN_NAME(x) KN_GLUE(KN_TAG, _e4_i64_, x)
#include "kernels/replay/kn_move.inc.h"
#define KN_E uint32_t
#define KN_I int32_t
#define KN_NAME(x) KN_GLUE(KN_TAG, _e4_i32_, x)
#include "kernels/replay/kn_move.inc.h"
#undef KN_TAG
#undef KN_PUT
#undef KN_END
#undef KN_ROWS
#undef KN_UNROLL
