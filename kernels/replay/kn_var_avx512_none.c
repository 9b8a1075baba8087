/* SPDX-License-Identifier: BSD-3-Clause */
/* For processors without: no rows. */
#include "kernels/replay/kn_variant.h"

const struct kn_variants kn_variants_avx512 = {NULL, 0};
