/* SPDX-License-Identifier: BSD-3-Clause */
/* report --processes: the tree of recorded processes. */
#include "config.h"

#include "common/ls_text.h"
#include "run_h5/prof_tables.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"
#include "tools/report/rep_print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REP_NAME_BYTES = 512, REP_DEPTH_MAX = 200 };

/* One process of the view. */
struct rep_process {
    uint32_t group; /* row in the table, UINT32_MAX: no samples */
    uint32_t first_child, next_sibling;
    double tree_ns; /* time of it and of all its descendants */
    uint64_t peak_bytes;
};

struct rep_processes {
    struct rep_view *v;
    const struct prof_process *rows;
    struct rep_process *more; /* beside rows */
    size_t len;
    uint32_t first; /* the first root: a process whose parent was not recorded */
    FILE *out;
    struct ls_json json;
    uint8_t bars[REP_DEPTH_MAX]; /* by depth: more siblings follow */
};

static const char *rep_enum_name(const char *const *names, uint32_t number, uint32_t len)
{
    return number < len ? names[number] : "?";
}

static const char *rep_how_it_ended(const struct prof_process *p, char out[CLI_CELL_BYTES])
{
    if (p->ended == PROF_ENDED_EXIT && p->exit_code != UINT32_MAX)
        snprintf(out, CLI_CELL_BYTES, "exit %u", p->exit_code);
    else if (p->ended == PROF_ENDED_SIGNAL)
        snprintf(out, CLI_CELL_BYTES, "signal %u", p->exit_signal);
    else
        snprintf(out, CLI_CELL_BYTES, "%s", p->ended == PROF_ENDED_EXEC ? "exec" : "not known");
    return out;
}

static const char *rep_program_name(const struct prof_process *p)
{
    return *p->exe ? ls_base_name(p->exe) : "?";
}

static double rep_own_time(const struct rep_processes *r, uint32_t i)
{
    const uint32_t group = r->more[i].group;
    return group == UINT32_MAX ? 0 : an_table_self(r->v->table, group)->time_ns;
}

static struct an_interval rep_own_share(const struct rep_processes *r, uint32_t i, enum an_metric metric)
{
    const uint32_t group = r->more[i].group;
    if (group == UINT32_MAX) return (struct an_interval){0, 0, 0};
    if (metric == AN_STALL) return rep_stall_share(r->v, r->v->table, group);
    return an_bootstrap_share(r->v->bootstrap, r->v->table, group, metric);
}

/* Link the processes and sum their times. A process that does not follow its parent in the file is a root. */
static void rep_link(struct rep_processes *r)
{
    r->first = UINT32_MAX;
    for (uint32_t i = 0; i < r->len; i++)
        r->more[i].tree_ns = rep_own_time(r, i);
    for (uint32_t i = (uint32_t)r->len; i-- > 0;) {
        const uint32_t parent = r->rows[i].parent;
        uint32_t *head = parent < i ? &r->more[parent].first_child : &r->first;
        if (parent < i) r->more[parent].tree_ns += r->more[i].tree_ns;
        r->more[i].next_sibling = *head;
        *head = i;
    }
}

static ls_err rep_gather(struct rep_processes *r)
{
    r->rows = prof_processes(r->v->profile, &r->len);
    r->more = calloc(r->len + 1, sizeof(*r->more));
    if (!r->more) return ls_nomem("%zu processes", r->len);
    for (size_t i = 0; i < r->len; i++)
        r->more[i].group = r->more[i].first_child = UINT32_MAX;
    const struct an_combination *c = &r->v->groups;
    for (uint32_t g = 0; g < c->groups_len; g++) {
        const uint32_t number = c->groups[g].number;
        if (number < c->keys[0].len && c->keys[0].keys[number] < r->len)
            r->more[c->keys[0].keys[number]].group = g;
    }
    size_t points_len;
    const struct prof_point *points = prof_resident_bytes(r->v->profile, &points_len);
    for (size_t i = 0; i < points_len; i++)
        if (points[i].process < r->len && points[i].value > r->more[points[i].process].peak_bytes)
            r->more[points[i].process].peak_bytes = points[i].value;
    for (size_t i = 0; i < r->len; i++)
        if (r->rows[i].peak_bytes != UINT64_MAX) r->more[i].peak_bytes = r->rows[i].peak_bytes;
    rep_link(r);
    return LS_OK;
}

