/* SPDX-License-Identifier: BSD-3-Clause */
/* report --first-touch: the thread and NUMA node that touched each page first. */
#include "config.h"

#include "analyse/an_kernel.h"
#include "common/ls_json.h"
#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"
#include "tools/report/rep_print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rep_first_touch {
    struct rep_view v;
    struct an_faults faults;
    struct rep_row *rows;
    size_t rows_len;
};

typedef const char *rep_touch_cell(const struct an_faults_row *r, const struct an_faults_row *all,
                                   char out[CLI_CELL_BYTES]);

static const char *cell_share(const struct an_faults_row *r, const struct an_faults_row *all,
                              char out[CLI_CELL_BYTES])
{
    return cli_format_percent(out, all->bytes ? (double)r->bytes / (double)all->bytes : 0);
}

static const char *cell_bytes(const struct an_faults_row *r, const struct an_faults_row *all,
                              char out[CLI_CELL_BYTES])
{
    (void)all;
    return cli_format_bytes(out, (double)r->bytes);
}

static const char *cell_pages(const struct an_faults_row *r, const struct an_faults_row *all,
                              char out[CLI_CELL_BYTES])
{
    (void)all;
    return cli_format_grouped(out, r->pages);
}

static const char *cell_faults(const struct an_faults_row *r, const struct an_faults_row *all,
                               char out[CLI_CELL_BYTES])
{
    (void)all;
    return cli_format_grouped(out, r->faults);
}

static const char *cell_major(const struct an_faults_row *r, const struct an_faults_row *all,
                              char out[CLI_CELL_BYTES])
{
    (void)all;
    return cli_format_grouped(out, r->major);
}

static const struct {
    const char *head, *unit;
    rep_touch_cell *cell;
} rep_touch_columns[] = {{"touched", "first", cell_bytes},
                         {"part", "%", cell_share},
                         {"pages", "", cell_pages},
                         {"faults", "", cell_faults},
                         {"major", "", cell_major}};
enum {
    REP_TOUCH_COLUMNS = sizeof(rep_touch_columns) / sizeof(rep_touch_columns[0]),
    REP_TOUCH_LABEL_MIN = 24
};

struct rep_touch_layout {
    int label, widths[REP_TOUCH_COLUMNS];
};

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

/* Sum the rows over all samples that were kept. */
static struct an_faults_row rep_touch_all(const struct rep_first_touch *t)
{
    struct an_faults_row all = {0};
    for (uint32_t g = 0; g < t->faults.rows_len; g++) {
        if (t->v.groups.parents[g] < g) continue;
        all.faults += t->faults.rows[g].faults;
        all.major += t->faults.rows[g].major;
        all.pages += t->faults.rows[g].pages;
        all.bytes += t->faults.rows[g].bytes;
    }
    return all;
}

static void rep_touch_measure(const struct rep_first_touch *t, const struct an_faults_row *all,
                              struct rep_touch_layout *l)
{
    bool open[REP_OPEN_MAX] = {false};
    char label[REP_LABEL_BYTES], cell[CLI_CELL_BYTES];
    l->label = REP_TOUCH_LABEL_MIN;
    for (int c = 0; c < REP_TOUCH_COLUMNS; c++)
        l->widths[c] =
            max_int(cli_text_width(rep_touch_columns[c].head), cli_text_width(rep_touch_columns[c].unit));
    for (size_t i = 0; i < t->rows_len; i++) {
        rep_label_text(&t->v, &t->rows[i], open, label);
        l->label = max_int(l->label, cli_text_width(label));
        for (int c = 0; !t->rows[i].hidden && c < REP_TOUCH_COLUMNS; c++)
            l->widths[c] = max_int(l->widths[c], cli_text_width(rep_touch_columns[c].cell(
                                                     &t->faults.rows[t->rows[i].group], all, cell)));
    }
    int width = cli_term_width();
    for (int c = 0; c < REP_TOUCH_COLUMNS; c++)
        width -= l->widths[c] + 2;
    if (l->label > width) l->label = max_int(width, REP_TOUCH_LABEL_MIN);
}

static void rep_touch_heads(const struct rep_first_touch *t, const struct rep_touch_layout *l, FILE *out)
{
    char titles[AN_LABEL_BYTES];
    fputs(cli_colour_begin(STDOUT_FILENO, CLI_BOLD), out);
    cli_print_cut(rep_titles(&t->v, titles), l->label, out);
    for (int c = 0; c < REP_TOUCH_COLUMNS; c++)
        fprintf(out, "  %*s", l->widths[c], rep_touch_columns[c].head);
    fprintf(out, "\n%*s", l->label, "");
    for (int c = 0; c < REP_TOUCH_COLUMNS; c++)
        fprintf(out, "  %*s", l->widths[c], rep_touch_columns[c].unit);
    fprintf(out, "%s\n", cli_colour_end(STDOUT_FILENO));
}

