/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone report: which data a recorded program waited for. */
#include "tools/cli/cli_message.h"
#include "tools/report/rep_print.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NS_PER_US = 1000 };
enum {
    REPORT_BY,
    REPORT_WHERE,
    REPORT_NODE,
    REPORT_SORT,
    REPORT_DEPTH,
    REPORT_LIMIT,
    REPORT_MIN_SHARE,
    REPORT_NO_UNREGISTERED,
    REPORT_SLICES,
    REPORT_SLICE_MS,
    REPORT_LAST_LEVEL,
    REPORT_ANNOTATE,
    REPORT_PROCESSES,
    REPORT_SHARING,
    REPORT_LAYOUT,
    REPORT_FIRST_TOUCH,
    REPORT_WATCH,
    REPORT_ALLOCATIONS,
    REPORT_DEVICES,
    REPORT_SERIES,
    REPORT_TREE,
    REPORT_HOW,
    REPORT_HEATMAP,
    REPORT_LAYER,
    REPORT_WIDTH,
    REPORT_JSON,
    REPORT_CSV,
    REPORT_FOLDED,
    REPORT_OPTIONS
};

static const struct cli_option report_options[REPORT_OPTIONS] = {
    [REPORT_BY] = {"by", 'b', CLI_DIMENSIONS, "DIMENSION[,DIMENSION...]", "node",
                   "dimension of the rows; further dimensions split each row", "Rows"},
    [REPORT_WHERE] =
        {"where", 'w', CLI_FILTERS, "DIMENSION=VALUE[,VALUE...]", NULL,
         "only samples with one of these values, each the label of a row, its first word, or a pattern with *; "
         "DIMENSION!=VALUE leaves them out; a sample must match every --where",
         "Rows"},
    [REPORT_NODE] = {"node", 'n', CLI_TEXT, "PATH", NULL,
                     "only the data below this node: its label, labels joined by /, or #id", "Rows"},
    [REPORT_SORT] = {"sort", 's', CLI_CHOICE, "time|stall|samples|latency|label", "stall",
                     "order of the rows; rows without stall by time", "Rows"},
    [REPORT_DEPTH] = {"depth", 'd', CLI_COUNT, "COUNT", "16", "levels of the tree to show", "Rows"},
    [REPORT_LIMIT] = {"limit", 'l', CLI_COUNT, "COUNT", "25", "rows below one node, or in a flat table",
                      "Rows"},
    [REPORT_MIN_SHARE] =
        {"min-share", 'm', CLI_LEAST, "PERCENT", "1%",
         "leave out rows below this share of time and of stall; code in which no burst began is judged by its samples; with "
         "--json and --csv the default is 0.1%",
         "Rows"},
    [REPORT_NO_UNREGISTERED] = {"no-unregistered", 0, CLI_FLAG, NULL, NULL,
                                "leave out memory that the program did not register", CLI_ADVANCED},
    [REPORT_SLICES] = {"slices", 0, CLI_COUNT, "COUNT", "20", "parts that the run is cut into for --by slice",
                       CLI_ADVANCED, .least = 1},
    [REPORT_SLICE_MS] = {"slice-ms", 0, CLI_COUNT, "MILLISECONDS", NULL,
                         "length of such a part, instead of their number", CLI_ADVANCED, .least = 1},
    [REPORT_LAST_LEVEL] =
        {"last-level", 0, CLI_BYTES, "SIZE", NULL,
         "estimate the memory traffic as if the program had this much of the last-level cache, which "
         "others may share; default: all of it",
         CLI_ADVANCED, .least = 64},
    [REPORT_PROCESSES] = {"processes", 'P', CLI_FLAG, NULL, NULL,
                          "the tree of processes, how each began and ended, its share of "
                          "the time (its own, and with all below it) and its largest resident memory",
                          "Instead of the table"},
    [REPORT_SHARING] = {"sharing", 0, CLI_FLAG, NULL, NULL,
                        "cache lines that several threads touch while one writes, true or "
                        "false sharing by the bytes they use",
                        "Instead of the table"},
    [REPORT_LAYOUT] =
        {"layout", 0, CLI_TEXT, "TYPE", NULL,
         "the members of a type (struct, class, union) with their places, holes and cache lines, "
         "the time and waiting of each, members that are accessed together, and an order or a "
         "split that touches fewer lines; TYPE is a row of --by type, or a pattern with *",
         "Instead of the table"},
    [REPORT_FIRST_TOUCH] =
        {"first-touch", 0, CLI_FLAG, NULL, NULL,
         "after record --engine faults: which thread touched which "
         "data first, in pages and bytes; by node and thread, or by the dimensions of --by",
         "Instead of the table"},
    [REPORT_WATCH] = {"watch", 0, CLI_FLAG, NULL, NULL,
                      "after record --watch: accesses to the element, by line and thread, or by the "
                      "dimensions of --by (--by calls for call stacks)",
                      "Instead of the table"},
    [REPORT_ALLOCATIONS] = {"allocations", 0, CLI_FLAG, NULL, NULL,
                            "bytes and blocks of each allocation site, sampled or not",
                            "Instead of the table"},
    [REPORT_DEVICES] = {"devices", 0, CLI_FLAG, NULL, NULL,
                        "memory of devices (GPUs) by allocation site, copies to and from them by call, and "
                        "waiting for them",
                        "Instead of the table"},
    [REPORT_SERIES] = {"series", 0, CLI_FLAG, NULL, NULL,
                       "after record --series: the counters of the machine in "
                       "each phase, per second, and as a share of the measured bandwidth (roof)",
                       "Instead of the table"},
    [REPORT_TREE] = {"tree", 't', CLI_FLAG, NULL, NULL,
                     "the tree of nodes with a bar of the time beside each, stall, mean latency and levels",
                     "Instead of the table"},
    [REPORT_HOW] =
        {"how", 0, CLI_FLAG, NULL, NULL,
         "how the figures came about: calibration, levels, instructions that interrupted the timing, "
         "weights, coverage, intervals",
         "Instead of the table"},
    [REPORT_HEATMAP] = {"heatmap", 0, CLI_TEXT, "NODE[:METRIC]", NULL,
                        "where on its natural domain the node was sampled, drawn in the "
                        "terminal; NODE may be a domain, for all its nodes; METRIC is stall, time, samples, "
                        "latency, latency-max, L1, L2, L3 or memory",
                        "Instead of the table"},
    [REPORT_LAYER] =
        {"layer", 0, CLI_COUNT, "INDEX", NULL,
         "--heatmap of a grid with three axes: this layer of the last axis, from 0, instead of the "
         "maximum over all layers",
         CLI_ADVANCED},
    [REPORT_WIDTH] = {"width", 0, CLI_COUNT, "COLUMNS", NULL,
                      "width of the picture of --heatmap; as wide as the terminal", CLI_ADVANCED, .least = 20,
                      .most = 1000},
    [REPORT_ANNOTATE] =
        {"annotate", 'a', CLI_TEXT, "FUNCTION", NULL,
         "the source of this function with the cost of each line; FILE:FUNCTION and "
         "MODULE:FUNCTION distinguish equal names; with --by ip, or without source, its instructions",
         "Instead of the table"},
    [REPORT_JSON] = {"json", 'j', CLI_FLAG, NULL, NULL, "print JSON, schema 1, shares as fractions of 1",
                     "Output"},
    [REPORT_CSV] =
        {"csv", 0, CLI_FLAG, NULL, NULL,
         "print comma-separated values: a line for each row, without the figures of the rows below it",
         "Output"},
    [REPORT_FOLDED] = {"folded", 0, CLI_CHOICE, "time|stall", NULL,
                       "print call stacks in the format of flame graph tools, one per line with its "
                       "microseconds; --node and --where select the data",
                       "Output", .alone = "time"},
};

