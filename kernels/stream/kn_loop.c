/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/stream/kn_loop.h"
#include "kernels/kn_options.h"

#include <stdio.h>

/* clang-format off */
static const struct kn_loop_variants *const families[] = {
    &kn_loops_unrolled, &kn_loops_scalar,
#ifdef HAVE_AVX
    &kn_loops_avx2, &kn_loops_avx512, &kn_loops_nontemporal_avx2, &kn_loops_nontemporal_avx512,
#endif
};
/* clang-format on */
enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

static const enum kn_shape shape_of[] = {
    [KN_GROUP_SEQUENTIAL] = KN_SHAPE_sequential, [KN_GROUP_GATHER] = KN_SHAPE_gather,
    [KN_GROUP_SCATTER] = KN_SHAPE_scatter,       [KN_GROUP_SG] = KN_SHAPE_sg,
    [KN_GROUP_CENTRAL] = KN_SHAPE_central,       [KN_GROUP_HOTSPOT] = KN_SHAPE_gather,
    [KN_GROUP_STRIDE] = KN_SHAPE_stride};

kn_loop *kn_loop_of(const struct kn_loop_variant *v, const struct kn_kernel *k)
{
    return v->loop[shape_of[k->group]][k->op];
}

/* Operands that always use the same element cannot be vectorised. */
static bool is_vain(const struct kn_loop_wish *w, const struct kn_loop_variant *v)
{
    return w->kernel->group == KN_GROUP_CENTRAL && v->method != KN_METHOD_SCALAR &&
           v->method != KN_METHOD_UNROLLED;
}

static bool method_fits(const struct kn_loop_wish *w, const struct kn_loop_variant *v)
{
    if (is_vain(w, v)) return false;
    return w->method == KN_METHOD_AUTO ? v->method != KN_METHOD_SCALAR : v->method == w->method;
}

static bool stores_fit(const struct kn_loop_wish *w, const struct kn_loop_variant *v)
{
    return w->stores == KN_STORES_AUTO || v->stores == w->stores;
}

static bool fits(const struct kn_loop_wish *w, const struct kn_loop_variant *v)
{
    return kn_isa_has(v->method) && method_fits(w, v) && stores_fit(w, v) &&
           v->element_bytes == w->element_bytes && v->index_bits == w->index_bits && kn_loop_of(v, w->kernel);
}

void kn_loop_find(const struct kn_loop_wish *w, const struct kn_loop_variant **out, size_t max, size_t *len)
{
    *len = 0;
    for (int f = 0; f < FAMILIES; f++)
        for (size_t r = 0; r < families[f]->len && *len < max; r++)
            if (fits(w, &families[f]->rows[r])) out[(*len)++] = &families[f]->rows[r];
}

ls_err kn_loop_explain_none(const struct kn_loop_wish *w)
{
    char here[128];
    kn_isa_list(here, sizeof(here));
    if (w->method != KN_METHOD_AUTO && !kn_isa_has(w->method))
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "method %s: this processor or build has no such instructions; there are %s",
                       kn_method_name(w->method), here);
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "%s has no loop by method %s with %s stores, %u-byte elements and %u-bit indices; methods "
                   "unrolled and scalar with regular stores, 4 or 8 bytes and 32 or 64 bits run everywhere",
                   w->kernel->name, kn_method_name(w->method), kn_stores_name(w->stores), w->element_bytes,
                   w->index_bits);
}

void kn_loop_describe(const struct kn_loop_variant *v, const struct kn_kernel *k, char *out, size_t out_bytes)
{
    if (k->index_loads)
        snprintf(out, out_bytes, "%s, %u-bit indices, %s stores", kn_method_name(v->method), v->index_bits,
                 kn_stores_name(v->stores));
    else
        snprintf(out, out_bytes, "%s, %s stores", kn_method_name(v->method), kn_stores_name(v->stores));
}
