/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences and groups of patterns as tables. */
#include "tools/cli/cli_term.h"
#include "tools/patterns/ptn_compare.h"
#include "tools/patterns/ptn_groups.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { PTN_CELL_BYTES = 64 };

static void ptn_print_input(const char *letter, const struct ptn_input *in, FILE *out)
{
    fprintf(out, "%s%s%s  %s: %zu pattern%s\n", cli_colour_begin(STDOUT_FILENO, CLI_BOLD), letter,
            cli_colour_end(STDOUT_FILENO), in->path, in->items.len, in->items.len == 1 ? "" : "s");
}

/* --- diff --- */

static void ptn_interval(const struct pat_comparison *c, char out[PTN_CELL_BYTES])
{
    if (isnan(c->low))
        snprintf(out, PTN_CELL_BYTES, "-");
    else
        snprintf(out, PTN_CELL_BYTES, "%.4f to %.4f", c->low, c->high);
}

static void ptn_number(double x, char out[PTN_CELL_BYTES])
{
    if (isnan(x))
        snprintf(out, PTN_CELL_BYTES, "-");
    else
        snprintf(out, PTN_CELL_BYTES, "%.4f", x);
}

static bool ptn_names_differ(const struct ptn_pair *r)
{
    return r->a && r->b && r->match.by != PAT_MATCHED_KEY;
}

static void ptn_print_row(const struct ptn_pair *r, FILE *out)
{
    char distance[PTN_CELL_BYTES] = "-", interval[PTN_CELL_BYTES] = "-", null[PTN_CELL_BYTES] = "-";
    const struct pat_comparison *const c = &r->comparison.total;
    const bool is_pair = r->a && r->b;
    if (is_pair) {
        ptn_number(c->distance.total, distance);
        ptn_interval(c, interval);
        ptn_number(c->null, null);
    }
    fprintf(out, "%8s  %-16s  %6s  %-11s  %s", distance, interval, null,
            is_pair && c->distance.total > 0 ? pat_terms[ptn_main_term(&c->distance)].name : "",
            r->a ? r->a->name : r->b->name);
    if (ptn_names_differ(r)) fprintf(out, " = %s", r->b->name);
    fprintf(out, ": %s\n", ptn_verdict_text(r->verdict));
}

void ptn_print_diff(const struct ptn_diff *d, FILE *out)
{
    ptn_print_input("A", &d->sides[0], out);
    ptn_print_input("B", &d->sides[1], out);
    fputs("\ndistance  95 % interval     halves  mostly of    pattern\n", out);
    for (size_t i = 0; i < d->rows_len; i++)
        ptn_print_row(&d->rows[i], out);
    fputs("\nFrom 0 (no feature tells them apart) to 1. halves: what two halves of one of them differ by.\n",
          out);
}

/* --- groups --- */

static void ptn_print_group(const struct ptn_groups *g, size_t number, FILE *out)
{
    const struct pat_group *const group = &g->clusters.groups[number];
    char share[CLI_CELL_BYTES] = "-";
    if (!isnan(group->share)) cli_format_percent(share, group->share);
    fprintf(out, "%5zu  %8zu  %7" PRIu64 "  %5u  %6s  %8.3f  %s\n", number + 1, group->members,
            group->threads, group->inputs, share, group->diameter, g->items.rows[group->representative].name);
}

static void ptn_print_members(const struct ptn_groups *g, size_t number, FILE *out)
{
    for (size_t i = 0; i < g->items.len; i++) {
        const struct pat_item *const item = &g->items.rows[i];
        if (g->clusters.group_of[i] != number) continue;
        fprintf(out, "       %.3f  %s: %s", g->clusters.distance[i], g->inputs[item->input].path, item->name);
        if (*item->thread)
            fprintf(out, ", %s%s", strncmp(item->thread, "thread", 6) == 0 ? "" : "thread ", item->thread);
        fputc('\n', out);
    }
}

void ptn_print_groups(const struct ptn_groups *g, FILE *out)
{
    char silhouette[PTN_CELL_BYTES];
    fprintf(out, "%zu patterns of %zu file%s in %zu group%s; members of a group are at most %.3f apart\n\n",
            g->items.len, g->inputs_len, g->inputs_len == 1 ? "" : "s", g->clusters.groups_len,
            g->clusters.groups_len == 1 ? "" : "s", g->within);
    fputs("group  patterns  threads  files  cost %  diameter  stands for it\n", out);
    for (size_t i = 0; i < g->clusters.groups_len; i++) {
        ptn_print_group(g, i, out);
        if (g->with_members) ptn_print_members(g, i, out);
    }
    ptn_number(g->clusters.silhouette, silhouette);
    fprintf(out, "\nmean silhouette %s (1: the groups are far apart, 0: they touch)\n", silhouette);
}