static ls_err report_print_json(const struct rep_view *v)
{
    struct rep_row *rows = NULL;
    size_t len = 0;
    LS_TRY(rep_rows(v, &rows, &len));
    const ls_err err = rep_print_json(v, rows, len, stdout);
    free(rows);
    return err;
}

/* Semicolons separate the functions of a line. */
static void report_folded_name(const char *name, FILE *out)
{
    for (; *name; name++)
        fputc(*name == ';' ? ':' : *name, out);
}

static void report_folded_stack(const struct an_call_tree *calls, uint32_t call, FILE *out)
{
    const struct an_call *c = &calls->rows[call];
    if (c->parent != UINT32_MAX) {
        report_folded_stack(calls, c->parent, out);
        fputc(';', out);
    }
    report_folded_name(c->function, out);
}

static ls_err report_print_folded(const struct rep_view *v, enum rep_sort metric)
{
    if (!v->tables.calls)
        return ls_fail(LS_ERR_USAGE, "%s has no call stacks: record with --callstack", v->options.path);
    for (uint32_t g = 0; g < v->groups.groups_len; g++) {
        const struct an_row *row = an_table_self(v->table, g);
        const double ns = metric == REP_SORT_STALL ? row->stall_ns : row->time_ns;
        const struct an_keys *keys = &v->groups.keys[0];
        const uint32_t number = v->groups.groups[g].number;
        if (ns < NS_PER_US / 2.0 || number >= keys->len) continue;
        report_folded_stack(v->tables.calls, keys->keys[number], stdout);
        printf(" %.0f\n", ns / NS_PER_US);
    }
    return LS_OK;
}

