/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_arrays.h"

#include "common/ls_checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- a plan ---- */

enum { ROWS_JAMMED = 4, JAM_CHECK_MAX = 512 };

uint64_t kn_plan_begin(const struct kn_plan *p, unsigned s)
{
    return ls_muldiv_u64(p->count, s, p->threads);
}

static bool is_apart(const struct kn_plan *p)
{
    return p->from.apart || p->to.apart;
}

int64_t kn_plan_shift(const struct kn_plan *p, unsigned s)
{
    const struct kn_plan_side *side = p->from.used ? &p->from : &p->to;
    if (!is_apart(p)) return 0;
    return p->config->thread_firsts.data[s] - pat_base(side->delta, side->deltas, kn_plan_begin(p, s));
}

int64_t kn_plan_base(const struct kn_plan_side *s, uint64_t i)
{
    const int64_t base = pat_base(s->delta, s->deltas, i);
    if (!s->apart) return base;
    return base + kn_plan_shift(s->apart, (unsigned)(i / (s->apart->count / s->apart->threads)));
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
    s->apart = pat_config_is_apart(c, p->threads) ? p : NULL;
    LS_TRY(s->apart ? pat_extent_apart(c, &s->extent) : pat_extent_of(c, side, &s->extent));
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
 * the same one. Lists of steps and long rows are not worth the look. */
static bool may_be_jammed(const struct kn_plan_side *s, size_t len)
{
    if (s->steps_len > 1 || len > JAM_CHECK_MAX) return false;
    for (size_t late = 1; late < len; late++)
        for (size_t early = 0; early < late; early++)
            for (int k = 1; k < ROWS_JAMMED; k++)
                if ((__int128)kn_plan_index(s, late) - kn_plan_index(s, early) == (__int128)k * s->steps[0])
                    return false;
    return true;
}

static const char *name_of(const struct pat_config *c)
{
    return c->name && *c->name ? c->name : pat_kernel_name(c->kernel);
}

/* Return the bytes of the pages that elements need: all pages, or one for each touched element. No array has
 * more than 63 bits of bytes, even if few are touched. */
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
    if (c->runs > UINT32_MAX)
        return ls_fail(LS_ERR_RANGE, "%s: %llu runs are too many, the most is %u", name,
                       (unsigned long long)c->runs, UINT32_MAX);
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
    *out =
        (struct kn_plan){.config = c,
                         .len = pat_config_len(c),
                         .count = c->count,
                         .wrap = c->wrap,
                         .threads = threads,
                         .element_bytes = o->element_bytes ? o->element_bytes : pat_config_element_bytes(c)};
    if (out->element_bytes != 8 && out->element_bytes != 4)
        return ls_fail(LS_ERR_UNSUPPORTED, "elements of %u bytes; there are 8 and 4", out->element_bytes);
    const bool gathers = c->kernel == PAT_GATHER || c->kernel == PAT_MULTIGATHER || c->kernel == PAT_GS;
    const bool scatters = c->kernel == PAT_SCATTER || c->kernel == PAT_MULTISCATTER || c->kernel == PAT_GS;
    if (gathers) LS_TRY(set_side(out, &out->from, PAT_SIDE_GATHER));
    if (scatters) LS_TRY(set_side(out, &out->to, PAT_SIDE_SCATTER));
    LS_TRY(pat_dense_elements(c, &out->dense_elements));
    out->dense_copies = o->dense_per_thread ? threads : 1;
    out->adds = o->stores == KN_STORES_ADD && scatters && !gathers && c->operation == PAT_OPERATION_COPY;
    out->indices_fit_32_bits = fit_32_bits(&out->from.outer) && fit_32_bits(&out->from.inner) &&
                               fit_32_bits(&out->to.outer) && fit_32_bits(&out->to.inner);
    out->rows_may_be_jammed = !scatters || may_be_jammed(&out->to, out->len);
    return set_need(out, o->pages);
}

/* ---- arrays ---- */

enum { LINE_BYTES = 64, PAIR_BYTES = 2 * LINE_BYTES };

static const struct kn_block *block_of(const struct kn_arrays *a, const struct kn_plan_side *s)
{
    return s == &a->plan->from ? &a->from : &a->to;
}

