/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_replay.h"

#include "kernels/kn_kernel.h"
#include "kernels/kn_result.h"
#include "kernels/kn_backend.h"
#include "kernels/kn_ranks.h"
#include "kernels/replay/kn_replay_gpu.h"
#include "kernels/replay/kn_session.h"
#include "kernels/replay/kn_trial.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- advice ---- */

/* Advice that would make a replay faster, measured if that is cheap. */

static const double worth_saying = 1.1;

static const uint64_t tlb_bytes = UINT64_C(16) << 20, own_dense_max_bytes = UINT64_C(1) << 20;

enum { TRIES = 5 };

static void __attribute__((format(printf, 2, 3))) say(struct kn_result *r, const char *format, ...)
{
    const size_t used = strlen(r->advice);
    va_list args;
    va_start(args, format);
    if (used) snprintf(r->advice + used, sizeof(r->advice) - used, "; ");
    vsnprintf(r->advice + strlen(r->advice), sizeof(r->advice) - strlen(r->advice), format, args);
    va_end(args);
}

/* The least time of the tries that no other program interrupted, during which all threads ran at once; NAN: there was none. */
static double least_of(struct kn_runner *r)
{
    double least = NAN;
    for (int i = 0; i < TRIES; i++) {
        const struct kn_span span = kn_runner_try(r);
        if (!span.interrupted) least = fmin(least, span.seconds);
    }
    return least;
}

/* Return the speed-up by a dense buffer per thread, with small buffers, both ways measured in turn. NAN: not
 * tried, or only while other programs ran. */
static double gain_of_own_dense(struct kn_arrays *a, const struct kn_variant *v)
{
    const struct kn_plan *p = a->plan;
    struct kn_block own;
    if (p->threads < 2 || p->dense_copies > 1 || !p->dense_elements || p->to.used ||
        a->dense_stride_bytes > own_dense_max_bytes ||
        kn_block_init(&own, a->dense_stride_bytes * p->threads, KN_PAGES_DEFAULT) != LS_OK)
        return NAN;
    struct kn_runner r = kn_runner_of(a, v, false);
    struct kn_share_time *times = r.times = kn_share_times(p->threads);
    kn_runner_shorten(&r);
    r.is_alone = false;
    r.times = times;
    const double shared = least_of(&r);
    for (unsigned t = 0; t < p->threads; t++)
        a->parts[t].dense = (char *)own.base + t * a->dense_stride_bytes;
    const double apart = least_of(&r);
    for (unsigned t = 0; t < p->threads; t++)
        a->parts[t].dense = a->dense.base;
    kn_block_fini(&own);
    free(times);
    return shared / apart;
}

/* Fill r->advice, unless other programs disturbed the times on which it rests. */
static void kn_advise_replay(struct kn_arrays *a, const struct kn_variant *v, const struct kn_options *o,
                             struct kn_result *r)
{
    if (r->interrupted) return;
    const double gain = gain_of_own_dense(a, v);
    if (gain >= worth_saying)
        say(r, "a dense buffer for each thread is %.1f times faster here: no false sharing", gain);
    if (r->memory_bytes >= tlb_bytes && o->pages != KN_PAGES_HUGE && r->huge_bytes < r->memory_bytes / 2)
        say(r, "huge pages spare address translation: %.0f MiB lie in small ones",
            (double)(r->memory_bytes - r->huge_bytes) / (1 << 20));
    if (o->pages == KN_PAGES_HUGE && r->memory_bytes >= tlb_bytes && r->huge_bytes < r->memory_bytes / 2)
        say(r, "the system gave %.0f of %.0f MiB in huge pages", (double)r->huge_bytes / (1 << 20),
            (double)r->memory_bytes / (1 << 20));
    if (r->seconds.min < KN_SHORT_SECONDS && r->threads > 1)
        say(r, "a run takes %.1f us, much of it waiting for the other threads: raise the count",
            r->seconds.min * 1e6);
    if (o->method == KN_METHOD_SCALAR) say(r, "this is the baseline: method auto takes the fastest");
}

/* ---- the replay ---- */

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

