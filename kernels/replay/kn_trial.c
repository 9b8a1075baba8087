/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_trial.h"

#include <math.h>
#include <stdlib.h>

static const double trial_seconds = 3e-3, trial_seconds_max = 20e-3, trial_seconds_min = 40e-6;
/* a variant that is slower than the fastest by this factor after this number of rounds is dropped */
static const double out_of_the_race[] = {INFINITY, 1.5, 1.2, 1.1};
static const uint64_t caches_bytes = UINT64_C(96) << 20;
/* ROUNDS_WIDE: one try may share its processor with another program, two rarely do; then the KEPT fastest */
enum { ROUNDS = 4, ROUNDS_WIDE = 2, KEPT = 4, REPEATS_MAX = 1 << 14 };

static void run_share(void *arg, unsigned share)
{
    const struct kn_runner *r = arg;
    struct kn_part part = r->arrays->parts[share];
    if (part.end - part.begin > r->rows_max) part.end = part.begin + r->rows_max;
    kn_share_begin(r->times, share);
    for (unsigned n = 0; n == 0 || n < r->repeats; n++)
        r->move(&r->job, &part);
    if (r->job.fence) __atomic_thread_fence(__ATOMIC_RELEASE);
    kn_share_end(r->times, share);
}

struct kn_runner kn_runner_of(const struct kn_arrays *a, const struct kn_variant *v, bool fence)
{
    struct kn_runner r = {.arrays = a,
                          .move = v->move[a->plan->config->kernel],
                          .job = kn_arrays_job(a, v->index_bits),
                          .rows_max = UINT64_MAX,
                          .repeats = 1};
    r.job.fence = fence;
    return r;
}

struct kn_span kn_runner_time(void *arg, unsigned repeats)
{
    const struct kn_runner *r = arg;
    return kn_backend_time(r->arrays->backend, r->arrays->plan->threads, repeats, run_share, arg);
}

double kn_runner_cpu_seconds(struct kn_runner *r)
{
    const double seconds = kn_runner_time(r, 1).seconds;
    return kn_share_slowest(r->times, r->arrays->plan->threads, seconds) / r->repeats;
}

static uint64_t side_step(const struct kn_plan_side *s)
{
    const uint64_t step = s->used ? (uint64_t)llabs((long long)s->steps[0]) : 0;
    return step ? step : 1;
}

/* A reading of the CPU clock takes half a microsecond. */
static void repeat(struct kn_runner *r)
{
    kn_runner_cpu_seconds(r);
    while (r->repeats < REPEATS_MAX && kn_runner_cpu_seconds(r) * r->repeats < trial_seconds_min)
        r->repeats *= 2;
}

void kn_runner_shorten(struct kn_runner *r)
{
    const struct kn_plan *p = r->arrays->plan;
    const uint64_t share = p->count / p->threads + 1;
    r->rows_max = 65536 / p->len + 1;
    if (r->rows_max >= share) {
        repeat(r);
        return;
    }
    kn_runner_time(r, 1); /* touches the memory of the next, timed run */
    const double row_seconds = kn_runner_cpu_seconds(r) / (double)r->rows_max;
    const uint64_t step = side_step(&p->from) > side_step(&p->to) ? side_step(&p->from) : side_step(&p->to);
    const double leave_caches = (double)caches_bytes / (double)p->element_bytes / (double)step / p->threads;
    const double rows =
        fmin(fmax(trial_seconds / row_seconds, leave_caches), trial_seconds_max / row_seconds);
    r->rows_max = rows < (double)share ? (uint64_t)rows + 1 : UINT64_MAX;
}

static void note(const struct kn_variant *v, double seconds, double bytes, struct kn_result *r)
{
    if (r->trials_len == KN_TRIALS_MAX) return;
    struct kn_trial *t = &r->trials[r->trials_len++];
    kn_variant_describe(v, t->variant, sizeof(t->variant));
    t->mb_per_s = bytes / seconds / 1e6;
}

/* Is candidate c tried again after some rounds? */
static bool stays(const double *least, size_t len, size_t c, int round)
{
    size_t faster = 0;
    double best = INFINITY;
    for (size_t k = 0; k < len && round; k++) {
        faster += least[k] < least[c];
        best = fmin(best, least[k]);
    }
    return round == 0 ||
           (least[c] <= best * out_of_the_race[round] && (round < ROUNDS_WIDE || faster < KEPT));
}

const struct kn_variant *kn_trial(const struct kn_arrays *a, const struct kn_variant *const *candidates,
                                  size_t len, struct kn_result *r)
{
    if (len == 1) return candidates[0];
    double least[KN_TRIALS_MAX];
    if (len > KN_TRIALS_MAX) len = KN_TRIALS_MAX;
    struct kn_share_time *times = kn_share_times(a->plan->threads);
    struct kn_runner shortened = kn_runner_of(a, candidates[0], false);
    shortened.times = times;
    kn_runner_shorten(&shortened);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t c = 0; c < len; c++) {
            if (!stays(least, len, c, round)) continue;
            struct kn_runner runner = kn_runner_of(a, candidates[c], false);
            runner.rows_max = shortened.rows_max;
            runner.repeats = shortened.repeats;
            runner.times = times;
            const double seconds = kn_runner_cpu_seconds(&runner);
            if (round == 0 || seconds < least[c]) least[c] = seconds;
        }
    free(times);
    const double rows = fmin((double)shortened.rows_max, (double)a->plan->count / a->plan->threads);
    const double bytes = (double)r->bytes * rows * a->plan->threads / (double)a->plan->count;
    size_t fastest = 0;
    for (size_t c = 0; c < len; c++) {
        note(candidates[c], least[c], bytes, r);
        if (least[c] < least[fastest]) fastest = c;
    }
    return candidates[fastest];
}
