/* SPDX-License-Identifier: BSD-3-Clause */
/* report --series: counters of the machine by phase. */
#include "analyse/an_series.h"
#include "common/ls_json.h"
#include "common/ls_series.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_tables.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SERIES_PHASE_WIDTH = 20, SERIES_NAME_WIDTH = 34, SERIES_PATH_BYTES = 256, SERIES_DEPTH_MAX = 32 };

struct rep_series {
    prof_profile *profile;
    struct an_series_in in;
    struct an_series rows;
};

/* "12.3 GB", "250 W": three digits, in powers of 1000. */
static const char *series_amount(double n, const char *unit, const char *per, char out[CLI_CELL_BYTES])
{
    static const char prefixes[] = " kMGTP";
    size_t p = 0;
    if (!isfinite(n)) return strcpy(out, "-");
    for (; fabs(n) >= 999.5 && strcmp(unit, "%") != 0 && p + 2 < sizeof(prefixes); p++)
        n /= 1000;
    const int digits = n == 0 || fabs(n) >= 99.95 ? 0 : fabs(n) >= 9.995 ? 1 : 2;
    snprintf(out, CLI_CELL_BYTES, "%.*f %.*s%s%s", digits, n, p > 0, &prefixes[p], unit, per);
    return out;
}

/* The growth of a counter per second; the growth of energy is power. */
static const char *series_rate(double n, const struct prof_counter *c, char out[CLI_CELL_BYTES])
{
    if (c->is_level) return series_amount(n, c->unit, "", out);
    return strcmp(c->unit, "J") == 0 ? series_amount(n, "W", "", out) : series_amount(n, c->unit, "/s", out);
}

/* "outer/inner". */
static const char *series_phase(const struct rep_series *s, uint32_t phase, char out[SERIES_PATH_BYTES])
{
    uint32_t path[SERIES_DEPTH_MAX];
    size_t depth = 0, used = 0;
    if (phase == AN_SERIES_ALL) return strcpy(out, "(whole run)");
    for (; phase < s->in.phases_len && depth < SERIES_DEPTH_MAX; phase = s->in.phases[phase].parent)
        path[depth++] = phase;
    out[0] = '\0';
    for (; depth > 0 && used < SERIES_PATH_BYTES; depth--)
        used += (size_t)snprintf(out + used, SERIES_PATH_BYTES - used, "%s%s", used ? "/" : "",
                                 s->in.phases[path[depth - 1]].name);
    return out;
}

static const char *series_name(const struct rep_series *s, const struct an_series_row *r,
                               char out[SERIES_PATH_BYTES])
{
    const struct prof_counter *c = &s->in.counters[r->counter];
    snprintf(out, SERIES_PATH_BYTES, "%s %s", c->source, r->is_total ? "memory, all" : c->name);
    return out;
}

static void series_print_row(const struct rep_series *s, size_t i, FILE *out)
{
    const struct an_series_row *r = &s->rows.rows[i];
    const struct prof_counter *c = &s->in.counters[r->counter];
    char phase[SERIES_PATH_BYTES] = "", name[SERIES_PATH_BYTES], time[CLI_CELL_BYTES] = "";
    char amount[CLI_CELL_BYTES], mean[CLI_CELL_BYTES], most[CLI_CELL_BYTES];
    char roof[CLI_CELL_BYTES], known[CLI_CELL_BYTES];
    if (i == 0 || s->rows.rows[i - 1].phase != r->phase) {
        series_phase(s, r->phase, phase);
        cli_format_time(time, (double)r->phase_ns);
    }
    cli_print_cut(phase, SERIES_PHASE_WIDTH, out);
    fprintf(out, " %8s  ", time);
    cli_print_cut(series_name(s, r, name), SERIES_NAME_WIDTH, out);
    fprintf(out, " %10s %11s %11s %7s %7s\n", series_amount(r->amount, c->unit, "", amount),
            series_rate(r->mean, c, mean), series_rate(r->most, c, most),
            cli_format_percent(roof, r->share_of_roof),
            cli_format_percent(known, r->phase_ns ? (double)r->known_ns / (double)r->phase_ns : NAN));
}

