/* SPDX-License-Identifier: BSD-3-Clause */
/* The head of a report: how the numbers came about and how far they can be trusted. */
#include "tools/report/rep_print.h"
#include "tools/cli/cli_format.h"
#include "tools/cli/cli_term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REP_KEY_WIDTH = 11 };

static void rep_key(FILE *out, const char *key)
{
    fprintf(out, "%s%-10s%s ", cli_colour_begin(STDOUT_FILENO, CLI_BOLD), key, cli_colour_end(STDOUT_FILENO));
}

static uint64_t rep_known(uint64_t n)
{
    return n == UINT64_MAX ? 0 : n;
}

bool rep_too_few(const struct rep_view *v, char *out, size_t out_len_bytes)
{
    const size_t bursts = an_bootstrap_bursts(v->bootstrap, AN_TIME);
    if (bursts >= AN_BURSTS_MIN) return false;
    if (bursts == 0) {
        snprintf(
            out, out_len_bytes,
            "no bursts with accesses: the program used too little CPU time, or nothing could be sampled; "
            "loadstone doctor tells what works here");
        return true;
    }
    const double asked = isfinite(v->run->overhead_asked) ? v->run->overhead_asked * 100 : 3;
    const double factor = ceil(1.5 * AN_BURSTS_MIN / (double)bursts);
    const double overhead = asked * factor;
    int n = snprintf(out, out_len_bytes, "too few bursts (%zu of at least %d): run %.0f times as long",
                     bursts, AN_BURSTS_MIN, factor);
    if (overhead <= 50 && n > 0 && (size_t)n < out_len_bytes)
        n += snprintf(out + n, out_len_bytes - (size_t)n, ", or record with --overhead %.0f%%",
                      ceil(overhead));
    if (n > 0 && (size_t)n < out_len_bytes)
        snprintf(out + n, out_len_bytes - (size_t)n, "; %d bursts know a share of 50 %% to +-3 points",
                 AN_BURSTS_GOOD);
    return true;
}

static void rep_print_run(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    char when[64] = "", text[CLI_CELL_BYTES];
    const time_t start = (time_t)(rep_known(r->start_realtime_ns) / 1000000000u);
    struct tm tm;
    if (start && localtime_r(&start, &tm)) strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
    rep_key(out, "program");
    fprintf(out, "%s\n", *r->command ? r->command : "not known");
    rep_key(out, "run");
    fprintf(out, "%s on %s, %s%s", when, *r->host ? r->host : "?", *r->cpu ? r->cpu : "?", "");
    if (rep_known(r->duration_ns)) fprintf(out, ", %s", cli_format_time(text, (double)r->duration_ns));
    if (rep_known(r->exit_signal))
        fprintf(out, ", killed by signal %d", (int)r->exit_signal);
    else if (rep_known(r->exit_code))
        fprintf(out, ", exit status %d", (int)r->exit_code);
    fputc('\n', out);
}

static void rep_print_overhead(const struct prof_run *r, FILE *out)
{
    char percent[CLI_CELL_BYTES];
    rep_key(out, "overhead");
    fprintf(out, "%s %% achieved", cli_format_percent(percent, r->overhead_achieved));
    fprintf(out, ", %s %% asked\n", cli_format_percent(percent, r->overhead_asked));
}

/* Samples that stand each for itself: of the hardware, of page faults, imported ones. */
static void rep_print_events_sampled(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    char count[CLI_CELL_BYTES];
    rep_key(out, "samples");
    fprintf(out, "%s of: %s\n", cli_format_grouped(count, v->in.samples.len), r->events_sampled);
    if (*r->latency_meaning) {
        rep_key(out, "latency");
        fprintf(out, "%s; time is latency times events, as if nothing overlapped\n", r->latency_meaning);
    }
    if (isfinite(r->overhead_achieved)) rep_print_overhead(r, out);
}

static void rep_print_sampling(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    char count[CLI_CELL_BYTES], samples[CLI_CELL_BYTES], period[CLI_CELL_BYTES];
    const size_t bursts = v->in.bursts_len;
    rep_key(out, "engine");
    fprintf(out, "%s%s%s%s%s\n", *r->engine ? r->engine : "not known", *r->trigger ? ", trigger " : "",
            r->trigger, *r->why ? "; " : "", r->why);
    if (*r->events_sampled) {
        rep_print_events_sampled(v, out);
        return;
    }
    rep_key(out, "bursts");
    fprintf(out, "%s with %s samples; one stands for %s of CPU time\n", cli_format_grouped(count, bursts),
            cli_format_grouped(samples, v->in.samples.len),
            cli_format_time(period, bursts ? v->costs.weight_ns / (double)bursts : NAN));
    rep_print_overhead(r, out);
}

static bool rep_is_same_event(const struct prof_event *a, const struct prof_event *b)
{
    return a->detail_errno == b->detail_errno && strcmp(a->kind, b->kind) == 0 &&
           strcmp(a->text, b->text) == 0;
}

/* How often event i happened in all processes and threads; 0 when it stands further above already. */
static uint64_t rep_event_sum(const struct prof_event *events, size_t len, size_t i)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < len; k++) {
        if (!rep_is_same_event(&events[k], &events[i])) continue;
        if (k < i) return 0;
        sum += events[k].count ? events[k].count : 1;
    }
    return sum;
}

