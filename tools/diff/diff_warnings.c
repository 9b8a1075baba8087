/* SPDX-License-Identifier: BSD-3-Clause */
/* When two runs were made differently, some of their numbers do not compare. */
#include "tools/diff/diff_print.h"

#include <math.h>
#include <string.h>

#define DIFF_CALIBRATION_RATIO 1.2 /* thresholds of levels further apart give other levels */

typedef bool diff_check(const struct diff_view *v, char out[DIFF_WARNING_BYTES]);

static const struct prof_run *diff_run(const struct diff_view *v, int side)
{
    return v->sides[side].run;
}

static bool diff_check_machine(const struct diff_view *v, char out[DIFF_WARNING_BYTES])
{
    const struct prof_run *a = diff_run(v, 0), *b = diff_run(v, 1);
    if (strcmp(a->cpu, b->cpu) != 0)
        snprintf(out, DIFF_WARNING_BYTES,
                 "different processors (%.60s; %.60s): times, latencies and levels do not compare", a->cpu,
                 b->cpu);
    else if (strcmp(a->host, b->host) != 0)
        snprintf(out, DIFF_WARNING_BYTES,
                 "different machines (%.60s; %.60s): times and latencies compare roughly", a->host, b->host);
    else
        return false;
    return true;
}

static bool diff_check_engine(const struct diff_view *v, char out[DIFF_WARNING_BYTES])
{
    const struct prof_run *a = diff_run(v, 0), *b = diff_run(v, 1);
    if (strcmp(a->engine, b->engine) == 0) return false;
    snprintf(out, DIFF_WARNING_BYTES,
             "different engines (%.30s; %.30s): latencies and stall times do not compare, shares of time do",
             a->engine, b->engine);
    return true;
}

static bool diff_check_version(const struct diff_view *v, char out[DIFF_WARNING_BYTES])
{
    const struct prof_run *a = diff_run(v, 0), *b = diff_run(v, 1);
    if (strcmp(a->version, b->version) == 0) return false;
    snprintf(out, DIFF_WARNING_BYTES,
             "recorded by different versions of Loadstone (%.30s; %.30s): latencies may not compare",
             a->version, b->version);
    return true;
}

static bool diff_check_calibration(const struct diff_view *v, char out[DIFF_WARNING_BYTES])
{
    const double *a = diff_run(v, 0)->level_limit_cycles, *b = diff_run(v, 1)->level_limit_cycles;
    for (int l = 0; l + 1 < PROF_LEVEL_COUNT; l++) {
        if (!isfinite(a[l]) || !isfinite(b[l])) continue;
        if (fmax(a[l], b[l]) <= DIFF_CALIBRATION_RATIO * fmin(a[l], b[l])) continue;
        snprintf(
            out, DIFF_WARNING_BYTES,
            "calibrated differently (a level ends at %.0f cycles in A, at %.0f in B): levels do not compare",
            a[l], b[l]);
        return true;
    }
    return false;
}

static bool diff_check_bursts(const struct diff_view *v, char out[DIFF_WARNING_BYTES])
{
    for (int side = 0; side < 2; side++) {
        const size_t bursts = an_diff_bursts(v->diff, side);
        if (bursts >= AN_BURSTS_MIN) continue;
        snprintf(out, DIFF_WARNING_BYTES,
                 "%s has too few bursts (%zu of at least %d): no change can be told from chance; record a "
                 "longer run, or record with --overhead 10%%",
                 side ? "B" : "A", bursts, AN_BURSTS_MIN);
        return true;
    }
    return false;
}

size_t diff_warnings(const struct diff_view *v, char out[DIFF_WARNINGS_MAX][DIFF_WARNING_BYTES])
{
    static diff_check *const checks[] = {diff_check_machine, diff_check_engine, diff_check_version,
                                         diff_check_calibration, diff_check_bursts};
    _Static_assert(sizeof(checks) / sizeof(checks[0]) <= DIFF_WARNINGS_MAX, "room for every warning");
    size_t len = 0;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        len += checks[i](v, out[len]);
    return len;
}
