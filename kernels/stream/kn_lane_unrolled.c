/* SPDX-License-Identifier: BSD-3-Clause */
/* One element after the other, eight a turn. */
#include "kernels/stream/kn_lane.h"

#define KN_LOOP _Pragma("GCC unroll 8")
#define KN_TAG unrolled
#define KN_METHOD KN_METHOD_UNROLLED
#include "kernels/stream/kn_lane_family.inc.h"
KN_LANES_TABLE(kn_lanes_unrolled, rows);