static void rep_print_events(const struct rep_view *v, FILE *out)
{
    enum { EVENTS_SHOWN = 8 };
    char count[CLI_CELL_BYTES];
    size_t len = 0;
    const struct prof_event *events = prof_events(v->profile, &len);
    for (size_t i = 0, shown = 0; i < len && shown < EVENTS_SHOWN; i++) {
        if (strncmp(events[i].kind, "SAMPLING_", 9) == 0 || strncmp(events[i].kind, "sampling", 8) == 0)
            continue;
        const uint64_t sum = rep_event_sum(events, len, i);
        if (sum == 0) continue;
        rep_key(out, shown++ ? "" : "events");
        fprintf(out, "%s", events[i].text);
        if (sum > 1) fprintf(out, " (%s)", cli_format_grouped(count, sum));
        if (events[i].detail_errno) fprintf(out, ": %s", strerror(events[i].detail_errno));
        fputc('\n', out);
    }
}

static void rep_print_losses(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    char a[CLI_CELL_BYTES], b[CLI_CELL_BYTES], c[CLI_CELL_BYTES];
    rep_key(out, "lost");
    if (rep_known(r->lost_records) || rep_known(r->dropped_bytes))
        fprintf(out, "%s records, %s", cli_format_grouped(a, rep_known(r->lost_records)),
                cli_format_bytes(b, (double)rep_known(r->dropped_bytes)));
    else
        fputs("nothing", out);
    if (rep_known(r->skipped_triggers))
        fprintf(out, "; %s triggers skipped to hold the budget",
                cli_format_grouped(c, rep_known(r->skipped_triggers)));
    fputc('\n', out);
    rep_print_events(v, out);
}

static void rep_print_coverage(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    const double unmapped = 1 - r->coverage_precise - r->coverage_coarse;
    char text[CLI_CELL_BYTES];
    rep_key(out, "coverage");
    fprintf(out, "%s %% of samples in precise homes", cli_format_percent(text, r->coverage_precise));
    fprintf(out, ", %s %% in coarse ones", cli_format_percent(text, r->coverage_coarse));
    fprintf(out, ", %s %% unmapped\n",
            cli_format_percent(text, unmapped > 0    ? unmapped
                                     : unmapped <= 0 ? 0
                                                     : NAN));
    for (uint32_t g = 0; rep_is_by_node(v) && g < v->groups.groups_len; g++) {
        const uint64_t samples = an_table_self(v->table, g)->samples;
        const uint32_t node = rep_node_of(v, g);
        if (node == UINT32_MAX || v->tables.nodes[node].kind != PROF_NODE_UNMAPPED || !samples) continue;
        rep_key(out, "");
        fprintf(out, "unmapped: %s, %s samples\n", v->tables.nodes[node].label,
                cli_format_grouped(text, samples));
    }
}

static void rep_print_calibration(const struct rep_view *v, FILE *out)
{
    static const char *const names[PROF_LEVEL_COUNT] = {"L1", "L2", "L3", "DRAM"};
    const struct prof_run *r = v->run;
    rep_key(out, "levels");
    if (*r->events_sampled) {
        fputs(*r->latency_meaning ? "as told with each sample\n" : "these samples have none\n", out);
        return;
    }
    if (!isfinite(r->level_latency_cycles[PROF_LEVEL_L1])) {
        fputs("not calibrated: missing\n", out);
        return;
    }
    fputs("inferred from latency:", out);
    for (int l = 0; l < PROF_LEVEL_COUNT; l++) {
        fprintf(out, " %s", names[l]);
        if (l + 1 < PROF_LEVEL_COUNT) fprintf(out, " < %.0f <", r->level_limit_cycles[l]);
    }
    fprintf(out, " TSC cycles (typical");
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        fprintf(out, " %.0f", r->level_latency_cycles[l]);
    fputs(")\n", out);
}

static void rep_print_time(const struct rep_view *v, FILE *out)
{
    const struct an_costs *c = &v->costs;
    char a[CLI_CELL_BYTES], b[CLI_CELL_BYTES], p[CLI_CELL_BYTES];
    rep_key(out, "time");
    fprintf(out, "%s of CPU time sampled", cli_format_time(a, c->weight_ns));
    if (c->weight_ns > 0)
        fprintf(out, ", estimated stall %s (%s %%): an upper bound, overlap of loads is not seen\n",
                cli_format_time(b, c->stall_total_ns),
                cli_format_percent(p, c->stall_total_ns / c->weight_ns));
    else
        fputc('\n', out);
    if (c->weight_ns > c->attributed_ns * 1.0005) {
        rep_key(out, "");
        fprintf(out, "%s %% of it in bursts without accesses, which belong to no data\n",
                cli_format_percent(p, 1 - c->attributed_ns / c->weight_ns));
    }
}

void rep_print_header_lines(const struct rep_view *v, FILE *out)
{
    char few[256];
    rep_print_run(v, out);
    rep_print_sampling(v, out);
    rep_print_losses(v, out);
    rep_print_coverage(v, out);
    rep_print_calibration(v, out);
    rep_print_time(v, out);
    rep_key(out, "intervals");
    if (rep_too_few(v, few, sizeof(few)))
        fprintf(out, "%s%s%s\n", cli_colour_begin(STDOUT_FILENO, CLI_YELLOW), few,
                cli_colour_end(STDOUT_FILENO));
    else
        fprintf(out, "%s\n", an_bootstrap_method(v->bootstrap));
}

void rep_print_header(const struct rep_view *v, FILE *out)
{
    char *text = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&text, &len);
    if (!memory) {
        rep_print_header_lines(v, out); /* unfolded is better than none */
        return;
    }
    rep_print_header_lines(v, memory);
    fclose(memory);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && rest;)
        cli_print_folded(line, REP_KEY_WIDTH, cli_term_width(), out);
    fputc('\n', out);
    free(text);
}
