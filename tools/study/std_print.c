/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/study/std_print.h"

#include "kernels/kn_kernel.h"
#include "kernels/kn_result.h"
#include "machine/mach_topology.h"
#include "common/ls_json.h"
#include "common/ls_put.h"
#include "tools/replay/rpl_kernel.h"

#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void std_print_studies(FILE *out)
{
    for (unsigned i = 0; i < std_studies_len; i++) {
        const struct std_study *s = &std_studies[i];
        fprintf(out, "%-8s %s%s\n         %s\n", s->name, s->words,
                s->takes_patterns ? "; takes pattern files" : "", s->source);
    }
}

void std_print_head(const struct std_report *r, FILE *out)
{
    const struct std_study *study = r->study;
    struct mach_machine m;
    if (rpl_machine_of(r->run, &m) == LS_OK) fprintf(out, "machine    %s\n           %s\n", m.cpu, m.summary);
    fprintf(out, "study      %s: %s\n           (%s)\n\n", study->name, study->words, study->source);
    fprintf(out, "%-20s %10s %10s %11s %10s %s\n", "series", study->axis, "MB/s", "median ms", "with index",
            "variant");
}

/* The first point of the same x among the series that name begins with, or NULL. */
static const struct std_point *at_x(const struct std_report *r, const char *series, double x)
{
    for (size_t i = 0; i < r->len; i++)
        if (strcmp(r->points[i].series, series) == 0 && r->points[i].x == x) return &r->points[i];
    return NULL;
}

/* "gather scalar" of "gather avx512". */
static const struct std_point *baseline_of(const struct std_report *r, const struct std_point *p)
{
    char series[STD_SERIES_BYTES];
    const char *blank = strchr(p->series, ' ');
    if (strcmp(r->study->name, "simd") != 0 || !blank) return NULL;
    snprintf(series, sizeof(series), "%.*s scalar", (int)(blank - p->series), p->series);
    return strcmp(series, p->series) == 0 ? NULL : at_x(r, series, p->x);
}

void std_print_point(const struct std_report *r, size_t i, FILE *out)
{
    const struct std_point *p = &r->points[i];
    const struct kn_result *k = &p->result;
    const struct std_point *base = baseline_of(r, p);
    fprintf(out, "%-20s %10.0f %10.0f %11.4f %10.0f %s", p->series, p->x, k->mb_per_s,
            k->seconds.median * 1e3, (double)k->bytes_with_indices / k->seconds.min / 1e6, k->variant);
    if (base) fprintf(out, "; %+.0f %% of scalar", (k->mb_per_s / base->result.mb_per_s - 1) * 100);
    fprintf(out, "%s\n", k->valid ? "" : "; WRONG RESULT");
}

/* R of a series with STREAM's triad over the numbers of threads (Spatter, equation 1 and table 4). */
static double correlation(const struct std_report *r, const char *series)
{
    double *x = calloc(r->len + 1, sizeof(*x)), *y = calloc(r->len + 1, sizeof(*y)), rvalue = NAN;
    size_t n = 0;
    for (size_t i = 0; i < r->len && x && y; i++) {
        const struct std_point *triad = at_x(r, "triad", r->points[i].x);
        if (strcmp(r->points[i].series, series) != 0 || !triad) continue;
        x[n] = r->points[i].result.mb_per_s;
        y[n++] = triad->result.mb_per_s;
    }
    if (n >= 3) rvalue = kn_pearson_r(x, y, n);
    free(x);
    free(y);
    return rvalue;
}

static bool is_first_of_series(const struct std_report *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(r->points[k].series, r->points[i].series) == 0) return false;
    return true;
}

#define PLATEAU_SHARE 0.9 /* largest difference from the median rate, as a share of it */