/* ---- the next command ---- */

/* The function of the row that stalls most, or takes most time where nothing stalls; NULL when rows are of
 * something else. */
static const char *report_top_function(const struct rep_view *v)
{
    const struct an_keys *k = &v->groups.keys[0];
    uint32_t best = UINT32_MAX;
    double most = 0;
    if (k->dimension->base != AN_BASE_LINE) return NULL;
    for (uint32_t n = 0; n < k->len; n++) { /* groups of the first dimension are its numbers */
        const struct an_row *r = an_table_total(v->table, n);
        const double cost = v->costs.stall_total_ns > 0 ? r->stall_ns : r->time_ns;
        if (cost <= most || k->keys[n] >= v->tables.lines_len || !*v->tables.lines[k->keys[n]].function)
            continue;
        best = n;
        most = cost;
    }
    return best == UINT32_MAX ? NULL : v->tables.lines[k->keys[best]].function;
}

/* The process that record --pid recorded, if it still runs on this machine, otherwise 0. */
static uint64_t report_running_process(const struct prof_run *r)
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    const uint64_t pid = rep_known(r->attached_pid) && strcmp(host, r->host) == 0 ? r->attached_pid : 0;
    return pid && (kill((pid_t)pid, 0) == 0 || errno == EPERM) ? pid : 0;
}

/* Propose a longer recording, which has more bursts. Print nothing if the profile does not name a program. */
static void report_next_record(const struct rep_view *v)
{
    const struct prof_run *r = v->run;
    const char *path = cli_quote(v->options.path);
    const size_t bursts = an_bootstrap_bursts(v->bootstrap, AN_TIME);
    const double asked = isfinite(r->overhead_asked) ? r->overhead_asked : 0.03;
    const double better = fmin(fmax(asked * 1.5 * AN_BURSTS_MIN / (double)(bursts ? bursts : 1), 0.1), 0.5);
    const uint64_t pid = report_running_process(r);
    const bool is_null = strcmp(r->engine, "null") == 0, has_more = bursts && better > asked;
    if (!pid && !*r->command) return;
    if (is_null && pid)
        cli_next("loadstone record --force -o %s --pid %" PRIu64, path, pid);
    else if (is_null)
        cli_next("loadstone record --force -o %s -- %s", path, r->command);
    else if (has_more && pid)
        cli_next("loadstone record --overhead %.0f%% --force -o %s --pid %" PRIu64, ceil(better * 100), path,
                 pid);
    else if (has_more)
        cli_next("loadstone record --overhead %.0f%% --force -o %s -- %s", ceil(better * 100), path,
                 r->command);
    else
        cli_next("loadstone doctor");
}

/* The filters of the report, as options. */
static const char *report_filters(const struct rep_options *o, char *out, size_t out_len_bytes)
{
    size_t len = 0;
    out[0] = '\0';
    if (o->node) len = (size_t)snprintf(out, out_len_bytes, "--node %s ", cli_quote(o->node));
    for (size_t i = 0; i < o->where_len && len < out_len_bytes; i++)
        len += (size_t)snprintf(out + len, out_len_bytes - len, "--where %s ", cli_quote(o->where[i]));
    return out;
}

/* Propose to look at types whose members cost much; return whether there are any. */
static bool report_next_type(const struct rep_view *v, const char *filters)
{
    const char *type, *path = cli_quote(v->options.path);
    const enum rep_types_next next = rep_costliest_type(v, &type);
    if (next == REP_TYPES_ONE)
        cli_next("loadstone report --layout %s %s%s", cli_quote(type), filters, path);
    else if (next == REP_TYPES_SEVERAL && v->groups.keys[0].dimension->base != AN_BASE_MEMBER)
        cli_next("loadstone report --by field %s%s", filters, path);
    return next != REP_TYPES_NONE;
}