uint64_t kn_arrays_get(const struct kn_arrays *a, const struct kn_plan_side *s, int64_t e)
{
    return kn_value_get(block_of(a, s)->base, (uint64_t)e - (uint64_t)s->extent.low, a->plan->element_bytes);
}

static void put(const struct kn_arrays *a, const struct kn_plan_side *s, int64_t e)
{
    const unsigned bytes = a->plan->element_bytes;
    kn_value_put(block_of(a, s)->base, (uint64_t)e - (uint64_t)s->extent.low,
                 a->plan->adds ? 0 : kn_value_bits(s->salt, e, bytes), bytes);
}

static uint64_t dense_bits(const struct kn_plan *p, uint64_t e)
{
    return p->adds ? kn_value_number(kn_value_addend(e % p->len, p->element_bytes), p->element_bytes)
                   : kn_value_bits(KN_SALT_DENSE, (int64_t)e, p->element_bytes);
}

/* Fill the elements that the rows of the share use, one by one; if few are used, the rest stays unmapped. */
static void fill_touched(const struct kn_arrays *a, const struct kn_plan_side *s, unsigned share)
{
    const uint64_t end = kn_plan_begin(a->plan, share + 1);
    for (uint64_t i = kn_plan_begin(a->plan, share); i < end; i++) {
        const int64_t base = kn_plan_base(s, i);
        for (size_t j = 0; j < a->plan->len; j++)
            put(a, s, base + kn_plan_index(s, j));
    }
}

/* Fill the share's part of the whole span, over which rows are spread evenly. */
static void fill_span(const struct kn_arrays *a, const struct kn_plan_side *s, unsigned share)
{
    const unsigned threads = a->plan->threads;
    const unsigned at = s->delta < 0 ? threads - 1 - share : share;
    const uint64_t end = ls_muldiv_u64(s->elements, at + 1, threads);
    for (uint64_t e = ls_muldiv_u64(s->elements, at, threads); e < end; e++)
        put(a, s, (int64_t)((uint64_t)s->extent.low + e));
}

/* Does kn_arrays_fill touch every element of s? */
static bool is_filled(const struct kn_plan *p, const struct kn_plan_side *s)
{
    return p->need.iterations >= s->elements;
}

static void fill_side(const struct kn_arrays *a, const struct kn_plan_side *s, unsigned share)
{
    if (!s->used) return;
    if (is_filled(a->plan, s))
        fill_span(a, s, share);
    else
        fill_touched(a, s, share);
}

/* Fill one copy, whose rows all threads use in turn. */
static void fill_dense(const struct kn_arrays *a, unsigned share)
{
    const struct kn_plan *p = a->plan;
    const bool own = p->dense_copies > 1;
    const uint64_t begin = own ? 0 : ls_muldiv_u64(p->dense_elements, share, p->threads);
    const uint64_t end = own ? p->dense_elements : ls_muldiv_u64(p->dense_elements, share + 1, p->threads);
    for (uint64_t e = begin; e < end; e++)
        kn_value_put(a->parts[share].dense, e, dense_bits(p, e), p->element_bytes);
}

static void fill_share(void *arg, unsigned share)
{
    const struct kn_arrays *a = arg;
    fill_side(a, &a->plan->from, share);
    fill_side(a, &a->plan->to, share);
    fill_dense(a, share);
}

void kn_arrays_move_part(const struct kn_arrays *a, struct kn_part *part, uint64_t begin, uint64_t end)
{
    const struct kn_plan *p = a->plan;
    part->begin = begin;
    part->end = end;
    if (p->from.used) part->base_from = kn_plan_base(&p->from, begin);
    if (p->to.used) part->base_to = kn_plan_base(&p->to, begin);
    if (p->from.used) part->step_from = begin % p->from.steps_len;
    if (p->to.used) part->step_to = begin % p->to.steps_len;
    part->run_from = kn_runs_find(&a->runs_from, part->step_from);
    part->run_to = kn_runs_find(&a->runs_to, part->step_to);
}

