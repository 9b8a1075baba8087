/* SPDX-License-Identifier: BSD-3-Clause */
/* The table: a tree of labels and columns that give way when the terminal is narrow. */
#include "tools/report/rep_print.h"

#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REP_LABEL_MIN = 24, REP_LABEL_MAX = 64 };

typedef const char *rep_cell_fn(const struct rep_view *v, const struct rep_row *row,
                                char out[CLI_CELL_BYTES]);

static const struct an_row *rep_numbers(const struct rep_view *v, const struct rep_row *row)
{
    return an_table_total(v->table, row->group);
}

static const char *rep_cell_time_share(const struct rep_view *v, const struct rep_row *row,
                                       char out[CLI_CELL_BYTES])
{
    (void)v;
    return rep_format_share(&row->time, out);
}

static const char *rep_cell_stall_share(const struct rep_view *v, const struct rep_row *row,
                                        char out[CLI_CELL_BYTES])
{
    (void)v;
    return rep_format_share(&row->stall, out);
}

static const char *rep_cell_stall(const struct rep_view *v, const struct rep_row *row,
                                  char out[CLI_CELL_BYTES])
{
    return cli_format_time(out, isnan(row->stall.share) ? NAN : rep_numbers(v, row)->stall_ns);
}

static const char *rep_cell_samples(const struct rep_view *v, const struct rep_row *row,
                                    char out[CLI_CELL_BYTES])
{
    return cli_format_count(out, (double)rep_numbers(v, row)->samples);
}

static const char *rep_cell_loads(const struct rep_view *v, const struct rep_row *row,
                                  char out[CLI_CELL_BYTES])
{
    return cli_format_count(out, (double)rep_numbers(v, row)->loads);
}

static const char *rep_cell_stores(const struct rep_view *v, const struct rep_row *row,
                                   char out[CLI_CELL_BYTES])
{
    return cli_format_count(out, (double)rep_numbers(v, row)->stores);
}

static const char *rep_cell_median(const struct rep_view *v, const struct rep_row *row,
                                   char out[CLI_CELL_BYTES])
{
    return cli_format_cycles(out, rep_numbers(v, row)->median_cycles);
}

static const char *rep_cell_p95(const struct rep_view *v, const struct rep_row *row, char out[CLI_CELL_BYTES])
{
    return cli_format_cycles(out, rep_numbers(v, row)->p95_cycles);
}

