/* SPDX-License-Identifier: BSD-3-Clause */
/* report --sharing: cache lines for which threads compete. */
#include "config.h"

#include "analyse/an_sharing.h"
#include "common/ls_text.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"
#include "tools/report/rep_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REP_USES_MAX = 16, REP_WHERE_BYTES = 700 };

struct rep_sharing {
    struct rep_view v;
    struct an_sharing found;
    an_table *table;       /* table of the shared lines */
    uint32_t *order;       /* rows of found, the costliest first */
    uint32_t shown, small; /* their number, and the number left out by --min-share */
};

static const struct {
    const char *name, *advice;
} rep_sharing_kinds[] = {
    [AN_SHARING_FALSE] = {"false sharing",
                          "the threads use different bytes: give each its own line (alignas(64), or "
                          "pad to 64 bytes), or work on a local copy and store it at the end"},
    [AN_SHARING_TRUE] = {"true sharing",
                         "the threads use the same bytes: share less often (a copy for each thread, "
                         "added up at the end), or write only when the value changes"},
    [AN_SHARING_BOTH] =
        {"true and false sharing",
         "some bytes are common to the threads, others only share the line: move the private "
         "data of each thread to separate lines (alignas(64)), then share the rest less often"},
};

/* --- which lines --- */

static int rep_compare_lines(const void *a, const void *b, void *user)
{
    const an_table *t = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const double p = an_table_total(t, x)->time_ns, q = an_table_total(t, y)->time_ns;
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

static ls_err rep_sharing_find(struct rep_sharing *s)
{
    struct rep_view *v = &s->v;
    LS_TRY(an_sharing_init(&s->found, &v->in, &v->tables, v->keep.samples));
    const struct an_grouping by = {.group_of_sample = s->found.row_of_sample,
                                   .groups_len = s->found.lines_len};
    LS_TRY(an_table_new(&v->in, &v->costs, &by, &s->table));
    s->order = malloc((s->found.lines_len + 1u) * sizeof(*s->order));
    if (!s->order) return ls_nomem("%u shared lines", s->found.lines_len);
    uint32_t len = 0;
    for (uint32_t i = 0; i < s->found.lines_len; i++) {
        if (an_table_total(s->table, i)->time_ns >= v->options.min_share * v->costs.weight_ns)
            s->order[len++] = i;
        else
            s->small++;
    }
    qsort_r(s->order, len, sizeof(*s->order), rep_compare_lines, s->table);
    s->shown = len < v->options.limit ? len : (uint32_t)v->options.limit;
    s->small += len - s->shown;
    return LS_OK;
}

/* --- as text --- */

/* "counters+0x40", "counters .. flags", or the address. */
static const char *rep_line_where(const struct rep_sharing *s, const struct an_shared_line *l,
                                  char out[REP_WHERE_BYTES])
{
    const struct an_tables *t = &s->v.tables;
    if (l->node >= t->nodes_len) {
        snprintf(out, REP_WHERE_BYTES, "0x%" PRIx64, l->base);
        return out;
    }
    const struct prof_node *n = &t->nodes[l->node];
    if (l->node_last != l->node && l->node_last < t->nodes_len)
        snprintf(out, REP_WHERE_BYTES, "%s .. %s", n->label, t->nodes[l->node_last].label);
    else if (n->base && l->base + AN_CACHE_LINE_BYTES > n->base && l->base < n->end)
        snprintf(out, REP_WHERE_BYTES, l->base > n->base ? "%s+0x%" PRIx64 : "%s", n->label,
                 l->base - n->base);
    else
        snprintf(out, REP_WHERE_BYTES, "%s, 0x%" PRIx64, n->label, l->base);
    return out;
}

static const char *rep_thread_name(const struct rep_sharing *s, uint32_t thread, char out[AN_LABEL_BYTES])
{
    const struct an_tables *t = &s->v.tables;
    if (thread >= t->threads_len) return "?";
    snprintf(out, AN_LABEL_BYTES, "%u %s", t->threads[thread].tid, t->threads[thread].name);
    return out;
}

static const char *rep_code_of(const struct rep_sharing *s, uint32_t row, char out[AN_LABEL_BYTES])
{
    if (row == UINT32_MAX) return "?";
    const struct prof_line *l = &s->v.tables.lines[row];
    const char *file = ls_base_name(*l->file ? l->file : l->module);
    if (*l->file)
        snprintf(out, AN_LABEL_BYTES, "%s %s:%u", *l->function ? l->function : "?", file, l->line);
    else
        snprintf(out, AN_LABEL_BYTES, "%s (%s)", *l->function ? l->function : "?", file);
    return out;
}

static void rep_print_uses(const struct rep_sharing *s, const struct an_shared_line *l, FILE *out)
{
    char thread[AN_LABEL_BYTES], code[AN_LABEL_BYTES], reads[CLI_CELL_BYTES], writes[CLI_CELL_BYTES];
    fprintf(out, "    byte  size   reads  writes  %-20s  code\n", "thread");
    for (size_t i = 0; i < l->uses_len && i < REP_USES_MAX; i++) {
        const struct an_shared_use *p = &s->found.uses[l->first_use + i];
        fprintf(out, "    %4u  %4u  %6s  %6s  ", p->offset_bytes, p->len_bytes,
                cli_format_count(reads, (double)p->reads), cli_format_count(writes, (double)p->writes));
        cli_print_cut(rep_thread_name(s, p->thread, thread), 20, out);
        fprintf(out, "  %s\n", rep_code_of(s, p->line, code));
    }
    if (l->uses_len > REP_USES_MAX) fprintf(out, "    (%zu more, not shown)\n", l->uses_len - REP_USES_MAX);
}

static void rep_print_shared_line(const struct rep_sharing *s, uint32_t number, FILE *out)
{
    const uint32_t row = s->order[number];
    const struct an_shared_line *l = &s->found.lines[row];
    const struct an_row *r = an_table_total(s->table, row);
    const struct an_interval time = an_bootstrap_share(s->v.bootstrap, s->table, row, AN_TIME);
    char where[REP_WHERE_BYTES], share[CLI_CELL_BYTES], cell[CLI_CELL_BYTES], writes[CLI_CELL_BYTES];
    fprintf(out, "%u  %s%s%s in %s: %u threads, %s %% of the time", number + 1,
            cli_colour_begin(STDOUT_FILENO, CLI_BOLD), rep_sharing_kinds[l->kind].name,
            cli_colour_end(STDOUT_FILENO), rep_line_where(s, l, where), l->threads,
            rep_format_share(&time, share));
    if (isfinite(r->median_cycles))
        fprintf(out, ", median %s cycles", cli_format_cycles(cell, r->median_cycles));
    fprintf(out, "\n   seen: %s reads, ", cli_format_grouped(cell, l->reads));
    fprintf(out, "%s writes in %s bursts\n", cli_format_grouped(writes, l->writes),
            cli_format_grouped(cell, l->bursts));
    rep_print_uses(s, l, out);
    char advice[REP_WHERE_BYTES];
    snprintf(advice, sizeof(advice), "   %s", rep_sharing_kinds[l->kind].advice);
    cli_print_folded(advice, 3, cli_term_width(), out);
    fputc('\n', out);
}

/* Threads that have bursts with accesses. */
static size_t rep_sampled_threads(const struct rep_view *v)
{
    size_t n = 0;
    uint8_t *seen = calloc(v->tables.threads_len + 1, 1);
    for (size_t i = 0; seen && i < v->in.bursts_len; i++) {
        const uint32_t thread = v->in.bursts[i].thread;
        if (v->in.bursts[i].samples_len == 0 || thread >= v->tables.threads_len || seen[thread]) continue;
        seen[thread] = 1;
        n++;
    }
    free(seen);
    return n;
}

static void rep_print_evidence(const struct rep_sharing *s, FILE *out)
{
    char a[CLI_CELL_BYTES], text[REP_WHERE_BYTES];
    const size_t threads = rep_sampled_threads(&s->v);
    if (s->found.lines_len == 0) {
        snprintf(text, sizeof(text), "No cache line was seen shared, in %s bursts of %zu thread%s.%s",
                 cli_format_grouped(a, an_bootstrap_bursts(s->v.bootstrap, AN_TIME)), threads,
                 threads == 1 ? "" : "s",
                 threads < 2 ? " It takes two."
                             : " Lines that are touched rarely are not seen; a longer run sees more.");
        cli_print_folded(text, 0, cli_term_width(), out);
    }
    if (s->small) fprintf(out, "%u more shared lines cost less, not shown.\n", s->small);
    if (!s->found.unclear) return;
    snprintf(text, sizeof(text),
             "%s more line%s several threads touched and one wrote, but never two of them at the same time: "
             "passed from thread to thread, or too few bursts to decide.",
             cli_format_grouped(a, s->found.unclear), s->found.unclear == 1 ? "" : "s");
    cli_print_folded(text, 0, cli_term_width(), out);
}

static void rep_sharing_text(const struct rep_sharing *s, FILE *out)
{
    cli_print_folded(
        "Cache lines that several threads touch while one of them writes, the costliest first. Inferred from "
        "addresses and times: no hardware counter shows which accesses found the line in another core.",
        0, cli_term_width(), out);
    fputc('\n', out);
    for (uint32_t i = 0; i < s->shown; i++)
        rep_print_shared_line(s, i, out);
    rep_print_evidence(s, out);
}

/* --- as JSON --- */

static void rep_json_node_label(const struct rep_sharing *s, const char *key, uint32_t node,
                                struct ls_json *j)
{
    ls_json_text(j, key, node < s->v.tables.nodes_len ? s->v.tables.nodes[node].label : "");
}

static void rep_json_use(const struct rep_sharing *s, const struct an_shared_use *p, struct ls_json *j)
{
    const struct an_tables *t = &s->v.tables;
    char code[AN_LABEL_BYTES];
    ls_json_open(j, NULL, '{');
    ls_json_u64(j, "offset_bytes", p->offset_bytes);
    ls_json_u64(j, "len_bytes", p->len_bytes);
    ls_json_u64(j, "reads", p->reads);
    ls_json_u64(j, "writes", p->writes);
    if (p->thread < t->threads_len) {
        ls_json_u64(j, "tid", t->threads[p->thread].tid);
        ls_json_text(j, "thread", t->threads[p->thread].name);
    }
    ls_json_text(j, "code", rep_code_of(s, p->line, code));
    ls_json_close(j, '}');
}

static void rep_json_shared_line(const struct rep_sharing *s, uint32_t row, struct ls_json *j)
{
    const struct an_shared_line *l = &s->found.lines[row];
    const struct an_interval time = an_bootstrap_share(s->v.bootstrap, s->table, row, AN_TIME),
                             stall = rep_stall_share(&s->v, s->table, row);
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "sharing", rep_sharing_kinds[l->kind].name);
    ls_json_u64(j, "base", l->base);
    ls_json_u64(j, "process", l->process);
    ls_json_u64(j, "node", l->node);
    rep_json_node_label(s, "label", l->node, j);
    rep_json_node_label(s, "label_last", l->node_last, j);
    ls_json_u64(j, "threads", l->threads);
    ls_json_u64(j, "reads", l->reads);
    ls_json_u64(j, "writes", l->writes);
    rep_json_numbers(an_table_total(s->table, row), &time, &stall, j);
    ls_json_text(j, "advice", rep_sharing_kinds[l->kind].advice);
    ls_json_open(j, "uses", '[');
    for (size_t i = 0; i < l->uses_len; i++)
        rep_json_use(s, &s->found.uses[l->first_use + i], j);
    ls_json_close(j, ']');
    ls_json_close(j, '}');
}

