/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/stream/kn_stream.h"

#include "kernels/kn_memory.h"
#include "kernels/kn_ranks.h"
#include "kernels/kn_result.h"
#include "kernels/kn_backend.h"
#include "kernels/stream/kn_reach.h"
#include "kernels/stream/kn_stream_arrays.h"
#include "kernels/stream/kn_stream_gpu.h"
#include "kernels/kn_share_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE_BYTES = 64, TRIAL_ROUNDS = 3, TRIES_MAX = 16 };
/* A loop with few elements is tried several times in a row, with so many elements in all at most. A single short run depends on the loop before
 * it, whose stores leave the arrays in other caches. */
static const uint64_t tried_elements = 10000000;

/* One kernel on the arrays, by one loop. */
struct turn {
    const struct kn_stream_arrays *arrays;
    const struct kn_kernel *kernel;
    kn_loop *loop;
    struct kn_loop_job job;
    uint64_t iterations;
    struct kn_share_time *times; /* NULL: not measured */
    uint64_t (*ends)[LINE_BYTES /
                     sizeof(uint64_t)]; /* last element of each share's chase, in a separate cache line */
};

ls_err kn_stream_need(const struct kn_kernel *const *kernels, size_t len, const struct kn_stream_options *o,
                      struct kn_stream_need *out)
{
    struct kn_stream_arrays arrays, rule;
    struct kn_stream_options by_rule = *o;
    by_rule.elements = 0;
    LS_TRY(kn_stream_arrays_plan(&arrays, kernels, len, o));
    LS_TRY(kn_stream_arrays_plan(&rule, kernels, len, &by_rule));
    *out = (struct kn_stream_need){.elements = arrays.elements_of_all,
                                   .rule_elements = rule.elements_of_all,
                                   .last_level_bytes = rule.last_level_bytes};
    return kn_stream_arrays_bytes(&arrays, &out->memory_bytes);
}

static void run_share(void *arg, unsigned share)
{
    const struct turn *t = arg;
    kn_share_begin(t->times, share);
    t->loop(&t->job, kn_stream_arrays_begin(t->arrays, t->iterations, share),
            kn_stream_arrays_begin(t->arrays, t->iterations, share + 1));
    kn_share_end(t->times, share);
}

/* Follow the ring of each share once. */
static void chase_share(void *arg, unsigned share)
{
    const struct turn *t = arg;
    const uint64_t begin = kn_stream_arrays_begin(t->arrays, t->iterations, share),
                   end = kn_stream_arrays_begin(t->arrays, t->iterations, share + 1);
    const uint64_t *next = t->arrays->ring.base;
    uint64_t at = begin;
    for (uint64_t i = begin; i < end; i++)
        at = next[at];
    t->ends[share][0] = at;
}

static struct kn_span once(void *arg, struct kn_turn turn)
{
    const struct turn *t = arg;
    return kn_backend_time(t->arrays->backend, t->arrays->threads, turn, t->loop ? run_share : chase_share,
                           arg);
}

static void note_trial(const struct kn_loop_variant *v, const struct turn *t, double seconds,
                       struct kn_result *r)
{
    if (r->trials_len == KN_TRIALS_MAX) return;
    struct kn_trial *n = &r->trials[r->trials_len++];
    kn_loop_describe(v, t->kernel, n->variant, sizeof(n->variant));
    n->mb_per_s = (double)r->bytes / seconds / 1e6;
}

/* The least seconds of runs in a row; all ranks make as many. */
static double try_loop(struct turn *t)
{
    const uint64_t elements = t->arrays->elements_of_all;
    double least = INFINITY;
    for (uint64_t n = 0; n == 0 || (n < TRIES_MAX && (n + 1) * elements <= tried_elements); n++) {
        const struct kn_span span = once(t, (struct kn_turn){.repeats = 1});
        least = fmin(least, kn_share_slowest(t->times, t->arrays->threads, span.seconds));
    }
    return least;
}

