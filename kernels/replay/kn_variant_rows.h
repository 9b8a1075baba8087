/* SPDX-License-Identifier: BSD-3-Clause */
/* For the files that define variants: a table row from the names that kn_move.inc.h and kn_vector.inc.h make. */
#ifndef KN_VARIANT_ROWS_H
#define KN_VARIANT_ROWS_H

#include "kernels/kn_glue.h"
#include "kernels/replay/kn_variant.h"

#define KN_MOVES(tag)                                                                \
    {                                                                                \
        tag##_gather, tag##_scatter, tag##_gs, tag##_multigather, tag##_multiscatter \
    }
#define KN_VARIANT(tag, method, stores, bytes, bits)                   \
    {                                                                  \
        method, stores, bytes, bits, KN_MOVES(tag), PAT_OPERATION_COPY \
    }
/* Both element sizes with both index widths. */
#define KN_FAMILY(tag, method, stores)                                                                \
    KN_VARIANT(tag##_e8_i64, method, stores, 8, 64), KN_VARIANT(tag##_e8_i32, method, stores, 8, 32), \
        KN_VARIANT(tag##_e4_i64, method, stores, 4, 64), KN_VARIANT(tag##_e4_i32, method, stores, 4, 32)
#define KN_VARIANTS(name, table) const struct kn_variants name = {table, sizeof(table) / sizeof((table)[0])}

#endif
