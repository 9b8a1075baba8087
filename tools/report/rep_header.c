/* SPDX-License-Identifier: BSD-3-Clause */
/* The full head, for report --how and the page: the command, where its CPU time went, and how far the numbers
 * can be trusted. */
#include "analyse/an_traffic.h"
#include "tools/report/rep_print.h"
#include "tools/cli/cli_term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REP_EVENTS_SHOWN = 8, TRAFFIC_ROWS_SHOWN = 4 };
#define REP_UNREPRESENTED_MAX 0.02 /* share of the CPU time; warn above it */
#define REP_TRAFFIC_PART 0.02      /* least part of the bytes that one CPU can move */

void rep_key(FILE *out, const char *key)
{
    fprintf(out, "%s%-10s%s ", cli_colour_begin(STDOUT_FILENO, CLI_BOLD), key, cli_colour_end(STDOUT_FILENO));
}

uint64_t rep_known(uint64_t n)
{
    return n == UINT64_MAX ? 0 : n;
}

void rep_key_warning(FILE *out)
{
    fprintf(out, "%s%-10s%s ", cli_colour_begin(STDOUT_FILENO, CLI_YELLOW), "warning",
            cli_colour_end(STDOUT_FILENO));
}

bool rep_explain_too_few(const struct rep_view *v, char *out, size_t out_len_bytes)
{
    const size_t bursts = an_bootstrap_bursts(v->bootstrap, AN_TIME);
    if (bursts >= AN_BURSTS_MIN) return false;
    if (bursts == 0) {
        snprintf(out, out_len_bytes,
                 "no bursts: the program used too little CPU time, or nothing could be sampled; "
                 "loadstone doctor reports what works here");
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
        snprintf(out + n, out_len_bytes - (size_t)n,
                 "; with %d bursts a share of 50 %% is known to +-3 points", AN_BURSTS_GOOD);
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

static bool rep_is_same_event(const struct prof_event *a, const struct prof_event *b)
{
    return a->detail_errno == b->detail_errno && strcmp(a->kind, b->kind) == 0 &&
           strcmp(a->text, b->text) == 0;
}

/* Sum the counts of event i over all processes and threads; 0 if an earlier row is the same event. */
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

static bool rep_is_in_another_line(const char *kind)
{
    return strncmp(kind, "SAMPLING_", 9) == 0 || strncmp(kind, "sampling", 8) == 0 ||
           strcmp(kind, "TAGS_CHECKED") == 0 || strcmp(kind, "TAGS_WRONG") == 0;
}

void rep_print_events(const struct rep_view *v, size_t most, FILE *out)
{
    char count[CLI_CELL_BYTES];
    size_t len = 0, shown = 0, more = 0;
    const struct prof_event *events = prof_events(v->profile, &len);
    for (size_t i = 0; i < len; i++) {
        if (rep_is_in_another_line(events[i].kind)) continue;
        const uint64_t sum = rep_event_sum(events, len, i);
        if (sum == 0) continue;
        if (shown == most) {
            more++;
            continue;
        }
        rep_key(out, shown++ ? "" : "events");
        fprintf(out, "%s", events[i].text);
        if (sum > 1) fprintf(out, " (%s)", cli_format_grouped(count, sum));
        if (events[i].detail_errno) fprintf(out, ": %s", strerror(events[i].detail_errno));
        fputc('\n', out);
    }
    if (!more) return;
    rep_key(out, "");
    fprintf(out, "%zu more\n", more);
}

/* --- the accounting identity --- */

/* Parts of a time in the unit of the whole, so that they can be added up by eye. */
struct rep_unit {
    const char *name;
    double ns;
    int digits;
};

static struct rep_unit rep_unit_of(double whole_ns)
{
    if (whole_ns >= 10e9) return (struct rep_unit){"s", 1e9, 1};
    if (whole_ns >= 1e9) return (struct rep_unit){"s", 1e9, 2};
    if (whole_ns >= 10e6) return (struct rep_unit){"ms", 1e6, 0};
    return whole_ns >= 1e6 ? (struct rep_unit){"ms", 1e6, 1} : (struct rep_unit){"us", 1e3, 0};
}

static void rep_put_part(const struct rep_unit *u, uint64_t ns, FILE *out)
{
    if (ns == UINT64_MAX)
        fputs("not known", out);
    else
        fprintf(out, "%.*f", u->digits, (double)ns / u->ns);
}

static void rep_print_represented(const struct prof_run *r, FILE *out)
{
    if (r->represented_ns == UINT64_MAX || r->user_ns == UINT64_MAX || r->user_ns == 0)
        fputs("bursts represent an unknown part of the user time\n", out);
    else
        fprintf(out, "bursts represent %.0f %% of the user time\n",
                (double)r->represented_ns / (double)r->user_ns * 100);
}

void rep_print_unrepresented(const struct prof_run *r, FILE *out)
{
    if (r->unrepresented_ns == UINT64_MAX || r->cpu_ns == UINT64_MAX || r->cpu_ns == 0) return;
    const double share = (double)r->unrepresented_ns / (double)r->cpu_ns;
    if (share <= REP_UNREPRESENTED_MAX) return;
    rep_key_warning(out);
    fprintf(out, "%.1f %% of the CPU time is not represented: %s\n", share * 100,
            *r->unrepresented_why ? r->unrepresented_why : "the reason is not known");
}

/* "15.4 s: user 10.2, kernel 4.9 ±0.2, recording 0.3" */
void rep_print_cpu_parts(const struct prof_run *r, FILE *out)
{
    const struct rep_unit u = rep_unit_of((double)r->cpu_ns);
    rep_put_part(&u, r->cpu_ns, out);
    fprintf(out, " %s: user ", u.name);
    rep_put_part(&u, r->user_ns, out);
    fputs(", kernel ", out);
    rep_put_part(&u, r->kernel_ns, out);
    if (r->kernel_ns != UINT64_MAX && r->kernel_error_ns != UINT64_MAX) {
        fputs(cli_term_utf8() ? " ±" : " +-", out);
        rep_put_part(&u, r->kernel_error_ns, out);
    }
    fputs(", recording ", out);
    rep_put_part(&u, r->recording_ns, out);
}

static void rep_print_cpu(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    char time[CLI_CELL_BYTES];
    if (r->cpu_ns == UINT64_MAX && *r->events_sampled) return; /* imported profiles do not record it */
    rep_key(out, "CPU");
    if (r->cpu_ns == UINT64_MAX) {
        fprintf(out, "not known in this recording; bursts represent %s\n",
                cli_format_time(time, v->costs.weight_ns));
        return;
    }
    rep_print_cpu_parts(r, out);
    fputs("; ", out);
    if (*r->events_sampled)
        fputs("sampled by events\n", out);
    else
        rep_print_represented(r, out);
    rep_print_unrepresented(r, out);
}

/* --- quality of the figures --- */

void rep_print_overhead(const struct prof_run *r, FILE *out)
{
    char percent[CLI_CELL_BYTES];
    if (!isfinite(r->overhead_achieved)) return;
    fprintf(out, "; overhead %s %%", cli_format_percent(percent, r->overhead_achieved));
    if (isfinite(r->overhead_asked))
        fprintf(out, " (asked %s)", cli_format_percent(percent, r->overhead_asked));
}

void rep_print_lost(const struct prof_run *r, FILE *out)
{
    char records[CLI_CELL_BYTES], bytes[CLI_CELL_BYTES];
    if (rep_known(r->lost_records) || rep_known(r->dropped_bytes))
        fprintf(out, "; lost %s records, %s", cli_format_grouped(records, rep_known(r->lost_records)),
                cli_format_bytes(bytes, (double)rep_known(r->dropped_bytes)));
    else
        fputs("; nothing lost", out);
}

static void rep_print_engine(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    const struct prof_cost_loads *l = &v->costs.loads;
    char n[CLI_CELL_BYTES], time[CLI_CELL_BYTES], percent[CLI_CELL_BYTES];
    rep_key(out, "engine");
    fprintf(out, "%s%s%s; ", *r->engine ? r->engine : "not known", *r->trigger ? ", trigger " : "",
            r->trigger);
    if (*r->events_sampled) {
        fprintf(out, "%s samples of: %s", cli_format_grouped(n, v->costs.accesses), r->events_sampled);
    } else {
        fprintf(out, "%s burst%s", cli_format_grouped(n, v->costs.bursts), v->costs.bursts == 1 ? "" : "s");
        fprintf(out, " represent%s %s", v->costs.bursts == 1 ? "s" : "",
                cli_format_time(time, v->costs.weight_ns));
        if (l->loads)
            fprintf(out, "; %s loads timed (%s %%)", cli_format_count(n, (double)l->timed),
                    cli_format_percent(percent, (double)l->timed / (double)l->loads));
    }
    rep_print_overhead(r, out);
    rep_print_lost(r, out);
    fputc('\n', out);
}

/* The largest stall that the pace of the bursts allows, as text, or "". */
static const char *rep_most(const struct an_costs *c, char out[64])
{
    char percent[CLI_CELL_BYTES];
    out[0] = '\0';
    if (an_has_pace(c))
        snprintf(out, 64, "; the pace of the bursts allows %s %% at most",
                 cli_format_percent(percent, c->stall_most_ns / c->weight_ns));
    return out;
}

static void rep_print_stall(const struct rep_view *v, FILE *out)
{
    const struct an_costs *c = &v->costs;
    char time[CLI_CELL_BYTES], percent[CLI_CELL_BYTES], most[64];
    if ((c->loads.loads == 0 && !an_has_stall(c)) || (*v->run->events_sampled && c->loads.timed == 0))
        return; /* for example page faults */
    rep_key(out, "stall");
    if (!an_has_stall(c))
        fprintf(out, "not estimated: too few loads were timed (%s %%)\n",
                cli_format_percent(percent, (double)c->loads.timed / (double)c->loads.loads));
    else if (c->weight_ns > 0)
        fprintf(out, "%s %s, %s %% of the time represented%s%s%s\n", an_has_pace(c) ? "about" : "at most",
                cli_format_time(time, c->stall_total_ns),
                cli_format_percent(percent, c->stall_total_ns / c->weight_ns), rep_most(c, most),
                *v->run->latency_meaning ? "; latency is " : "", v->run->latency_meaning);
    else
        fputs("not estimated: no burst represents time\n", out);
}

double rep_gb_s(const struct prof_run *r, double line_cycles, double cpus)
{
    return cpus * PROF_COST_LINE_BYTES * (double)r->tsc_hz / line_cycles * 1e-9;
}

/* Nothing is printed below a small part of the bytes that one CPU can move. */
void rep_print_traffic(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    const double line_cycles = r->level_line_cycles[PROF_LEVEL_DRAM], seconds = v->costs.weight_ns * 1e-9;
    struct an_traffic t;
    if (!v->costs.moved_bytes || !(line_cycles > 0) || !(seconds > 0) ||
        an_traffic_init(&t, &v->in, &v->costs, v->bootstrap, v->groups.group_of_sample,
                        v->groups.groups_len) != LS_OK)
        return;
    const double roof = rep_gb_s(r, line_cycles, 1), gb_s = t.bytes / seconds * 1e-9;
    if (gb_s < REP_TRAFFIC_PART * roof) return;
    rep_key(out, "traffic");
    fprintf(out, "about %.2g", gb_s);
    if (isfinite(t.low)) fprintf(out, " ±%.1g", (t.high - t.low) / 2 / seconds * 1e-9);
    fprintf(out, " GB in a second of CPU time from and to memory; one CPU sweeps at %.2g", roof);
    if (r->line_cpus > 1 && r->line_cpus != UINT64_MAX)
        fprintf(out, ", %llu together at %.2g", (unsigned long long)r->line_cpus,
                rep_gb_s(r, r->line_cycles_all, (double)r->line_cpus));
    for (size_t i = 0; rep_is_by_node(v) && i < t.rows_len && i < TRAFFIC_ROWS_SHOWN; i++) {
        const struct an_interval *part = &t.rows[i].part;
        char share[CLI_CELL_BYTES], label[REP_SHORT_BYTES];
        const bool is_rough = t.rows[i].is_rough && isfinite(part->share);
        fprintf(out, "%s %s %s%s%s", i ? "," : ":", rep_short_label(v, t.rows[i].group, label),
                is_rough ? "roughly " : "",
                is_rough ? cli_format_percent(share, part->share) : rep_format_share(part, share),
                isfinite(part->share) ? " %" : "");
    }
    fputc('\n', out);
}

void rep_print_header_lines(const struct rep_view *v, FILE *out)
{
    char few[256];
    rep_print_run(v, out);
    rep_print_cpu(v, out);
    rep_print_engine(v, out);
    rep_print_stall(v, out);
    rep_print_traffic(v, out);
    rep_print_events(v, REP_EVENTS_SHOWN, out);
    if (v->in.bursts_len == 0 && *v->run->why) {
        rep_key(out, "why");
        fprintf(out, "%s\n", v->run->why);
    }
    if (rep_has_time(v) && rep_explain_too_few(v, few, sizeof(few))) {
        rep_key_warning(out);
        fprintf(out, "%s\n", few);
    }
}

void rep_print_lines(const struct rep_view *v, void (*lines)(const struct rep_view *v, FILE *out), FILE *out)
{
    char *text = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&text, &len);
    if (!memory) {
        lines(v, out); /* print it unfolded rather than not at all */
        return;
    }
    lines(v, memory);
    fclose(memory);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && rest;)
        cli_print_folded(line, REP_KEY_WIDTH, cli_term_width(), out);
    free(text);
}

void rep_print_how(const struct rep_view *v, FILE *out)
{
    rep_print_lines(v, rep_print_header_lines, out);
    rep_print_lines(v, rep_print_how_lines, out);
}