#define REP_LEVEL_CELL(level)                                                                \
    static const char *rep_cell_##level(const struct rep_view *v, const struct rep_row *row, \
                                        char out[CLI_CELL_BYTES])                            \
    {                                                                                        \
        return rep_format_level(rep_numbers(v, row), PROF_LEVEL_##level, out);               \
    }
REP_LEVEL_CELL(L1)
REP_LEVEL_CELL(L2)
REP_LEVEL_CELL(L3)
REP_LEVEL_CELL(DRAM)

/* rank: columns with the highest are left out first. */
static const struct rep_column {
    const char *head, *unit;
    rep_cell_fn *cell;
    int rank;
} rep_columns[] = {
    {"time", "%", rep_cell_time_share, 0},
    {"stall", "%", rep_cell_stall_share, 1},
    {"stall", "time", rep_cell_stall, 5},
    {"samples", "", rep_cell_samples, 6},
    {"loads", "", rep_cell_loads, 8},
    {"stores", "", rep_cell_stores, 7},
    {"median", "cycles", rep_cell_median, 2},
    {"p95", "cycles", rep_cell_p95, 4},
    {"L1", "%", rep_cell_L1, 3},
    {"L2", "%", rep_cell_L2, 3},
    {"L3", "%", rep_cell_L3, 3},
    {"DRAM", "%", rep_cell_DRAM, 3},
};
enum { REP_COLUMNS = sizeof(rep_columns) / sizeof(rep_columns[0]), REP_RANK_MAX = 8 };

struct rep_layout {
    int widths[REP_COLUMNS]; /* 0: not printed */
    int label;
};

static int rep_max(int a, int b)
{
    return a > b ? a : b;
}

static void rep_measure(const struct rep_view *v, const struct rep_row *rows, size_t len,
                        struct rep_layout *l)
{
    bool open[REP_OPEN_MAX] = {false};
    char label[REP_LABEL_BYTES], cell[CLI_CELL_BYTES];
    bool has_figure[REP_COLUMNS] = {false};
    l->label = REP_LABEL_MIN;
    for (int c = 0; c < REP_COLUMNS; c++)
        l->widths[c] = rep_max(cli_text_width(rep_level_head(v, rep_columns[c].head)),
                               cli_text_width(rep_columns[c].unit));
    for (size_t i = 0; i < len; i++) {
        rep_label_text(v, &rows[i], open, label);
        l->label = rep_max(l->label, cli_text_width(label));
        for (int c = 0; !rows[i].hidden && c < REP_COLUMNS; c++) {
            const char *text = rep_columns[c].cell(v, &rows[i], cell);
            l->widths[c] = rep_max(l->widths[c], cli_text_width(text));
            has_figure[c] |= strcmp(text, "-") != 0;
        }
    }
    for (int c = 0; c < REP_COLUMNS; c++) /* such as latencies of page faults */
        if (!has_figure[c] || !*rep_level_head(v, rep_columns[c].head)) l->widths[c] = 0;
    if (l->label > REP_LABEL_MAX) l->label = REP_LABEL_MAX;
}

static int rep_total_width(const struct rep_layout *l)
{
    int n = 0;
    for (int c = 0; c < REP_COLUMNS; c++)
        n += l->widths[c] ? l->widths[c] + 2 : 0;
    return n;
}

static int rep_smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Shorten names first, then leave columns out by rank. */
static void rep_fit(struct rep_layout *l, int width)
{
    const int short_label = rep_smaller(l->label, REP_LABEL_MIN);
    for (int rank = REP_RANK_MAX; rank > 0 && rep_total_width(l) + short_label > width; rank--)
        for (int c = 0; c < REP_COLUMNS; c++)
            if (rep_columns[c].rank == rank) l->widths[c] = 0;
    l->label = rep_smaller(l->label, rep_max(width - rep_total_width(l), 8));
}

/* Name the columns that are in `all` but not in l, and the width that shows them. */
static void rep_print_left_out(const struct rep_layout *all, const struct rep_layout *l, FILE *out)
{
    char text[256] = "";
    size_t len = 0;
    for (int c = 0; c < REP_COLUMNS; c++)
        if (all->widths[c] && !l->widths[c] && len < sizeof(text))
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s",
                                    len ? ", " : "(not shown: ", rep_columns[c].head,
                                    strcmp(rep_columns[c].unit, "time") == 0 ? " time" : "");
    if (!len) return;
    if (len < sizeof(text))
        snprintf(text + len, sizeof(text) - len, "; COLUMNS=%d shows all)",
                 rep_total_width(all) + rep_smaller(all->label, REP_LABEL_MIN));
    cli_print_folded(text, 1, cli_term_width(), out);
}

static void rep_print_heads(const struct rep_view *v, const struct rep_layout *l, FILE *out)
{
    char titles[AN_LABEL_BYTES];
    fputs(cli_colour_begin(STDOUT_FILENO, CLI_BOLD), out);
    cli_print_cut(rep_titles(v, titles), l->label, out);
    for (int c = 0; c < REP_COLUMNS; c++)
        if (l->widths[c]) fprintf(out, "  %*s", l->widths[c], rep_level_head(v, rep_columns[c].head));
    fprintf(out, "\n%*s", l->label, "");
    for (int c = 0; c < REP_COLUMNS; c++)
        if (l->widths[c]) fprintf(out, "  %*s", l->widths[c], rep_columns[c].unit);
    fprintf(out, "%s\n", cli_colour_end(STDOUT_FILENO));
}

void rep_print_table(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out)
{
    struct rep_layout all, l;
    bool open[REP_OPEN_MAX] = {false};
    char label[REP_LABEL_BYTES], cell[CLI_CELL_BYTES];
    rep_measure(v, rows, len, &all);
    l = all;
    rep_fit(&l, cli_term_width());
    rep_print_heads(v, &l, out);
    for (size_t i = 0; i < len; i++) {
        rep_label_text(v, &rows[i], open, label);
        if (rows[i].hidden) {
            fprintf(out, "%s\n", label);
            continue;
        }
        /* cut labels of code at the end: file and line, or the name of a function, are at the beginning */
        const struct an_group *g = &v->groups.groups[rows[i].group];
        (v->by.dimensions[g->depth]->base == AN_BASE_LINE ? cli_print_cut_end : cli_print_cut)(label, l.label,
                                                                                               out);
        for (int c = 0; c < REP_COLUMNS; c++) {
            if (!l.widths[c]) continue;
            const char *text = rep_columns[c].cell(v, &rows[i], cell);
            fprintf(out, "  %*s%s", l.widths[c] - cli_text_width(text), "", text);
        }
        fputc('\n', out);
    }
    rep_print_left_out(&all, &l, out);
}
