/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_arena.h"

#include "common/ls_checked.h"

#include <stdlib.h>

enum { LINE_BYTES = 64, PAIR_BYTES = 2 * LINE_BYTES };

static const struct kn_block *block_of(const struct kn_arena *a, const struct kn_plan_side *s)
{
    return s == &a->plan->from ? &a->from : &a->to;
}

uint64_t kn_arena_get(const struct kn_arena *a, const struct kn_plan_side *s, int64_t e)
{
    return kn_value_get(block_of(a, s)->base, (uint64_t)e - (uint64_t)s->extent.low, a->plan->element_bytes);
}

static void put(const struct kn_arena *a, const struct kn_plan_side *s, int64_t e)
{
    const unsigned bytes = a->plan->element_bytes;
    kn_value_put(block_of(a, s)->base, (uint64_t)e - (uint64_t)s->extent.low,
                 kn_value_bits(s->salt, e, bytes), bytes);
}

/* Element by element as the rows of the share use them: few of many are touched, the rest stays unmapped. */
static void fill_touched(const struct kn_arena *a, const struct kn_plan_side *s, unsigned share)
{
    const uint64_t end = kn_plan_begin(a->plan, share + 1);
    for (uint64_t i = kn_plan_begin(a->plan, share); i < end; i++) {
        const int64_t base = kn_plan_base(s, i);
        for (size_t j = 0; j < a->plan->len; j++)
            put(a, s, base + kn_plan_index(s, j));
    }
}

/* The share's part of the whole span: rows are spread evenly over it. */
static void fill_span(const struct kn_arena *a, const struct kn_plan_side *s, unsigned share)
{
    const unsigned threads = a->plan->threads;
    const unsigned at = s->delta < 0 ? threads - 1 - share : share;
    const uint64_t end = ls_muldiv_u64(s->elements, at + 1, threads);
    for (uint64_t e = ls_muldiv_u64(s->elements, at, threads); e < end; e++)
        put(a, s, (int64_t)((uint64_t)s->extent.low + e));
}

static void fill_side(const struct kn_arena *a, const struct kn_plan_side *s, unsigned share)
{
    if (!s->used) return;
    if (a->plan->need.iterations < s->elements)
        fill_touched(a, s, share);
    else
        fill_span(a, s, share);
}

/* One copy: rows in turn are used by all threads alike. */
static void fill_dense(const struct kn_arena *a, unsigned share)
{
    const struct kn_plan *p = a->plan;
    const bool own = p->dense_copies > 1;
    const uint64_t begin = own ? 0 : ls_muldiv_u64(p->dense_elements, share, p->threads);
    const uint64_t end = own ? p->dense_elements : ls_muldiv_u64(p->dense_elements, share + 1, p->threads);
    for (uint64_t e = begin; e < end; e++)
        kn_value_put(a->parts[share].dense, e, kn_value_bits(KN_SALT_DENSE, (int64_t)e, p->element_bytes),
                     p->element_bytes);
}

static void fill_share(void *arg, unsigned share)
{
    const struct kn_arena *a = arg;
    fill_side(a, &a->plan->from, share);
    fill_side(a, &a->plan->to, share);
    fill_dense(a, share);
}

static void set_parts(struct kn_arena *a)
{
    const struct kn_plan *p = a->plan;
    for (unsigned t = 0; t < p->threads; t++) {
        struct kn_part *part = &a->parts[t];
        part->begin = kn_plan_begin(p, t);
        part->end = kn_plan_begin(p, t + 1);
        part->dense = (char *)a->dense.base + (p->dense_copies > 1 ? t * a->dense_stride_bytes : 0);
        part->sum = &a->sums[t];
        if (p->from.used) part->base_from = kn_plan_base(&p->from, part->begin);
        if (p->to.used) part->base_to = kn_plan_base(&p->to, part->begin);
        if (p->from.used) part->step_from = part->begin % p->from.steps_len;
        if (p->to.used) part->step_to = part->begin % p->to.steps_len;
        part->run_from = kn_runs_find(&a->runs_from, part->step_from);
        part->run_to = kn_runs_find(&a->runs_to, part->step_to);
    }
}

void kn_arena_fill(struct kn_arena *a)
{
    a->backend->parallel(a->plan->threads, fill_share, a);
}

static ls_err init_sparse(struct kn_arena *a, enum kn_pages pages, const struct kn_block *lent)
{
    const struct kn_plan *p = a->plan;
    if (lent) {
        *(p->from.used ? &a->from : &a->to) = (struct kn_block){lent->base, lent->len_bytes, NULL, 0};
        return LS_OK;
    }
    LS_TRY(kn_block_init(&a->from, p->from.elements * p->element_bytes, pages));
    return kn_block_init(&a->to, p->to.elements * p->element_bytes, pages);
}