static void rep_sharing_json(const struct rep_sharing *s, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", REP_JSON_SCHEMA);
    ls_json_text(&j, "file", s->v.options.path);
    ls_json_text(&j, "sharing_is", "inferred from addresses and times");
    ls_json_u64(&j, "line_bytes", AN_CACHE_LINE_BYTES);
    ls_json_u64(&j, "sampled_threads", rep_sampled_threads(&s->v));
    ls_json_u64(&j, "not_shown", s->small);
    ls_json_u64(&j, "unclear", s->found.unclear);
    ls_json_open(&j, "lines", '[');
    for (uint32_t i = 0; i < s->shown; i++)
        rep_json_shared_line(s, s->order[i], &j);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
}

ls_err rep_sharing(const struct rep_options *o, bool json, FILE *out)
{
    struct rep_options flat = *o;
    struct rep_sharing s;
    memset(&s, 0, sizeof(s));
    flat.by = "thread";
    flat.columns = PROF_MASK(addr) | PROF_MASK(size) | PROF_MASK(ip) | PROF_MASK(thread);
    ls_err err = rep_view_init(&s.v, &flat);
    if (err == LS_OK) err = rep_view_keep_columns(&s.v, s.v.loaded & ~PROF_MASK(position));
    if (err == LS_OK) err = rep_sharing_find(&s);
    if (err == LS_OK) (json ? rep_sharing_json : rep_sharing_text)(&s, out);
    free(s.order);
    an_table_free(s.table);
    an_sharing_fini(&s.found);
    rep_view_fini(&s.v);
    return err;
}
