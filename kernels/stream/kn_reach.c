/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/stream/kn_reach.h"

#include "common/ls_checked.h"
#include "kernels/kn_backend.h"
#include "kernels/kn_ranks.h"
#include "kernels/kn_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 512, OPERANDS = 3, ELEMENT_BYTES = 8 };
static const uint64_t checks_max = UINT64_C(1) << 15; /* iterations of a rank that are validated */

/* A kernel on the arrays of all ranks. */
struct reach {
    const struct kn_kernel *kernel;
    struct kn_ranks *ranks;
    const struct kn_stream_arrays *arrays;
    struct kn_ranks_array array[3], ring;
    const struct kn_operand *operand[OPERANDS]; /* to, from, from2 */
    struct kn_sequence sequence[OPERANDS];      /* for operands that have indices */
    uint64_t *index[OPERANDS];       /* one for each iteration of this rank; NULL: the operand has none */
    uint64_t iterations, begin, end; /* all ranks together; the part of this one */
    uint64_t rank, ranks_len;
    uint64_t at; /* last element of a chase */
    ls_err err;  /* the first of a run */
};

bool kn_reach_takes(const struct kn_kernel *k, const struct kn_stream_options *o)
{
    return o->reaches_all && k->group != KN_GROUP_SEQUENTIAL;
}

static bool is_indexed(const struct kn_operand *o)
{
    return o->at >= KN_AT_I1 && o->at <= KN_AT_I3;
}

/* The element that an operand has in iteration j. With a stride, the ranks take turns: each of them goes through the
 * parts of all ranks. */
static uint64_t element_of(const struct reach *r, int operand, uint64_t j)
{
    switch (r->operand[operand]->at) {
    case KN_AT_J:
        return j;
    case KN_AT_STRIDE:
        return ((j - r->begin) * r->ranks_len + r->rank) * r->arrays->stride;
    case KN_AT_0:
        return 0;
    default:
        return kn_sequence_at(&r->sequence[operand], j);
    }
}

/* Return the element from the list of indices, as a program does. */
static uint64_t listed(const struct reach *r, int operand, uint64_t j)
{
    return r->index[operand] ? r->index[operand][j - r->begin] : element_of(r, operand, j);
}

static double computed(const struct kn_kernel *k, double x, double y)
{
    switch (k->op) {
    case KN_OP_COPY:
        return x;
    case KN_OP_SCALE:
        return KN_STREAM_Q * x;
    case KN_OP_SUM:
        return x + y;
    default:
        return x + KN_STREAM_Q * y;
    }
}

/* ---- runs ---- */

static void note(struct reach *r, ls_err err)
{
    if (r->err == LS_OK) r->err = err;
}

/* Load n operands of the iterations from j on. */
static void load_batch(struct reach *r, int operand, uint64_t j, size_t n, double *out)
{
    const struct kn_ranks_array *a = &r->array[r->operand[operand]->array];
    for (size_t i = 0; i < n; i++)
        note(r, kn_ranks_array_get(a, listed(r, operand, j + i), &out[i]));
    note(r, kn_ranks_array_settle(a));
}

static void run_loop(void *arg, unsigned share)
{
    struct reach *r = arg;
    const struct kn_ranks_array *to = &r->array[r->operand[0]->array];
    double x[BATCH], y[BATCH] = {0}, z[BATCH];
    (void)share;
    for (uint64_t j = r->begin; j < r->end && r->err == LS_OK; j += BATCH) {
        const size_t n = r->end - j < BATCH ? (size_t)(r->end - j) : BATCH;
        load_batch(r, 1, j, n, x);
        if (r->operand[2]->at != KN_AT_NONE) load_batch(r, 2, j, n, y);
        for (size_t i = 0; i < n; i++)
            z[i] = computed(r->kernel, x[i], y[i]);
        for (size_t i = 0; i < n; i++)
            note(r, kn_ranks_array_put(to, listed(r, 0, j + i), &z[i]));
        note(r, kn_ranks_array_settle(to));
    }
}

