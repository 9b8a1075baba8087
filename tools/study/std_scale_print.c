/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/study/std_scale.h"
#include "common/ls_json.h"
#include "common/ls_put.h"
#include "tools/cli/cli_term.h"

#include "config.h"

#include <inttypes.h>
#include <math.h>

/* ---- as text ---- */

static const char *cell(double value, const char *format, char out[CLI_CELL_BYTES])
{
    if (isfinite(value))
        snprintf(out, CLI_CELL_BYTES, format, value); /* NOLINT: a literal of this file */
    else
        snprintf(out, CLI_CELL_BYTES, "-");
    return out;
}

static void print_head(const struct std_scale *s, FILE *out)
{
    const struct std_study *study = s->options->study;
    const struct vx_results *first = &s->files.rows[0].results;
    fprintf(out, "machine    %s\n           %s\n", *first->cpu ? first->cpu : "unknown processor",
            first->topology);
    fprintf(out, "study      %s: %s\n           (%s)\n", study->name, study->words, study->source);
    if (s->command) fprintf(out, "jobs       %s\n", s->command);
    fprintf(out, "\n%-20s %7s %10s %8s %10s %10s %10s %10s %8s\n", "", "", "", "", "", "each rank,", "MB/s",
            "", "");
    fprintf(out, "%-20s %7s %10s %8s %10s %10s %10s %10s %8s\n", "kernel", "ranks", "MB/s", "speedup",
            "efficiency", "least", "median", "most", "of roof");
}

static void print_point(const struct std_curve *c, const struct std_scale_point *p, FILE *out)
{
    char cells[5][CLI_CELL_BYTES];
    fprintf(out, "%-20.20s %6u%c %10.0f %8.2f %8.0f %% %10s %10s %10s %8s\n", c->label, p->ranks,
            p->shares_processors ? '*' : ' ', p->rate, p->speedup, p->efficiency * 100,
            cell(p->rank_least, "%.0f", cells[0]), cell(p->rank_median, "%.0f", cells[1]),
            cell(p->rank_most, "%.0f", cells[2]), cell(p->roof_share * 100, "%.0f %%", cells[3]));
}

static const struct std_scale_point *last_of_fit(const struct std_curve *c)
{
    const struct std_scale_point *last = NULL;
    for (size_t i = 0; i < c->points.len; i++)
        if (!c->points.rows[i].shares_processors) last = &c->points.rows[i];
    return last;
}

/* "copy saturates at 6 of 16 ranks: 142 of 150 GB/s" */
static void print_sentence(const struct std_curve *c, FILE *out)
{
    const struct std_scale_point *at = c->saturated, *last = last_of_fit(c);
    if (!last) return;
    if (at && c->nodes_most == 1)
        fprintf(out, "%s saturates at %u of %u ranks: %.3g of %.3g GB/s", c->label, at->ranks, last->ranks,
                at->rate / 1e3, c->fit.roof / 1e3);
    else if (at)
        fprintf(out, "%s saturates at %.3g ranks of a node: %.3g of %.3g GB/s", c->label,
                (double)at->ranks / at->nodes, at->rate / at->nodes / 1e3, c->fit.roof / 1e3);
    else
        fprintf(out, "%s does not saturate up to %u rank%s: %.3g GB/s, efficiency %.0f %%", c->label,
                last->ranks, last->ranks == 1 ? "" : "s", last->rate / 1e3, last->efficiency * 100);
    if (at && last->roof_share < 1 - STD_FLAT)
        fprintf(out, ", and falls to %.3g GB/s by %u", last->rate / 1e3, last->ranks);
    if (isfinite(c->fit.residual)) fprintf(out, "; the fit is off by %.1f %%", c->fit.residual * 100);
    if (c->fit.residual > STD_FLAT) fputs(": measure more numbers of ranks", out);
    fputc('\n', out);
}

static bool has_shared(const struct std_scale *s)
{
    for (size_t c = 0; c < s->curves.len; c++)
        for (size_t i = 0; i < s->curves.rows[c].points.len; i++)
            if (s->curves.rows[c].points.rows[i].shares_processors) return true;
    return false;
}

static void print_table(const struct std_scale *s, FILE *out)
{
    print_head(s, out);
    for (size_t c = 0; c < s->curves.len; c++)
        for (size_t i = 0; i < s->curves.rows[c].points.len; i++)
            print_point(&s->curves.rows[c], &s->curves.rows[c].points.rows[i], out);
    fputc('\n', out);
    for (size_t c = 0; c < s->curves.len; c++)
        print_sentence(&s->curves.rows[c], out);
    if (has_shared(s))
        fputs("* ranks share processors (more ranks than processors, or not bound): not in the fit\n", out);
}

/* ---- as CSV and JSON ---- */

/* X(name, member or expression of point p and its row r), integers and numbers */
#define STD_POINT_INTEGERS(X)                    \
    X("ranks", p->ranks)                         \
    X("nodes", p->nodes)                         \
    X("threads", r->threads)                     \
    X("jobs", p->jobs)                           \
    X("bytes", r->bytes)                         \
    X("shares_processors", p->shares_processors) \
    X("valid", r->valid != 0)
