/* SPDX-License-Identifier: BSD-3-Clause */
/* loadstone patterns diff and groups. */
#include "tools/cli/cli_message.h"
#include "tools/cli/cli_output.h"
#include "tools/patterns/ptn_compare.h"
#include "tools/patterns/ptn_actions.h"
#include "patterns/pat_json.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

enum { PTN_NAME_BYTES = 32, PTN_PEEK_BYTES = 256 };

static void ptn_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

/* Name unnamed items "config 3", so that they are distinguished. */
static ls_err ptn_name_items(struct pat_items *items)
{
    for (size_t i = 0; i < items->len; i++) {
        char name[PTN_NAME_BYTES];
        if (*items->rows[i].name) continue;
        snprintf(name, sizeof(name), "config %zu", i);
        free(items->rows[i].name);
        items->rows[i].name = strdup(name);
        if (!items->rows[i].name) return ls_nomem("the names of patterns");
    }
    return LS_OK;
}

/* Set *out if path is a pattern file: its first character is [, after unpacking.
 * Errors: as reading it. */
static ls_err ptn_is_pattern_file(const char *path, bool *out)
{
    char bytes[PTN_PEEK_BYTES];
    pat_input *in;
    size_t len = 0, i = 0;
    LS_TRY(pat_input_open(path, &in));
    const ls_err err = pat_input_read(in, bytes, sizeof(bytes), &len);
    while (i < len && isspace((unsigned char)bytes[i]))
        i++;
    *out = err == LS_OK && i < len && bytes[i] == '[';
    pat_input_free(in);
    return err;
}

static ls_err ptn_read_patterns(const char *path, struct ptn_input *out)
{
    const struct pat_json_options o = {.note = ptn_note};
    LS_TRY(pat_json_read_file(path, &o, &out->suite));
    LS_TRY(pat_items_of_suite(&out->suite, &out->items));
    return ptn_name_items(&out->items);
}

static ls_err ptn_found_walk(const struct pat_found *f, const struct pat_sequences *s, struct pat_walk *out)
{
    const enum pat_side side = f->op == PAT_OP_LOAD ? PAT_SIDE_GATHER : PAT_SIDE_SCATTER;
    if (f->sequence >= s->len || s->rows[f->sequence].indices.len == 0)
        return pat_walk_config(&f->config, side, out);
    const struct pat_sequence *const q = &s->rows[f->sequence];
    *out = pat_walk_list(&q->indices, q->breaks, q->breaks_len);
    return LS_OK;
}

/* Use the recorded accesses of a single instruction, but the configuration of joined instructions. */
static ls_err ptn_found_walks(const struct pat_found *f, const struct pat_sequences *s, struct pat_item *item)
{
    if (f->members_len > 0) return pat_item_set_config(item, &f->config);
    item->kind = f->op == PAT_OP_LOAD ? PAT_KIND_READS : PAT_KIND_WRITES;
    item->walks_len = 1;
    return ptn_found_walk(f, s, &item->walks[0]);
}

static ls_err ptn_add_found(const struct pat_found *f, const struct pat_sequences *s, struct pat_items *items)
{
    char name[PAT_FOUND_KEY_BYTES], key[PAT_FOUND_KEY_BYTES];
    struct pat_item *item;
    pat_found_label(f, name);
    pat_found_key(f, key);
    LS_TRY(pat_items_add(items, name, key, &item));
    item->threads = f->threads;
    item->share = f->cost_share;
    free(item->thread);
    item->thread = strdup(f->thread ? f->thread : "");
    if (!item->thread) return ls_nomem("the names of patterns");
    return ptn_found_walks(f, s, item);
}

/* Append an item for each row of f, with its recorded sequence and breaks, or with its configuration if no
 * index was kept. The key is operation, data and function, without addresses or lines. f and s must outlive
 * the items. */
