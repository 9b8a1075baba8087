/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/stream/kn_stream_arrays.h"

#include "common/ls_checked.h"
#include "kernels/kn_memory.h"
#include "kernels/kn_ranks.h"
#include "kernels/stream/kn_reach.h"
#include "kernels/stream/kn_stream_gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- index arrays as functions ---- */

struct kn_sequence kn_sequence_permutation(uint64_t len, uint64_t seed)
{
    struct kn_sequence s = {.len = len, .mask = 1};
    unsigned bits = 1;
    while (s.mask + 1 < len) {
        s.mask = 2 * s.mask + 1;
        bits++;
    }
    s.shift = bits / 2 + 1;
    for (unsigned k = 0; k < 3; k++)
        s.key[k] = ls_random_mix(seed + k * LS_RANDOM_STEP + 1);
    return s;
}

struct kn_sequence kn_sequence_hotspot(uint64_t len, uint64_t seed, double share, uint64_t hot_len)
{
    struct kn_sequence s = kn_sequence_permutation(len, seed);
    s.hot_share = share;
    s.hot_len = hot_len < 1 ? 1 : hot_len < len ? hot_len : len;
    return s;
}

/* ---- arrays ---- */

static const uint64_t rule_elements_min = 1000000;
enum { RULE_CACHES = 4, SEED_OF_RANK = 20 /* sequences of a rank need fewer seeds */ };

static void need_operand(struct kn_stream_arrays *r, const struct kn_kernel *k, const struct kn_operand *o)
{
    if (o->at == KN_AT_NONE) return;
    r->has_array[o->array] = true;
    if (o->at >= KN_AT_I1 && o->at <= KN_AT_I3)
        *(k->group == KN_GROUP_HOTSPOT ? &r->has_hot[o->at - KN_AT_I1] : &r->has_index[o->at - KN_AT_I1]) =
            true;
}

static void need_kernel(struct kn_stream_arrays *r, const struct kn_kernel *k)
{
    if (k->family == KN_FAMILY_CHASE) {
        r->has_ring = true;
        return;
    }
    need_operand(r, k, &k->to);
    need_operand(r, k, &k->from);
    need_operand(r, k, &k->from2);
}

static ls_err find_caches(const struct kn_options *o, uint64_t *out_bytes)
{
    const struct kn_backend *backend;
    unsigned threads;
    *out_bytes = kn_caches_last_level_bytes();
    LS_TRY(kn_backend_choose(o, &backend, &threads));
    return backend->device ? kn_stream_gpu_cache_bytes(backend, o, out_bytes) : LS_OK;
}

ls_err kn_stream_arrays_plan(struct kn_stream_arrays *out, const struct kn_kernel *const *kernels, size_t len,
                             const struct kn_stream_options *o)
{
    memset(out, 0, sizeof(*out));
    out->element_bytes = o->run.element_bytes ? o->run.element_bytes : 8;
    out->index_bits = o->run.index_bits ? o->run.index_bits : 64;
    if (out->element_bytes != 8 && out->element_bytes != 4)
        return ls_fail(LS_ERR_UNSUPPORTED, "elements of %u bytes; there are 8 and 4", out->element_bytes);
    if (out->index_bits != 64 && out->index_bits != 32)
        return ls_fail(LS_ERR_UNSUPPORTED, "indices of %u bits; there are 32 and 64", out->index_bits);
    if (o->reaches_all && !o->run.ranks)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "indices reach the elements of other ranks under a launcher only, such as mpirun -n 2");
    if (o->reaches_all && out->element_bytes != 8)
        return ls_fail(LS_ERR_UNSUPPORTED,
                       "indices that reach the elements of other ranks have elements of 8 bytes");
    LS_TRY(find_caches(&o->run, &out->last_level_bytes));
    uint64_t rule_elements = RULE_CACHES * out->last_level_bytes / out->element_bytes;
    if (rule_elements < rule_elements_min) rule_elements = rule_elements_min;
    const struct kn_ranks_info *info = kn_ranks_info(o->run.ranks);
    const uint64_t all = o->elements ? o->elements : info->nodes * rule_elements;
    if (all < info->len)
        return ls_fail(LS_ERR_RANGE, "arrays of %llu elements cannot be split among %u ranks: take more",
                       (unsigned long long)all, info->len);
    out->elements_of_all = all;
    out->elements = ls_muldiv_u64(all, info->rank + 1, info->len) - ls_muldiv_u64(all, info->rank, info->len);
    out->stride = o->stride ? o->stride : KN_STREAM_STRIDE;
    out->hot_share = o->hot_share > 0 ? o->hot_share : KN_STREAM_HOT_SHARE;
    out->hot_len = o->hot_len ? o->hot_len : out->elements / KN_STREAM_HOT_OF;
    out->seed = o->run.seed + ((uint64_t)info->rank << SEED_OF_RANK);
    if (out->index_bits == 32 && out->elements > INT32_MAX)
        return ls_fail(LS_ERR_UNSUPPORTED, "%llu elements do not fit 32-bit indices; take 64",
                       (unsigned long long)out->elements);
    for (size_t k = 0; k < len; k++)
        if (!kn_reach_takes(kernels[k], o)) need_kernel(out, kernels[k]);
    for (unsigned i = 0; i < KN_STREAM_INDICES; i++) {
        out->permutation[i] = kn_sequence_permutation(out->elements, out->seed + i);
        out->hotspot[i] =
            kn_sequence_hotspot(out->elements, out->seed + 16 + i, out->hot_share, out->hot_len);
    }
    return LS_OK;
}