/* --- text --- */

/* Print the lines of the tree, then pid, program and rank. Returns the number of columns printed. */
static int rep_put_name(const struct rep_processes *r, uint32_t i, unsigned depth, bool last)
{
    const bool utf8 = cli_term_utf8();
    const struct prof_process *p = &r->rows[i];
    char rank[32] = "";
    for (unsigned d = 1; d < depth && d < REP_DEPTH_MAX; d++)
        fputs(!r->bars[d] ? "   " : utf8 ? "│  " : "|  ", r->out);
    if (depth > 0) fputs(last ? (utf8 ? "└─ " : "`- ") : (utf8 ? "├─ " : "|- "), r->out);
    if (p->rank >= 0) snprintf(rank, sizeof(rank), " (rank %d)", p->rank);
    return 3 * (int)depth + fprintf(r->out, "%u %.100s%s", p->pid, rep_program_name(p), rank);
}

static int rep_name_width(const struct rep_processes *r, uint32_t i, unsigned depth)
{
    const struct prof_process *p = &r->rows[i];
    char text[256];
    return 3 * (int)depth + snprintf(text, sizeof(text), p->rank >= 0 ? "%u %.100s (rank %d)" : "%u %.100s",
                                     p->pid, rep_program_name(p), p->rank);
}

static int rep_widest(const struct rep_processes *r, uint32_t first, unsigned depth)
{
    int widest = 0;
    for (uint32_t i = first; i != UINT32_MAX; i = r->more[i].next_sibling) {
        const int own = rep_name_width(r, i, depth);
        const int below = depth < REP_DEPTH_MAX ? rep_widest(r, r->more[i].first_child, depth + 1) : 0;
        if (own > widest) widest = own;
        if (below > widest) widest = below;
    }
    return widest;
}

static void rep_put_row(const struct rep_processes *r, uint32_t i, int used, int width)
{
    const struct prof_process *p = &r->rows[i];
    const struct an_interval time = rep_own_share(r, i, AN_TIME), stall = rep_own_share(r, i, AN_STALL);
    const double all_ns = r->v->costs.weight_ns;
    char came[CLI_CELL_BYTES], began[CLI_CELL_BYTES], lived[CLI_CELL_BYTES], ended[CLI_CELL_BYTES];
    char time_share[CLI_CELL_BYTES], tree_share[CLI_CELL_BYTES], stall_share[CLI_CELL_BYTES],
        peak[CLI_CELL_BYTES];
    snprintf(came, sizeof(came), "%s", rep_enum_name(prof_origin_names, p->origin, PROF_ORIGIN_COUNT));
    cli_format_time(began, (double)p->begin_ns);
    cli_format_time(lived, (double)(p->end_ns > p->begin_ns ? p->end_ns - p->begin_ns : 0));
    rep_format_share(&time, time_share);
    cli_format_percent(tree_share, all_ns > 0 ? r->more[i].tree_ns / all_ns : 0);
    rep_format_share(&stall, stall_share);
    if (r->more[i].peak_bytes)
        cli_format_bytes(peak, (double)r->more[i].peak_bytes);
    else
        strcpy(peak, "-");
    /* a plus-minus sign has more bytes than columns */
    const int time_pad = 11 + (strstr(time_share, "±") != NULL),
              stall_pad = 11 + (strstr(stall_share, "±") != NULL);
    fprintf(r->out, "%*s  %-5s %8s %8s  %-9s %*s %6s %*s %8s  %.60s\n", width - used, "", came, began, lived,
            rep_how_it_ended(p, ended), time_pad, time_share, tree_share, stall_pad, stall_share, peak,
            p->cmdline);
}

static void rep_put_level(struct rep_processes *r, uint32_t first, unsigned depth, int width)
{
    uint64_t shown = 0, hidden = 0;
    for (uint32_t i = first; i != UINT32_MAX; i = r->more[i].next_sibling) {
        if (shown++ >= r->v->options.limit) {
            hidden++;
            continue;
        }
        const uint32_t next = r->more[i].next_sibling;
        const bool last = next == UINT32_MAX;
        rep_put_row(r, i, rep_put_name(r, i, depth, last), width);
        if (depth + 1 >= REP_DEPTH_MAX) continue;
        if (depth > 0) r->bars[depth] = !last;
        rep_put_level(r, r->more[i].first_child, depth + 1, width);
    }
    if (hidden) fprintf(r->out, "%*s(%llu more)\n", 3 * (int)depth, "", (unsigned long long)hidden);
}