static void report_next(const struct rep_view *v)
{
    char few[256], filters[1024];
    const char *path = cli_quote(v->options.path), *function = report_top_function(v);
    const bool is_filtered = v->options.node || v->options.where_len;
    fflush(stdout); /* the table before the message, also into one pipe */
    if (rep_is_empty(v) && is_filtered)
        cli_next("loadstone report %s", path);
    else if ((rep_is_empty(v) || rep_has_time(v)) && rep_explain_too_few(v, few, sizeof(few)))
        report_next_record(v);
    else if (function)
        cli_next("loadstone report --annotate %s %s", cli_quote(function), path);
    else if (v->groups.keys[0].dimension->base == AN_BASE_NODE && v->by.len == 1) {
        cli_next("loadstone report --by line %s%s", report_filters(&v->options, filters, sizeof(filters)),
                 path);
        report_next_type(v, filters);
    } else if (v->groups.keys[0].dimension->base != AN_BASE_MEMBER ||
               !report_next_type(v, report_filters(&v->options, filters, sizeof(filters))))
        cli_next("loadstone view %s", path);
}

/* ---- the table ---- */

static ls_err report_first_touch(const struct rep_options *o, const struct cli_value *v);

/* Page faults have neither time nor stall: their report is who touched what first. */
static bool report_is_first_touch(const struct rep_view *view, const struct cli_value *v)
{
    return strcmp(view->run->engine, "faults") == 0 && !v[REPORT_BY].given && !v[REPORT_TREE].given &&
           !v[REPORT_JSON].given && !v[REPORT_CSV].given && !v[REPORT_FOLDED].given;
}

/* Ranks of a job that are summed up have no rows in the table of samples. */
static ls_err report_ranks(const struct rep_options *o, const struct cli_value *v)
{
    LS_TRY(rep_ranks(o, v[REPORT_JSON].given, stdout));
    fflush(stdout);
    cli_next("loadstone report --by mpi,mpi-line %s", cli_quote(o->path));
    return LS_OK;
}

static ls_err report_table(const struct rep_options *o, const struct cli_value *v)
{
    struct rep_view view;
    struct rep_options with_types = *o;
    if (strcmp(o->by, "rank") == 0 && !o->node && !o->where_len && !v[REPORT_CSV].given &&
        rep_ranks_has(o->path))
        return report_ranks(o, v);
    if (v[REPORT_TREE].given && strncmp(o->by, "node", strlen("node")) != 0)
        return ls_fail(LS_ERR_USAGE, "--tree is of nodes: leave --by out, or begin it with node");
    with_types.columns |= PROF_MASK(member);
    ls_err err = rep_view_init(&view, &with_types);
    const bool is_first_touch = err == LS_OK && report_is_first_touch(&view, v);
    if (err == LS_OK && v[REPORT_FOLDED].given)
        err = report_print_folded(&view, (enum rep_sort)v[REPORT_FOLDED].number);
    else if (err == LS_OK && v[REPORT_CSV].given)
        err = rep_print_csv(&view, stdout);
    else if (err == LS_OK && v[REPORT_JSON].given)
        err = report_print_json(&view);
    else if (err == LS_OK && !is_first_touch) {
        err = rep_print_text(&view, v[REPORT_TREE].given, stdout);
        if (err == LS_OK) report_next(&view);
    }
    rep_view_fini(&view);
    return is_first_touch ? report_first_touch(o, v) : err;
}

/* ---- views that replace the table ---- */

static ls_err report_annotate(const struct rep_options *o, const struct cli_value *v)
{
    const struct rep_annotate_options a = {.function = v[REPORT_ANNOTATE].text,
                                           .by_instruction = v[REPORT_BY].given && strcmp(o->by, "ip") == 0,
                                           .json = v[REPORT_JSON].given};
    if (v[REPORT_BY].given && !a.by_instruction && strcmp(o->by, "line") != 0)
        return ls_fail(LS_ERR_USAGE, "--annotate goes by line or ip, not by %s", o->by);
    LS_TRY(rep_annotate(o, &a, stdout));
    fflush(stdout);
    cli_next("loadstone report --where function=%s %s", cli_quote(a.function), cli_quote(o->path));
    return LS_OK;
}

static ls_err report_processes(const struct rep_options *o, const struct cli_value *v)
{
    LS_TRY(rep_processes(o, v[REPORT_JSON].given, stdout));
    fflush(stdout);
    cli_next("loadstone report --by process,node %s", cli_quote(o->path));
    return LS_OK;
}

static ls_err report_sharing(const struct rep_options *o, const struct cli_value *v)
{
    LS_TRY(rep_sharing(o, v[REPORT_JSON].given, stdout));
    fflush(stdout);
    cli_next("loadstone report --by thread,node %s", cli_quote(o->path));
    return LS_OK;
}

