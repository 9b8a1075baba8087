/* SPDX-License-Identifier: BSD-3-Clause */
/* Differences and groups of patterns as tables. */
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_term.h"
#include "tools/patterns/ptn_compare.h"
#include "common/ls_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- in words ---- */

enum { PTN_CELL_BYTES = 64 };

static void ptn_print_input(const char *letter, const struct ptn_input *in, FILE *out)
{
    fprintf(out, "%s%s%s  %s: %zu pattern%s\n", cli_colour_begin(STDOUT_FILENO, CLI_BOLD), letter,
            cli_colour_end(STDOUT_FILENO), cli_shown(in->path), in->items.len, in->items.len == 1 ? "" : "s");
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
    fputs("\nFrom 0 (no feature differs) to 1. halves: the distance between two halves of one of them.\n",
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
        fprintf(out, "       %.3f  %s: %s", g->clusters.distance[i], cli_shown(g->inputs[item->input].path),
                item->name);
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
    fputs("group  patterns  threads  files  cost %  diameter  representative\n", out);
    for (size_t i = 0; i < g->clusters.groups_len; i++) {
        ptn_print_group(g, i, out);
        if (g->with_members) ptn_print_members(g, i, out);
    }
    ptn_number(g->clusters.silhouette, silhouette);
    fprintf(out, "\nmean silhouette %s (1: the groups are far apart, 0: they touch)\n", silhouette);
}

/* ---- as JSON ---- */

/* Differences and groups of patterns as JSON. */

static const char *const ptn_matched_words[] = {
    [PAT_MATCHED_KEY] = "name", [PAT_MATCHED_DISTANCE] = "distance", [PAT_MATCHED_NONE] = "none"};

static void ptn_json_item(struct ls_json *j, const char *key, const struct pat_item *item)
{
    uint64_t accesses = 0;
    ls_json_open(j, key, '{');
    ls_json_text(j, "name", item->name);
    if (*item->thread) ls_json_text(j, "thread", item->thread);
    ls_json_u64(j, "threads", item->threads);
    for (size_t i = 0; i < item->walks_len; i++)
        accesses += item->walks[i].len;
    ls_json_u64(j, "accesses", accesses);
    ls_json_double(j, "cost_share", item->share);
    ls_json_close(j, '}');
}

static void ptn_json_comparison(struct ls_json *j, const struct pat_comparison *c)
{
    ls_json_double(j, "distance", c->distance.total);
    ls_json_double(j, "low", c->low);
    ls_json_double(j, "high", c->high);
    ls_json_double(j, "halves_a", c->halves[0]);
    ls_json_double(j, "halves_b", c->halves[1]);
    ls_json_double(j, "p_value", c->p_value);
    ls_json_u64(j, "block_accesses", c->block_len);
    ls_json_u64(j, "blocks_a", c->blocks[0]);
    ls_json_u64(j, "blocks_b", c->blocks[1]);
    ls_json_open(j, "terms", '{');
    for (size_t t = 0; t < PAT_TERM_COUNT; t++)
        ls_json_double(j, pat_terms[t].name, c->distance.terms[t]);
    ls_json_close(j, '}');
}

static void ptn_json_pair(struct ls_json *j, const struct ptn_pair *r)
{
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "verdict", ptn_verdict_text(r->verdict));
    ls_json_text(j, "matched_by", ptn_matched_words[r->match.by]);
    if (r->a) ptn_json_item(j, "a", r->a);
    if (r->b) ptn_json_item(j, "b", r->b);
    if (r->a && r->b) ptn_json_comparison(j, &r->comparison.total);
    ls_json_close(j, '}');
}

static void ptn_json_weights(struct ls_json *j)
{
    ls_json_open(j, "weights", '{');
    for (size_t t = 0; t < PAT_TERM_COUNT; t++)
        ls_json_double(j, pat_terms[t].name, pat_terms[t].weight);
    ls_json_close(j, '}');
}

void ptn_json_diff(const struct ptn_diff *d, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", PTN_JSON_SCHEMA);
    ls_json_text(&j, "a", d->sides[0].path);
    ls_json_text(&j, "b", d->sides[1].path);
    ls_json_text(&j, "intervals", "95 %, bootstrap over blocks of accesses");
    ptn_json_weights(&j);
    ls_json_open(&j, "rows", '[');
    for (size_t i = 0; i < d->rows_len; i++)
        ptn_json_pair(&j, &d->rows[i]);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    fputc('\n', out);
}

static void ptn_json_group_members(struct ls_json *j, const struct ptn_groups *g, size_t number)
{
    ls_json_open(j, "members", '[');
    for (size_t i = 0; i < g->items.len; i++) {
        const struct pat_item *const item = &g->items.rows[i];
        if (g->clusters.group_of[i] != number) continue;
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "file", g->inputs[item->input].path);
        ptn_json_item(j, "pattern", item);
        ls_json_double(j, "distance", g->clusters.distance[i]);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

static void ptn_json_group(struct ls_json *j, const struct ptn_groups *g, size_t number)
{
    const struct pat_group *const group = &g->clusters.groups[number];
    ls_json_open(j, NULL, '{');
    ptn_json_item(j, "representative", &g->items.rows[group->representative]);
    ls_json_u64(j, "patterns", group->members);
    ls_json_u64(j, "threads", group->threads);
    ls_json_u64(j, "files", group->inputs);
    ls_json_double(j, "cost_share", group->share);
    ls_json_double(j, "diameter", group->diameter);
    ls_json_double(j, "mean_distance", group->mean);
    ptn_json_group_members(j, g, number);
    ls_json_close(j, '}');
}

void ptn_json_groups(const struct ptn_groups *g, FILE *out)
{
    struct ls_json j = {.out = out, .indent = LS_JSON_INDENT};
    ls_json_open(&j, NULL, '{');
    ls_json_u64(&j, "schema", PTN_JSON_SCHEMA);
    ls_json_text(&j, "criterion", "complete linkage: members of a group are at most `within` apart");
    ls_json_double(&j, "within", g->within);
    ls_json_double(&j, "silhouette", g->clusters.silhouette);
    ptn_json_weights(&j);
    ls_json_open(&j, "groups", '[');
    for (size_t i = 0; i < g->clusters.groups_len; i++)
        ptn_json_group(&j, g, i);
    ls_json_close(&j, ']');
    ls_json_close(&j, '}');
    fputc('\n', out);
}
