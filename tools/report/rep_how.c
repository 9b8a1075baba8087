/* SPDX-License-Identifier: BSD-3-Clause */
/* report --how: how the numbers came about. */
#include "config.h"

#include "analyse/an_traffic.h"
#include "run_h5/prof_tables.h"
#include "tools/report/rep_print.h"

#include "tools/cli/cli_term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REP_IN_PLACE_SHOWN = 8, REP_ENDS_SHOWN = 5 };

static void rep_how_engine(const struct prof_run *r, FILE *out)
{
    char n[CLI_CELL_BYTES];
    rep_key(out, "how");
    fprintf(out, "%s%s", *r->why ? r->why : "engine as asked for", *r->version ? "; Loadstone " : "");
    fprintf(out, "%s\n", r->version);
    if (!rep_known(r->throttled)) return;
    rep_key(out, "budget");
    fprintf(out, "throttled %s times\n", cli_format_grouped(n, r->throttled));
}

static void rep_how_weights(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    char time[CLI_CELL_BYTES];
    if (*r->events_sampled) {
        rep_key(out, "time");
        fputs("latency times events of each sample, as if nothing overlapped\n", out);
        return;
    }
    rep_key(out, "weights");
    fprintf(out, "on average a burst represents %s",
            cli_format_time(time, v->costs.bursts ? v->costs.weight_ns / (double)v->costs.bursts : NAN));
    if (isfinite(r->weights_found))
        fprintf(out, "; before scaling they added up to %.1f %% of the user time (100 %% is expected)",
                r->weights_found * 100);
    if (v->costs.clipped) fprintf(out, "; outliers, which count as the median: %zu", v->costs.clipped);
    fputc('\n', out);
}

static void rep_how_ends(const size_t ends[PROF_BURST_END_COUNT], size_t all, FILE *out)
{
#define REP_TEXT(name, text) text,
    static const char *const names[] = {PROF_BURST_ENDS(REP_TEXT)};
#undef REP_TEXT
    bool shown[PROF_BURST_END_COUNT] = {false};
    char percent[CLI_CELL_BYTES];
    for (int i = 0; i < REP_ENDS_SHOWN; i++) {
        int most = 0;
        for (int e = 0; e < PROF_BURST_END_COUNT; e++)
            if (!shown[e] && (shown[most] || ends[e] > ends[most])) most = e;
        if (!ends[most] || shown[most]) break;
        shown[most] = true;
        fprintf(out, "%s %s %s %%", i ? "," : "; ended by", names[most],
                cli_format_percent(percent, (double)ends[most] / (double)all));
    }
}

/* By the way in which their instructions were executed, and why they ended (doc/run-h5.md). */
static void rep_how_bursts(const struct rep_view *v, FILE *out)
{
    static const char *const words[PROF_METHOD_COUNT] = {
        [PROF_METHOD_STEP] = "single-stepped", [PROF_METHOD_TRANSLATE] = "translated"};
    size_t methods[PROF_METHOD_COUNT] = {0}, ends[PROF_BURST_END_COUNT] = {0}, all = 0;
    char n[CLI_CELL_BYTES];
    for (size_t i = 0; i < v->in.bursts_len; i++) {
        const struct prof_burst *b = &v->in.bursts[i];
        if (b->method >= PROF_METHOD_COUNT || b->end_why >= PROF_BURST_END_COUNT) continue;
        methods[b->method]++;
        ends[b->end_why]++;
        all++;
    }
    if (!all) return;
    rep_key(out, "bursts");
    const char *comma = "";
    for (int m = PROF_METHOD_COUNT - 1; m >= 0; m--) {
        if (!methods[m]) continue;
        fprintf(out, "%s%s %s", comma, cli_format_grouped(n, methods[m]), words[m]);
        comma = ", ";
    }
    rep_how_ends(ends, all, out);
    fputc('\n', out);
}

/* A mnemonic in all processes. */
struct rep_in_place {
    const char *instruction;
    uint64_t count;
};

static int rep_compare_in_place(const void *a, const void *b)
{
    const struct rep_in_place *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : strcmp(x->instruction, y->instruction);
}

