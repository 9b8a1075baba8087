/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_replay.h"

#include "kernels/kn_advice.h"
#include "kernels/kn_chain.h"
#include "kernels/kn_kernel.h"
#include "kernels/kn_measure.h"
#include "kernels/kn_pin.h"
#include "kernels/kn_trial.h"
#include "kernels/kn_validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Destinations larger than this are written past the caches where that is faster. */
static const uint64_t large_bytes = UINT64_C(4) << 20;

struct session {
    const struct kn_options *options;
    const struct kn_backend *backend;
    struct kn_plan plan;
    struct kn_arena arena;
    const struct kn_variant *variant;
};

ls_err kn_replay_need(const struct pat_config *c, const struct kn_options *o, struct kn_replay_need *out)
{
    const struct kn_backend *backend;
    unsigned threads;
    struct kn_plan plan;
    LS_TRY(kn_backend_choose(o, &backend, &threads));
    LS_TRY(kn_plan_init(&plan, c, o, threads));
    *out = plan.need;
    return LS_OK;
}

static struct kn_wish wish_of(const struct session *s)
{
    const struct kn_plan *p = &s->plan;
    const uint64_t written = p->to.used ? p->to.elements : p->dense_elements;
    return (struct kn_wish){.kernel = p->config->kernel,
                            .operation = p->config->operation,
                            .method = s->backend->method != KN_METHOD_AUTO ? s->backend->method
                                                                           : s->options->method,
                            .stores = s->options->stores,
                            .element_bytes = p->element_bytes,
                            .index_bits = s->options->index_bits,
                            .linked = s->arena.linked,
                            .indices_fit_32_bits = p->indices_fit_32_bits,
                            .rows_may_be_jammed = p->rows_may_be_jammed,
                            .destination_is_large = written * p->element_bytes > large_bytes};
}

/* Refuse what cannot run before memory is touched. */
static ls_err find_candidates(const struct session *s, const struct kn_variant **candidates, size_t *len)
{
    const struct kn_wish w = wish_of(s);
    if (w.index_bits != 0 && w.index_bits != 32 && w.index_bits != 64)
        return ls_fail(LS_ERR_UNSUPPORTED, "indices of %u bits; there are 32 and 64", w.index_bits);
    kn_variant_find(&w, candidates, KN_TRIALS_MAX, len);
    return *len ? LS_OK : kn_variant_explain_none(&w);
}

static bool wants_narrow(const struct kn_variant *const *candidates, size_t len)
{
    for (size_t c = 0; c < len; c++)
        if (candidates[c]->index_bits == 32) return true;
    return false;
}

static void describe(const struct session *s, struct kn_result *r)
{
    const struct kn_plan *p = &s->plan;
    r->kernel = kn_kernel_of_pattern(p->config->kernel);
    r->bytes = p->need.bytes;
    r->memory_bytes = p->need.memory_bytes;
    r->element_bytes = p->element_bytes;
    r->threads = p->threads;
    snprintf(r->backend, sizeof(r->backend), "%s", s->backend->name);
}

static void describe_variant(const struct session *s, struct kn_result *r)
{
    const struct kn_variant *v = s->variant;
    kn_variant_describe(v, r->variant, sizeof(r->variant));
    r->method = v->method;
    r->stores = v->stores;
    r->index_bits = v->index_bits;
    r->bytes_with_indices = r->bytes + s->plan.need.iterations * r->kernel->index_loads * (v->index_bits / 8);
}

/* A run, and the least CPU time of all runs. */
struct timed {
    struct kn_runner runner;
    double cpu_seconds_min;
};

static double run_timed(void *arg)
{
    struct timed *t = arg;
    const double seconds = kn_runner_once(&t->runner);
    t->cpu_seconds_min =
        fmin(t->cpu_seconds_min, kn_share_slowest(t->runner.times, t->runner.arena->plan->threads, seconds));
    return seconds;
}

static ls_err measure(struct session *s, struct kn_result *r)
{
    const struct kn_options *o = s->options;
    const struct kn_variant *candidates[KN_TRIALS_MAX];
    size_t len;
    LS_TRY(find_candidates(s, candidates, &len));
    if (wants_narrow(candidates, len)) LS_TRY(kn_arena_narrow(&s->arena));
    s->variant = kn_trial(&s->arena, candidates, len, r);
    if (s->variant->index_bits == 64) kn_arena_forget_narrow(&s->arena);
    describe_variant(s, r);
    struct timed timed = {kn_runner_of(&s->arena, s->variant, o->fence), INFINITY};
    timed.runner.times = kn_share_times(s->plan.threads);
    const unsigned runs = o->runs ? o->runs : s->plan.config->runs ? (unsigned)s->plan.config->runs : KN_RUNS;
    const ls_err err =
        kn_measure(run_timed, &timed, o->warmups_max ? o->warmups_max : KN_WARMUPS_MAX, runs, r);
    free(timed.runner.times);
    LS_TRY(err);
    r->cpu_seconds_min = timed.cpu_seconds_min;
    r->huge_bytes = kn_block_huge_bytes(&s->arena.from) + kn_block_huge_bytes(&s->arena.to) +
                    kn_block_huge_bytes(&s->arena.dense);
    kn_validate(&s->arena, r);
    return LS_OK;
}

static ls_err run(struct session *s, struct kn_result *r)
{
    const struct kn_options *o = s->options;
    const struct kn_variant *candidates[KN_TRIALS_MAX];
    size_t len;
    LS_TRY(find_candidates(s, candidates, &len));
    LS_TRY(kn_memory_check(s->plan.config->name, s->plan.need.memory_bytes, o->memory_bytes));
    kn_pins *pins = NULL;
    LS_TRY(kn_pin(s->backend, s->plan.threads, o->pin, &pins));
    r->pin = kn_pinned(pins);
    ls_err err = kn_arena_init(&s->arena, &s->plan, s->backend, o->pages);
    if (err == LS_OK && o->index_bits == 0 && kn_chain_fits(&s->plan)) kn_chain_link(&s->arena);
    if (err == LS_OK) err = measure(s, r);
    if (err == LS_OK) kn_advise_replay(&s->arena, s->variant, o, r);
    kn_arena_fini(&s->arena);
    kn_unpin(pins);
    return err;
}

ls_err kn_replay_run(const struct pat_config *c, const struct kn_options *o, struct kn_result *out)
{
    struct session s = {.options = o};
    unsigned threads;
    memset(out, 0, sizeof(*out));
    LS_TRY(kn_backend_choose(o, &s.backend, &threads));
    LS_TRY(kn_plan_init(&s.plan, c, o, threads));
    describe(&s, out);
    return run(&s, out);
}
