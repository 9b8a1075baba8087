/* SPDX-License-Identifier: BSD-3-Clause */
/* For processors without AVX. */
#include "kernels/stream/kn_lane.h"

const struct kn_lane_variants kn_lanes_avx2, kn_lanes_avx512, kn_lanes_nontemporal_avx2,
    kn_lanes_nontemporal_avx512;