ls_err kn_arena_init(struct kn_arena *out, const struct kn_plan *plan, const struct kn_backend *backend,
                     enum kn_pages pages)
{
    return kn_arena_init_in(out, plan, backend, pages, NULL);
}

ls_err kn_arena_init_in(struct kn_arena *out, const struct kn_plan *plan, const struct kn_backend *backend,
                        enum kn_pages pages, const struct kn_block *lent)
{
    *out = (struct kn_arena){.plan = plan, .backend = backend};
    const uint64_t dense_bytes = plan->dense_elements * plan->element_bytes;
    out->dense_stride_bytes = (dense_bytes + PAIR_BYTES - 1) / PAIR_BYTES * PAIR_BYTES;
    LS_TRY(init_sparse(out, pages, lent));
    LS_TRY(kn_block_init(&out->dense, out->dense_stride_bytes * plan->dense_copies, pages));
    if (plan->from.used) LS_TRY(kn_runs_init(plan->from.steps, plan->from.steps_len, &out->runs_from));
    if (plan->to.used) LS_TRY(kn_runs_init(plan->to.steps, plan->to.steps_len, &out->runs_to));
    out->parts = calloc(plan->threads, sizeof(*out->parts));
    out->sums = calloc(plan->threads, sizeof(*out->sums));
    if (!out->parts || !out->sums) return ls_nomem("%u threads", plan->threads);
    set_parts(out);
    kn_arena_fill(out);
    return LS_OK;
}

void kn_arena_fini(struct kn_arena *a)
{
    kn_arena_forget_narrow(a);
    kn_block_fini(&a->from);
    kn_block_fini(&a->to);
    kn_block_fini(&a->dense);
    kn_runs_fini(&a->runs_from);
    kn_runs_fini(&a->runs_to);
    free(a->parts);
    free(a->sums);
    a->parts = NULL;
    a->sums = NULL;
}

static ls_err narrow(const struct pat_indices *p, int32_t **out)
{
    if (p->len == 0) return LS_OK;
    if (!(*out = malloc(p->len * sizeof(**out)))) return ls_nomem("%zu 32-bit indices", p->len);
    for (size_t j = 0; j < p->len; j++)
        (*out)[j] = (int32_t)p->data[j];
    return LS_OK;
}

ls_err kn_arena_narrow(struct kn_arena *a)
{
    if (a->narrow_from.outer || a->narrow_to.outer) return LS_OK;
    LS_TRY(narrow(&a->plan->from.outer, &a->narrow_from.outer));
    LS_TRY(narrow(&a->plan->from.inner, &a->narrow_from.inner));
    LS_TRY(narrow(&a->plan->to.outer, &a->narrow_to.outer));
    return narrow(&a->plan->to.inner, &a->narrow_to.inner);
}

void kn_arena_forget_narrow(struct kn_arena *a)
{
    free(a->narrow_from.outer);
    free(a->narrow_from.inner);
    free(a->narrow_to.outer);
    free(a->narrow_to.inner);
    a->narrow_from = a->narrow_to = (struct kn_narrow){NULL, NULL};
}

static struct kn_side job_side(const struct kn_arena *a, const struct kn_plan_side *s,
                               const struct kn_narrow *narrow_side, const struct kn_runs *runs,
                               unsigned index_bits)
{
    if (!s->used) return (struct kn_side){0};
    const bool is_narrow = index_bits == 32;
    /* element 0 may be before the block: the address is computed on integers */
    const uintptr_t base =
        (uintptr_t)block_of(a, s)->base - (uintptr_t)((uint64_t)s->extent.low * a->plan->element_bytes);
    return (struct kn_side){.base = (void *)base,
                            .index = is_narrow ? (const void *)narrow_side->outer : s->outer.data,
                            .inner = is_narrow ? (const void *)narrow_side->inner : s->inner.data,
                            .steps = s->steps,
                            .steps_len = s->steps_len,
                            .runs = runs->rows,
                            .runs_len = runs->len,
                            .fold = s->fold};
}

struct kn_job kn_arena_job(const struct kn_arena *a, unsigned index_bits)
{
    return (struct kn_job){.from = job_side(a, &a->plan->from, &a->narrow_from, &a->runs_from, index_bits),
                           .to = job_side(a, &a->plan->to, &a->narrow_to, &a->runs_to, index_bits),
                           .len = a->plan->len,
                           .wrap = a->plan->wrap};
}