/* List every block that r needs, with the size of its elements. */
struct piece {
    struct kn_block *block;
    unsigned bytes; /* an element; 0: not needed */
};
enum { PIECES = 3 + 2 * KN_STREAM_INDICES + 1 };

static void pieces_of(struct kn_stream_arrays *r, struct piece out[PIECES])
{
    unsigned n = 0;
    for (int i = 0; i < 3; i++)
        out[n++] = (struct piece){&r->array[i], r->has_array[i] ? r->element_bytes : 0};
    for (int i = 0; i < KN_STREAM_INDICES; i++) {
        out[n++] = (struct piece){&r->index[i], r->has_index[i] ? r->index_bits / 8 : 0};
        out[n++] = (struct piece){&r->hot[i], r->has_hot[i] ? r->index_bits / 8 : 0};
    }
    out[n] = (struct piece){&r->ring, r->has_ring ? sizeof(uint64_t) : 0};
}

ls_err kn_stream_arrays_bytes(const struct kn_stream_arrays *r, uint64_t *out)
{
    struct kn_stream_arrays copy = *r;
    struct piece pieces[PIECES];
    uint64_t sum = 0, bytes;
    pieces_of(&copy, pieces);
    for (int i = 0; i < PIECES; i++)
        sum += pieces[i].bytes;
    if (!ls_mul_u64(r->elements, sum, &bytes) || bytes > INT64_MAX)
        return ls_fail(LS_ERR_RANGE, "arrays of %llu elements do not fit 63 bits",
                       (unsigned long long)r->elements);
    *out = bytes;
    return LS_OK;
}

uint64_t kn_stream_arrays_begin(const struct kn_stream_arrays *r, uint64_t iterations, unsigned s)
{
    return ls_muldiv_u64(iterations, s, r->threads);
}

uint64_t kn_stream_arrays_iterations(const struct kn_stream_arrays *r, const struct kn_kernel *k)
{
    return k->group == KN_GROUP_STRIDE ? (r->elements - 1) / r->stride + 1 : r->elements;
}

static void fill_array(const struct kn_stream_arrays *r, int array, uint64_t begin, uint64_t end)
{
    for (uint64_t e = begin; e < end; e++)
        kn_value_put(r->array[array].base, e,
                     kn_value_bits((enum kn_salt)(KN_SALT_SPARSE + array), (int64_t)e, r->element_bytes),
                     r->element_bytes);
}

static void fill_index(const struct kn_block *b, const struct kn_sequence *s, unsigned bits,
                       const uint64_t span[2])
{
    for (uint64_t j = span[0]; j < span[1]; j++)
        kn_value_put(b->base, j, kn_sequence_at(s, j), bits / 8);
}