static ls_err ptn_add_findings(const struct pat_findings *f, const struct pat_sequences *s,
                               struct pat_items *items)
{
    for (size_t i = 0; i < f->len; i++)
        LS_TRY(ptn_add_found(&f->rows[i], s, items));
    return LS_OK;
}

static ls_err ptn_extract_patterns(const char *path, const struct ptn_settings *s, struct ptn_input *out)
{
    struct ptn_settings all = *s;
    all.extract.fold_min = 0; /* distances between patterns are computed from every access */
    LS_TRY(ptn_read(path, &all, &out->found));
    return ptn_add_findings(&out->found.findings, &out->found.sequences, &out->items);
}

/* Read the patterns of a pattern file, or extract them from any other input.
 * Owns:   the caller ends *out with ptn_input_fini, also after a failure; path is borrowed.
 * Errors: as pat_json_read_file and ptn_read; LS_ERR_FORMAT for a file without patterns. */
static ls_err ptn_input_read(const char *path, const struct ptn_settings *s, struct ptn_input *out)
{
    bool is_pattern_file;
    *out = (struct ptn_input){.path = path};
    LS_TRY(ptn_is_pattern_file(path, &is_pattern_file));
    LS_TRY(is_pattern_file ? ptn_read_patterns(path, out) : ptn_extract_patterns(path, s, out));
    if (out->items.len > 0) return LS_OK;
    return ls_fail(LS_ERR_FORMAT,
                   "%s: no pattern passed the filters; --trivial and --min-accesses 1 keep more", path);
}

static void ptn_input_fini(struct ptn_input *in)
{
    pat_items_fini(&in->items);
    pat_suite_fini(&in->suite);
    ptn_found_fini(&in->found);
}

/* ---- diff ---- */

enum { PTN_RESAMPLING_SEED = 1 };

#define PTN_VERDICT_TEXT(id, text) [id] = text,
static const char *const ptn_verdicts[PTN_VERDICTS] = {PTN_VERDICT_LIST(PTN_VERDICT_TEXT)};
#undef PTN_VERDICT_TEXT

const char *ptn_verdict_text(enum ptn_verdict v)
{
    return ptn_verdicts[v];
}

enum pat_term ptn_main_term(const struct pat_distance_terms *d)
{
    size_t most = 0;
    for (size_t t = 1; t < PAT_TERM_COUNT; t++)
        if (pat_terms[t].weight * d->terms[t] > pat_terms[most].weight * d->terms[most]) most = t;
    return (enum pat_term)most;
}

static enum ptn_verdict ptn_verdict_of(const struct pat_item_comparison *c)
{
    const struct pat_comparison *const t = &c->total;
    if (c->same) return PTN_SAME;
    if (t->distance.total == 0) return PTN_ALIKE;
    if (isnan(t->p_value)) return PTN_TOO_SHORT;
    return t->p_value < PTN_SIGNIFICANCE ? PTN_DIFFERS : PTN_ALIKE;
}

static ls_err ptn_row_make(const struct ptn_diff *d, const struct pat_match *m, struct ptn_pair *row)
{
    *row = (struct ptn_pair){.match = *m};
    if (m->a != PAT_UNASSIGNED) row->a = &d->sides[0].items.rows[m->a];
    if (m->b != PAT_UNASSIGNED) row->b = &d->sides[1].items.rows[m->b];
    if (row->a && row->b) {
        LS_TRY(pat_item_compare(row->a, row->b, PTN_RESAMPLING_SEED, &row->comparison));
        row->verdict = ptn_verdict_of(&row->comparison);
    } else {
        row->verdict = row->a ? PTN_ONLY_A : PTN_ONLY_B;
    }
    return LS_OK;
}

static double ptn_row_distance(const struct ptn_pair *r)
{
    return r->a && r->b ? r->comparison.total.distance.total : -1;
}

