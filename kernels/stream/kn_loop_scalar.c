/* SPDX-License-Identifier: BSD-3-Clause */
/* One element after the other, compiled with every vectoriser off (kernels/local.mk). */
#include "kernels/stream/kn_loop.h"

#define KN_LOOP
#define KN_TAG scalar
#define KN_METHOD KN_METHOD_SCALAR
#include "kernels/stream/kn_loop_family.inc.h"
KN_LOOPS_TABLE(kn_loops_scalar, scalar_rows);

/* One element after the other, eight a turn. */
#define KN_LOOP _Pragma("GCC unroll 8")
#define KN_TAG unrolled
#define KN_METHOD KN_METHOD_UNROLLED
#include "kernels/stream/kn_loop_family.inc.h"
KN_LOOPS_TABLE(kn_loops_unrolled, unrolled_rows);