/* The fastest of the candidates, each tried in turn. */
static const struct kn_loop_variant *try_all(struct turn *t, const struct kn_loop_variant *const *candidates,
                                             size_t len, struct kn_result *r)
{
    double least[KN_TRIALS_MAX];
    size_t fastest = 0;
    if (len > 1) t->times = kn_share_times(t->arrays->threads);
    for (int round = 0; round < TRIAL_ROUNDS && len > 1; round++)
        for (size_t c = 0; c < len; c++) {
            t->loop = kn_loop_of(candidates[c], t->kernel);
            const double seconds = try_loop(t);
            least[c] = round ? fmin(least[c], seconds) : seconds;
        }
    for (size_t c = 0; c < len && len > 1; c++) {
        note_trial(candidates[c], t, least[c], r);
        if (least[c] < least[fastest]) fastest = c;
    }
    free(t->times);
    t->times = NULL;
    return candidates[fastest];
}

/* Take rank 0's loop, so that ranks compare, where this rank has it. */
static ls_err follow_rank_0(const struct turn *t, const struct kn_options *o,
                            const struct kn_loop_variant *const *candidates, size_t len,
                            const struct kn_loop_variant **v)
{
    char wanted[KN_VARIANT_BYTES], own[KN_VARIANT_BYTES];
    kn_loop_describe(*v, t->kernel, wanted, sizeof(wanted));
    LS_TRY(kn_ranks_broadcast(o->ranks, wanted, sizeof(wanted)));
    for (size_t c = 0; c < len; c++) {
        kn_loop_describe(candidates[c], t->kernel, own, sizeof(own));
        if (strcmp(own, wanted) == 0) *v = candidates[c];
    }
    return LS_OK;
}

static ls_err choose(struct turn *t, const struct kn_options *o, struct kn_result *r)
{
    const struct kn_stream_arrays *arrays = t->arrays;
    const struct kn_loop_wish w = {
        .kernel = t->kernel,
        .method = arrays->backend->method != KN_METHOD_AUTO ? arrays->backend->method : o->method,
        .stores = o->stores,
        .element_bytes = arrays->element_bytes,
        .index_bits = arrays->index_bits};
    const struct kn_loop_variant *candidates[KN_TRIALS_MAX];
    size_t len;
    kn_loop_find(&w, candidates, KN_TRIALS_MAX, &len);
    LS_TRY(kn_ranks_agree(o->ranks, len ? LS_OK : kn_loop_explain_none(&w)));
    const struct kn_loop_variant *v = try_all(t, candidates, len, r);
    LS_TRY(follow_rank_0(t, o, candidates, len, &v));
    t->loop = kn_loop_of(v, t->kernel);
    r->method = v->method;
    r->stores = v->stores;
    r->index_bits = v->index_bits;
    kn_loop_describe(v, t->kernel, r->variant, sizeof(r->variant));
    return LS_OK;
}

static void check_chase(const struct turn *t, struct kn_result *r)
{
    r->valid = true;
    for (unsigned s = 0; s < t->arrays->threads && r->valid; s++)
        r->valid = t->ends[s][0] == kn_stream_arrays_begin(t->arrays, t->iterations, s);
    if (!r->valid) snprintf(r->invalid, sizeof(r->invalid), "a chase did not come back to where it began");
}

static void describe(const struct turn *t, struct kn_result *r)
{
    const struct kn_stream_arrays *arrays = t->arrays;
    const struct kn_kernel *k = t->kernel;
    const unsigned element_bytes = k->family == KN_FAMILY_CHASE ? 8 : arrays->element_bytes;
    r->kernel = k;
    r->bytes = t->iterations * kn_count_bytes(&k->paper, element_bytes, 0);
    r->bytes_with_indices = t->iterations * kn_count_bytes(&k->code, element_bytes, arrays->index_bits / 8);
    r->flops = t->iterations * k->paper.flops;
    r->element_bytes = element_bytes;
    r->threads = arrays->threads;
    r->stream_share = NAN;
    snprintf(r->backend, sizeof(r->backend), "%s", arrays->backend->name);
}