/* A ring through the elements of the share, in random order: next[p(j)] = p(j + 1). */
static void fill_ring(const struct kn_stream_arrays *r, uint64_t begin, uint64_t end, unsigned share)
{
    const uint64_t len = end - begin;
    if (len == 0) return;
    const struct kn_sequence s = kn_sequence_permutation(len, r->seed + 32 + share);
    uint64_t *next = r->ring.base, at = kn_sequence_at(&s, 0);
    for (uint64_t j = 0; j < len; j++) {
        const uint64_t then = kn_sequence_at(&s, (j + 1) % len);
        next[begin + at] = begin + then;
        at = then;
    }
}

static void fill_share(void *arg, unsigned share)
{
    const struct kn_stream_arrays *r = arg;
    const uint64_t span[2] = {kn_stream_arrays_begin(r, r->elements, share),
                              kn_stream_arrays_begin(r, r->elements, share + 1)};
    for (int i = 0; i < 3; i++)
        if (r->has_array[i]) fill_array(r, i, span[0], span[1]);
    for (int i = 0; i < KN_STREAM_INDICES; i++) {
        if (r->has_index[i]) fill_index(&r->index[i], &r->permutation[i], r->index_bits, span);
        if (r->has_hot[i]) fill_index(&r->hot[i], &r->hotspot[i], r->index_bits, span);
    }
    if (r->has_ring) fill_ring(r, span[0], span[1], share);
}

/* Let the three arrays begin at different places of a page. On Intel processors, a load waits for an earlier store if
 * the lower 12 bits of both addresses are equal, as in every iteration of central otherwise. */
static ls_err allocate(const struct piece *p, uint64_t elements, unsigned array, enum kn_pages pages)
{
    enum { APART_BYTES = 21 * 64 }; /* a third of a page, in whole cache lines */
    const size_t bytes = elements * p->bytes, lead = bytes ? (size_t)array * APART_BYTES : 0;
    LS_TRY(kn_block_init(p->block, bytes + lead, pages));
    if (bytes) p->block->base = (char *)p->block->base + lead;
    p->block->len_bytes = bytes;
    return LS_OK;
}

ls_err kn_stream_arrays_fill(struct kn_stream_arrays *r, enum kn_pages pages)
{
    struct piece pieces[PIECES];
    pieces_of(r, pieces);
    for (unsigned i = 0; i < PIECES; i++)
        LS_TRY(allocate(&pieces[i], r->elements, i < 3 ? i : 0, pages));
    r->backend->parallel(r->threads, fill_share, r);
    return LS_OK;
}

void kn_stream_arrays_fini(struct kn_stream_arrays *r)
{
    struct piece pieces[PIECES];
    pieces_of(r, pieces);
    for (int i = 0; i < PIECES; i++)
        kn_block_fini(pieces[i].block);
}

uint64_t kn_stream_arrays_huge_bytes(const struct kn_stream_arrays *r)
{
    struct kn_stream_arrays copy = *r;
    struct piece pieces[PIECES];
    uint64_t bytes = 0;
    pieces_of(&copy, pieces);
    for (int i = 0; i < PIECES; i++)
        bytes += kn_block_huge_bytes(pieces[i].block);
    return bytes;
}

/* The element of an operand that iteration j uses, by the sequences themselves. */
static uint64_t kn_stream_arrays_element(const struct kn_stream_arrays *r, const struct kn_kernel *k,
                                         const struct kn_operand *o, uint64_t j)
{
    switch (o->at) {
    case KN_AT_I1:
    case KN_AT_I2:
    case KN_AT_I3:
        return kn_sequence_at(k->group == KN_GROUP_HOTSPOT ? &r->hotspot[o->at - KN_AT_I1]
                                                           : &r->permutation[o->at - KN_AT_I1],
                              j);
    case KN_AT_STRIDE:
        return j * r->stride;
    case KN_AT_J:
        return j;
    default:
        return 0;
    }
}