static void rep_how_in_place(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    size_t rows_len, len = 0;
    const struct prof_in_place *rows = prof_in_places(v->profile, &rows_len);
    if ((r->instructions_stepped == UINT64_MAX || r->instructions_stepped == 0) && rows_len == 0) return;
    struct rep_in_place *sums = calloc(rows_len + 1, sizeof(*sums));
    char n[CLI_CELL_BYTES], percent[CLI_CELL_BYTES];
    double all = 0;
    for (size_t i = 0; sums && i < rows_len; i++) {
        size_t at = 0;
        while (at < len && strcmp(sums[at].instruction, rows[i].instruction) != 0)
            at++;
        if (at == len) sums[len++].instruction = rows[i].instruction;
        sums[at].count += rows[i].count;
        all += (double)rows[i].count;
    }
    if (all == 0 && (!rep_known(r->instructions_stepped) || r->instructions_in_place == UINT64_MAX)) {
        free(sums);
        return;
    }
    rep_key(out, "in place");
    if (rep_known(r->instructions_stepped) && r->instructions_in_place != UINT64_MAX)
        fprintf(
            out, "%s %% of %s instructions were stepped in place, which switches latencies off for a moment",
            cli_format_percent(percent, (double)r->instructions_in_place / (double)r->instructions_stepped),
            cli_format_grouped(n, r->instructions_stepped));
    else
        fputs("instructions that were stepped in place", out);
    if (sums && len) qsort(sums, len, sizeof(*sums), rep_compare_in_place);
    for (size_t i = 0; sums && i < len && i < REP_IN_PLACE_SHOWN; i++)
        fprintf(out, "%s %s %s %%", i ? "," : ":", sums[i].instruction,
                cli_format_percent(percent, (double)sums[i].count / all));
    fprintf(out, "%s\n", len > REP_IN_PLACE_SHOWN ? ", ..." : "");
    free(sums);
}

