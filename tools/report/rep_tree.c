/* SPDX-License-Identifier: BSD-3-Clause */
/* report --tree: the semantic tree with bars. */
#include "tools/report/rep_print.h"

#include "tools/cli/cli_term.h"
#include "tools/report/rep_view.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { REP_TREE_LABEL_MIN = 12, REP_TREE_LABEL_MAX = 48, REP_BAR_MIN = 8, REP_EIGHTHS = 8 };

/* A bar of share (0 to 1) in cells columns: eighths of a column in Unicode, whole ones in ASCII; never
 * nothing for a share above 0. out has REP_BAR_BYTES. */
static const char *rep_bar(double share, int cells, bool utf8, char out[REP_BAR_BYTES])
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    const double clamped = share > 0 ? fmin(share, 1) : 0; /* NaN: empty bar */
    const int parts = utf8 ? REP_EIGHTHS : 1;
    int units = (int)lround(clamped * cells * parts);
    if (units == 0 && clamped > 0) units = 1;
    char *at = out;
    *at = '\0';
    for (; units >= parts; units -= parts)
        at = stpcpy(at, utf8 ? eighths[REP_EIGHTHS] : "#");
    if (utf8) stpcpy(at, eighths[units]);
    return out;
}

/* --- columns --- */

typedef const char *rep_tree_cell(const struct rep_row *row, const struct an_row *r,
                                  char out[CLI_CELL_BYTES]);

static const char *rep_tree_time(const struct rep_row *row, const struct an_row *r, char out[CLI_CELL_BYTES])
{
    (void)r;
    return rep_format_share(&row->time, out);
}

static const char *rep_tree_stall(const struct rep_row *row, const struct an_row *r, char out[CLI_CELL_BYTES])
{
    return cli_format_time(out, isnan(row->stall.share) ? NAN : r->stall_ns);
}

static const char *rep_tree_mean(const struct rep_row *row, const struct an_row *r, char out[CLI_CELL_BYTES])
{
    (void)row;
    return cli_format_cycles(out, r->measured ? r->latency_sum_cycles / (double)r->measured : NAN);
}