static const void *index_of(const struct kn_stream_arrays *r, const struct kn_kernel *k,
                            const struct kn_operand *o)
{
    if (o->at < KN_AT_I1 || o->at > KN_AT_I3) return NULL;
    return k->group == KN_GROUP_HOTSPOT ? r->hot[o->at - KN_AT_I1].base : r->index[o->at - KN_AT_I1].base;
}

struct kn_loop_job kn_stream_arrays_job(const struct kn_stream_arrays *r, const struct kn_kernel *k)
{
    return (struct kn_loop_job){.to = r->array[k->to.array].base,
                                .from = r->array[k->from.array].base,
                                .from2 = k->from2.at == KN_AT_NONE ? NULL : r->array[k->from2.array].base,
                                .to_index = index_of(r, k, &k->to),
                                .from_index = index_of(r, k, &k->from),
                                .from2_index = index_of(r, k, &k->from2),
                                .q = KN_STREAM_Q,
                                .stride = r->stride};
}

/* ---- results computed again ---- */

/* The largest relative error, and its iteration. */
struct share_error {
    double worst;
    uint64_t worst_at;
};

/* Replace e by other if that is larger; NAN is the largest error. */
static void take_worse(struct share_error *e, struct share_error other)
{
    if (isnan(e->worst) || other.worst <= e->worst) return;
    *e = other;
}

struct proof {
    const struct kn_stream_arrays *arrays;
    const struct kn_kernel *kernel;
    struct kn_loop_job job;
    struct share_error *errors; /* by share */
};

static double read_at(const void *array, uint64_t at, unsigned bytes)
{
    return bytes == 8 ? ((const double *)array)[at] : (double)((const float *)array)[at];
}

static double expected(const struct proof *p, uint64_t j)
{
    const struct kn_stream_arrays *r = p->arrays;
    const struct kn_kernel *k = p->kernel;
    const double x = read_at(p->job.from, kn_stream_arrays_element(r, k, &k->from, j), r->element_bytes);
    const double y =
        p->job.from2 ? read_at(p->job.from2, kn_stream_arrays_element(r, k, &k->from2, j), r->element_bytes)
                     : 0;
    switch (k->op) {
    case KN_OP_COPY:
        return x;
    case KN_OP_SCALE:
        return p->job.q * x;
    case KN_OP_SUM:
        return x + y;
    default:
        return x + p->job.q * y;
    }
}

static void prove_share(void *arg, unsigned share)
{
    const struct proof *p = arg;
    const uint64_t iterations = kn_stream_arrays_iterations(p->arrays, p->kernel);
    const uint64_t end = kn_stream_arrays_begin(p->arrays, iterations, share + 1);
    struct share_error e = {0, 0};
    for (uint64_t j = kn_stream_arrays_begin(p->arrays, iterations, share); j < end; j++) {
        const double want = expected(p, j);
        const double got =
            read_at(p->job.to, kn_stream_arrays_element(p->arrays, p->kernel, &p->kernel->to, j),
                    p->arrays->element_bytes);
        take_worse(&e, (struct share_error){fabs(got - want) / fabs(want), j});
    }
    p->errors[share] = e;
}

void kn_prove(const struct kn_stream_arrays *r, const struct kn_kernel *k, struct kn_result *out)
{
    struct proof p = {r, k, kn_stream_arrays_job(r, k), calloc(r->threads, sizeof(struct share_error))};
    out->valid = false;
    if (!p.errors) {
        snprintf(out->invalid, sizeof(out->invalid), "no memory to check the result");
        return;
    }
    r->backend->parallel(r->threads, prove_share, &p);
    struct share_error all = {0, 0};
    for (unsigned s = 0; s < r->threads; s++)
        take_worse(&all, p.errors[s]);
    free(p.errors);
    /* two roundings, each half a unit in the last place, 2^-53 or 2^-24 */
    const double allowed = r->element_bytes == 8 ? 1e-13 : 1e-6;
    out->worst_error = all.worst;
    out->valid = all.worst <= allowed; /* false for NAN */
    if (!out->valid)
        snprintf(out->invalid, sizeof(out->invalid), "iteration %llu has a relative error of %g",
                 (unsigned long long)all.worst_at, all.worst);
}