static void rep_touch_table(const struct rep_first_touch *t, FILE *out)
{
    const struct an_faults_row all = rep_touch_all(t);
    bool open[REP_OPEN_MAX] = {false};
    char label[REP_LABEL_BYTES], cell[CLI_CELL_BYTES];
    struct rep_touch_layout l;
    rep_touch_measure(t, &all, &l);
    rep_touch_heads(t, &l, out);
    for (size_t i = 0; i < t->rows_len; i++) {
        rep_label_text(&t->v, &t->rows[i], open, label);
        if (t->rows[i].hidden) {
            fprintf(out, "%s\n", label);
            continue;
        }
        cli_print_cut(label, l.label, out);
        for (int c = 0; c < REP_TOUCH_COLUMNS; c++) {
            const char *text = rep_touch_columns[c].cell(&t->faults.rows[t->rows[i].group], &all, cell);
            fprintf(out, "  %*s%s", l.widths[c] - cli_text_width(text), "", text);
        }
        fputc('\n', out);
    }
}

static const char *rep_touch_trust(const struct rep_first_touch *t)
{
    return t->faults.is_sampled
               ? "Estimates: to hold the overhead budget only some faults were sampled, each "
                 "represents several; record --overhead 100% takes all."
               : "Every page fault was taken.";
}

static ls_err rep_touch_text(const struct rep_first_touch *t, FILE *out)
{
    rep_print_program(&t->v, out);
    if (t->v.in.samples.len == 0) {
        fputs("No page fault was recorded.\n", out);
        return LS_OK;
    }
    LS_TRY(rep_print_conclusion(&t->v, out));
    fputc('\n', out);
    rep_touch_table(t, out);
    fputc('\n', out);
    cli_print_folded(
        "Who touched which memory first, by page faults: a page belongs to the thread whose fault on it was "
        "the first of its process, and is on the NUMA node where that thread ran.",
        0, cli_term_width(), out);
    cli_print_folded(rep_touch_trust(t), 0, cli_term_width(), out);
    if (t->v.run->lost_records && t->v.run->lost_records != UINT64_MAX)
        fprintf(out, "%llu faults were lost.\n", (unsigned long long)t->v.run->lost_records);
    rep_print_trust(&t->v, out);
    return LS_OK;
}

static void rep_touch_json_row(const struct rep_first_touch *t, const struct rep_row *row, struct ls_json *j)
{
    const struct an_faults_row *r = &t->faults.rows[row->group];
    const struct an_combination *groups = &t->v.groups;
    char path[AN_LABEL_BYTES];
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "label", rep_label(&t->v, row->group));
    for (uint32_t d = 0; d <= groups->groups[row->group].depth && d < t->v.by.len; d++)
        ls_json_text(j, t->v.by.dimensions[d]->name,
                     an_combination_path(groups, &t->v.tables, row->group, d, path));
    ls_json_u64(j, "faults", r->faults);
    ls_json_u64(j, "major", r->major);
    ls_json_u64(j, "pages", r->pages);
    ls_json_u64(j, "bytes", r->bytes);
    ls_json_close(j, '}');
}

static ls_err rep_touch_json(const struct rep_first_touch *t, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", REP_JSON_SCHEMA);
    ls_json_text(&j, "file", t->v.options.path);
    ls_json_text(&j, "numbers_are", t->faults.is_sampled ? "estimated" : "counted");
    ls_json_u64(&j, "lost", t->v.run->lost_records == UINT64_MAX ? 0 : t->v.run->lost_records);
    ls_json_open(&j, "rows", '[');
    for (size_t i = 0; i < t->rows_len; i++)
        if (!t->rows[i].hidden) rep_touch_json_row(t, &t->rows[i], &j);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    return LS_OK;
}

static ls_err rep_touch_fill(struct rep_first_touch *t, const struct rep_options *o)
{
    LS_TRY(rep_view_init(&t->v, o));
    if (strcmp(t->v.run->engine, "faults") != 0)
        return ls_fail(LS_ERR_USAGE, "%s has no page faults: record with --engine faults", o->path);
    LS_TRY(an_faults_init(&t->faults, &t->v.tables, &t->v.in.samples, t->v.groups.group_of_sample,
                          t->v.groups.parents, t->v.groups.groups_len));
    return rep_rows(&t->v, &t->rows, &t->rows_len);
}

ls_err rep_first_touch(const struct rep_options *o, bool json, FILE *out)
{
    struct rep_options asked = *o;
    struct rep_first_touch t;
    memset(&t, 0, sizeof(t));
    asked.columns =
        PROF_MASK(addr) | PROF_MASK(thread) | PROF_MASK(events) | PROF_MASK(fault) | PROF_MASK(page_bytes);
    if (!asked.sort_given) asked.sort = REP_SORT_SAMPLES;
    ls_err err = rep_touch_fill(&t, &asked);
    if (err == LS_OK) err = (json ? rep_touch_json : rep_touch_text)(&t, out);
    free(t.rows);
    an_faults_fini(&t.faults);
    rep_view_fini(&t.v);
    return err;
}
