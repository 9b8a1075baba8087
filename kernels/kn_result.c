/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a result ---- */

void kn_result_fini(struct kn_result *r)
{
    free(r->run_seconds);
    r->run_seconds = NULL;
}

/* ---- the course of a measurement ---- */

static const double steady_ratio = 1.03;
enum { REPEATS_MAX = 1 << 16 };

/* The last three times are alike. */
static bool is_steady(const double last[3], unsigned len)
{
    if (len < 3) return false;
    const double low = fmin(last[0], fmin(last[1], last[2])), high = fmax(last[0], fmax(last[1], last[2]));
    return high <= low * steady_ratio;
}

/* Double the runs between two readings of the clock until the time is long enough. */
static void set_repeats(kn_once *once, void *arg, struct kn_result *r)
{
    for (r->repeats = 1; r->repeats < REPEATS_MAX; r->repeats *= 2)
        if (once(arg, r->repeats).seconds * r->repeats >= KN_SHORT_SECONDS) return;
}

static void warm_up(kn_once *once, void *arg, unsigned warmups_max, struct kn_result *r)
{
    double last[3], least = INFINITY;
    for (r->warmups = 0; r->warmups < warmups_max && !r->steady;) {
        last[r->warmups % 3] = once(arg, 1).seconds;
        least = fmin(least, last[r->warmups % 3]);
        r->warmups++;
        r->steady = is_steady(last, r->warmups);
    }
    r->repeats = 1;
    if (least < KN_SHORT_SECONDS) set_repeats(once, arg, r);
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

static void run_all(kn_once *once, void *arg, unsigned runs, struct kn_result *r)
{
    r->cpu_seconds_min = INFINITY;
    for (unsigned i = 0; i < runs;) {
        const struct kn_span span = once(arg, r->repeats);
        r->cpu_seconds_min = fmin(r->cpu_seconds_min, span.cpu_seconds);
        if (span.interrupted && r->repeated < runs) {
            r->repeated++;
            continue;
        }
        r->interrupted += span.interrupted;
        r->run_seconds[i++] = span.seconds;
    }
}

static ls_err run_counted(kn_once *once, void *arg, unsigned runs, struct kn_result *r)
{
    pe_counter *counter;
    LS_TRY(pe_counter_new(NULL, NULL, &counter));
    pe_counter_start(counter);
    run_all(once, arg, runs, r);
    pe_counter_stop(counter, &r->counts);
    count_runs(counter, (runs + r->repeated) * r->repeats, r);
    pe_counter_free(counter);
    return LS_OK;
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
    r->run_seconds = malloc(runs * sizeof(*r->run_seconds));
    if (!r->run_seconds) return ls_nomem("the times of %u runs", runs);
    warm_up(once, arg, o->warmups_max ? o->warmups_max : KN_WARMUPS_MAX, r);
    if (o->times_only) {
        for (int i = 0; i < PE_COUNTS_LEN; i++)
            r->counts.values[i] = NAN;
        run_all(once, arg, runs, r);
    } else {
        LS_TRY(run_counted(once, arg, runs, r)); /* after the warm-up, when all threads are there */
    }
    r->seconds = kn_stats_of(r->run_seconds, runs);
    compute_rates(r);
    return LS_OK;
}

/* ---- statistics of repeated measurements ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* At share of the way through sorted[0..len), between neighbours linearly. */
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
