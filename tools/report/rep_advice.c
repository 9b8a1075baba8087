/* SPDX-License-Identifier: BSD-3-Clause */
/* Print a line for each node with much stall: its access pattern and a remedy, both inferred. */
#include "analyse/an_advice.h"
#include "analyse/an_keys.h"
#include "common/ls_text.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"
#include "tools/report/rep_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REP_ADVICE_STALL 0.05    /* minimum share of all stall time */
#define REP_ADVICE_GAIN 0.01     /* minimum share of the run time */
#define REP_ADVICE_FAR 0.01      /* minimum share of timed loads from L3 or memory */
#define REP_ADVICE_MEMORY 0.5    /* memory's share of the stall; below it, the data stays in cache */
#define REP_ADVICE_NEW_LINES 0.5 /* share of accesses to another line, below which lines are shared */
#define REP_ADVICE_BOUND 0.5     /* share of one CPU's bandwidth while all sweep; above it, bandwidth-bound */
#define REP_REUSE "reuse it while it is in cache (block or fuse loops)"
enum { REP_ADVICE_MAX = 3 };

/* A sweep through memory at its bandwidth, in GB/s; 0: not at all, or not known. */
static double rep_bound_gb_s(const struct rep_view *v, const struct an_finding *f)
{
    const double each = rep_gb_s(v->run, v->run->line_cycles_all, 1), gb_s = f->loop_bytes / f->loop_ns;
    const bool sweeps = f->access == AN_ACCESS_SEQUENTIAL && f->memory_part >= REP_ADVICE_MEMORY;
    return sweeps && gb_s >= REP_ADVICE_BOUND * each ? gb_s : 0;
}

/* The line of code of a finding; NULL: not known. The process is the sample's. */
static const struct prof_line *rep_line_of(const struct rep_view *v, const struct an_finding *f)
{
    const uint32_t thread = v->in.samples.thread[f->sample];
    const uint32_t row = an_tables_line(&v->tables, an_tables_process(&v->tables, thread), f->ip);
    return row == UINT32_MAX ? NULL : &v->tables.lines[row];
}

/* Does a thread wait here for others, in a loop of a library that reads one address? */
static bool rep_is_spinning(const struct rep_view *v, const struct an_finding *f)
{
    const struct prof_line *l = rep_line_of(v, f);
    return l && rep_is_thread_library(l->module);
}

/* "" : nothing that would help is known. */
static const char *rep_hint(const struct rep_view *v, const struct an_finding *f)
{
    const bool is_in_memory = f->memory_part >= REP_ADVICE_MEMORY;
    switch (f->access) {
    case AN_ACCESS_UNKNOWN:
        return "too few consecutive accesses to find the access pattern";
    case AN_ACCESS_REPEATED:
        if (rep_is_spinning(v, f))
            return "threads wait for others in this loop, not for memory: balance their work, or let them sleep "
                   "(OMP_WAIT_POLICY=passive)";
        return "one address is read again and again: keep it in a register, or look for threads that share its line";
    case AN_ACCESS_SEQUENTIAL:
        return is_in_memory ? "it is walked in order: bandwidth counts; " REP_REUSE : "";
    case AN_ACCESS_RUNS:
        return f->has_sorted_jumps
                   ? "the first line of each run waits, though the look-ups are sorted: make the rows shorter, or "
                     "prefetch the row"
                   : "the first line of each run waits: make the rows shorter, sort the look-ups, or prefetch "
                     "the row";
    case AN_ACCESS_STRIDED:
        return is_in_memory
                   ? "each access touches another line: interchange or block the loops, or store it in the order of use"
                   : "each access touches another line: interchange the loops, or store it in the order of use";
    case AN_ACCESS_SORTED:
        return f->lines_part < REP_ADVICE_NEW_LINES
                   ? "several accesses share a line: bandwidth counts; pack the elements that are used"
                   : "nearly each access touches another line: pack the elements that are used, or prefetch";
    case AN_ACCESS_IRREGULAR:
        return "addresses follow no stride: sort or pack data that is used together, or prefetch";
    }
    return "";
}

/* Where the instruction is: "file:line" or "function". */
static void rep_source_line(const struct rep_view *v, const struct an_finding *f, char *out, size_t room)
{
    char name[REP_SHORT_BYTES];
    const struct prof_line *l = rep_line_of(v, f);
    if (l && *l->file)
        snprintf(out, room, "%s:%u", ls_base_name(l->file), l->line);
    else if (l && (*l->function || *l->symbol))
        snprintf(out, room, "%s", rep_shorten(*l->function ? l->function : l->symbol, name));
    else
        snprintf(out, room, "0x%llx", (unsigned long long)f->ip);
}

static void rep_walk(const struct an_finding *f, char *out, size_t room)
{
    out[0] = '\0';
    if (f->access == AN_ACCESS_RUNS)
        snprintf(
            out, room,
            "; runs of some %.0f accesses with a stride of %lld bytes begin at random places, %.0f %% of the "
            "stall is at their begins",
            f->run_len, (long long)f->stride_bytes, f->first_part * 100);
    else if (f->access == AN_ACCESS_SORTED)
        snprintf(
            out, room,
            "; addresses are in order (sorted), with gaps of about %lld bytes, %.2f lines of 64 bytes per access",
            llabs((long long)f->stride_bytes), f->lines_part);
    else if (f->access == AN_ACCESS_STRIDED || f->access == AN_ACCESS_SEQUENTIAL)
        snprintf(out, room, ", stride %lld bytes", (long long)f->stride_bytes);
}

