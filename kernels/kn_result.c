/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_result.h"

#include "common/ls_clock.h"
#include "kernels/kn_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a result ---- */

void kn_result_fini(struct kn_result *r)
{
    free(r->run_seconds);
    free(r->rank_rows);
    r->run_seconds = NULL;
    r->rank_rows = NULL;
}

/* ---- the course of a measurement ---- */

static const double steady_ratio = 1.03;
/* runs shorter than this are timed by the wall clock alone where only the least time counts */
static const double wall_only_seconds = 1e-3;
/* a short run that is timed by the wall clock alone was interrupted if it takes longer than the least one by this factor */
static const double interrupted_ratio = 3;
/* by default, further warm-ups of short runs take this long */
static const double warm_seconds_short = 3e-3;
enum { REPEATS_MAX = 1 << 16, CLEAN_RUNS = 3 };

/* The runs of a measurement; ranks proceed together. */
struct course {
    kn_once *once;
    void *arg;
    struct kn_ranks *ranks;
    bool times_only;     /* only the least time counts */
    bool warms_itself;   /* the timed runs are many: long ones need no warm-up */
    double warm_seconds; /* the least time of the runs that warmed up */
    double own_seconds;  /* the last run in this rank */
    ls_err err;
};

/* Begin together with the other ranks, and return one time for all of them, so that every rank takes the same decisions. On one
 * node it lasts from the first begin to the last end; on several nodes, whose clocks differ, it is the longest time of a rank. */
static struct kn_span run_once(struct course *c, struct kn_turn turn)
{
    const struct kn_span none = {.seconds = 1, .cpu_seconds = 1};
    if (!c->ranks) return c->once(c->arg, turn);
    if (c->err == LS_OK) c->err = kn_ranks_max(c->ranks, NULL, 0);
    if (c->err != LS_OK) return none;
    struct kn_span span = c->once(c->arg, turn);
    double most[] = {span.seconds, span.cpu_seconds, span.interrupted, (double)span.end_ns,
                     -(double)span.begin_ns};
    c->own_seconds = span.seconds;
    c->err = kn_ranks_max(c->ranks, most, 5);
    if (c->err != LS_OK) return none;
    span.seconds = kn_ranks_info(c->ranks)->nodes == 1
                       ? (most[3] + most[4]) / (double)LS_NS_PER_S / turn.repeats
                       : most[0];
    span.cpu_seconds = most[1];
    span.interrupted = most[2] > 0;
    return span;
}

/* longer, because ranks do not leave a barrier at the same time */
static double short_seconds(const struct course *c)
{
    return c->ranks ? KN_SHORT_SECONDS_OF_RANKS : KN_SHORT_SECONDS;
}

/* The time that the runs between two readings of the clock take at least. Where only the least time counts, half of it is
 * enough: their sum is most of the time of a short program. */
static double clocked_seconds(const struct course *c)
{
    return c->times_only && !c->ranks ? short_seconds(c) / 2 : short_seconds(c);
}

/* The number of runs of `seconds` that take long enough for the clock; two at least. */
static unsigned repeats_for(const struct course *c, double seconds)
{
    const double repeats = ceil(clocked_seconds(c) / seconds);
    return repeats < 2 ? 2 : repeats < REPEATS_MAX ? (unsigned)repeats : REPEATS_MAX;
}

/* Repeat runs between two readings of the clock, starting from the warm-up's time, so that they take long enough twice in
 * succession: other programs may lengthen one. */
static void set_repeats(struct course *c, struct kn_result *r)
{
    r->repeats = repeats_for(c, c->warm_seconds);
    for (int long_enough = 0; long_enough < 2 && r->repeats < REPEATS_MAX;) {
        const struct kn_turn turn = {r->repeats, .wall_only = true};
        const double seconds = run_once(c, turn).seconds;
        long_enough = seconds * r->repeats >= clocked_seconds(c) ? long_enough + 1 : 0;
        if (!long_enough) r->repeats = repeats_for(c, seconds * 0.9);
    }
}

/* Times of the warm-up so far. */
struct warming {
    double last[3], spent_seconds;
    double least;   /* an earlier time that is at most 3 % longer than the least one */
    unsigned since; /* runs after it */
    unsigned len;
};