ls_err kn_replay_check(const struct pat_config *c, const struct kn_options *o, const char *label)
{
    const struct kn_backend *backend;
    unsigned threads;
    struct kn_replay_need need;
    LS_TRY(kn_backend_choose(o, &backend, &threads));
    if (backend->device) return kn_replay_gpu_check(c, o, backend);
    LS_TRY(kn_replay_need(c, o, &need));
    return kn_ranks_memory_check(o->ranks, label, need.memory_bytes, o->memory_bytes);
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

/* Measure the same with regular stores, as Spatter and STREAM have them, after a variant without. */
static ls_err measure_regular(struct kn_session *s, struct kn_result *r)
{
    const struct kn_variant *v = kn_session_regular(s);
    struct kn_options times = *s->options;
    struct kn_result regular = {.bytes = s->plan.need.bytes, .stores = KN_STORES_REGULAR};
    double none = !v;
    LS_TRY(kn_ranks_max(times.ranks, &none, 1)); /* on any rank */
    if (none > 0) return LS_OK;
    struct kn_runner runner = kn_runner_of(&s->arrays, v, times.fence);
    times.times_only = true;
    ls_err err = kn_measure(kn_runner_time, &runner, &times, kn_session_runs(s), &regular);
    if (err == LS_OK) {
        kn_validate(&s->arrays, &regular);
        err = kn_result_join(times.ranks, &regular);
        r->mb_per_s_regular = regular.valid ? regular.mb_per_s_regular : NAN;
        if (regular.interrupted > r->interrupted) r->interrupted = regular.interrupted; /* mark the row */
    }
    kn_result_fini(&regular);
    return err;
}

static ls_err measure(struct kn_session *s, struct kn_result *r)
{
    const struct kn_options *o = s->options;
    LS_TRY(kn_session_choose(s, r));
    describe_variant(s, r);
    struct kn_runner runner = kn_runner_of(&s->arrays, s->variant, o->fence);
    LS_TRY(kn_measure(kn_runner_time, &runner, o, kn_session_runs(s), r));
    kn_session_remember(s, r);
    if (!o->times_only) r->huge_bytes = kn_session_huge_bytes(s);
    if (s->plan.adds) { /* the sums of one run */
        kn_arrays_fill(&s->arrays);
        kn_runner_time(&runner, (struct kn_turn){.repeats = 1});
    }
    kn_validate(&s->arrays, r);
    LS_TRY(kn_result_join(o->ranks, r));
    return o->times_only ? LS_OK : measure_regular(s, r);
}

static ls_err run(struct kn_session *s, struct kn_result *r)
{
    const struct kn_options *o = s->options;
    kn_pins *pins = NULL;
    ls_err err =
        kn_ranks_memory_check(o->ranks, s->plan.config->name, s->plan.need.memory_bytes, o->memory_bytes);
    if (err == LS_OK) err = kn_pin(s->backend, s->plan.threads, o->pin, &pins);
    r->pin = kn_pinned(pins);
    err = kn_ranks_agree(o->ranks, err); /* before memory is allocated, because ranks of a node share it */
    if (err == LS_OK) err = kn_ranks_agree(o->ranks, kn_session_fill(s, NULL));
    if (err == LS_OK) err = measure(s, r);
    if (err == LS_OK && !o->times_only) kn_advise_replay(&s->arrays, s->variant, o, r);
    kn_arrays_fini(&s->arrays);
    kn_unpin(pins);
    return err;
}

struct work {
    struct kn_session *session;
    struct kn_result *result;
    ls_err err;
};

static void run_work(void *arg)
{
    struct work *w = arg;
    w->err = run(w->session, w->result);
}

ls_err kn_replay_run(const struct pat_config *c, const struct kn_options *o, struct kn_result *out)
{
    struct kn_session s;
    const struct kn_backend *backend;
    unsigned threads;
    memset(out, 0, sizeof(*out));
    ls_err err = kn_backend_choose(o, &backend, &threads);
    if (err == LS_OK && backend->device) return kn_replay_gpu_run(c, o, backend, out);
    if (err == LS_OK) err = kn_session_init(&s, c, o, backend, threads);
    LS_TRY(kn_ranks_agree(o->ranks, err));
    describe(&s, out);
    struct work w = {&s, out, LS_OK};
    kn_backend_engage(backend, threads, run_work, &w);
    return w.err;
}
