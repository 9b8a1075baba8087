/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to move a replay's elements: one row a method, element size, index width and kind of store. */
#ifndef KN_VARIANT_H
#define KN_VARIANT_H

#include "kernels/replay/kn_job.h"
#include "kernels/kn_options.h"
#include "patterns/pat_config.h"

/* ---- variants ---- */

struct kn_variant {
    enum kn_method method;
    enum kn_stores stores;
    unsigned element_bytes, index_bits;
    kn_move *move[PAT_KERNEL_COUNT];
    /* last, because most rows are copies and leave it out */
    enum pat_operation operation;
    bool linked; /* elements hold the addresses of their successors: index_bits is 0 */
};

/* A file's rows. */
struct kn_variants {
    const struct kn_variant *rows;
    size_t len;
};

extern const struct kn_variants kn_variants_scalar, kn_variants_unrolled, kn_variants_paired,
    kn_variants_nontemporal, kn_variants_operations, kn_variants_avx2, kn_variants_avx512, kn_variants_neon;

/* Requirements of a job on its variant. */
struct kn_wish {
    enum pat_kernel kernel;
    enum pat_operation operation;
    enum kn_method method; /* AUTO: any */
    enum kn_stores stores; /* AUTO: regular or non-temporal */
    unsigned element_bytes;
    unsigned index_bits; /* 0: any */
    bool indices_fit_32_bits;
    bool linked;               /* the elements are (kn_arrays.h) */
    bool rows_may_be_jammed;   /* moving rows side by side keeps the order of stores to one element */
    bool destination_is_large; /* beyond the caches: non-temporal stores are worth a trial */
};

/* Every variant that this processor runs, was built and fits w, at most max of them; *len may be 0. */
void kn_variant_find(const struct kn_wish *w, const struct kn_variant **out, size_t max, size_t *len);
/* Fail with the reason why kn_variant_find finds nothing, and list the available variants. Errors: always
 * fails, LS_ERR_UNSUPPORTED. */
ls_err kn_variant_explain_none(const struct kn_wish *w);
/* "jammed, 32-bit indices, regular stores" into out. */
void kn_variant_describe(const struct kn_variant *v, char *out, size_t out_bytes);

/* ---- rows of variants ---- */

/* Rows of the tables in files that define variants. They use the names that kn_move.inc.h and kn_vector.inc.h
 * generate. */

#define KN_MOVES(tag)                                                                \
    {                                                                                \
        tag##_gather, tag##_scatter, tag##_gs, tag##_multigather, tag##_multiscatter \
    }
#define KN_VARIANT(tag, method, stores, bytes, bits)                   \
    {                                                                  \
        method, stores, bytes, bits, KN_MOVES(tag), PAT_OPERATION_COPY \
    }
/* Four rows: both element sizes with both index widths. */
#define KN_FAMILY(tag, method, stores)                                                                \
    KN_VARIANT(tag##_e8_i64, method, stores, 8, 64), KN_VARIANT(tag##_e8_i32, method, stores, 8, 32), \
        KN_VARIANT(tag##_e4_i64, method, stores, 4, 64), KN_VARIANT(tag##_e4_i32, method, stores, 4, 32)
#define KN_VARIANTS(name, table) const struct kn_variants name = {table, sizeof(table) / sizeof((table)[0])}

#endif