static void note_warm(struct warming *w, double seconds)
{
    w->last[w->len++ % 3] = seconds;
    w->spent_seconds += seconds;
    const bool is_shorter = w->len == 1 || seconds * steady_ratio < w->least;
    if (is_shorter) w->least = seconds;
    w->since = is_shorter ? 0 : w->since + 1;
}

/* May there be one more run? By default short ones may be more. */
static bool may_warm_up(unsigned warmups_max, const struct warming *w)
{
    if (warmups_max) return w->len < warmups_max;
    return w->len < KN_WARMUPS_MAX || (w->len < KN_WARMUPS_SHORT && w->spent_seconds < warm_seconds_short);
}

/* Are the last three times equal within 3 %? */
static bool are_equal(const double last[3])
{
    const double low = fmin(last[0], fmin(last[1], last[2])), high = fmax(last[0], fmax(last[1], last[2]));
    return high <= low * steady_ratio;
}

/* Was none of the last runs shorter than those before by 3 %? Where only the least time counts, that is enough: on a busy machine,
 * times are never equal. Caches learn slowly which lines to keep: loops of 30 us got 2 % shorter with each of 40 runs (AMD Zen 5). */
static bool is_steady(const struct course *c, const struct warming *w)
{
    enum { FEW = 2, MANY = 8 };
    const bool is_short = w->least * KN_WARMUPS_MAX < warm_seconds_short;
    if (c->warms_itself && !is_short) return true;
    return w->since >= (is_short ? MANY : FEW) && (c->times_only || are_equal(w->last));
}

static void warm_up(struct course *c, unsigned warmups_max, struct kn_result *r)
{
    struct warming w = {0};
    c->warm_seconds = INFINITY;
    while (!r->steady && may_warm_up(warmups_max, &w)) {
        const double seconds = run_once(c, (struct kn_turn){1, .wall_only = true}).seconds;
        note_warm(&w, seconds);
        c->warm_seconds = fmin(c->warm_seconds, seconds);
        r->steady = is_steady(c, &w);
    }
    r->warmups = w.len;
    r->repeats = 1;
    if (c->warm_seconds < short_seconds(c)) set_repeats(c, r);
}

static void count_runs(const pe_counter *counter, unsigned runs, struct kn_result *r)
{
    const char *core = pe_counter_why_not(counter, PE_COUNT_CORE),
               *traffic = pe_counter_why_not(counter, PE_COUNT_TRAFFIC);
    for (int i = 0; i < PE_COUNTS_LEN; i++)
        r->counts.values[i] /= runs;
    r->counts_hardware = !core || !traffic;
    snprintf(r->no_counts, sizeof(r->no_counts), "%s%s%s", core ? core : "", core && traffic ? "; " : "",
             traffic ? traffic : "");
}

/* Is an interrupted run repeated, after `clean` runs without interruption? For the least time, a few of them are enough, and
 * repetitions are few. */
static bool is_repeated(const struct course *c, unsigned clean, unsigned runs, const struct kn_result *r)
{
    if (c->times_only) return clean < CLEAN_RUNS && r->repeated < CLEAN_RUNS;
    return r->repeated < runs;
}

/* Was a run interrupted, by its own measure or, where that reads only the wall clock, by its time? */
static bool is_interrupted(const struct kn_span *span, const struct kn_turn *turn, double least)
{
    return span->interrupted || (turn->wall_only && span->seconds > least * interrupted_ratio);
}

static void run_all(struct course *c, unsigned runs, struct kn_result *r)
{
    const struct kn_turn turn = {r->repeats,
                                 .wall_only = c->times_only && c->warm_seconds < wall_only_seconds};
    unsigned clean = 0;
    double own_sum = 0, least = c->warm_seconds;
    r->cpu_seconds_min = r->own_seconds_min = INFINITY;
    for (unsigned i = 0; i < runs;) {
        const struct kn_span span = run_once(c, turn);
        const bool was_interrupted = is_interrupted(&span, &turn, least);
        r->cpu_seconds_min = fmin(r->cpu_seconds_min, span.cpu_seconds);
        least = fmin(least, span.seconds);
        if (was_interrupted && is_repeated(c, clean, runs, r)) {
            r->repeated++;
            continue;
        }
        r->interrupted += was_interrupted;
        clean += !was_interrupted;
        r->own_seconds_min = fmin(r->own_seconds_min, c->own_seconds);
        own_sum += c->own_seconds;
        r->run_seconds[i++] = span.seconds;
    }
    r->own_seconds_mean = own_sum / runs;
    if (c->times_only && clean >= CLEAN_RUNS) r->interrupted = 0; /* the least time needs no mark */
}

