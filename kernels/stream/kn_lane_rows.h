/* SPDX-License-Identifier: BSD-3-Clause */
/* For the files that define loops of STREAM kernels. */
#ifndef KN_LANE_ROWS_H
#define KN_LANE_ROWS_H

#include "kernels/kn_glue.h"
#include "kernels/stream/kn_lane.h"

#define KN_LANES_TABLE(name, table) \
    const struct kn_lane_variants name = {table, sizeof(table) / sizeof((table)[0])}

#endif