static void rep_how_coverage(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    const double unmapped = 1 - r->coverage_precise - r->coverage_coarse;
    char text[CLI_CELL_BYTES];
    rep_key(out, "coverage");
    fprintf(out, "%s %% of the samples in named data", cli_format_percent(text, r->coverage_precise));
    fprintf(out, ", %s %% in regions that hold many things", cli_format_percent(text, r->coverage_coarse));
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

static void rep_how_levels(const struct rep_view *v, FILE *out)
{
    const struct prof_run *r = v->run;
    rep_key(out, "levels");
    if (*r->events_sampled) {
        fputs(*r->latency_meaning ? "as the hardware reported them\n" : "these samples have none\n", out);
        return;
    }
    if (!isfinite(r->level_latency_cycles[PROF_LEVEL_L1])) {
        fputs("not calibrated: missing\n", out);
        return;
    }
    fputs("inferred from latency:", out);
    for (int l = 0; l < PROF_LEVEL_COUNT; l++) {
        const char *name = prof_level_heading(r, (enum prof_level)l);
        if (!name) continue;
        fprintf(out, " %s", name);
        if (l + 1 < PROF_LEVEL_COUNT) fprintf(out, " < %.0f <", r->level_limit_cycles[l]);
    }
    fprintf(out, " TSC cycles (typical");
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        fprintf(out, " %.0f", r->level_latency_cycles[l]);
    fputs(prof_level_l1_is_l2(r) ? "); the counter's steps are too long to tell L1 from L2\n" : ")\n", out);
    rep_key(out, "stall");
    if (r->line_cycles_all > 0)
        fprintf(
            out,
            "sweeps that the prefetcher serves wait for their lines: a line of L2 %.1f, L3 %.1f, DRAM %.1f TSC "
            "cycles, with %llu CPUs at once %.1f; no more than the pace of the burst allows; ",
            r->level_line_cycles[PROF_LEVEL_L2], r->level_line_cycles[PROF_LEVEL_L3],
            r->level_line_cycles[PROF_LEVEL_DRAM], (unsigned long long)r->line_cpus, r->line_cycles_all);
    fprintf(out,
            "loads of L3 and memory wait for their latency - %.0f cycles, all else issues %.1f instructions "
            "a cycle; loads above %.0f cycles were interrupted and count as %.0f\n",
            v->in.calibration.l1_cycles, v->in.calibration.issue_width, v->in.calibration.latency_max_cycles,
            v->in.calibration.dram_cycles);
    if (!an_has_pace(&v->costs) && v->costs.model.is_stepped) {
        rep_key(out, "");
        fputs(
            "\"at most\": instructions are executed one by one, and so the latency of a load counts in full; in the "
            "program a part of it overlaps with other loads and instructions\n",
            out);
    }
    if (r->probe_cost_cycles == UINT64_MAX) return;
    rep_key(out, "probe");
    fprintf(out,
            "%llu cycles, subtracted from each latency; the counter "
            "goes in steps of %.0f; bursts of %llu instructions\n",
            (unsigned long long)r->probe_cost_cycles, v->in.calibration.step_cycles,
            (unsigned long long)rep_known(r->burst_instructions));
}

/* Heap blocks and variables: their types come from declarations and source lines. */
static bool rep_is_typeable(const struct rep_view *v, uint32_t node)
{
    const uint32_t kind = node < v->tables.nodes_len ? v->tables.nodes[node].kind : PROF_NODE_ROOT;
    return kind == PROF_NODE_SITE || kind == PROF_NODE_BLOCK || kind == PROF_NODE_SYMBOL ||
           kind == PROF_NODE_TLS || kind == PROF_NODE_RANGE || kind == PROF_NODE_HEAP_SMALL ||
           kind == PROF_NODE_HEAP;
}

static void rep_how_types(const struct rep_view *v, FILE *out)
{
    const struct prof_samples *s = &v->in.samples;
    char n[CLI_CELL_BYTES], all_text[CLI_CELL_BYTES];
    uint64_t typed = 0, all = 0, lost = 0, disputed = 0;
    size_t ways[PROF_TYPING_COUNT] = {0}, sites_len;
    const struct prof_site *sites = prof_sites(v->profile, &sites_len);
    for (uint64_t i = 0; s->node && s->member && i < s->len; i++) {
        if (!rep_is_typeable(v, s->node[i])) continue;
        all++;
        typed += s->member[i] < v->tables.members_len;
    }
    if (all == 0) return;
    rep_key(out, "types");
    fprintf(out, "known for %s of %s accesses to heap blocks and variables; of allocation sites by",
            cli_format_grouped(n, typed), cli_format_grouped(all_text, all));
    for (size_t i = 0; i < sites_len; i++) {
        const bool is_accessed = sites[i].node != UINT32_MAX || sites[i].typing != PROF_TYPING_NOT;
        if (!is_accessed || sites[i].typing >= PROF_TYPING_COUNT) continue;
        ways[sites[i].typing]++;
        disputed += sites[i].disputed == 1;
    }
    const char *comma = "";
    for (int way = PROF_TYPING_COUNT - 1; way >= 0; way--) {
        if (ways[way] == 0) continue;
        fprintf(out, "%s %s %zu", comma, prof_typing_names[way], ways[way]);
        comma = ",";
    }
    for (size_t i = 0; i < v->tables.types_len; i++)
        lost += v->tables.types[i].lost;
    fprintf(out, "; disputed %s; members left out %s\n", cli_format_grouped(n, disputed),
            cli_format_grouped(all_text, lost));
}

static uint64_t rep_count_events(const struct rep_view *v, const char *kind)
{
    uint64_t count = 0;
    size_t len = 0;
    const struct prof_event *events = prof_events(v->profile, &len);
    for (size_t i = 0; i < len; i++)
        if (strcmp(events[i].kind, kind) == 0) count += events[i].count;
    return count;
}

/* Print how many allocations, among those drawn at random, have the tag of another site. */
static void rep_how_tags(const struct rep_view *v, FILE *out)
{
    char wrong_text[CLI_CELL_BYTES], checked_text[CLI_CELL_BYTES];
    const uint64_t checked = rep_count_events(v, "TAGS_CHECKED"), wrong = rep_count_events(v, "TAGS_WRONG");
    if (checked == 0) return;
    rep_key(out, "sites");
    fprintf(out, "of %s allocations drawn at random, %s (%.2f %%) had the tag of another call path\n",
            cli_format_grouped(checked_text, checked), cli_format_grouped(wrong_text, wrong),
            100.0 * (double)wrong / (double)checked);
}

/* Say why the traffic of data is not printed. */
static void rep_how_traffic(const struct rep_view *v, FILE *out)
{
    struct an_traffic t;
    size_t unknown = 0;
    bool has_rough = false;
    if (!rep_is_by_node(v) || an_traffic_init(&t, &v->in, &v->costs, v->bootstrap, v->groups.group_of_sample,
                                              v->groups.groups_len) != LS_OK)
        return;
    for (size_t i = 0; i < t.rows_len; i++) {
        has_rough |= t.rows[i].is_rough;
        unknown += isnan(t.rows[i].part.share);
    }
    if (t.rows_len == 0) return;
    rep_key(out, "traffic");
    fputs("lines that loops touch after the program has touched more others than the last-level cache holds",
          out);
    if (unknown)
        fprintf(out, "; not known (-) for %zu data that fewer than %d bursts touched: record longer", unknown,
                AN_TRAFFIC_BURSTS_MIN);
    if (has_rough)
        fputs("; roughly: within a factor of 2, for data that is smaller than this cache and comes back",
              out);
    fputc('\n', out);
}

void rep_print_how_lines(const struct rep_view *v, FILE *out)
{
    rep_how_engine(v->run, out);
    rep_how_bursts(v, out);
    rep_how_weights(v, out);
    rep_how_in_place(v, out);
    rep_how_levels(v, out);
    rep_how_coverage(v, out);
    rep_how_tags(v, out);
    rep_how_types(v, out);
    rep_how_traffic(v, out);
    rep_key(out, "intervals");
    fprintf(out, "%s\n", an_bootstrap_method(v->bootstrap));
}
