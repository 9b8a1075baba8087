/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "kernels/stream/kn_stream_gpu.h"

#include "common/ls_clock.h"
#include "kernels/gpu/kn_gpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARRAYS = 3,
    RING = ARRAYS + 2 * KN_STREAM_INDICES,
    BUFFERS,
    GROUP_ITEMS = 256,
    TRIAL_RUNS = 3,
    TRIAL_WORK = 4
};

struct job {
    struct kn_gpu *gpu;
    const struct kn_stream_arrays *arrays;
    const struct kn_options *options;
    const struct kn_block *blocks[BUFFERS]; /* on the host */
    void *buffers[BUFFERS];                 /* their copies */
    void *ends;                             /* chase: the last element of each ring */
    const struct kn_kernel *kernel;
    struct kn_gpu_variant variant;
    unsigned group_items;
    ls_err err;
    char why[400];
};

static void set_blocks(struct job *b)
{
    for (int i = 0; i < ARRAYS; i++)
        b->blocks[i] = &b->arrays->array[i];
    for (int i = 0; i < KN_STREAM_INDICES; i++) {
        b->blocks[ARRAYS + i] = &b->arrays->index[i];
        b->blocks[ARRAYS + KN_STREAM_INDICES + i] = &b->arrays->hot[i];
    }
    b->blocks[RING] = &b->arrays->ring;
}

static ls_err copy_room(struct job *b)
{
    for (int i = 0; i < BUFFERS; i++) {
        if (!b->blocks[i]->len_bytes) continue;
        LS_TRY(b->gpu->driver->alloc(b->gpu, b->blocks[i]->len_bytes, &b->buffers[i]));
        LS_TRY(b->gpu->driver->write(b->gpu, b->buffers[i], b->blocks[i]->base, b->blocks[i]->len_bytes));
    }
    return LS_OK;
}

static void *const *index_of(const struct job *b, const struct kn_operand *o)
{
    if (o->at < KN_AT_I1 || o->at > KN_AT_I3) return NULL;
    return &b->buffers[ARRAYS + (b->kernel->group == KN_GROUP_HOTSPOT ? KN_STREAM_INDICES : 0) +
                       (o->at - KN_AT_I1)];
}

/* A work item for each ring, in a separate group. */
static ls_err launch_chase(struct job *b, unsigned repeats, double *out_seconds)
{
    const struct kn_gpu_chase chase = {kn_stream_arrays_iterations(b->arrays, b->kernel), b->arrays->threads};
    const struct kn_gpu_launch l = {.groups = chase.rings,
                                    .items_x = 1,
                                    .items_y = 1,
                                    .repeats = repeats,
                                    .args = {{.buffer = &b->buffers[RING]},
                                             {.buffer = &b->ends},
                                             {.value = &chase, .len_bytes = sizeof(chase)}},
                                    .args_len = 3};
    void *kernel;
    LS_TRY(kn_gpu_kernel(b->gpu, &b->variant, &kernel));
    return b->gpu->driver->launch(b->gpu, kernel, &l, out_seconds);
}

static ls_err launch(struct job *b, unsigned repeats, double *out_seconds)
{
    if (b->kernel->family == KN_FAMILY_CHASE) return launch_chase(b, repeats, out_seconds);
    const struct kn_kernel *k = b->kernel;
    const float q = KN_STREAM_Q;
    const struct kn_gpu_sweep sweep = {kn_stream_arrays_iterations(b->arrays, k), b->arrays->stride};
    const struct kn_gpu_launch l = {
        .groups = (sweep.len - 1) / ((uint64_t)b->group_items * b->variant.work) + 1,
        .items_x = b->group_items,
        .items_y = 1,
        .repeats = repeats,
        .args = {{.buffer = &b->buffers[k->to.array]},
                 {.buffer = &b->buffers[k->from.array]},
                 {.buffer = k->from2.at == KN_AT_NONE ? NULL : &b->buffers[k->from2.array]},
                 {.buffer = index_of(b, &k->to)},
                 {.buffer = index_of(b, &k->from)},
                 {.buffer = index_of(b, &k->from2)},
                 {.value = &q, .len_bytes = sizeof(q)},
                 {.value = &sweep, .len_bytes = sizeof(sweep)}},
        .args_len = 8};
    void *kernel;
    LS_TRY(kn_gpu_kernel(b->gpu, &b->variant, &kernel));
    return b->gpu->driver->launch(b->gpu, kernel, &l, out_seconds);
}