static int compare_rates(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Find the first point of the plateau of a series: from this point on all rates differ by at most
 * PLATEAU_SHARE from their median, which is *rate. A plateau has at least three points; NULL: there is none. */
static const struct std_point *plateau_of(const struct std_report *r, const char *series, double *rate)
{
    const struct std_point *begin = NULL;
    double *rates = calloc(r->len + 1, sizeof(*rates));
    size_t n = 0;
    for (size_t i = r->len; rates && i-- > 0;) {
        const struct std_point *p = &r->points[i];
        if (strcmp(p->series, series) != 0) continue;
        rates[n++] = p->result.mb_per_s;
        qsort(rates, n, sizeof(*rates), compare_rates);
        const double median = rates[n / 2];
        if (rates[0] < PLATEAU_SHARE * median || median < PLATEAU_SHARE * rates[n - 1]) break;
        if (n < 3) continue;
        begin = p;
        *rate = median;
    }
    free(rates);
    return begin;
}

static void print_plateaus(const struct std_report *r, FILE *out)
{
    fputc('\n', out);
    for (size_t i = 0; i < r->len; i++) {
        double rate = 0;
        if (!is_first_of_series(r, i)) continue;
        const struct std_point *p = plateau_of(r, r->points[i].series, &rate);
        if (p)
            fprintf(out, "plateau: %s: %.0f MB/s from %.0f KiB on\n", p->series, rate, p->x);
        else
            fprintf(out, "plateau: %s: none, the last three rates differ by more than 10 %%\n",
                    r->points[i].series);
    }
}

void std_print_end(const struct std_report *r, FILE *out)
{
    if (strcmp(r->study->name, "throughput") == 0) print_plateaus(r, out);
    if (strcmp(r->study->name, "threads") != 0) return;
    fputc('\n', out);
    for (size_t i = 0; i < r->len; i++) {
        const double rvalue = correlation(r, r->points[i].series);
        if (!is_first_of_series(r, i) || strcmp(r->points[i].series, "triad") == 0) continue;
        if (isnan(rvalue))
            fprintf(out, "R with STREAM triad over threads: %s: needs three numbers of threads\n",
                    r->points[i].series);
        else
            fprintf(out, "R with STREAM triad over threads: %s: %.2f\n", r->points[i].series, rvalue);
    }
}

void std_print_csv(const struct std_report *r, FILE *out)
{
    fprintf(out, "study,series,%s,", r->study->axis);
    rpl_csv_header(out);
    for (size_t i = 0; i < r->len; i++) {
        fprintf(out, "%s,", r->study->name);
        ls_put_csv(out, r->points[i].series);
        fprintf(out, ",%.0f,", r->points[i].x);
        rpl_csv_row(&r->points[i].result, r->points[i].series, out);
    }
}

static void json_correlations(struct ls_json *j, const struct std_report *r)
{
    ls_json_open(j, "pearson_r_with_triad", '{');
    for (size_t i = 0; i < r->len; i++)
        if (is_first_of_series(r, i) && strcmp(r->points[i].series, "triad") != 0)
            ls_json_double(j, r->points[i].series, correlation(r, r->points[i].series));
    ls_json_close(j, '}');
}

void std_print_json(const struct std_report *r, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", STD_JSON_SCHEMA);
    ls_json_text(&j, "command", "study");
    ls_json_text(&j, "version", PACKAGE_VERSION);
    ls_json_text(&j, "study", r->study->name);
    ls_json_text(&j, "words", r->study->words);
    ls_json_text(&j, "axis", r->study->axis);
    ls_json_text(&j, "source", r->study->source);
    rpl_json_machine(&j, "machine", r->run);
    if (strcmp(r->study->name, "threads") == 0) json_correlations(&j, r);
    ls_json_open(&j, "points", '[');
    for (size_t i = 0; i < r->len; i++) {
        ls_json_open(&j, NULL, '{');
        ls_json_text(&j, "series", r->points[i].series);
        ls_json_double(&j, "x", r->points[i].x);
        ls_json_open(&j, "results", '[');
        rpl_json_result(&j, &r->points[i].result, r->points[i].series);
        ls_json_close(&j, ']');
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}