/* One ring goes through the elements of all ranks; each rank follows a different part of it. */
static void run_chase(void *arg, unsigned share)
{
    struct reach *r = arg;
    uint64_t at = kn_sequence_at(&r->sequence[0], r->begin);
    (void)share;
    for (uint64_t j = r->begin; j < r->end && r->err == LS_OK; j++) {
        uint64_t next;
        note(r, kn_ranks_array_get(&r->ring, at, &next));
        note(r, kn_ranks_array_settle(&r->ring));
        at = next;
    }
    r->at = at;
}

static struct kn_span once(void *arg, struct kn_turn turn)
{
    const struct reach *r = arg;
    return kn_backend_time(&kn_backend_serial, 1, turn,
                           r->kernel->family == KN_FAMILY_CHASE ? run_chase : run_loop, arg);
}

/* ---- memory ---- */

static double value_of(int array, uint64_t e)
{
    const uint64_t bits = kn_value_bits((enum kn_salt)(KN_SALT_SPARSE + array), (int64_t)e, ELEMENT_BYTES);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static ls_err fill_array(struct reach *r, int array)
{
    struct kn_ranks_array *a = &r->array[array];
    if (a->window) return LS_OK; /* two operands of one array */
    LS_TRY(kn_ranks_array_init(a, r->ranks, r->arrays->elements_of_all, ELEMENT_BYTES));
    for (uint64_t e = a->begin; e < a->end; e++)
        ((double *)a->own)[e - a->begin] = value_of(array, e);
    return LS_OK;
}

static ls_err list_indices(struct reach *r, int operand)
{
    if (!is_indexed(r->operand[operand])) return LS_OK;
    r->index[operand] = malloc((r->end - r->begin + 1) * sizeof(*r->index[operand]));
    if (!r->index[operand]) return ls_nomem("%llu indices", (unsigned long long)(r->end - r->begin));
    for (uint64_t j = r->begin; j < r->end; j++)
        r->index[operand][j - r->begin] = element_of(r, operand, j);
    return LS_OK;
}

static ls_err fill_ring(struct reach *r)
{
    struct kn_ranks_array *a = &r->ring;
    LS_TRY(kn_ranks_array_init(a, r->ranks, r->arrays->elements_of_all, sizeof(uint64_t)));
    for (uint64_t j = r->begin; j < r->end; j++) {
        const uint64_t next = kn_sequence_at(&r->sequence[0], (j + 1) % a->len);
        LS_TRY(kn_ranks_array_put(a, kn_sequence_at(&r->sequence[0], j), &next));
        LS_TRY(kn_ranks_array_settle(a)); /* the entry of next belongs to this turn */
    }
    return LS_OK;
}

/* Indices are the same sequences as for one rank that has all elements. */
static struct kn_sequence sequence_of(const struct reach *r, const struct kn_operand *o,
                                      const struct kn_stream_options *with)
{
    const uint64_t seed = with->run.seed;
    const uint64_t all = r->arrays->elements_of_all,
                   number = is_indexed(o) ? (uint64_t)(o->at - KN_AT_I1) : 0;
    if (r->kernel->group != KN_GROUP_HOTSPOT) return kn_sequence_permutation(all, seed + number);
    const uint64_t hot_len = with->hot_len ? with->hot_len : all / KN_STREAM_HOT_OF;
    return kn_sequence_hotspot(all, seed + 16 + number, r->arrays->hot_share, hot_len);
}

static ls_err fill(struct reach *r)
{
    if (r->kernel->family == KN_FAMILY_CHASE) return fill_ring(r);
    for (int o = 0; o < OPERANDS; o++) {
        if (r->operand[o]->at == KN_AT_NONE) continue;
        LS_TRY(fill_array(r, (int)r->operand[o]->array));
        LS_TRY(kn_ranks_agree(r->ranks, list_indices(r, o)));
    }
    return LS_OK;
}

/* Describe the part of the accesses of all ranks that goes to other ranks. */
static ls_err describe_accesses(struct reach *r, struct kn_result *out)
{
    uint64_t own[2] = {0, 0}, sum[2] = {0, 0}; /* accesses, those to other ranks */
    const bool is_chase = r->kernel->family == KN_FAMILY_CHASE;
    for (int o = 0; o < (is_chase ? 1 : OPERANDS); o++) {
        if (!is_chase && r->operand[o]->at == KN_AT_NONE) continue;
        const struct kn_ranks_array *a = is_chase ? &r->ring : &r->array[r->operand[o]->array];
        own[0] += r->end - r->begin;
        for (uint64_t j = r->begin; j < r->end; j++) {
            const uint64_t e = is_chase ? kn_sequence_at(&r->sequence[0], j) : listed(r, o, j);
            own[1] += e < a->begin || e >= a->end;
        }
    }
    uint64_t *all = r->rank == 0 ? malloc(r->ranks_len * sizeof(own)) : NULL;
    const ls_err has_room =
        r->rank == 0 && !all ? ls_nomem("%llu ranks", (unsigned long long)r->ranks_len) : LS_OK;
    ls_err e = kn_ranks_agree(r->ranks, has_room);
    if (e == LS_OK) e = kn_ranks_gather(r->ranks, own, sizeof(own), all);
    for (uint64_t k = 0; e == LS_OK && all && k < r->ranks_len; k++)
        for (int i = 0; i < 2; i++)
            sum[i] += all[2 * k + (unsigned)i];
    free(all);
    if (e == LS_OK) e = kn_ranks_broadcast(r->ranks, sum, sizeof(sum));
    if (e == LS_OK && sum[0])
        snprintf(out->variant, sizeof(out->variant), "one-sided, %.0f %% of the accesses to other ranks",
                 100.0 * (double)sum[1] / (double)sum[0]);
    return e;
}

/* ---- validation ---- */

static double error_of(struct reach *r, uint64_t j)
{
    const struct kn_operand *const *o = r->operand;
    const double x = value_of((int)o[1]->array, element_of(r, 1, j)),
                 y = o[2]->at == KN_AT_NONE ? 0 : value_of((int)o[2]->array, element_of(r, 2, j));
    const double want = computed(r->kernel, x, y);
    double got = NAN;
    note(r, kn_ranks_array_get(&r->array[o[0]->array], element_of(r, 0, j), &got));
    note(r, kn_ranks_array_settle(&r->array[o[0]->array]));
    return fabs(got - want) / fabs(want);
}

/* Iterations of this rank, against the sequences and values themselves: all, or some of many. */
static void validate(struct reach *r, struct kn_result *out)
{
    const uint64_t len = r->end - r->begin, checks = len < checks_max ? len : checks_max;
    out->valid = true;
    if (r->kernel->family == KN_FAMILY_CHASE) {
        out->valid = r->at == kn_sequence_at(&r->sequence[0], r->end % r->arrays->elements_of_all);
        if (!out->valid) snprintf(out->invalid, sizeof(out->invalid), "the chase ended at another element");
        return;
    }
    for (uint64_t c = 0; c < checks && out->valid; c++) {
        const uint64_t j = r->begin + (checks == len ? c : ls_random_mix(c) % len);
        const double off = error_of(r, j);
        out->valid = off <= 1e-13; /* false for NAN */
        out->worst_error = fmax(out->worst_error, off);
        if (!out->valid)
            snprintf(out->invalid, sizeof(out->invalid), "iteration %llu has a relative error of %g",
                     (unsigned long long)j, off);
    }
}

/* ---- a kernel ---- */

static void describe(const struct reach *r, struct kn_result *out)
{
    const struct kn_kernel *k = r->kernel;
    const uint64_t own = r->end - r->begin;
    out->kernel = k;
    out->bytes = own * kn_count_bytes(&k->paper, ELEMENT_BYTES, 0);
    out->bytes_with_indices = own * kn_count_bytes(&k->code, ELEMENT_BYTES, sizeof(uint64_t));
    out->flops = own * k->paper.flops;
    out->element_bytes = ELEMENT_BYTES;
    out->index_bits = 64;
    out->threads = 1;
    out->stream_share = NAN;
    out->method = KN_METHOD_SCALAR;
    out->stores = KN_STORES_REGULAR;
    snprintf(out->backend, sizeof(out->backend), "%s", kn_backend_serial.name);
    snprintf(out->variant, sizeof(out->variant), "one-sided");
}

static void settle_all(struct reach *r)
{
    for (int i = 0; i < 3; i++)
        if (r->array[i].window) note(r, kn_ranks_array_settle(&r->array[i]));
    if (r->ring.window) note(r, kn_ranks_array_settle(&r->ring));
}

/* Arrays and lists of indices; an array of two operands counts twice. */
static uint64_t memory_bytes(const struct reach *r)
{
    const uint64_t own = r->arrays->elements_of_all / kn_ranks_info(r->ranks)->len + 1;
    uint64_t bytes = 0;
    if (r->kernel->family == KN_FAMILY_CHASE) return own * sizeof(uint64_t);
    for (int o = 0; o < OPERANDS; o++)
        if (r->operand[o]->at != KN_AT_NONE)
            bytes += own * ELEMENT_BYTES + (is_indexed(r->operand[o]) ? own * sizeof(uint64_t) : 0);
    return bytes;
}

static ls_err measure(struct reach *r, const struct kn_stream_options *o, struct kn_result *out)
{
    out->memory_bytes = memory_bytes(r);
    LS_TRY(kn_ranks_agree(r->ranks,
                          kn_ranks_memory_check(r->ranks, "stream", out->memory_bytes, o->run.memory_bytes)));
    LS_TRY(fill(r));
    settle_all(r);
    LS_TRY(kn_ranks_agree(r->ranks, r->err)); /* all elements are there */
    LS_TRY(describe_accesses(r, out));
    LS_TRY(kn_measure(once, r, &o->run, o->run.runs ? o->run.runs : KN_RUNS, out));
    settle_all(r); /* stores of other ranks can be read */
    LS_TRY(kn_ranks_agree(r->ranks, r->err));
    validate(r, out);
    return kn_ranks_agree(r->ranks, r->err);
}

ls_err kn_reach_run(const struct kn_stream_arrays *arrays, const struct kn_kernel *k,
                    const struct kn_stream_options *o, struct kn_result *out)
{
    const struct kn_ranks_info *info = kn_ranks_info(o->run.ranks);
    struct reach r = {
        .kernel = k, .ranks = o->run.ranks, .arrays = arrays, .operand = {&k->to, &k->from, &k->from2}};
    const uint64_t all = arrays->elements_of_all;
    r.rank = info->rank;
    r.ranks_len = info->len;
    r.iterations = k->group == KN_GROUP_STRIDE ? (all - 1) / arrays->stride + 1 : all;
    r.begin = ls_muldiv_u64(r.iterations, info->rank, info->len);
    r.end = ls_muldiv_u64(r.iterations, info->rank + 1, info->len);
    if (k->group == KN_GROUP_STRIDE) { /* numbers of iterations of this rank alone */
        r.begin = 0;
        r.end = (r.iterations + r.ranks_len - 1 - r.rank) / r.ranks_len;
    }
    for (int operand = 0; operand < OPERANDS; operand++)
        r.sequence[operand] = sequence_of(&r, r.operand[operand], o);
    describe(&r, out);
    const ls_err err = measure(&r, o, out);
    for (int i = 0; i < 3; i++) {
        kn_ranks_array_fini(&r.array[i]);
        free(r.index[i]);
    }
    kn_ranks_array_fini(&r.ring);
    return err;
}
