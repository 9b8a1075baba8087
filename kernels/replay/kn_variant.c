/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/replay/kn_variant.h"
#include "kernels/kn_options.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct kn_variants *const families[] = {
    &kn_variants_unrolled, &kn_variants_paired, &kn_variants_scalar, &kn_variants_operations,
#ifdef HAVE_AVX
    &kn_variants_nontemporal, &kn_variants_avx2, &kn_variants_avx512,
#endif
#ifdef HAVE_NEON
    &kn_variants_neon,
#endif
};
/* clang-format on */
enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

static bool stores_fit(const struct kn_wish *w, const struct kn_variant *v)
{
    if (v->stores == KN_STORES_ADD && w->kernel != PAT_SCATTER && w->kernel != PAT_MULTISCATTER) return false;
    if (w->stores != KN_STORES_AUTO) return v->stores == w->stores;
    return v->stores == KN_STORES_REGULAR || (v->stores == KN_STORES_NONTEMPORAL && w->destination_is_large);
}

/* The baseline is a candidate, too: its single access has one stride from element to element, which prefetchers of the processor
 * may follow where they do not follow the accesses of an unrolled loop. */
static bool method_fits(const struct kn_wish *w, const struct kn_variant *v)
{
    if (v->method == KN_METHOD_JAMMED && !w->rows_may_be_jammed) return false;
    return w->method == KN_METHOD_AUTO || v->method == w->method;
}

static bool fits(const struct kn_wish *w, const struct kn_variant *v)
{
    return kn_isa_has(v->method) && method_fits(w, v) && stores_fit(w, v) && v->operation == w->operation &&
           v->linked == w->linked && v->element_bytes == w->element_bytes &&
           (w->index_bits == 0 || v->index_bits == w->index_bits) &&
           (v->index_bits != 32 || w->indices_fit_32_bits) && v->move[w->kernel];
}

void kn_variant_find(const struct kn_wish *w, const struct kn_variant **out, size_t max, size_t *len)
{
    *len = 0;
    for (int f = 0; f < FAMILIES; f++)
        for (size_t r = 0; r < families[f]->len && *len < max; r++)
            if (fits(w, &families[f]->rows[r])) out[(*len)++] = &families[f]->rows[r];
}

static bool built(enum kn_method m)
{
    for (int f = 0; f < FAMILIES; f++)
        for (size_t r = 0; r < families[f]->len; r++)
            if (families[f]->rows[r].method == m) return true;
    return false;
}

static bool any_fits(struct kn_wish w, enum kn_method m)
{
    const struct kn_variant *first;
    size_t len;
    w.method = m;
    kn_variant_find(&w, &first, 1, &len);
    return len > 0;
}

/* "unrolled, jammed": methods that fit w. */
static void list_methods(const struct kn_wish *w, char *out, size_t out_bytes)
{
    out[0] = '\0';
    for (int m = KN_METHOD_AUTO + 1; m < KN_METHOD_COUNT; m++) {
        const size_t used = strlen(out);
        if (any_fits(*w, (enum kn_method)m))
            snprintf(out + used, out_bytes - used, "%s%s", used ? ", " : "",
                     kn_method_name((enum kn_method)m));
    }
}

/* The method has no such loop, or no such stores, on any processor. */
static ls_err explain_row(const struct kn_wish *w)
{
    char others[128];
    struct kn_wish any_stores = *w;
    any_stores.stores = KN_STORES_AUTO;
    list_methods(w, others, sizeof(others));
    if (!*others)
        return ls_fail(LS_ERR_UNSUPPORTED, "no method has %s stores for %s here; take regular",
                       kn_stores_name(w->stores), pat_kernel_name(w->kernel));
    if (!any_fits(any_stores, w->method))
        return ls_fail(LS_ERR_UNSUPPORTED, "method %s has no loop for %s; there are %s",
                       kn_method_name(w->method), pat_kernel_name(w->kernel), others);
    return ls_fail(LS_ERR_UNSUPPORTED, "method %s has no %s stores; methods that have them: %s",
                   kn_method_name(w->method), kn_stores_name(w->stores), others);
}

ls_err kn_variant_explain_none(const struct kn_wish *w)
{
    char here[128];
    kn_isa_list(here, sizeof(here));
    if (w->method != KN_METHOD_AUTO && (!built(w->method) || !kn_isa_has(w->method)))
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "method %s: this processor or build has no such instructions; there are %s",
                       kn_method_name(w->method), here);
    if (w->method == KN_METHOD_JAMMED && !w->rows_may_be_jammed)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "method jammed would change which of several stores to one element comes last; take unrolled");
    if (w->operation != PAT_OPERATION_COPY)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "operation %s is done by method scalar with regular stores; --copy replays through a "
                       "dense buffer, by any method",
                       pat_operation_name(w->operation));
    if (w->index_bits == 32 && !w->indices_fit_32_bits)
        return ls_fail(LS_ERR_UNSUPPORTED, "the indices do not fit 32 bits; take 64");
    return explain_row(w);
}

void kn_variant_describe(const struct kn_variant *v, char *out, size_t out_bytes)
{
    if (v->linked)
        snprintf(out, out_bytes, "%s, linked elements, %s stores", kn_method_name(v->method),
                 kn_stores_name(v->stores));
    else
        snprintf(out, out_bytes, "%s, %u-bit indices, %s stores", kn_method_name(v->method), v->index_bits,
                 kn_stores_name(v->stores));
}
