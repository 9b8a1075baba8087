/* SPDX-License-Identifier: BSD-3-Clause */
/* A STREAM kernel as its loop sees it, and the variants of that loop. */
#ifndef KN_LOOP_H
#define KN_LOOP_H

#include "kernels/kn_kernel.h"
#include "kernels/kn_options.h"

#include <stddef.h>

/* ---- loops ---- */

struct kn_loop_job {
    void *to;
    const void *from, *from2;
    const void *to_index, *from_index, *from2_index; /* index_bits wide; NULL: the operand has none */
    double q;
    uint64_t stride; /* elements, for KN_AT_STRIDE */
};

/* Iterations [begin, end) of job. */
typedef void kn_loop(const struct kn_loop_job *job, uint64_t begin, uint64_t end);

/* Locations of operands; a loop is compiled for each row. X(name, destination, sources) */
#define KN_SHAPE_LIST(X)           \
    X(sequential, KN_J, KN_J)      \
    X(gather, KN_J, KN_INDEXED)    \
    X(scatter, KN_INDEXED, KN_J)   \
    X(sg, KN_INDEXED, KN_INDEXED)  \
    X(central, KN_FIRST, KN_FIRST) \
    X(stride, KN_STRIDED, KN_STRIDED)
#define KN_SHAPE_ENUM(name, to, from) KN_SHAPE_##name,
enum kn_shape { KN_SHAPE_LIST(KN_SHAPE_ENUM) KN_SHAPE_COUNT };
#undef KN_SHAPE_ENUM

enum { KN_OP_COUNT = KN_OP_TRIAD + 1 };

struct kn_loop_variant {
    enum kn_method method;
    enum kn_stores stores;
    unsigned element_bytes, index_bits;
    kn_loop *loop[KN_SHAPE_COUNT][KN_OP_COUNT]; /* NULL: not in this variant */
};

struct kn_loop_variants {
    const struct kn_loop_variant *rows;
    size_t len;
};

extern const struct kn_loop_variants kn_loops_scalar, kn_loops_unrolled, kn_loops_avx2, kn_loops_avx512,
    kn_loops_nontemporal_avx2, kn_loops_nontemporal_avx512;

struct kn_loop_wish {
    const struct kn_kernel *kernel;
    enum kn_method method;
    enum kn_stores stores;
    unsigned element_bytes, index_bits;
};

/* Every variant that this processor runs, was built and fits w; *len may be 0. */
void kn_loop_find(const struct kn_loop_wish *w, const struct kn_loop_variant **out, size_t max, size_t *len);
/* Fail with the reason why there is no variant. Errors: always fails, LS_ERR_UNSUPPORTED. */
ls_err kn_loop_explain_none(const struct kn_loop_wish *w);
/* The loop of v for k. */
kn_loop *kn_loop_of(const struct kn_loop_variant *v, const struct kn_kernel *k);
/* "avx512, nontemporal stores", with the width of indices where k has some. */
void kn_loop_describe(const struct kn_loop_variant *v, const struct kn_kernel *k, char *out,
                      size_t out_bytes);

/* ---- tables of loops ---- */

#define KN_LOOPS_TABLE(name, table) \
    const struct kn_loop_variants name = {table, sizeof(table) / sizeof((table)[0])}

#endif