static void set_parts(struct kn_arrays *a)
{
    const struct kn_plan *p = a->plan;
    for (unsigned t = 0; t < p->threads; t++) {
        struct kn_part *part = &a->parts[t];
        part->dense = (char *)a->dense.base + (p->dense_copies > 1 ? t * a->dense_stride_bytes : 0);
        part->sum = &a->sums[t];
        kn_arrays_move_part(a, part, kn_plan_begin(p, t), kn_plan_begin(p, t + 1));
    }
}

void kn_arrays_fill(struct kn_arrays *a)
{
    a->backend->parallel(a->plan->threads, fill_share, a);
}

/* Can kn_arrays_fill touch every page of s? A block with fewer touched pages is new: its other pages need no memory. */
static bool needs_all_pages(const struct kn_plan *p, const struct kn_plan_side *s)
{
    enum { PAGE_BYTES = 4096 };
    return p->need.iterations >= s->elements / (PAGE_BYTES / p->element_bytes);
}

static ls_err init_side(struct kn_arrays *a, const struct kn_plan_side *s, struct kn_block *out)
{
    const struct kn_plan *p = a->plan;
    const uint64_t bytes = s->elements * p->element_bytes;
    return needs_all_pages(p, s) ? kn_block_reuse(out, bytes, a->pages, p->threads)
                                 : kn_block_init(out, bytes, a->pages);
}

/* b is empty or lent after a failure. */
static void fini_block(const struct kn_arrays *a, struct kn_block *b, bool is_kept)
{
    if (b->mapping && is_kept)
        kn_block_keep(b, a->pages, a->plan->threads);
    else
        kn_block_fini(b);
}

static ls_err init_sparse(struct kn_arrays *a, const struct kn_block *lent)
{
    const struct kn_plan *p = a->plan;
    if (lent) {
        *(p->from.used ? &a->from : &a->to) = (struct kn_block){lent->base, lent->len_bytes, NULL, 0};
        return LS_OK;
    }
    LS_TRY(init_side(a, &p->from, &a->from));
    return init_side(a, &p->to, &a->to);
}

/* Indices are an array of the program, too. */
static void collapse_indices(const struct kn_plan_side *s, enum kn_pages pages)
{
    kn_memory_collapse(s->outer.data, s->outer.len * sizeof(*s->outer.data), pages);
    kn_memory_collapse(s->inner.data, s->inner.len * sizeof(*s->inner.data), pages);
}

ls_err kn_arrays_init(struct kn_arrays *out, const struct kn_plan *plan, const struct kn_backend *backend,
                      enum kn_pages pages)
{
    return kn_arrays_init_in(out, plan, backend, pages, NULL);
}

ls_err kn_arrays_init_in(struct kn_arrays *out, const struct kn_plan *plan, const struct kn_backend *backend,
                         enum kn_pages pages, const struct kn_block *lent)
{
    *out = (struct kn_arrays){.plan = plan, .backend = backend, .pages = pages};
    const uint64_t dense_bytes = plan->dense_elements * plan->element_bytes;
    out->dense_stride_bytes = (dense_bytes + PAIR_BYTES - 1) / PAIR_BYTES * PAIR_BYTES;
    LS_TRY(init_sparse(out, lent));
    LS_TRY(kn_block_reuse(&out->dense, out->dense_stride_bytes * plan->dense_copies, pages, plan->threads));
    if (plan->from.used) LS_TRY(kn_runs_init(plan->from.steps, plan->from.steps_len, &out->runs_from));
    if (plan->to.used) LS_TRY(kn_runs_init(plan->to.steps, plan->to.steps_len, &out->runs_to));
    collapse_indices(&plan->from, pages);
    collapse_indices(&plan->to, pages);
    out->parts = calloc(plan->threads, sizeof(*out->parts));
    out->sums = calloc(plan->threads, sizeof(*out->sums));
    if (!out->parts || !out->sums) return ls_nomem("%u threads", plan->threads);
    set_parts(out);
    kn_arrays_fill(out);
    return LS_OK;
}

void kn_arrays_fini(struct kn_arrays *a)
{
    kn_arrays_forget_narrow(a);
    fini_block(a, &a->from, a->plan && needs_all_pages(a->plan, &a->plan->from));
    fini_block(a, &a->to, a->plan && needs_all_pages(a->plan, &a->plan->to));
    fini_block(a, &a->dense, true);
    kn_runs_fini(&a->runs_from);
    kn_runs_fini(&a->runs_to);
    free(a->parts);
    free(a->sums);
    a->parts = NULL;
    a->sums = NULL;
}