#define STD_POINT_NUMBERS(X)                  \
    X("mb_per_s", p->rate)                    \
    X("min_s", r->seconds_min)                \
    X("median_s", r->seconds_median)          \
    X("speedup", p->speedup)                  \
    X("efficiency", p->efficiency)            \
    X("rank_mb_per_s_min", p->rank_least)     \
    X("rank_mb_per_s_median", p->rank_median) \
    X("rank_mb_per_s_max", p->rank_most)      \
    X("roof_share", p->roof_share)

static void csv_number(FILE *out, double value)
{
    fputc(',', out);
    if (isfinite(value)) fprintf(out, "%.9g", value);
}

#define CSV_NAME(name, value) "," name
#define CSV_INTEGER(name, value) fprintf(out, ",%" PRIu64, (uint64_t)(value));
#define CSV_NUMBER(name, value) csv_number(out, value);

static void print_csv(const struct std_scale *s, FILE *out)
{
    fputs("study,kernel" STD_POINT_INTEGERS(CSV_NAME)
              STD_POINT_NUMBERS(CSV_NAME) ",one_rank_mb_per_s,"
                                          "roof_mb_per_s,residual,saturated,variant\n",
          out);
    for (size_t c = 0; c < s->curves.len; c++)
        for (size_t i = 0; i < s->curves.rows[c].points.len; i++) {
            const struct std_curve *curve = &s->curves.rows[c];
            const struct std_scale_point *p = &curve->points.rows[i];
            const struct vx_result *r = &p->file->results.rows[p->row];
            fprintf(out, "%s,", s->options->study->name);
            ls_put_csv(out, curve->label);
            STD_POINT_INTEGERS(CSV_INTEGER)
            STD_POINT_NUMBERS(CSV_NUMBER)
            csv_number(out, curve->fit.one);
            csv_number(out, curve->fit.roof);
            csv_number(out, curve->fit.residual);
            fprintf(out, ",%d,", p == curve->saturated);
            ls_put_csv(out, r->variant);
            fputc('\n', out);
        }
}

#define JSON_INTEGER(name, value) ls_json_u64(j, name, value);
#define JSON_NUMBER(name, value) ls_json_double(j, name, value);

static void json_point(struct ls_json *j, const struct std_scale_point *p)
{
    const struct vx_result *r = &p->file->results.rows[p->row];
    ls_json_open(j, NULL, '{');
    STD_POINT_INTEGERS(JSON_INTEGER)
    STD_POINT_NUMBERS(JSON_NUMBER)
    ls_json_text(j, "backend", r->backend);
    ls_json_text(j, "variant", r->variant);
    ls_json_close(j, '}');
}

static void json_curve(struct ls_json *j, const struct std_curve *c)
{
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "kernel", c->label);
    ls_json_open(j, "fit", '{');
    ls_json_double(j, "one_rank_mb_per_s", c->fit.one);
    ls_json_double(j, "roof_mb_per_s", c->fit.roof);
    ls_json_double(j, "residual", c->fit.residual);
    if (c->saturated) ls_json_u64(j, "saturated_ranks", c->saturated->ranks);
    ls_json_close(j, '}');
    ls_json_open(j, "points", '[');
    for (size_t i = 0; i < c->points.len; i++)
        json_point(j, &c->points.rows[i]);
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

static void json_failures(struct ls_json *j, const struct std_scale *s)
{
    ls_json_open(j, "failed_jobs", '[');
    for (size_t i = 0; i < s->failures.len; i++) {
        const struct std_job_failure *f = &s->failures.rows[i];
        ls_json_open(j, NULL, '{');
        ls_json_u64(j, "ranks", f->ranks);
        ls_json_text(j, "command", f->command);
        ls_json_text(j, "why", f->why);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

static void print_json(const struct std_scale *s, FILE *out)
{
    const struct std_study *study = s->options->study;
    const struct vx_results *first = &s->files.rows[0].results;
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", STD_JSON_SCHEMA);
    ls_json_text(&j, "command", "study");
    ls_json_text(&j, "version", PACKAGE_VERSION);
    ls_json_text(&j, "study", study->name);
    ls_json_text(&j, "words", study->words);
    ls_json_text(&j, "axis", study->axis);
    ls_json_text(&j, "source", study->source);
    ls_json_text(&j, "jobs", s->command);
    ls_json_open(&j, "machine", '{');
    ls_json_text(&j, "host", first->host);
    ls_json_text(&j, "cpu", first->cpu);
    ls_json_text(&j, "topology", first->topology);
    ls_json_close(&j, '}');
    ls_json_open(&j, "kernels", '[');
    for (size_t c = 0; c < s->curves.len; c++)
        json_curve(&j, &s->curves.rows[c]);
    ls_json_close(&j, ']');
    json_failures(&j, s);
    ls_json_close(&j, '}');
}

void std_scale_print(const struct std_scale *s, enum std_format format, FILE *out)
{
    static void (*const printers[])(const struct std_scale *, FILE *) = {print_table, print_csv, print_json};
    printers[format](s, out);
}
