/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_replay.h"

#include "kernels/replay/kn_advice.h"
#include "kernels/kn_kernel.h"
#include "kernels/kn_measure.h"
#include "kernels/kn_pin.h"
#include "kernels/replay/kn_session.h"
#include "kernels/replay/kn_trial.h"
#include "kernels/replay/kn_validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void describe(const struct kn_session *s, struct kn_result *r)
{
    const struct kn_plan *p = &s->plan;
    r->kernel = kn_kernel_of_pattern(p->config->kernel);
    r->bytes = p->need.bytes;
    r->memory_bytes = p->need.memory_bytes;
    r->element_bytes = p->element_bytes;
    r->threads = p->threads;
    snprintf(r->backend, sizeof(r->backend), "%s", s->backend->name);
}

static void describe_variant(const struct kn_session *s, struct kn_result *r)
{
    const struct kn_variant *v = s->variant;
    kn_variant_describe(v, r->variant, sizeof(r->variant));
    r->method = v->method;
    r->stores = v->stores;
    r->index_bits = v->index_bits;
    r->bytes_with_indices = kn_session_bytes_with_indices(s);
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

static ls_err measure(struct kn_session *s, struct kn_result *r)
{
    const struct kn_options *o = s->options;
    LS_TRY(kn_session_choose(s, r));
    describe_variant(s, r);
    struct timed timed = {kn_runner_of(&s->arena, s->variant, o->fence), INFINITY};
    timed.runner.times = kn_share_times(s->plan.threads);
    const ls_err err = kn_measure(run_timed, &timed, o->warmups_max ? o->warmups_max : KN_WARMUPS_MAX,
                                  kn_session_runs(s), r);
    free(timed.runner.times);
    LS_TRY(err);
    r->cpu_seconds_min = timed.cpu_seconds_min;
    r->huge_bytes = kn_session_huge_bytes(s);
    kn_validate(&s->arena, r);
    return LS_OK;
}

static ls_err run(struct kn_session *s, struct kn_result *r)
{
    const struct kn_options *o = s->options;
    LS_TRY(kn_memory_check(s->plan.config->name, s->plan.need.memory_bytes, o->memory_bytes));
    kn_pins *pins = NULL;
    LS_TRY(kn_pin(s->backend, s->plan.threads, o->pin, &pins));
    r->pin = kn_pinned(pins);
    ls_err err = kn_session_fill(s, NULL);
    if (err == LS_OK) err = measure(s, r);
    if (err == LS_OK) kn_advise_replay(&s->arena, s->variant, o, r);
    kn_arena_fini(&s->arena);
    kn_unpin(pins);
    return err;
}

ls_err kn_replay_run(const struct pat_config *c, const struct kn_options *o, struct kn_result *out)
{
    struct kn_session s;
    const struct kn_backend *backend;
    unsigned threads;
    memset(out, 0, sizeof(*out));
    LS_TRY(kn_backend_choose(o, &backend, &threads));
    LS_TRY(kn_session_init(&s, c, o, backend, threads));
    describe(&s, out);
    return run(&s, out);
}
