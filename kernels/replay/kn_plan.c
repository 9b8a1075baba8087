/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_plan.h"

#include "common/ls_checked.h"

#include <string.h>

enum { ROWS_JAMMED = 4, JAM_CHECK_MAX = 512 };

uint64_t kn_plan_begin(const struct kn_plan *p, unsigned s)
{
    return ls_muldiv_u64(p->count, s, p->threads);
}

int64_t kn_plan_index(const struct kn_plan_side *s, size_t j)
{
    const int64_t i = s->outer.data[j];
    return s->inner.len ? s->inner.data[i] : i;
}

int64_t kn_plan_base(const struct kn_plan_side *s, uint64_t i)
{
    return pat_base(s->delta, s->deltas, i);
}

static ls_err set_side(struct kn_plan *p, struct kn_plan_side *s, enum pat_side side)
{
    const struct pat_config *c = p->config;
    const bool gs = c->kernel == PAT_GS, gathers = side == PAT_SIDE_GATHER;
    s->used = true;
    s->outer = gs ? (gathers ? c->gather : c->scatter) : c->pattern;
    if (c->kernel == PAT_MULTIGATHER || c->kernel == PAT_MULTISCATTER) {
        s->inner = c->pattern;
        s->outer = gathers ? c->gather : c->scatter;
    }
    s->deltas = gs ? (gathers ? &c->deltas_gather : &c->deltas_scatter) : &c->deltas;
    s->delta = gs ? (gathers ? c->delta_gather : c->delta_scatter) : c->delta;
    s->steps = s->deltas->len ? s->deltas->data : &s->delta;
    s->steps_len = s->deltas->len ? s->deltas->len : 1;
    s->salt = gathers                                ? KN_SALT_SOURCE
              : c->operation == PAT_OPERATION_UPDATE ? KN_SALT_UPDATED
                                                     : KN_SALT_SPARSE;
    s->fold = s->inner.len ? (struct kn_fold){s->outer.len, 1, 0} : kn_fold_find(s->outer.data, s->outer.len);
    LS_TRY(pat_extent_of(c, side, &s->extent));
    s->elements = pat_extent_elements(&s->extent);
    return LS_OK;
}

static bool fit_32_bits(const struct pat_indices *p)
{
    for (size_t j = 0; j < p->len; j++)
        if (p->data[j] < INT32_MIN || p->data[j] > INT32_MAX) return false;
    return true;
}

/* Row i + k may come before row i has ended unless element j of row i and an earlier element of row i + k are
 * one place. Lists of steps and long rows are not worth the look. */
static bool may_be_jammed(const struct kn_plan_side *s, size_t len)
{
    if (s->steps_len > 1 || len > JAM_CHECK_MAX) return false;
    for (size_t late = 1; late < len; late++)
        for (size_t early = 0; early < late; early++)
            for (int k = 1; k < ROWS_JAMMED; k++)
                if ((__int128)kn_plan_index(s, late) - kn_plan_index(s, early) == (__int128)k * s->delta)
                    return false;
    return true;
}

static const char *name_of(const struct pat_config *c)
{
    return c->name && *c->name ? c->name : pat_kernel_name(c->kernel);
}

/* Bytes of pages that elements need: all of them, or a page for each that is touched. No array has more than
 * 63 bits of bytes, however few are touched. */
static bool touched_bytes(uint64_t elements, uint64_t touches, const struct kn_plan *p, uint64_t page_bytes,
                          uint64_t *out)
{
    uint64_t span, pages;
    if (!ls_mul_u64(elements, p->element_bytes, &span) || span > INT64_MAX) return false;
    if (!ls_mul_u64(touches, page_bytes, &pages)) pages = UINT64_MAX;
    *out = span < pages ? span : pages;
    return true;
}

static ls_err set_need(struct kn_plan *p, enum kn_pages pages)
{
    const uint64_t page_bytes = pages == KN_PAGES_HUGE ? UINT64_C(2) << 20 : 4096;
    struct kn_replay_need *n = &p->need;
    uint64_t from = 0, to = 0, dense = 0;
    bool ok = ls_mul_u64(p->len, p->count, &n->iterations);
    n->bytes = pat_config_bytes(p->config, p->element_bytes);
    ok = ok && n->bytes != 0;
    ok = ok && touched_bytes(p->from.elements, n->iterations, p, page_bytes, &from);
    ok = ok && touched_bytes(p->to.elements, n->iterations, p, page_bytes, &to);
    ok = ok && touched_bytes(p->dense_elements, n->iterations, p, page_bytes, &dense);
    ok = ok && ls_mul_u64(dense, p->dense_copies, &dense);
    const uint64_t indices =
        (p->from.outer.len + p->from.inner.len + p->to.outer.len + p->to.inner.len) * sizeof(int64_t);
    ok = ok && ls_add_u64(from, to, &n->memory_bytes) &&
         ls_add_u64(n->memory_bytes, dense, &n->memory_bytes) &&
         ls_add_u64(n->memory_bytes, indices, &n->memory_bytes) && n->memory_bytes <= INT64_MAX;
    return ok ? LS_OK
              : ls_fail(LS_ERR_RANGE,
                        "%s: its arrays do not fit 63 bits; lower its indices, count, delta or wrap",
                        name_of(p->config));
}

static ls_err check(const struct pat_config *c)
{
    const char *name = name_of(c);
    if (c->count == 0 || c->wrap == 0) return ls_fail(LS_ERR_ARG, "%s: count and wrap are 1 at least", name);
    if (!pat_operation_fits(c->operation, c->kernel))
        return ls_fail(LS_ERR_ARG, "%s: kernel %s has no operation %s", name, pat_kernel_name(c->kernel),
                       pat_operation_name(c->operation));
    if (c->kernel == PAT_GS && c->gather.len != c->scatter.len)
        return ls_fail(LS_ERR_ARG,
                       "%s: gs needs patterns of equal length, but gathers %zu elements and scatters %zu",
                       name, c->gather.len, c->scatter.len);
    return LS_OK;
}

ls_err kn_plan_init(struct kn_plan *out, const struct pat_config *c, const struct kn_options *o,
                    unsigned threads)
{
    memset(out, 0, sizeof(*out));
    LS_TRY(check(c));
    *out = (struct kn_plan){.config = c,
                            .len = pat_config_len(c),
                            .count = c->count,
                            .wrap = c->wrap,
                            .threads = threads,
                            .element_bytes = o->element_bytes ? o->element_bytes : 8};
    if (out->element_bytes != 8 && out->element_bytes != 4)
        return ls_fail(LS_ERR_UNSUPPORTED, "elements of %u bytes; there are 8 and 4", out->element_bytes);
    const bool gathers = c->kernel == PAT_GATHER || c->kernel == PAT_MULTIGATHER || c->kernel == PAT_GS;
    const bool scatters = c->kernel == PAT_SCATTER || c->kernel == PAT_MULTISCATTER || c->kernel == PAT_GS;
    if (gathers) LS_TRY(set_side(out, &out->from, PAT_SIDE_GATHER));
    if (scatters) LS_TRY(set_side(out, &out->to, PAT_SIDE_SCATTER));
    LS_TRY(pat_dense_elements(c, &out->dense_elements));
    out->dense_copies = o->dense_per_thread ? threads : 1;
    out->indices_fit_32_bits = fit_32_bits(&out->from.outer) && fit_32_bits(&out->from.inner) &&
                               fit_32_bits(&out->to.outer) && fit_32_bits(&out->to.inner);
    out->rows_may_be_jammed = !scatters || may_be_jammed(&out->to, out->len);
    return set_need(out, o->pages);
}