static void rep_put_text(struct rep_processes *r)
{
    const int widest = rep_widest(r, r->first, 0), width = widest < 24 ? 24 : widest;
    rep_print_program(r->v, r->out);
    rep_print_trust(r->v, r->out);
    fprintf(r->out, "\n%s%-*s  %-5s %8s %8s  %-9s %11s %6s %11s %8s  %s%s\n",
            cli_colour_begin(STDOUT_FILENO, CLI_BOLD), width, "process", "came", "began", "lived", "ended",
            "time %", "tree %", "stall %", "resident", "command", cli_colour_end(STDOUT_FILENO));
    rep_put_level(r, r->first, 0, width);
}

/* --- JSON --- */

static void rep_put_optional(struct ls_json *j, const char *key, uint32_t number)
{
    if (number != UINT32_MAX) ls_json_u64(j, key, number);
}

static void rep_put_process(struct rep_processes *r, uint32_t i)
{
    const struct prof_process *p = &r->rows[i];
    struct ls_json *j = &r->json;
    const struct an_interval time = rep_own_share(r, i, AN_TIME), stall = rep_own_share(r, i, AN_STALL);
    const double all_ns = r->v->costs.weight_ns;
    ls_json_open(j, NULL, '{');
    ls_json_u64(j, "process", i);
    rep_put_optional(j, "parent", p->parent);
    ls_json_u64(j, "pid", p->pid);
    ls_json_u64(j, "parent_pid", p->parent_pid);
    ls_json_u64(j, "image", p->image);
    ls_json_text(j, "origin", rep_enum_name(prof_origin_names, p->origin, PROF_ORIGIN_COUNT));
    ls_json_text(j, "ended", rep_enum_name(prof_ended_names, p->ended, PROF_ENDED_COUNT));
    rep_put_optional(j, "exit_code", p->exit_code);
    rep_put_optional(j, "exit_signal", p->exit_signal);
    if (p->rank >= 0) ls_json_u64(j, "rank", (uint64_t)p->rank);
    ls_json_text(j, "exe", p->exe);
    ls_json_text(j, "command", p->cmdline);
    ls_json_u64(j, "begin_ns", p->begin_ns);
    ls_json_u64(j, "end_ns", p->end_ns);
    ls_json_u64(j, "peak_resident_bytes", r->more[i].peak_bytes);
    ls_json_double(j, "time_share", time.share);
    ls_json_double(j, "tree_time_share", all_ns > 0 ? r->more[i].tree_ns / all_ns : 0);
    ls_json_double(j, "stall_share", stall.share);
    ls_json_close(j, '}');
}

static void rep_put_json(struct rep_processes *r)
{
    r->json = (struct ls_json){.out = r->out, .indent = LS_JSON_INDENT};
    ls_json_open(&r->json, NULL, '{');
    ls_json_u64(&r->json, "schema", REP_JSON_SCHEMA);
    ls_json_open(&r->json, "processes", '[');
    for (uint32_t i = 0; i < r->len; i++)
        rep_put_process(r, i);
    ls_json_close(&r->json, ']');
    ls_json_close(&r->json, '}');
    fputc('\n', r->out);
}

static ls_err rep_print_processes(struct rep_view *v, bool json, FILE *out)
{
    struct rep_processes r = {.v = v, .out = out};
    const ls_err e = rep_gather(&r);
    if (e == LS_OK && json) rep_put_json(&r);
    if (e == LS_OK && !json) rep_put_text(&r);
    free(r.more);
    return e;
}

ls_err rep_processes(const struct rep_options *o, bool json, FILE *out)
{
    struct rep_options options = *o;
    struct rep_view view;
    options.by = "process";
    ls_err e = rep_view_init(&view, &options);
    if (e == LS_OK) e = rep_print_processes(&view, json, out);
    rep_view_fini(&view);
    return e;
}