/* kn_once: after a failure, runs take no time. */
static struct kn_span run_timed(void *arg, struct kn_turn turn)
{
    struct job *b = arg;
    struct kn_span span = {.seconds = 1, .begin_ns = ls_clock_mono_ns()};
    if (b->err == LS_OK) {
        b->err = launch(b, turn.repeats, &span.seconds);
        if (b->err != LS_OK) snprintf(b->why, sizeof(b->why), "%s", ls_last_error());
    }
    span.cpu_seconds = span.seconds;
    span.end_ns = ls_clock_mono_ns();
    return span;
}

static void describe(const struct job *b, char out[KN_VARIANT_BYTES])
{
    snprintf(out, KN_VARIANT_BYTES, "%u items x %u%s", b->group_items, b->variant.work,
             b->kernel->index_loads == 0   ? ""
             : b->variant.index_bits == 64 ? ", 64-bit"
                                           : ", 32-bit");
}

/* The fastest of some shapes. */
static ls_err choose(struct job *b, struct kn_result *r)
{
    static const unsigned works[] = {TRIAL_WORK, 1}, groups[] = {GROUP_ITEMS, 64, 1024};
    double least = INFINITY;
    struct job best = *b;
    for (size_t w = 0; w < sizeof(works) / sizeof(works[0]); w++)
        for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
            double fastest = INFINITY;
            b->group_items = b->options->group_items ? b->options->group_items : groups[g];
            b->variant.work = works[w];
            if (b->group_items > b->gpu->info.group_items_max || (b->options->group_items && g) ||
                (b->options->method == KN_METHOD_SCALAR && w) ||
                (b->gpu->driver->has && !b->gpu->driver->has(&b->variant)))
                continue;
            for (int i = 0; i < TRIAL_RUNS; i++) {
                double seconds;
                LS_TRY(launch(b, 1, &seconds));
                fastest = fmin(fastest, seconds);
            }
            if (r->trials_len < KN_TRIALS_MAX) {
                struct kn_trial *t = &r->trials[r->trials_len++];
                describe(b, t->variant);
                t->mb_per_s = (double)r->bytes / fastest / 1e6;
            }
            if (fastest >= least) continue;
            least = fastest;
            best = *b;
        }
    *b = best;
    return LS_OK;
}

/* Each ring was walked to its begin again. */
static ls_err check_chase(struct job *b, struct kn_result *r)
{
    const uint64_t len = kn_stream_arrays_iterations(b->arrays, b->kernel);
    uint64_t *ends = calloc(b->arrays->threads, sizeof(*ends));
    if (!ends) return ls_nomem("%u rings", b->arrays->threads);
    const ls_err err = b->gpu->driver->read(b->gpu, b->ends, ends, b->arrays->threads * sizeof(*ends));
    r->valid = err == LS_OK;
    for (unsigned s = 0; s < b->arrays->threads && r->valid; s++)
        r->valid = ends[s] == kn_stream_arrays_begin(b->arrays, len, s);
    if (!r->valid) snprintf(r->invalid, sizeof(r->invalid), "a chase did not come back to where it began");
    free(ends);
    return err;
}

static ls_err run_chase(struct job *b, const struct kn_options *times, struct kn_result *r)
{
    snprintf(r->variant, sizeof(r->variant), "%u items, 64-bit indices", b->arrays->threads);
    r->element_bytes = 8;
    r->index_bits = 64;
    r->threads = b->arrays->threads;
    r->bytes = kn_stream_arrays_iterations(b->arrays, b->kernel) * kn_count_bytes(&b->kernel->paper, 8, 0);
    r->bytes_with_indices =
        kn_stream_arrays_iterations(b->arrays, b->kernel) * kn_count_bytes(&b->kernel->code, 8, 8);
    b->variant = (struct kn_gpu_variant){.kind = KN_GPU_CHASE,
                                         .element_bytes = 8,
                                         .index_bits = 64,
                                         .work = 1,
                                         .vector = 1,
                                         .stores = KN_STORES_REGULAR};
    LS_TRY(b->gpu->driver->alloc(b->gpu, b->arrays->threads * sizeof(uint64_t), &b->ends));
    ls_err err = kn_measure(run_timed, b, times, times->runs ? times->runs : KN_RUNS, r);
    if (err == LS_OK && b->err != LS_OK) err = ls_fail(b->err, "%s", b->why);
    if (err == LS_OK) err = check_chase(b, r);
    b->gpu->driver->release(b->gpu, b->ends);
    b->ends = NULL;
    return err;
}