#define REP_TREE_LEVEL(level)                                                              \
    static const char *rep_tree_##level(const struct rep_row *row, const struct an_row *r, \
                                        char out[CLI_CELL_BYTES])                          \
    {                                                                                      \
        (void)row;                                                                         \
        return rep_format_level(r, PROF_LEVEL_##level, out);                               \
    }
REP_TREE_LEVEL(L1)
REP_TREE_LEVEL(L2)
REP_TREE_LEVEL(L3)
REP_TREE_LEVEL(DRAM)

/* rank: columns with the highest leave first when the terminal is narrow. */
static const struct {
    const char *head, *unit;
    rep_tree_cell *cell;
    int rank;
} rep_tree_columns[] = {
    {"time", "%", rep_tree_time, 0},      {"stall", "time", rep_tree_stall, 1},
    {"mean", "cycles", rep_tree_mean, 2}, {"L1", "%", rep_tree_L1, 3},
    {"L2", "%", rep_tree_L2, 3},          {"L3", "%", rep_tree_L3, 3},
    {"DRAM", "%", rep_tree_DRAM, 3},
};
enum { REP_TREE_COLUMNS = sizeof(rep_tree_columns) / sizeof(rep_tree_columns[0]), REP_TREE_RANK_MAX = 3 };

struct rep_tree_layout {
    int label, bar;
    int widths[REP_TREE_COLUMNS]; /* 0: not printed */
};

static int rep_tree_width(const struct rep_tree_layout *l)
{
    int n = l->bar + 2;
    for (int c = 0; c < REP_TREE_COLUMNS; c++)
        n += l->widths[c] ? l->widths[c] + 2 : 0;
    return n;
}

static void rep_tree_measure(const struct rep_view *v, const struct rep_row *rows, size_t len,
                             struct rep_tree_layout *l)
{
    bool open[REP_OPEN_MAX] = {false};
    char label[REP_LABEL_BYTES], cell[CLI_CELL_BYTES];
    *l = (struct rep_tree_layout){.label = REP_TREE_LABEL_MIN, .bar = REP_BAR_MIN};
    for (int c = 0; c < REP_TREE_COLUMNS; c++) {
        const int head = cli_text_width(rep_level_head(v, rep_tree_columns[c].head)),
                  unit = cli_text_width(rep_tree_columns[c].unit);
        l->widths[c] = head > unit ? head : unit;
    }
    for (size_t i = 0; i < len; i++) {
        rep_label_text(v, &rows[i], open, label);
        if (cli_text_width(label) > l->label) l->label = cli_text_width(label);
        for (int c = 0; !rows[i].hidden && c < REP_TREE_COLUMNS; c++) {
            const char *text =
                rep_tree_columns[c].cell(&rows[i], an_table_total(v->table, rows[i].group), cell);
            if (cli_text_width(text) > l->widths[c]) l->widths[c] = cli_text_width(text);
        }
    }
    for (int c = 0; c < REP_TREE_COLUMNS; c++)
        if (!*rep_level_head(v, rep_tree_columns[c].head)) l->widths[c] = 0;
    if (l->label > REP_TREE_LABEL_MAX) l->label = REP_TREE_LABEL_MAX;
}

/* Shorten names, then drop columns by rank; the bar gets the rest. */
static void rep_tree_fit(struct rep_tree_layout *l, int width)
{
    for (int rank = REP_TREE_RANK_MAX; rank > 0 && rep_tree_width(l) + REP_TREE_LABEL_MIN > width; rank--)
        for (int c = 0; c < REP_TREE_COLUMNS; c++)
            if (rep_tree_columns[c].rank == rank) l->widths[c] = 0;
    const int spare = width - rep_tree_width(l) - l->label;
    if (spare < 0)
        l->label = l->label + spare > REP_TREE_LABEL_MIN ? l->label + spare : REP_TREE_LABEL_MIN;
    else
        l->bar = l->bar + spare < REP_BAR_MAX ? l->bar + spare : REP_BAR_MAX;
}

static void rep_tree_left_out(const struct rep_tree_layout *all, const struct rep_tree_layout *l, FILE *out)
{
    bool any = false;
    for (int c = 0; c < REP_TREE_COLUMNS; c++) {
        if (l->widths[c] || !all->widths[c]) continue;
        fprintf(out, "%s%s", any ? ", " : "(not shown: ", rep_tree_columns[c].head);
        any = true;
    }
    if (any) fprintf(out, "; COLUMNS=%d shows all)\n", rep_tree_width(all) + REP_TREE_LABEL_MIN);
}

static void rep_tree_heads(const struct rep_view *v, const struct rep_tree_layout *l, FILE *out)
{
    fputs(cli_colour_begin(STDOUT_FILENO, CLI_BOLD), out);
    fprintf(out, "%-*s  %-*s", l->label, "data", l->bar, "time");
    for (int c = 0; c < REP_TREE_COLUMNS; c++)
        if (l->widths[c]) fprintf(out, "  %*s", l->widths[c], rep_level_head(v, rep_tree_columns[c].head));
    fprintf(out, "\n%*s", l->label + 2 + l->bar, "");
    for (int c = 0; c < REP_TREE_COLUMNS; c++)
        if (l->widths[c]) fprintf(out, "  %*s", l->widths[c], rep_tree_columns[c].unit);
    fprintf(out, "%s\n", cli_colour_end(STDOUT_FILENO));
}

static void rep_tree_bar(const struct rep_row *row, const struct rep_tree_layout *l, FILE *out)
{
    char bar[REP_BAR_BYTES];
    rep_bar(row->time.share, l->bar, cli_term_utf8(), bar);
    fprintf(out, "  %s%*s", bar, l->bar - cli_text_width(bar), "");
}

void rep_tree_print(const struct rep_view *v, const struct rep_row *rows, size_t len, FILE *out)
{
    struct rep_tree_layout all, l;
    bool open[REP_OPEN_MAX] = {false};
    char label[REP_LABEL_BYTES], cell[CLI_CELL_BYTES];
    rep_tree_measure(v, rows, len, &all);
    l = all;
    rep_tree_fit(&l, cli_term_width());
    rep_tree_heads(v, &l, out);
    for (size_t i = 0; i < len; i++) {
        rep_label_text(v, &rows[i], open, label);
        if (rows[i].hidden) {
            fprintf(out, "%s\n", label);
            continue;
        }
        cli_print_cut(label, l.label, out);
        rep_tree_bar(&rows[i], &l, out);
        for (int c = 0; c < REP_TREE_COLUMNS; c++) {
            if (!l.widths[c]) continue;
            const char *text =
                rep_tree_columns[c].cell(&rows[i], an_table_total(v->table, rows[i].group), cell);
            fprintf(out, "  %*s%s", l.widths[c] - cli_text_width(text), "", text);
        }
        fputc('\n', out);
    }
    rep_tree_left_out(&all, &l, out);
}
