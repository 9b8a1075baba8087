/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose values stay in registers: reductions, chains of dependent loads, fills, updates. Scalar, like
 * the loops that such patterns come from; compiled as kn_var_scalar.c. */
#include "kernels/kn_values.h"
#include "kernels/replay/kn_variant.h"

#define KN_E uint64_t
#define KN_I int64_t
#define KN_NAME(x) KN_GLUE(operation, _e8_i64_, x)
#include "kernels/replay/kn_operation.inc.h"
#define KN_E uint64_t
#define KN_I int32_t
#define KN_NAME(x) KN_GLUE(operation, _e8_i32_, x)
#include "kernels/replay/kn_operation.inc.h"
#define KN_E uint32_t
#define KN_I int64_t
#define KN_NAME(x) KN_GLUE(operation, _e4_i64_, x)
#include "kernels/replay/kn_operation.inc.h"
#define KN_E uint32_t
#define KN_I int32_t
#define KN_NAME(x) KN_GLUE(operation, _e4_i32_, x)
#include "kernels/replay/kn_operation.inc.h"

#define GATHERS(tag, name)                                                                   \
    {                                                                                        \
        [PAT_GATHER] = tag##_##name##_gather, [PAT_MULTIGATHER] = tag##_##name##_multigather \
    }
#define SCATTERS(tag, name)                                                                      \
    {                                                                                            \
        [PAT_SCATTER] = tag##_##name##_scatter, [PAT_MULTISCATTER] = tag##_##name##_multiscatter \
    }
#define ROW(bytes, bits, operation_, moves)                                                        \
    {                                                                                              \
        KN_METHOD_SCALAR, KN_STORES_REGULAR, bytes, bits, moves, PAT_OPERATION_##operation_, false \
    }
#define ROWS(tag, bytes, bits)                                                                    \
    ROW(bytes, bits, REDUCE, GATHERS(tag, reduce)), ROW(bytes, bits, CHASE, GATHERS(tag, chase)), \
        ROW(bytes, bits, FILL, SCATTERS(tag, fill)), ROW(bytes, bits, UPDATE, SCATTERS(tag, update))

/* Chase over the whole share as one list: each loaded value is the address of the next load. */
static void chase_linked(const struct kn_job *job, const struct kn_part *part)
{
    const uint64_t *at =
        (const uint64_t *)job->from.base + part->base_from + ((const int64_t *)job->from.index)[0];
    uint64_t sum = 0;
    for (uint64_t n = (part->end - part->begin) * job->len; n > 0; n--) {
        at = (const uint64_t *)(uintptr_t)*at;
        sum += (uintptr_t)at;
        __asm__ volatile("" ::: "memory");
    }
    *part->sum = sum;
}

static const struct kn_variant rows[] = {
    ROWS(operation_e8_i64, 8, 64),
    ROWS(operation_e8_i32, 8, 32),
    ROWS(operation_e4_i64, 4, 64),
    ROWS(operation_e4_i32, 4, 32),
    {.method = KN_METHOD_SCALAR,
     .stores = KN_STORES_REGULAR,
     .element_bytes = sizeof(uintptr_t),
     .move = {[PAT_GATHER] = chase_linked},
     .operation = PAT_OPERATION_CHASE,
     .linked = true},
};
KN_VARIANTS(kn_variants_operations, rows);