static int ptn_row_compare(const void *a, const void *b)
{
    const struct ptn_pair *x = a, *y = b;
    const double dx = ptn_row_distance(x), dy = ptn_row_distance(y);
    if (dx != dy) return dx > dy ? -1 : 1;
    if (x->match.a != y->match.a) return x->match.a < y->match.a ? -1 : 1;
    return x->match.b < y->match.b ? -1 : x->match.b > y->match.b;
}

/* Do not join instructions, because pairs are found by their names; but join them as pattern files do if one
 * input is a pattern file. */
static ls_err ptn_settings_for(char *const paths[2], const struct ptn_options *o, struct ptn_settings *out)
{
    bool has_patterns = false;
    for (size_t i = 0; i < 2 && !has_patterns; i++)
        LS_TRY(ptn_is_pattern_file(paths[i], &has_patterns));
    *out = o->settings;
    if (!has_patterns) out->compact.no_join = true;
    return LS_OK;
}

/* Owns:   the caller ends *out with ptn_diff_fini, also after a failure.
 * Errors: as ptn_input_read, LS_ERR_NOMEM. */
static ls_err ptn_diff_make(char *const paths[2], const struct ptn_options *o, struct ptn_diff *out)
{
    struct pat_match *matches = NULL;
    size_t len = 0;
    struct ptn_settings settings;
    memset(out, 0, sizeof(*out));
    LS_TRY(ptn_settings_for(paths, o, &settings));
    for (size_t i = 0; i < 2; i++)
        LS_TRY(ptn_input_read(paths[i], &settings, &out->sides[i]));
    LS_TRY(pat_items_match(&out->sides[0].items, &out->sides[1].items, &o->match, &matches, &len));
    ls_err err = LS_OK;
    out->rows = calloc(len, sizeof *out->rows);
    if (!out->rows) err = ls_nomem("comparing %zu patterns", len);
    for (; err == LS_OK && out->rows_len < len; out->rows_len++)
        err = ptn_row_make(out, &matches[out->rows_len], &out->rows[out->rows_len]);
    if (err == LS_OK) qsort(out->rows, len, sizeof *out->rows, ptn_row_compare);
    free(matches);
    return err;
}

static void ptn_diff_fini(struct ptn_diff *d)
{
    free(d->rows);
    ptn_input_fini(&d->sides[0]);
    ptn_input_fini(&d->sides[1]);
}

/* ---- groups ---- */

static bool ptn_has_cost(const struct ptn_groups *g, size_t input)
{
    for (size_t i = 0; i < g->items.len; i++)
        if (g->items.rows[i].input == input && !isnan(g->items.rows[i].share)) return true;
    return false;
}

/* Average shares, which are relative to a file's cost, so that each file has the same weight. */
static void ptn_share_among_files(struct ptn_groups *g)
{
    size_t files = 0;
    for (size_t i = 0; i < g->inputs_len; i++)
        files += ptn_has_cost(g, i);
    for (size_t i = 0; files && i < g->clusters.groups_len; i++)
        g->clusters.groups[i].share /= (double)files;
}

/* Owns:   the caller ends *out with ptn_groups_fini, also after a failure.
 * Errors: as ptn_input_read, LS_ERR_NOMEM. */
static ls_err ptn_groups_make(char *const *paths, size_t paths_len, const struct ptn_group_options *o,
                              struct ptn_groups *out)
{
    *out = (struct ptn_groups){.within = o->within, .inputs = calloc(paths_len, sizeof *out->inputs)};
    if (!out->inputs) return ls_nomem("%zu files of patterns", paths_len);
    for (size_t i = 0; i < paths_len; i++) {
        out->inputs_len++;
        LS_TRY(ptn_input_read(paths[i], &o->settings, &out->inputs[i]));
        LS_TRY(pat_items_move(&out->inputs[i].items, &out->items, (uint32_t)i));
    }
    LS_TRY(pat_cluster(&out->items, o->within, &out->clusters));
    ptn_share_among_files(out);
    return LS_OK;
}