static ls_err report_first_touch(const struct rep_options *o, const struct cli_value *v)
{
    struct rep_options asked = *o;
    if (!v[REPORT_BY].given) asked.by = "node,thread";
    LS_TRY(rep_first_touch(&asked, v[REPORT_JSON].given, stdout));
    fflush(stdout);
    if (strcmp(asked.by, "node,line") == 0)
        cli_next("loadstone report --by line %s", cli_quote(o->path));
    else
        cli_next("loadstone report --first-touch --by node,line %s", cli_quote(o->path));
    return LS_OK;
}

static ls_err report_watch(const struct rep_options *o, const struct cli_value *v)
{
    struct rep_options asked = *o;
    if (!v[REPORT_BY].given) asked.by = "line,thread";
    LS_TRY(rep_watch(&asked, v[REPORT_JSON].given, stdout));
    fflush(stdout);
    if (strcmp(asked.by, "calls") == 0)
        cli_next("loadstone view %s", cli_quote(o->path));
    else
        cli_next("loadstone report --watch --by calls %s", cli_quote(o->path));
    return LS_OK;
}

static ls_err report_layout(const struct rep_options *o, const struct cli_value *v)
{
    const char *type = v[REPORT_LAYOUT].text;
    const enum rep_layout_form form = v[REPORT_JSON].given  ? REP_LAYOUT_JSON
                                      : v[REPORT_CSV].given ? REP_LAYOUT_CSV
                                                            : REP_LAYOUT_TEXT;
    LS_TRY(rep_layout(o, type, form, stdout));
    fflush(stdout);
    cli_next("loadstone report --by field,line --where type=%s %s", cli_quote(type), cli_quote(o->path));
    return LS_OK;
}

static ls_err report_allocations(const struct rep_options *o, const struct cli_value *v)
{
    LS_TRY(rep_allocations(o, v[REPORT_JSON].given, stdout));
    fflush(stdout);
    cli_next("loadstone report --by site %s", cli_quote(o->path));
    return LS_OK;
}

static ls_err report_devices(const struct rep_options *o, const struct cli_value *v)
{
    LS_TRY(rep_devices(o, v[REPORT_JSON].given, stdout));
    fflush(stdout);
    cli_next("loadstone report --tree %s", cli_quote(o->path));
    return LS_OK;
}

static ls_err report_series(const struct rep_options *o, const struct cli_value *v)
{
    LS_TRY(rep_series(o, v[REPORT_JSON].given, stdout));
    fflush(stdout);
    cli_next("loadstone report --by phase %s", cli_quote(o->path));
    return LS_OK;
}

static ls_err report_how(const struct rep_options *o, const struct cli_value *v)
{
    struct rep_view view;
    struct rep_options with_types = *o;
    (void)v;
    with_types.columns |= PROF_MASK(member) | PROF_MASK(node);
    ls_err err = rep_view_init(&view, &with_types);
    if (err == LS_OK) rep_print_how(&view, stdout);
    rep_view_fini(&view);
    LS_TRY(err);
    fflush(stdout);
    cli_next("loadstone report %s", cli_quote(o->path));
    return LS_OK;
}

static ls_err report_heatmap(const struct rep_options *o, const struct cli_value *v)
{
    const struct rep_heatmap_options heat = {.path = o->path,
                                             .what = v[REPORT_HEATMAP].text,
                                             .width = v[REPORT_WIDTH].given ? v[REPORT_WIDTH].number : 0,
                                             .one_layer = v[REPORT_LAYER].given,
                                             .layer = v[REPORT_LAYER].number,
                                             .json = v[REPORT_JSON].given};
    LS_TRY(rep_heatmap(&heat, stdout));
    fflush(stdout);
    cli_next("loadstone view %s", cli_quote(o->path));
    return LS_OK;
}

/* Views that replace the table, by option. */
static const struct {
    int option;
    ls_err (*print)(const struct rep_options *o, const struct cli_value *v);
} report_views[] = {{REPORT_FIRST_TOUCH, report_first_touch},
                    {REPORT_WATCH, report_watch},
                    {REPORT_PROCESSES, report_processes},
                    {REPORT_SHARING, report_sharing},
                    {REPORT_LAYOUT, report_layout},
                    {REPORT_ALLOCATIONS, report_allocations},
                    {REPORT_DEVICES, report_devices},
                    {REPORT_SERIES, report_series},
                    {REPORT_HEATMAP, report_heatmap},
                    {REPORT_ANNOTATE, report_annotate},
                    {REPORT_HOW, report_how}};