static ls_err run_kernel(const struct kn_stream_arrays *arrays, const struct kn_kernel *k,
                         const struct kn_stream_options *with, struct kn_result *r)
{
    const struct kn_options *o = &with->run;
    if (kn_reach_takes(k, with)) return kn_reach_run(arrays, k, with, r);
    struct turn t = {.arrays = arrays, .kernel = k, .iterations = kn_stream_arrays_iterations(arrays, k)};
    const unsigned runs = o->runs ? o->runs : KN_RUNS;
    describe(&t, r);
    if (k->family == KN_FAMILY_CHASE) {
        t.ends = calloc(arrays->threads, sizeof(*t.ends));
        LS_TRY(kn_ranks_agree(o->ranks, t.ends ? LS_OK : ls_nomem("%u threads", arrays->threads)));
        snprintf(r->variant, sizeof(r->variant), "64-bit indices");
        const ls_err err = kn_measure(once, &t, o, runs, r);
        if (err == LS_OK) check_chase(&t, r);
        free(t.ends);
        return err;
    }
    t.job = kn_stream_arrays_job(arrays, k);
    LS_TRY(choose(&t, o, r));
    LS_TRY(kn_measure(once, &t, o, runs, r));
    kn_prove(arrays, k, r);
    return LS_OK;
}

static ls_err run_all(struct kn_stream_arrays *arrays, const struct kn_kernel *const *kernels, size_t len,
                      const struct kn_stream_options *o, struct kn_result *results)
{
    uint64_t memory_bytes = 0;
    ls_err err = kn_stream_arrays_bytes(arrays, &memory_bytes);
    if (err == LS_OK) err = kn_stream_arrays_fill(arrays, o->run.pages);
    LS_TRY(kn_ranks_agree(o->run.ranks, err));
    if (arrays->backend->device) return kn_stream_gpu_run(arrays, kernels, len, &o->run, results);
    const uint64_t huge_bytes = kn_stream_arrays_huge_bytes(arrays);
    for (size_t k = 0; k < len; k++) {
        LS_TRY(run_kernel(arrays, kernels[k], o, &results[k]));
        if (!kn_reach_takes(kernels[k], o)) {
            results[k].memory_bytes = memory_bytes;
            results[k].huge_bytes = huge_bytes;
        }
        LS_TRY(kn_result_join(o->run.ranks, &results[k]));
    }
    return LS_OK;
}

ls_err kn_stream_run(const struct kn_kernel *const *kernels, size_t len, const struct kn_stream_options *o,
                     struct kn_result *results)
{
    struct kn_stream_arrays arrays;
    uint64_t memory_bytes;
    memset(results, 0, len * sizeof(*results));
    kn_pins *pins = NULL;
    ls_err err = kn_stream_arrays_plan(&arrays, kernels, len, o);
    if (err == LS_OK) err = kn_backend_choose(&o->run, &arrays.backend, &arrays.threads);
    if (err == LS_OK && arrays.backend->device && o->run.ranks)
        err = ls_fail(LS_ERR_UNSUPPORTED,
                      "stream runs on backend %s in one process: start it without a launcher",
                      arrays.backend->name);
    if (err == LS_OK && arrays.backend->device) err = kn_stream_gpu_check(&arrays, kernels, len, &o->run);
    if (err == LS_OK) err = kn_stream_arrays_bytes(&arrays, &memory_bytes);
    if (err == LS_OK) err = kn_ranks_memory_check(o->run.ranks, "stream", memory_bytes, o->run.memory_bytes);
    if (err == LS_OK && !arrays.backend->device)
        err = kn_pin(arrays.backend, arrays.threads, o->run.pin, &pins);
    err =
        kn_ranks_agree(o->run.ranks, err); /* before memory is allocated, because ranks of a node share it */
    if (err == LS_OK) err = run_all(&arrays, kernels, len, o, results);
    kn_stream_arrays_fini(&arrays);
    for (size_t k = 0; k < len; k++)
        results[k].pin = kn_pinned(pins);
    kn_unpin(pins);
    return err;
}

ls_err kn_stream_reference(const struct kn_options *o, enum kn_stores stores, double *out_mb_per_s)
{
    const struct kn_kernel *triad = kn_kernel_find("triad");
    struct kn_stream_options options = {.run = *o};
    struct kn_result r;
    /* the reference is the best rate of the machine, whatever method is requested for the patterns */
    options.run.method = KN_METHOD_AUTO;
    options.run.stores = stores;
    options.run.index_bits = 0;
    if (options.run.backend && strcasecmp(options.run.backend, kn_backend_scalar.name) == 0)
        options.run.backend = NULL;
    const ls_err err = kn_stream_run(&triad, 1, &options, &r);
    if (err == LS_OK) *out_mb_per_s = r.mb_per_s;
    kn_result_fini(&r);
    return err;
}
