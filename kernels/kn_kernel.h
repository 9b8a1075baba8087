/* SPDX-License-Identifier: BSD-3-Clause */
/* Every bundled kernel as a row of data: its operation and the bytes it moves, by both published ways of
 * counting. */
#ifndef KN_KERNEL_H
#define KN_KERNEL_H

#include "patterns/pat_config.h"

#include <stdint.h>

enum kn_family { KN_FAMILY_REPLAY, KN_FAMILY_STREAM, KN_FAMILY_CHASE };

/* Location of an operand of a STREAM kernel. */
enum kn_at { KN_AT_NONE, KN_AT_J, KN_AT_I1, KN_AT_I2, KN_AT_I3, KN_AT_0, KN_AT_STRIDE };
enum kn_array { KN_ARRAY_A, KN_ARRAY_B, KN_ARRAY_C };
enum kn_op { KN_OP_COPY, KN_OP_SCALE, KN_OP_SUM, KN_OP_TRIAD };
enum kn_group {
    KN_GROUP_SEQUENTIAL,
    KN_GROUP_GATHER,
    KN_GROUP_SCATTER,
    KN_GROUP_SG,
    KN_GROUP_CENTRAL,
    KN_GROUP_HOTSPOT,
    KN_GROUP_STRIDE,
    KN_GROUP_CHASE,
    KN_GROUP_REPLAY
};

struct kn_operand {
    enum kn_array array;
    enum kn_at at;
};

/* A way of counting: elements and indices an iteration moves to or from memory, and its floating-point
 * operations. */
struct kn_count {
    unsigned elements, indices, flops;
};

struct kn_kernel {
    const char *name;      /* as an option takes it: "gather-sum" */
    const char *title;     /* as STREAM's table prints it: "Gather Sum" */
    const char *operation; /* as the papers write it: "c[j] = a[I1[j]] + b[I2[j]]" */
    const char *words;     /* explanation of the operation */
    enum kn_family family;
    enum kn_group group;
    struct kn_count paper;               /* Spatter section 3.5; RaiderSTREAM table I */
    struct kn_count code;                /* as the published programs count */
    unsigned loads, stores, index_loads; /* element loads and stores, and index loads, an iteration */
    enum kn_op op;                       /* STREAM kernels: to = from, q from, from + from2, from + q from2 */
    struct kn_operand to, from, from2;
};

/* Every row; kn_kernels_len of them. */
extern const struct kn_kernel kn_kernels[];
extern const unsigned kn_kernels_len;

/* Find the row of a name, in any case, or NULL. */
const struct kn_kernel *kn_kernel_find(const char *name);
const struct kn_kernel *kn_kernel_of_pattern(enum pat_kernel k);
const char *kn_group_name(enum kn_group g);
/* Return the bytes of an iteration as counted by c. */
uint64_t kn_count_bytes(const struct kn_count *c, unsigned element_bytes, unsigned index_bytes);

#endif