/* Print how the series were read, which counters were compared with known traffic, and the gaps. */
static void series_print_head(const struct rep_series *s, FILE *out)
{
    const struct prof_counter *first = &s->in.counters[0];
    fprintf(out, "series     %zu counters", s->in.counters_len);
    if (first->interval_ns != UINT64_MAX)
        fprintf(out, ", read every %g ms", (double)first->interval_ns * 1e-6);
    if (first->reader_cpu_ns != UINT64_MAX && s->in.duration_ns)
        fprintf(out, " by a process beside the program, which took %.2g %% of a CPU",
                100 * (double)first->reader_cpu_ns / (double)s->in.duration_ns);
    fputs("\n", out);
    for (size_t c = 0; c < s->in.counters_len; c++)
        if (c == 0 || strcmp(s->in.counters[c - 1].source, s->in.counters[c].source) != 0)
            fprintf(out, "%-10s %s\n", s->in.counters[c].source, s->in.counters[c].verified);
    for (int g = LS_GAP_NONE + 1; g < LS_GAPS_LEN; g++) {
        static const char *const texts[] = {
#define SERIES_TEXT(id, name, text, remedy) text,
            LS_GAP_LIST(SERIES_TEXT)};
        uint64_t ns = 0;
        size_t len = 0;
        char time[CLI_CELL_BYTES];
        for (size_t i = 0; i < s->in.readings_len; i++)
            if (s->in.readings[i].gap == (uint32_t)g) {
                ns += s->in.readings[i].end_ns - s->in.readings[i].begin_ns;
                len++;
            }
        if (len)
            fprintf(out, "gaps       %zu, %s in all: %s\n", len, cli_format_time(time, (double)ns), texts[g]);
    }
    fputs("They are of the whole machine, whatever else ran on it.\n", out);
}

static void series_text(const struct rep_series *s, FILE *out)
{
    series_print_head(s, out);
    fprintf(out, "\n%s%-*s %8s  %-*s %10s %11s %11s %7s %7s%s\n", cli_colour_begin(STDOUT_FILENO, CLI_BOLD),
            SERIES_PHASE_WIDTH, "phase", "time", SERIES_NAME_WIDTH, "series", "amount", "mean", "highest",
            "% roof", "% known", cli_colour_end(STDOUT_FILENO));
    for (size_t i = 0; i < s->rows.len; i++)
        series_print_row(s, i, out);
}

static void series_json(const struct rep_series *s, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    char text[SERIES_PATH_BYTES];
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", REP_JSON_SCHEMA);
    ls_json_open(&j, "rows", '[');
    for (size_t i = 0; i < s->rows.len; i++) {
        const struct an_series_row *r = &s->rows.rows[i];
        const struct prof_counter *c = &s->in.counters[r->counter];
        ls_json_open(&j, NULL, '{');
        ls_json_text(&j, "phase", r->phase == AN_SERIES_ALL ? "" : series_phase(s, r->phase, text));
        ls_json_text(&j, "source", c->source);
        ls_json_text(&j, "series", r->is_total ? "memory, all" : c->name);
        ls_json_bool(&j, "is_total", r->is_total);
        ls_json_text(&j, "scope", r->is_total ? "machine" : c->scope);
        ls_json_text(&j, "unit", c->unit);
        ls_json_bool(&j, "is_level", c->is_level);
        ls_json_u64(&j, "phase_ns", r->phase_ns);
        ls_json_u64(&j, "known_ns", r->known_ns);
        ls_json_u64(&j, "gap_ns", r->gap_ns);
        ls_json_double(&j, "amount", r->amount);
        ls_json_double(&j, c->is_level ? "mean" : "mean_per_s", r->mean);
        ls_json_double(&j, c->is_level ? "highest" : "highest_per_s", r->most);
        ls_json_double(&j, "share_of_roof", r->share_of_roof);
        ls_json_text(&j, "verified", c->verified);
        ls_json_close(&j, '}');
    }
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    fputc('\n', out);
}

static ls_err series_fill(struct rep_series *s, const char *path)
{
    LS_TRY(prof_open(path, &s->profile));
    s->in.phases = prof_phases(s->profile, &s->in.phases_len);
    s->in.spans = prof_phase_spans(s->profile, &s->in.spans_len);
    s->in.counters = prof_counters(s->profile, &s->in.counters_len);
    s->in.readings = prof_readings(s->profile, &s->in.readings_len);
    s->in.duration_ns = prof_run_of(s->profile)->duration_ns;
    if (s->in.duration_ns == UINT64_MAX) s->in.duration_ns = 0;
    if (s->in.counters_len == 0)
        return ls_fail(LS_ERR_USAGE,
                       "%s has no series: record with --series; loadstone doctor lists those of this machine",
                       path);
    for (size_t i = 0; i < s->in.readings_len; i++)
        if (s->in.readings[i].end_ns > s->in.duration_ns) s->in.duration_ns = s->in.readings[i].end_ns;
    return an_series_init(&s->rows, &s->in);
}

ls_err rep_series(const struct rep_options *o, bool json, FILE *out)
{
    struct rep_series s = {NULL};
    const ls_err err = series_fill(&s, o->path);
    if (err == LS_OK) (json ? series_json : series_text)(&s, out);
    an_series_fini(&s.rows);
    prof_close(s.profile);
    return err;
}
