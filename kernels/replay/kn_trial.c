/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_trial.h"

#include <math.h>
#include <stdlib.h>

static const double trial_seconds = 1e-3, trial_seconds_min = 12e-6;
/* tries shorter than this are timed by the wall clock: a reading of the CPU clock takes up to some microseconds and evicts lines */
static const double wall_seconds = 200e-6;
/* several threads mostly wait for each other in runs that are shorter than this */
static const double alone_seconds = 5e-6;
/* a variant that is slower than the fastest by this factor after this number of rounds is dropped */
static const double out_of_the_race[] = {INFINITY, 1.5, 1.2, 1.1};
/* a try by the wall clock that takes longer than the least one by this factor may have been interrupted */
static const double suspicious = 3;
/* times of short runs, which are tried often */
static const double steady_ratio = 1.03, hopeless = 2;
/* ROUNDS_WIDE: one try may share its processor with another program, two rarely do; then the KEPT fastest */
enum { ROUNDS = 4, ROUNDS_WIDE = 2, KEPT = 4, REPEATS_MAX = 1 << 14, AGAIN_MAX = 4, RUNS_STEADY = 4 };

/* Move part to the rows of this try: the next ones after the earlier tries, as in the whole job, so that they are in the same
 * caches; after the last ones the first ones again. */
static void move_window(const struct kn_runner *r, struct kn_part *part)
{
    const uint64_t rows = part->end - part->begin;
    if (rows <= r->rows_max) return;
    const uint64_t windows = r->sweeps ? rows / r->rows_max : 1;
    const uint64_t begin = part->begin + r->tries % windows * r->rows_max;
    kn_arrays_move_part(r->arrays, part, begin, begin + r->rows_max);
}

