/* SPDX-License-Identifier: BSD-3-Clause */
/* The baseline of the paper: one element after the other. Compiled with every vectoriser off
 * (kernels/local.mk); tests/kernels/test_kn_scalar.sh looks at the machine code. */
#include "kernels/replay/kn_variant.h"

/* volatile: each store happens, by itself and in order */
#define KN_PUT(p, v) (*(volatile __typeof__(*(p)) *)(p) = (v))
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

static const struct kn_variant rows[] = {
    KN_FAMILY(scalar, KN_METHOD_SCALAR, KN_STORES_REGULAR),
    KN_FAMILY(scalar_atomic, KN_METHOD_SCALAR, KN_STORES_ATOMIC),
};
KN_VARIANTS(kn_variants_scalar, rows);
