/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/kn_measure.h"

#include "perf/pe_count.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double steady_ratio = 1.03;

/* The last three times are alike. */
static bool is_steady(const double last[3], unsigned len)
{
    if (len < 3) return false;
    const double low = fmin(last[0], fmin(last[1], last[2])), high = fmax(last[0], fmax(last[1], last[2]));
    return high <= low * steady_ratio;
}

static void warm_up(kn_once *once, void *arg, unsigned warmups_max, struct kn_result *r)
{
    double last[3];
    for (r->warmups = 0; r->warmups < warmups_max && !r->steady;) {
        last[r->warmups % 3] = once(arg);
        r->warmups++;
        r->steady = is_steady(last, r->warmups);
    }
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

static ls_err timed_runs(kn_once *once, void *arg, unsigned runs, struct kn_result *r)
{
    pe_counter *counter;
    LS_TRY(pe_counter_new(NULL, NULL, &counter));
    pe_counter_start(counter);
    for (unsigned i = 0; i < runs; i++)
        r->run_seconds[i] = once(arg);
    pe_counter_stop(counter, &r->counts);
    count_runs(counter, runs, r);
    pe_counter_free(counter);
    return LS_OK;
}

/* The harmonic mean of rates over equal bytes is bytes over the mean time; its error is Spatter 1's formula
 * on the rates. */
static void compute_rates(struct kn_result *r)
{
    const double megabytes = (double)r->bytes / 1e6;
    r->mb_per_s = megabytes / r->seconds.min;
    r->mb_per_s_hmean = megabytes / r->seconds.mean;
    r->mb_per_s_hstderr = r->mb_per_s_hmean * r->mb_per_s_hmean * (r->seconds.deviation / megabytes) /
                          sqrt((double)r->seconds.len);
}

ls_err kn_measure(kn_once *once, void *arg, unsigned warmups_max, unsigned runs, struct kn_result *r)
{
    r->run_seconds = malloc(runs * sizeof(*r->run_seconds));
    if (!r->run_seconds) return ls_nomem("the times of %u runs", runs);
    warm_up(once, arg, warmups_max, r);
    LS_TRY(timed_runs(once, arg, runs, r)); /* after the warm-up, when all threads are there */
    r->seconds = kn_stats_of(r->run_seconds, runs);
    compute_rates(r);
    return LS_OK;
}