static void run_share(void *arg, unsigned share)
{
    const struct kn_runner *r = arg;
    if (r->is_alone) share = r->arrays->plan->threads - 1; /* no share is larger */
    struct kn_part part = r->arrays->parts[share];
    if (r->rows_max != UINT64_MAX) move_window(r, &part);
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

struct kn_span kn_runner_time(void *arg, struct kn_turn turn)
{
    const struct kn_runner *r = arg;
    if (r->is_alone) return kn_backend_time(&kn_backend_serial, 1, turn, run_share, arg);
    return kn_backend_time(r->arrays->backend, r->arrays->plan->threads, turn, run_share, arg);
}

struct kn_span kn_runner_try(struct kn_runner *r)
{
    struct kn_span span = kn_runner_time(r, (struct kn_turn){1, .wall_only = !r->times});
    r->tries++;
    span.seconds = kn_share_slowest(r->times, r->arrays->plan->threads, span.seconds) / r->repeats;
    return span;
}

static double try_seconds(struct kn_runner *r)
{
    return kn_runner_try(r).seconds;
}

/* Repeat a short job until a try takes long enough for the clock. */
static void repeat(struct kn_runner *r)
{
    try_seconds(r);
    while (r->repeats < REPEATS_MAX && try_seconds(r) * r->repeats < trial_seconds_min)
        r->repeats *= 2;
}

static void shorten(struct kn_runner *r)
{
    const struct kn_plan *p = r->arrays->plan;
    const uint64_t share = p->count / p->threads + 1;
    r->rows_max = 65536 / p->len + 1;
    if (r->rows_max >= share) {
        r->rows_max = UINT64_MAX;
        repeat(r);
        return;
    }
    try_seconds(r);
    const double row_seconds = try_seconds(r) / (double)r->rows_max;
    const double rows = trial_seconds / row_seconds;
    if (rows > (double)r->rows_max) r->rows_max = rows < (double)share ? (uint64_t)rows : UINT64_MAX;
}

/* Do all rows have the same steps? A list of steps may lead anywhere. */
static bool rows_are_alike(const struct kn_plan *p)
{
    return p->from.steps_len <= 1 && p->to.steps_len <= 1;
}

void kn_runner_shorten(struct kn_runner *r)
{
    struct kn_share_time *times = r->times;
    const bool is_serial = r->arrays->plan->threads == 1;
    r->sweeps = rows_are_alike(r->arrays->plan);
    r->times = NULL;
    r->is_alone = true;
    shorten(r);
    const double seconds = try_seconds(r);
    if (seconds < (is_serial ? wall_seconds : alone_seconds)) return;
    r->is_alone = false;
    if (seconds >= wall_seconds) r->times = times;
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

static bool is_short(const struct kn_runner *r, double seconds)
{
    return !r->is_alone && seconds < wall_seconds;
}

/* The time of a variant. If it is short, the caches still hold the lines that the variant before it left, and learn slowly which
 * ones to keep: it runs until some times in succession are no shorter, unless it is far slower than the best one. */
static struct kn_span time_variant(struct kn_runner *r, double best)
{
    struct kn_span least = kn_runner_try(r);
    double reference = least.seconds, spent = least.seconds;
    for (int since = 0; since < RUNS_STEADY && spent < trial_seconds && is_short(r, least.seconds);) {
        const struct kn_span span = kn_runner_try(r);
        spent += span.seconds;
        since = span.seconds * steady_ratio < reference ? 0 : since + 1;
        if (since == 0) reference = span.seconds;
        if (span.seconds < least.seconds) least = span;
        if (spent > RUNS_STEADY * hopeless * best) break;
    }
    return least;
}

/* Try v, and again where other programs interrupted it; if they always do, the trial is disturbed. One share's CPU time in a
 * disturbed trial needs no second try.
 * best: the least time of all tries so far, or INFINITY. */
static double try_variant(struct kn_runner *shortened, const struct kn_variant *v, double best,
                          struct kn_result *r)
{
    struct kn_runner runner = *shortened;
    double least = INFINITY;
    runner.move = v->move[runner.arrays->plan->config->kernel];
    runner.job = kn_arrays_job(runner.arrays, v->index_bits);
    for (int n = 0; n < AGAIN_MAX; n++) {
        const struct kn_span span = time_variant(&runner, best);
        shortened->tries = runner.tries;
        least = fmin(least, span.seconds);
        if (runner.times && r->trial_disturbed) return least;
        if (!span.interrupted && (runner.times || n || least < suspicious * best)) return least;
    }
    r->trial_disturbed = true;
    return least;
}

static double least_of(const double *values, size_t len)
{
    double least = INFINITY;
    for (size_t k = 0; k < len; k++)
        least = fmin(least, values[k]);
    return least;
}

/* The candidates, and the least times of their tries. */
struct race {
    const struct kn_variant *const *candidates;
    size_t len;
    double least[KN_TRIALS_MAX];
};

/* Try all candidates in rounds. Return false, without the times of all, once other programs begin to disturb them. */
static bool run_race(struct race *race, struct kn_runner *shortened, struct kn_result *r)
{
    const bool was_disturbed = r->trial_disturbed;
    for (size_t c = 0; c < race->len; c++)
        race->least[c] = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        if (round == 1 && is_short(shortened, least_of(race->least, race->len)))
            round = ROUNDS - 1; /* each had many runs */
        for (size_t c = 0; c < race->len; c++) {
            double *least = &race->least[c], best = least_of(race->least, race->len);
            if (stays(race->least, race->len, c, round))
                *least = fmin(*least, try_variant(shortened, race->candidates[c], best, r));
            if (r->trial_disturbed && !was_disturbed) return false;
        }
    }
    return true;
}

const struct kn_variant *kn_trial(const struct kn_arrays *a, const struct kn_variant *const *candidates,
                                  size_t len, struct kn_result *r)
{
    if (len == 1) return candidates[0];
    struct race race = {candidates, len < KN_TRIALS_MAX ? len : KN_TRIALS_MAX, {0}};
    struct kn_share_time *times = kn_share_times(a->plan->threads);
    struct kn_runner shortened = kn_runner_of(a, candidates[0], false);
    shortened.times = times;
    kn_runner_shorten(&shortened);
    if (r->trial_disturbed) shortened.is_alone = true;
    if (!run_race(&race, &shortened, r)) {
        shortened.is_alone = true;
        run_race(&race, &shortened, r);
    }
    free(times);
    const double rows = fmin((double)shortened.rows_max, (double)a->plan->count / a->plan->threads);
    const double bytes = (double)r->bytes * rows * a->plan->threads / (double)a->plan->count;
    size_t fastest = 0;
    for (size_t c = 0; c < race.len; c++) {
        note(candidates[c], race.least[c], bytes, r);
        if (race.least[c] < race.least[fastest]) fastest = c;
    }
    return candidates[fastest];
}