static void run_counted(struct course *c, pe_counter *counter, unsigned runs, struct kn_result *r)
{
    pe_counter_start(counter);
    run_all(c, runs, r);
    pe_counter_stop(counter, &r->counts);
    count_runs(counter, (runs + r->repeated) * r->repeats, r);
}

static void count_nothing(struct kn_result *r)
{
    for (int i = 0; i < PE_COUNTS_LEN; i++)
        r->counts.values[i] = NAN;
}

/* The harmonic mean of rates over equal bytes is bytes over the mean time; its error is Spatter 1's formula
 * on the rates. */
static void compute_rates(struct kn_result *r)
{
    const double megabytes = (double)r->bytes / 1e6;
    r->mb_per_s = megabytes / r->seconds.min;
    r->mb_per_s_regular = r->stores == KN_STORES_REGULAR ? r->mb_per_s : NAN;
    r->mb_per_s_hmean = megabytes / r->seconds.mean;
    r->mb_per_s_hstderr = r->mb_per_s_hmean * r->mb_per_s_hmean * (r->seconds.deviation / megabytes) /
                          sqrt((double)r->seconds.len);
}

ls_err kn_measure(kn_once *once, void *arg, const struct kn_options *o, unsigned runs, struct kn_result *r)
{
    struct course c = {.once = once,
                       .arg = arg,
                       .ranks = o->ranks,
                       .times_only = o->times_only,
                       .warms_itself = o->times_only && runs >= KN_RUNS};
    pe_counter *counter = NULL;
    r->run_seconds = malloc(runs * sizeof(*r->run_seconds));
    ls_err err = r->run_seconds ? LS_OK : ls_nomem("the times of %u runs", runs);
    if (err == LS_OK && !o->times_only && !o->ranks) err = pe_counter_new(NULL, NULL, &counter);
    LS_TRY(kn_ranks_agree(o->ranks, err));
    warm_up(&c, o->warmups_max, r);
    count_nothing(r);
    if (counter)
        run_counted(&c, counter, runs, r);
    else
        run_all(&c, runs, r);
    pe_counter_free(counter);
    LS_TRY(c.err);
    r->seconds = kn_stats_of(r->run_seconds, runs);
    compute_rates(r);
    return LS_OK;
}

/* ---- ranks ---- */

static struct kn_rank_row row_of(const struct kn_ranks_info *info, const struct kn_result *r)
{
    struct kn_rank_row row = {.bytes = r->bytes,
                              .bytes_with_indices = r->bytes_with_indices,
                              .flops = r->flops,
                              .memory_bytes = r->memory_bytes,
                              .huge_bytes = r->huge_bytes,
                              .threads = r->threads,
                              .seconds_min = r->own_seconds_min,
                              .seconds_mean = r->own_seconds_mean,
                              .worst_error = r->worst_error};
    snprintf(row.host, sizeof(row.host), "%s", info->host);
    snprintf(row.processors, sizeof(row.processors), "%s", info->bound ? info->processors : "");
    snprintf(row.variant, sizeof(row.variant), "%s", r->variant);
    if (!r->valid)
        snprintf(row.invalid, sizeof(row.invalid), "%.*s", KN_INVALID_BYTES - 1,
                 *r->invalid ? r->invalid : "it is wrong");
    return row;
}

/* The sums of the rows, in a row: host and invalid come from the first rank whose result is wrong. */
static struct kn_rank_row sum_of(const struct kn_rank_row *rows, unsigned len)
{
    struct kn_rank_row sum = {0};
    for (unsigned i = 0; i < len; i++) {
        sum.bytes += rows[i].bytes;
        sum.bytes_with_indices += rows[i].bytes_with_indices;
        sum.flops += rows[i].flops;
        sum.memory_bytes += rows[i].memory_bytes;
        sum.huge_bytes += rows[i].huge_bytes;
        sum.worst_error = fmax(sum.worst_error, rows[i].worst_error);
        if (*rows[i].invalid && !*sum.invalid) {
            sum.threads = i; /* the rank */
            memcpy(sum.host, rows[i].host, sizeof(sum.host));
            memcpy(sum.invalid, rows[i].invalid, sizeof(sum.invalid));
        }
    }
    return sum;
}