static ls_err run_kernel(struct job *b, const struct kn_kernel *k, struct kn_result *r)
{
    const struct kn_stream_arrays *arrays = b->arrays;
    const uint64_t iterations = kn_stream_arrays_iterations(arrays, k);
    struct kn_options times = *b->options;
    times.times_only = true;
    b->kernel = k;
    b->variant = (struct kn_gpu_variant){.kind = KN_GPU_STREAM,
                                         .element_bytes = arrays->element_bytes,
                                         .index_bits = arrays->index_bits,
                                         .vector = 1,
                                         .stores = KN_STORES_REGULAR,
                                         .stream = k};
    r->kernel = k;
    r->bytes = iterations * kn_count_bytes(&k->paper, arrays->element_bytes, 0);
    r->bytes_with_indices =
        iterations * kn_count_bytes(&k->code, arrays->element_bytes, arrays->index_bits / 8);
    r->flops = iterations * k->paper.flops;
    r->element_bytes = arrays->element_bytes;
    r->index_bits = arrays->index_bits;
    r->threads = b->gpu->info.units;
    r->stores = KN_STORES_REGULAR;
    r->stream_share = NAN;
    snprintf(r->backend, sizeof(r->backend), "%s", b->gpu->driver->name);
    snprintf(r->no_counts, sizeof(r->no_counts), "not read on devices");
    if (k->family == KN_FAMILY_CHASE) return run_chase(b, &times, r);
    LS_TRY(choose(b, r));
    describe(b, r->variant);
    LS_TRY(kn_measure(run_timed, b, &times, times.runs ? times.runs : KN_RUNS, r));
    if (b->err != LS_OK) return ls_fail(b->err, "%s", b->why);
    const struct kn_block *to = &arrays->array[k->to.array];
    LS_TRY(b->gpu->driver->read(b->gpu, b->buffers[k->to.array], to->base, to->len_bytes));
    kn_prove(arrays, k, r);
    return LS_OK;
}

ls_err kn_stream_gpu_check(const struct kn_stream_arrays *arrays, const struct kn_kernel *const *kernels,
                           size_t len, const struct kn_options *o)
{
    struct kn_gpu *g;
    uint64_t bytes[BUFFERS];
    LS_TRY(kn_gpu_open(arrays->backend->device, o, &g));
    for (size_t k = 0; k < len; k++)
        if (kernels[k]->family != KN_FAMILY_CHASE && arrays->element_bytes == 8 && !g->info.has_fp64)
            return ls_fail(LS_ERR_UNSUPPORTED, "%s has no arithmetic on doubles (fp64): take --type float",
                           g->info.name);
    if ((o->method != KN_METHOD_AUTO && o->method != KN_METHOD_SCALAR) ||
        (o->stores != KN_STORES_AUTO && o->stores != KN_STORES_REGULAR))
        return ls_fail(LS_ERR_UNSUPPORTED, "backend %s has methods auto and scalar, and regular stores",
                       g->driver->name);
    if (o->group_items > g->info.group_items_max)
        return ls_fail(LS_ERR_UNSUPPORTED, "--local-work-size %u: %s takes groups of %u work items at most",
                       o->group_items, g->info.name, g->info.group_items_max);
    for (int i = 0; i < ARRAYS; i++)
        bytes[i] = arrays->has_array[i] ? arrays->elements * arrays->element_bytes : 0;
    for (int i = 0; i < KN_STREAM_INDICES; i++) {
        bytes[ARRAYS + i] = arrays->has_index[i] ? arrays->elements * (arrays->index_bits / 8) : 0;
        bytes[ARRAYS + KN_STREAM_INDICES + i] =
            arrays->has_hot[i] ? arrays->elements * (arrays->index_bits / 8) : 0;
    }
    bytes[RING] = arrays->has_ring ? arrays->elements * sizeof(uint64_t) : 0;
    return kn_gpu_memory_check(g, "stream", bytes, BUFFERS, o->memory_bytes);
}

ls_err kn_stream_gpu_run(struct kn_stream_arrays *arrays, const struct kn_kernel *const *kernels, size_t len,
                         const struct kn_options *o, struct kn_result *results)
{
    struct job b = {.arrays = arrays, .options = o};
    uint64_t memory_bytes = 0;
    LS_TRY(kn_gpu_open(arrays->backend->device, o, &b.gpu));
    set_blocks(&b);
    ls_err err = copy_room(&b);
    for (int i = 0; i < BUFFERS; i++)
        memory_bytes += b.blocks[i]->len_bytes;
    for (size_t k = 0; k < len && err == LS_OK; k++) {
        results[k].memory_bytes = memory_bytes;
        err = run_kernel(&b, kernels[k], &results[k]);
    }
    for (int i = 0; i < BUFFERS; i++)
        b.gpu->driver->release(b.gpu, b.buffers[i]);
    return err;
}

ls_err kn_stream_gpu_cache_bytes(const struct kn_backend *backend, const struct kn_options *o, uint64_t *out)
{
    struct kn_gpu *g;
    LS_TRY(kn_gpu_open(backend->device, o, &g));
    *out = g->info.cache_bytes;
    return LS_OK;
}