enum { REPORT_VIEWS = sizeof(report_views) / sizeof(report_views[0]) };

#define REPORT_MIN_SHARE_FOR_PROGRAMS 0.001
#define REPORT_DEFAULT_FILE "loadstone.h5" /* of record --output */

static struct rep_options report_options_of(const struct cli_value *v, const char *path)
{
    const bool for_programs = v[REPORT_JSON].given || v[REPORT_CSV].given;
    const bool is_short = v[REPORT_LIMIT].given || !for_programs;
    struct rep_options o = {
        .path = path,
        .node = v[REPORT_NODE].text,
        .by = v[REPORT_FOLDED].given ? "calls" : v[REPORT_BY].text,
        .where = v[REPORT_WHERE].all,
        .where_len = v[REPORT_WHERE].all_len,
        .sort = (enum rep_sort)v[REPORT_SORT].number,
        .sort_given = v[REPORT_SORT].given,
        .min_share = v[REPORT_MIN_SHARE].given || !for_programs ? v[REPORT_MIN_SHARE].share
                                                                : REPORT_MIN_SHARE_FOR_PROGRAMS,
        .depth = v[REPORT_DEPTH].number,
        .all_rows = v[REPORT_LIMIT].given || v[REPORT_DEPTH].given || v[REPORT_MIN_SHARE].given,
        .limit = is_short ? v[REPORT_LIMIT].number : UINT64_MAX,
        .no_unregistered = v[REPORT_NO_UNREGISTERED].given,
        .is_complete = for_programs};
    if (v[REPORT_SLICES].given) o.slices = v[REPORT_SLICES].number;
    if (v[REPORT_SLICE_MS].given) o.slice_ns = v[REPORT_SLICE_MS].number * 1000000;
    if (v[REPORT_LAST_LEVEL].given) o.last_level_bytes = v[REPORT_LAST_LEVEL].number;
    if (v[REPORT_SLICES].given && !v[REPORT_LIMIT].given && o.slices > o.limit) o.limit = o.slices;
    return o;
}

static int report_run(const struct cli_command *c, const struct cli_value *v, char **operands)
{
    (void)c;
    const char *path = operands[0] ? operands[0] : REPORT_DEFAULT_FILE;
    if (!operands[0] && access(path, F_OK) != 0) {
        cli_error("which FILE? There is no %s here, which loadstone record -- PROGRAM would write", path);
        return CLI_USAGE;
    }
    const struct rep_options options = report_options_of(v, path);
    for (size_t i = 0; i < REPORT_VIEWS; i++)
        if (v[report_views[i].option].given) {
            const ls_err err = report_views[i].print(&options, v);
            return err == LS_OK ? CLI_OK : cli_fail(err);
        }
    const ls_err err = report_table(&options, v);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct cli_command cli_cmd_report = {
    .name = "report",
    .summary = "show which data a recorded program waited for",
    .operands = "[FILE]",
    .description =
        "Prints what the program of FILE (default: loadstone.h5) waits for most and what helps, its data as a "
        "tree, how far to trust the figures, and the next command. The tree has the groups and ranges that the "
        "program registered, and below \"unregistered\" all other memory: named data (allocations, variables, "
        "stacks) and regions that hold many things. On a terminal the rows fit its height; --limit, --depth or "
        "--min-share print more.\n\n"
        "Each burst represents a part of the CPU time. Views by function, line, thread, phase and "
        "the like count it where the burst began; views of data distribute it over the accesses of "
        "the burst, and bursts without accesses are the row \"no data (computing)\". The rows of a "
        "view add up to all of the time. stall is an estimate of the part of the time that waits "
        "for memory; of single-stepped bursts it is an upper bound. Levels are inferred from latencies. "
        "The figure after a share is half the width of its 95 % interval. Latencies are in cycles of the "
        "time stamp counter, of loads that could be timed. Kernel time has a separate table. A profile of page "
        "faults is reported as with --first-touch.",
    .examples = "loadstone report run.h5\nloadstone report --by line --node Input/B "
                "loadstone.h5\nloadstone report --json loadstone.h5 | jq '.rows[]'\n",
    .options = report_options,
    .options_len = REPORT_OPTIONS,
    .operands_min = 0,
    .operands_max = 1,
    .reads_profiles = true,
    .run = report_run,
};
