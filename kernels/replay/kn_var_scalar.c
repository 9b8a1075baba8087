/* SPDX-License-Identifier: BSD-3-Clause */
/* The baseline of the paper: one element after the other. Compiled with every vectoriser off
 * (kernels/local.mk); tests/kernels/test_kn_scalar.sh looks at the machine code. */
#include "kernels/replay/kn_variant.h"

/* Each store is executed separately and in order. A volatile store would need an additional instruction for
 * its address. */
#define PUT(p, v)                          \
    do {                                   \
        *(p) = (v);                        \
        __asm__ volatile("" ::: "memory"); \
    } while (0)

#define KN_PUT PUT
#define KN_END() ((void)0)
#define KN_ROWS 1
#define KN_UNROLL 1
#define KN_TAG scalar
#include "kernels/replay/kn_family.inc.h"

#define KN_PUT(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define KN_END() ((void)0)
#define KN_ROWS 1
#define KN_UNROLL 1
#define KN_TAG scalar_atomic
#include "kernels/replay/kn_family.inc.h"

/* Processors exchange in one instruction, but add floating-point numbers by compare and exchange. */
#define EXCHANGE(p, v) ((void)__atomic_exchange_n((p), (v), __ATOMIC_RELAXED))

#define DEFINE_ADD(name, bits_type, number_type)                                                 \
    static inline void name(bits_type *p, bits_type v)                                           \
    {                                                                                            \
        union {                                                                                  \
            bits_type bits;                                                                      \
            number_type number;                                                                  \
        } by = {v}, before = {__atomic_load_n(p, __ATOMIC_RELAXED)}, after;                      \
        do                                                                                       \
            after.number = before.number + by.number;                                            \
        while (!__atomic_compare_exchange_n(p, &before.bits, after.bits, true, __ATOMIC_RELAXED, \
                                            __ATOMIC_RELAXED));                                  \
    }
DEFINE_ADD(add_8, uint64_t, double)
DEFINE_ADD(add_4, uint32_t, float)
#define ADD(p, v) _Generic((p), uint64_t * : add_8, uint32_t * : add_4)((p), (v))

#define KN_PUT EXCHANGE
#define KN_END() ((void)0)
#define KN_ROWS 1
#define KN_UNROLL 1
#define KN_TAG scalar_exchange
#include "kernels/replay/kn_family.inc.h"

#define KN_PUT ADD
#define KN_END() ((void)0)
#define KN_ROWS 1
#define KN_UNROLL 1
#define KN_TAG scalar_add
#include "kernels/replay/kn_family.inc.h"

static const struct kn_variant scalar_rows[] = {
    KN_FAMILY(scalar, KN_METHOD_SCALAR, KN_STORES_REGULAR),
    KN_FAMILY(scalar_atomic, KN_METHOD_SCALAR, KN_STORES_ATOMIC),
    KN_FAMILY(scalar_exchange, KN_METHOD_SCALAR, KN_STORES_EXCHANGE),
    KN_FAMILY(scalar_add, KN_METHOD_SCALAR, KN_STORES_ADD),
};
KN_VARIANTS(kn_variants_scalar, scalar_rows);

/* ---- unrolled and jammed ---- */

/* Scalar moves with less work around them. The instructions that gather are slower than scalar loads on many
 * processors: an index costs a load, and four rows side by side share it. */

#define KN_PUT PUT
#define KN_END() ((void)0)
#define KN_ROWS 1
#define KN_UNROLL 8
#define KN_TAG unrolled
#include "kernels/replay/kn_family.inc.h"

#define KN_PUT PUT
#define KN_END() ((void)0)
#define KN_ROWS 4
#define KN_UNROLL 2
#define KN_TAG jammed
#include "kernels/replay/kn_family.inc.h"

#define KN_PUT(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define KN_END() ((void)0)
#define KN_ROWS 1
#define KN_UNROLL 8
#define KN_TAG unrolled_atomic
#include "kernels/replay/kn_family.inc.h"

#define KN_PUT(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define KN_END() ((void)0)
#define KN_ROWS 4
#define KN_UNROLL 2
#define KN_TAG jammed_atomic
#include "kernels/replay/kn_family.inc.h"

#define KN_PUT EXCHANGE
#define KN_END() ((void)0)
#define KN_ROWS 1
#define KN_UNROLL 8
#define KN_TAG unrolled_exchange
#include "kernels/replay/kn_family.inc.h"

#define KN_PUT EXCHANGE
#define KN_END() ((void)0)
#define KN_ROWS 4
#define KN_UNROLL 2
#define KN_TAG jammed_exchange
#include "kernels/replay/kn_family.inc.h"

#define KN_PUT ADD
#define KN_END() ((void)0)
#define KN_ROWS 1
#define KN_UNROLL 8
#define KN_TAG unrolled_add
#include "kernels/replay/kn_family.inc.h"

static const struct kn_variant unrolled_rows[] = {
    KN_FAMILY(jammed, KN_METHOD_JAMMED, KN_STORES_REGULAR),
    KN_FAMILY(unrolled, KN_METHOD_UNROLLED, KN_STORES_REGULAR),
    KN_FAMILY(jammed_atomic, KN_METHOD_JAMMED, KN_STORES_ATOMIC),
    KN_FAMILY(unrolled_atomic, KN_METHOD_UNROLLED, KN_STORES_ATOMIC),
    KN_FAMILY(unrolled_exchange, KN_METHOD_UNROLLED, KN_STORES_EXCHANGE),
    KN_FAMILY(jammed_exchange, KN_METHOD_JAMMED, KN_STORES_EXCHANGE),
    KN_FAMILY(unrolled_add, KN_METHOD_UNROLLED, KN_STORES_ADD),
};
KN_VARIANTS(kn_variants_unrolled, unrolled_rows);