static void ptn_groups_fini(struct ptn_groups *g)
{
    pat_clusters_fini(&g->clusters);
    pat_items_fini(&g->items);
    for (size_t i = 0; i < g->inputs_len; i++)
        ptn_input_fini(&g->inputs[i]);
    free(g->inputs);
}

/* ---- the actions diff and groups ---- */

#define PTN_MATCH_WITHIN 0.10
#define PTN_GROUP_WITHIN 0.05
enum { PTN_GROUP_FILES_MAX = 64 };

static double ptn_within(const struct cli_value *v, double otherwise)
{
    return v[PTN_WITHIN].given ? v[PTN_WITHIN].share : otherwise;
}

static int ptn_diff_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    (void)operands_len;
    struct ptn_options o = {
        .match = {.within = ptn_within(v, PTN_MATCH_WITHIN), .ignore_keys = v[PTN_BY_DISTANCE].given}};
    struct ptn_diff d;
    ptn_settings_of(v, &o.settings);
    const ls_err err = ptn_diff_make(operands, &o, &d);
    if (err == LS_OK) {
        (v[PTN_JSON].given ? ptn_json_diff : ptn_print_diff)(&d, stdout);
        fflush(stdout);
        if (cli_output_is_kept(operands[0]) && cli_output_is_kept(operands[1]))
            cli_next("loadstone patterns groups %s %s", cli_quote(operands[0]), cli_quote(operands[1]));
    }
    ptn_diff_fini(&d);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

static int ptn_groups_run(const struct cli_value *v, char **operands, size_t operands_len)
{
    struct ptn_group_options o = {.within = ptn_within(v, PTN_GROUP_WITHIN)};
    struct ptn_groups g;
    ptn_settings_of(v, &o.settings);
    o.settings.compact.no_join = true; /* single instructions, because they are matched by their names */
    o.settings.extract.merge_threads =
        false; /* separate threads, because groups show which threads are alike */
    const ls_err err = ptn_groups_make(operands, operands_len, &o, &g);
    g.with_members = v[PTN_MEMBERS].given;
    if (err == LS_OK) (v[PTN_JSON].given ? ptn_json_groups : ptn_print_groups)(&g, stdout);
    ptn_groups_fini(&g);
    return err == LS_OK ? CLI_OK : cli_fail(err);
}

const struct ptn_action ptn_action_diff = {
    .about = {.name = "diff",
              .operands = "A B",
              .description =
                  "diff prints the distance between the patterns of A and B, from 0 to 1: a weighted sum of "
                  "the differences in distances from access to access, reuse of cache lines, footprint, "
                  "utilisation and spread. A and B are pattern files, profiles or traces. Patterns are "
                  "matched by name, the others by distance. The interval is from a bootstrap over blocks of "
                  "accesses; halves is the distance between random halves of one pattern. Addresses and "
                  "notation of the patterns do not matter.",
              .examples = "loadstone patterns diff before.json after.json\n",
              .options = PTN_BITS_FIND | PTN_BIT(PTN_WITHIN) | PTN_BIT(PTN_BY_DISTANCE) | PTN_BIT(PTN_JSON)},
    .operands_min = 2,
    .operands_max = 2,
    .run = ptn_diff_run,
};

const struct ptn_action ptn_action_groups = {
    .about = {.name = "groups",
              .operands = "FILE...",
              .description = "groups finds similar patterns of threads, ranks and inputs, and names a "
                             "representative of each group.",
              .examples = "loadstone patterns groups --members rank0.json rank1.json rank2.json\n",
              .options = PTN_BITS_FIND | PTN_BIT(PTN_WITHIN) | PTN_BIT(PTN_MEMBERS) | PTN_BIT(PTN_JSON)},
    .operands_min = 1,
    .operands_max = PTN_GROUP_FILES_MAX,
    .run = ptn_groups_run,
};
