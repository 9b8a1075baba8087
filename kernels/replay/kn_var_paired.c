/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers with half as many stores: fewer instructions between loads, so that more loads are in flight. For
 * data in memory, rows some distance ahead are prefetched, across the page ends at which the processor's own
 * prefetchers stop. */
#include "kernels/replay/kn_variant.h"

enum { PAIRED_ROWS = 4, PAIRED_AHEAD_BYTES = 8192 };

typedef uint64_t pair_8 __attribute__((vector_size(16), aligned(8)));
typedef uint32_t pair_4 __attribute__((vector_size(8), aligned(4)));

#define KN_E uint64_t
#define KN_I int64_t
#define KN_PAIR pair_8
#define KN_NAME(x) e8_i64_##x
#include "kernels/replay/kn_paired.inc.h"
#define KN_E uint64_t
#define KN_I int32_t
#define KN_PAIR pair_8
#define KN_NAME(x) e8_i32_##x
#include "kernels/replay/kn_paired.inc.h"
#define KN_E uint32_t
#define KN_I int64_t
#define KN_PAIR pair_4
#define KN_NAME(x) e4_i64_##x
#include "kernels/replay/kn_paired.inc.h"
#define KN_E uint32_t
#define KN_I int32_t
#define KN_PAIR pair_4
#define KN_NAME(x) e4_i32_##x
#include "kernels/replay/kn_paired.inc.h"

#define ROW(tag, bytes, bits)                                                                        \
    {                                                                                                \
        KN_METHOD_PAIRED, KN_STORES_REGULAR, bytes, bits,                                            \
            {[PAT_GATHER] = tag##_gather, [PAT_MULTIGATHER] = tag##_multigather}, PAT_OPERATION_COPY \
    }
static const struct kn_variant rows[] = {ROW(e8_i64, 8, 64), ROW(e8_i32, 8, 32), ROW(e4_i64, 4, 64),
                                         ROW(e4_i32, 4, 32)};
KN_VARIANTS(kn_variants_paired, rows);