static ls_err narrow(const struct pat_indices *p, enum kn_pages pages, int32_t **out)
{
    if (p->len == 0) return LS_OK;
    if (!(*out = malloc(p->len * sizeof(**out)))) return ls_nomem("%zu 32-bit indices", p->len);
    for (size_t j = 0; j < p->len; j++)
        (*out)[j] = (int32_t)p->data[j];
    kn_memory_collapse(*out, p->len * sizeof(**out), pages);
    return LS_OK;
}

ls_err kn_arrays_narrow(struct kn_arrays *a)
{
    if (a->narrow_from.outer || a->narrow_to.outer) return LS_OK;
    LS_TRY(narrow(&a->plan->from.outer, a->pages, &a->narrow_from.outer));
    LS_TRY(narrow(&a->plan->from.inner, a->pages, &a->narrow_from.inner));
    LS_TRY(narrow(&a->plan->to.outer, a->pages, &a->narrow_to.outer));
    return narrow(&a->plan->to.inner, a->pages, &a->narrow_to.inner);
}

void kn_arrays_forget_narrow(struct kn_arrays *a)
{
    free(a->narrow_from.outer);
    free(a->narrow_from.inner);
    free(a->narrow_to.outer);
    free(a->narrow_to.inner);
    a->narrow_from = a->narrow_to = (struct kn_narrow){NULL, NULL};
}

static struct kn_side job_side(const struct kn_arrays *a, const struct kn_plan_side *s,
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

struct kn_job kn_arrays_job(const struct kn_arrays *a, unsigned index_bits)
{
    return (struct kn_job){.from = job_side(a, &a->plan->from, &a->narrow_from, &a->runs_from, index_bits),
                           .to = job_side(a, &a->plan->to, &a->narrow_to, &a->runs_to, index_bits),
                           .len = a->plan->len,
                           .wrap = a->plan->wrap};
}

/* ---- dependent loads as a list in memory ---- */

/* elements linked at most: a second or two */
static const uint64_t links_max = UINT64_C(1) << 25;

bool kn_chain_fits(const struct kn_plan *p)
{
    return p->config->operation == PAT_OPERATION_CHASE && p->config->kernel == PAT_GATHER &&
           p->element_bytes == sizeof(uintptr_t) && p->need.iterations <= links_max && !is_apart(p);
}

static uint64_t *element_address(const struct kn_arrays *a, int64_t element)
{
    return (uint64_t *)a->from.base + ((uint64_t)element - (uint64_t)a->plan->from.extent.low);
}

uint64_t kn_chain_after(const struct kn_arrays *a, uint64_t i, size_t j, int64_t base)
{
    const struct kn_plan *p = a->plan;
    const struct kn_plan_side *s = &p->from;
    const bool ends_row = j + 1 == p->len, ends = ends_row && i + 1 == p->count;
    const int64_t row = ends ? 0 : ends_row ? base + s->steps[i % s->steps_len] : base;
    return (uintptr_t)element_address(a, row + kn_plan_index(s, ends_row ? 0 : j + 1));
}

/* Link one element; false if it already has another successor. No value is an address. */
static bool link_element(const struct kn_arrays *a, int64_t element, uint64_t after)
{
    const struct kn_plan *p = a->plan;
    uint64_t *at = element_address(a, element);
    if (*at != after && *at != kn_value_bits(p->from.salt, element, p->element_bytes)) return false;
    *at = after;
    return true;
}

static bool link_all(const struct kn_arrays *a)
{
    const struct kn_plan *p = a->plan;
    const struct kn_plan_side *s = &p->from;
    int64_t base = 0;
    for (uint64_t i = 0; i < p->count; base += s->steps[i++ % s->steps_len])
        for (size_t j = 0; j < p->len; j++)
            if (!link_element(a, base + kn_plan_index(s, j), kn_chain_after(a, i, j, base))) return false;
    return true;
}

void kn_chain_link(struct kn_arrays *a)
{
    a->linked = link_all(a);
    if (!a->linked) kn_arrays_fill(a);
}