static void rep_print_finding(const struct rep_view *v, uint32_t group, const struct an_finding *f, FILE *out)
{
    const struct an_interval gain = an_bootstrap_gain(v->bootstrap, v->table, group);
    char source[256], walk[256], share[CLI_CELL_BYTES], label[REP_SHORT_BYTES], text[1024], dram[64] = "",
                                                                                            bound[160] = "";
    const double gb_s = rep_bound_gb_s(v, f);
    rep_source_line(v, f, source, sizeof(source));
    rep_walk(f, walk, sizeof(walk));
    if (isfinite(f->dram_part))
        snprintf(dram, sizeof(dram), ", %.0f %% of its loads from DRAM", f->dram_part * 100);
    if (gb_s > 0)
        snprintf(bound, sizeof(bound),
                 "bandwidth-bound: the loop moves %.2g GB in a second of a CPU; " REP_REUSE, gb_s);
    snprintf(text, sizeof(text), "  %s: %s %s %% of the time, %.0f %% of that at %s%s%s; %s",
             rep_short_label(v, group, label), an_has_pace(&v->costs) ? "about" : "at most",
             rep_format_share(&gain, share), f->stall_part * 100, source, dram, walk,
             gb_s > 0 ? bound : rep_hint(v, f));
    cli_print_folded(text, 4, cli_term_width(), out);
}

/* Return whether the whole interval shows a gain, not only the estimate. Data in L1 and L2 occasionally loses
 * a line to code that runs while the program is stepped; this is no reason to change the program. */
static bool rep_has_gain(const struct rep_view *v, uint32_t group)
{
    const struct an_row *r = an_table_self(v->table, group);
    const double near = (double)(r->levels[PROF_LEVEL_L1] + r->levels[PROF_LEVEL_L2]);
    if (v->costs.model.is_stepped && near > (1 - REP_ADVICE_FAR) * (double)r->measured) return false;
    const struct an_interval gain = an_bootstrap_gain(v->bootstrap, v->table, group);
    return gain.low > 0 && gain.share >= REP_ADVICE_GAIN;
}

/* The costliest groups by their own samples. */
static uint32_t rep_next_leaf(const struct rep_view *v, const uint8_t *done)
{
    uint32_t best = AN_NO_GROUP;
    for (uint32_t g = 0; g < v->groups.groups_len; g++) {
        const double stall = an_table_self(v->table, g)->stall_ns;
        const uint32_t node = rep_node_of(v, g);
        if (done[g] || node == UINT32_MAX || stall <= 0 || !rep_is_below(v, node, v->root)) continue;
        if (stall < REP_ADVICE_STALL * v->costs.stall_total_ns) continue;
        if (best == AN_NO_GROUP || stall > an_table_self(v->table, best)->stall_ns) best = g;
    }
    return best;
}

/* Number the source lines of all samples: those of --by line, but code without a function's name is its address. */
static ls_err rep_number_lines(const struct rep_view *v, struct an_keys *out)
{
    LS_TRY(an_keys_init(out, an_dimension_named("line", strlen("line")), &v->tables, &v->in.samples));
    for (uint64_t s = 0; s < v->in.samples.len; s++) {
        if (out->number_of_sample[s] == AN_NO_KEY) continue;
        const struct prof_line *l = &v->tables.lines[out->keys[out->number_of_sample[s]]];
        if (!*l->file && !*l->function) out->number_of_sample[s] = AN_NO_KEY;
    }
    return LS_OK;
}

uint32_t rep_top_stall(const struct rep_view *v)
{
    uint8_t *done = calloc(v->groups.groups_len + 1u, 1);
    const uint32_t group = done ? rep_next_leaf(v, done) : AN_NO_GROUP;
    free(done);
    return group;
}

ls_err rep_print_advice(const struct rep_view *v, FILE *out, size_t *out_len)
{
    *out_len = 0;
    if (!rep_is_by_node(v) || !an_has_stall(&v->costs) ||
        an_bootstrap_bursts(v->bootstrap, AN_STALL) < AN_BURSTS_MIN)
        return LS_OK;
    uint8_t *in_group = malloc(v->in.samples.len + 1), *done = calloc(v->groups.groups_len + 1u, 1);
    struct an_keys lines = {0};
    ls_err err = in_group && done ? rep_number_lines(v, &lines) : ls_nomem("advice");
    const size_t most = rep_is_low() && !v->options.is_complete ? 1 : REP_ADVICE_MAX;
    while (err == LS_OK && *out_len < most) {
        struct an_finding f;
        const uint32_t group = rep_next_leaf(v, done);
        if (group == AN_NO_GROUP) break;
        done[group] = 1;
        if (!rep_has_gain(v, group)) continue;
        for (uint64_t s = 0; s < v->in.samples.len; s++)
            in_group[s] = v->groups.group_of_sample[s] == group;
        err = an_finding_init(&f, &v->in, &v->costs, in_group, lines.number_of_sample);
        if (err != LS_OK || !*rep_hint(v, &f)) continue;
        ++*out_len;
        rep_print_finding(v, group, &f, out);
    }
    free(in_group);
    an_keys_fini(&lines);
    free(done);
    return err;
}