ls_err kn_result_join(struct kn_ranks *ranks, struct kn_result *r)
{
    const struct kn_ranks_info *info = kn_ranks_info(ranks);
    if (!ranks) return LS_OK;
    const struct kn_rank_row own = row_of(info, r);
    struct kn_rank_row sum = {0};
    r->ranks = info->len;
    r->nodes = info->nodes;
    if (info->rank == 0) r->rank_rows = calloc(info->len, sizeof(*r->rank_rows));
    LS_TRY(kn_ranks_agree(
        ranks, info->rank == 0 && !r->rank_rows ? ls_nomem("the results of %u ranks", info->len) : LS_OK));
    LS_TRY(kn_ranks_gather(ranks, &own, sizeof(own), r->rank_rows));
    if (info->rank == 0) sum = sum_of(r->rank_rows, info->len);
    LS_TRY(kn_ranks_broadcast(ranks, &sum, sizeof(sum)));
    r->bytes = sum.bytes;
    r->bytes_with_indices = sum.bytes_with_indices;
    r->flops = sum.flops;
    r->memory_bytes = sum.memory_bytes;
    r->huge_bytes = sum.huge_bytes;
    r->worst_error = sum.worst_error;
    r->valid = !*sum.invalid;
    if (!r->valid)
        snprintf(r->invalid, sizeof(r->invalid), "rank %u on %s: %s", sum.threads, sum.host, sum.invalid);
    snprintf(r->no_counts, sizeof(r->no_counts), "not read where several ranks run");
    compute_rates(r);
    return LS_OK;
}

/* ---- statistics of repeated measurements ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Return the quantile `share` of sorted[0..len), interpolated linearly. */
static double quantile(const double *sorted, size_t len, double share)
{
    const double at = share * (double)(len - 1);
    const size_t below = (size_t)at;
    const size_t above = below + 1 < len ? below + 1 : below;
    return sorted[below] + (at - (double)below) * (sorted[above] - sorted[below]);
}

static double mean_of(const double *values, size_t len)
{
    double sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += values[i];
    return sum / (double)len;
}

static double deviation_of(const double *values, size_t len, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < len; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return len < 2 ? NAN : sqrt(sum / (double)(len - 1));
}

static void set_order(struct kn_stats *s, const double *values, size_t len)
{
    double *sorted = malloc(len * sizeof(*sorted));
    if (!sorted) return;
    memcpy(sorted, values, len * sizeof(*sorted));
    qsort(sorted, len, sizeof(*sorted), by_value);
    s->quartile1 = quantile(sorted, len, 0.25);
    s->median = quantile(sorted, len, 0.5);
    s->quartile3 = quantile(sorted, len, 0.75);
    free(sorted);
}

struct kn_stats kn_stats_of(const double *values, size_t len)
{
    struct kn_stats s = {len, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (len == 0) return s;
    s.min = s.max = values[0];
    for (size_t i = 1; i < len; i++) {
        s.min = fmin(s.min, values[i]);
        s.max = fmax(s.max, values[i]);
    }
    s.mean = mean_of(values, len);
    s.deviation = deviation_of(values, len, s.mean);
    set_order(&s, values, len);
    return s;
}

double kn_harmonic_mean(const double *values, size_t len)
{
    double sum = 0;
    for (size_t i = 0; i < len; i++) {
        if (!(values[i] > 0)) return NAN;
        sum += 1 / values[i];
    }
    return len ? (double)len / sum : NAN;
}

double kn_harmonic_stderr(const double *values, size_t len)
{
    const double hmean = kn_harmonic_mean(values, len);
    if (len < 2 || isnan(hmean)) return NAN;
    double sum = 0;
    for (size_t i = 0; i < len; i++) {
        const double off = 1 / values[i] - 1 / hmean; /* 1/hmean is the mean of the inverses */
        sum += off * off;
    }
    return hmean * hmean * sqrt(sum / (double)(len - 1)) / sqrt((double)len);
}

double kn_pearson_r(const double *x, const double *y, size_t len)
{
    if (len < 2) return NAN;
    const double mx = mean_of(x, len), my = mean_of(y, len);
    double xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < len; i++) {
        xy += (x[i] - mx) * (y[i] - my);
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}
