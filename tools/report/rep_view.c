/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/rep_view.h"
#include "common/ls_quantity.h"
#include "analyse/an_filter.h"
#include "tools/cli/cli_parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- --by and --where ---- */

/* Parse --by and --where; errors of the analysis are extended by the name that was probably meant. */

enum { REP_WHY_BYTES = 256 };

/* Fail with the last error's text and the dimension whose name is nearest to `word`. */
static ls_err rep_fail_dimension(const char *option, const char *word, size_t len)
{
    char why[REP_WHY_BYTES];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    struct cli_nearest nearest = cli_nearest_to(word, len);
    for (const struct an_dimension *d = an_dimensions; d->name; d++)
        cli_nearest_offer(&nearest, d->name);
    const char *best = len > 0 ? cli_nearest_best(&nearest) : NULL;
    if (best) return ls_fail(LS_ERR_USAGE, "%s: %s; did you mean %s?", option, why, best);
    return ls_fail(LS_ERR_USAGE, "%s: %s; loadstone report --help lists them", option, why);
}

/* Errors: LS_ERR_USAGE with the nearest dimension. */
static ls_err rep_by_parse(struct an_by *out, const char *text)
{
    if (an_by_parse(out, text) == LS_OK) return LS_OK;
    for (const char *at = text;; at++) {
        const size_t len = strcspn(at, ",");
        if (!an_dimension_named(at, len)) return rep_fail_dimension("--by", at, len);
        at += len;
        if (!*at) break;
    }
    char why[REP_WHY_BYTES];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(LS_ERR_USAGE, "--by %s: %s", text, why);
}

static ls_err rep_filter_parse(struct an_filter *out, const char *text)
{
    if (an_filter_parse(out, text) == LS_OK) return LS_OK;
    return rep_fail_dimension("--where", text, strcspn(text, "!="));
}

/* Add to *mask the columns that the filters read.
 * Errors: LS_ERR_USAGE. */
static ls_err rep_filter_columns(const struct rep_options *o, uint64_t *mask)
{
    for (size_t i = 0; i < o->where_len; i++) {
        struct an_filter f;
        LS_TRY(rep_filter_parse(&f, o->where[i]));
        *mask |= f.dimension->columns;
    }
    return LS_OK;
}

/* The label nearest to value: its first words, as far as a person would type them. */
static ls_err rep_fail_value(const struct rep_options *o, const struct an_filter *f,
                             const struct an_tables *t, const struct prof_samples *s, const char *value)
{
    struct an_keys k;
    char best[AN_LABEL_BYTES] = "";
    const size_t len = strcspn(value, ",");
    struct cli_nearest nearest = cli_nearest_to(value, len);
    if (an_keys_init(&k, f->dimension, t, s) == LS_OK) {
        for (uint32_t n = 0; n < k.len; n++) {
            char label[AN_LABEL_BYTES], words[AN_LABEL_BYTES];
            const char *text = f->dimension->label(t, k.keys[n], label);
            const size_t before = nearest.best_distance;
            snprintf(words, sizeof(words), "%.*s", (int)strcspn(text, " "), text);
            cli_nearest_offer(&nearest, words);
            nearest.best = ""; /* words ends here */
            if (nearest.best_distance < before) snprintf(best, sizeof(best), "%s", words);
        }
    }
    an_keys_fini(&k);
    const int is_near = *best && cli_nearest_best(&nearest);
    return ls_fail(LS_ERR_USAGE,
                   is_near ? "--where: %s has no %s '%.*s'; did you mean %s?"
                           : "--where: %s has no %s '%.*s'; loadstone report --by %s %s lists them",
                   o->path, f->dimension->name, (int)len, value, is_near ? best : f->dimension->name,
                   o->path);
}

/* Clear the bytes of v->keep that the filters of v leave out.
 * Errors: LS_ERR_USAGE (a value names nothing, with the nearest), LS_ERR_NOMEM. */
static ls_err rep_filter_apply(struct rep_view *v)
{
    const struct rep_options *o = &v->options;
    for (size_t i = 0; i < o->where_len; i++) {
        struct an_filter f;
        const char *value = "";
        LS_TRY(rep_filter_parse(&f, o->where[i]));
        const ls_err err = an_filter_apply(&f, &v->tables, &v->in.samples, &v->keep, &value);
        if (err == LS_ERR_NOT_FOUND && !o->where_may_miss)
            return rep_fail_value(o, &f, &v->tables, &v->in.samples, value);
        if (err != LS_ERR_NOT_FOUND) LS_TRY(err);
        v->accesses_chosen |= !an_dimension_is_origin(f.dimension);
        if (err == LS_OK || f.is_negated) continue;
        memset(v->keep.samples, 0, v->in.samples.len);
        memset(v->keep.bursts, 0, v->tables.bursts_len);
    }
    return LS_OK;
}

/* ---- the view ---- */

static uint32_t rep_parent(const struct rep_view *v, uint32_t node)
{
    const uint32_t p = v->tables.nodes[node].parent;
    return node == 0 || p >= node ? UINT32_MAX : p;
}

bool rep_is_below(const struct rep_view *v, uint32_t node, uint32_t ancestor)
{
    for (uint32_t n = node; n < v->tables.nodes_len; n = rep_parent(v, n))
        if (n == ancestor) return true;
    return false;
}

/* Return whether the first dimension is a tree of nodes. */
static bool rep_begins_with_node(const struct rep_view *v)
{
    return v->by.dimensions[0]->base == AN_BASE_NODE && v->by.dimensions[0]->parent;
}

bool rep_is_by_node(const struct rep_view *v)
{
    return v->by.len == 1 && rep_begins_with_node(v);
}

uint32_t rep_node_of(const struct rep_view *v, uint32_t group)
{
    const struct an_keys *k = &v->groups.keys[0];
    const struct an_group *g = &v->groups.groups[group];
    return rep_begins_with_node(v) && g->depth == 0 && g->number < k->len ? k->keys[g->number] : UINT32_MAX;
}

uint32_t rep_group_of(const struct rep_view *v, uint32_t node)
{
    if (!rep_begins_with_node(v)) return UINT32_MAX;
    for (uint32_t n = node; n < v->tables.nodes_len; n = rep_parent(v, n))
        for (uint32_t i = 0; i < v->groups.keys[0].len;
             i++) /* groups of the first dimension are its numbers */
            if (v->groups.keys[0].keys[i] == n) return i;
    return UINT32_MAX;
}

static ls_err rep_calls(struct rep_view *v)
{
    if (v->tables.frames_len == 0) return LS_OK;
    LS_TRY(an_calls_init(&v->calls, &v->tables, AN_CALLS_DOWN));
    v->tables.calls = &v->calls;
    LS_TRY(an_calls_init(&v->callers, &v->tables, AN_CALLS_UP));
    v->tables.callers = &v->callers;
    return LS_OK;
}

static ls_err rep_open(struct rep_view *v)
{
    LS_TRY(prof_open(v->options.path, &v->profile));
    v->run = prof_run_of(v->profile);
    an_tables_init(&v->tables, v->profile);
    LS_TRY(rep_calls(v));
    if (v->options.slices || v->options.slice_ns)
        an_tables_slice(&v->tables, v->options.slices, v->options.slice_ns);
    an_input_init(&v->in, v->run, v->tables.bursts, v->tables.bursts_len);
    v->in.nodes = v->tables.nodes;
    v->in.nodes_len = v->tables.nodes_len;
    v->loaded = AN_COST_COLUMNS | an_by_columns(&v->by) | v->options.columns;
    /* advice needs source lines and strides */
    if (rep_is_by_node(v)) v->loaded |= an_dimension_named("line", strlen("line"))->columns;
    LS_TRY(rep_filter_columns(&v->options, &v->loaded));
    return prof_load_samples(v->profile, v->loaded, &v->in.samples);
}

/* A path of labels from anywhere in the tree: "B", "Input/B"; or an id, "#12". */
static bool rep_path_matches(const struct rep_view *v, uint32_t node, const char *path)
{
    size_t len = strlen(path);
    for (uint32_t n = node; n < v->tables.nodes_len; n = rep_parent(v, n)) {
        const size_t label = strlen(v->tables.nodes[n].label);
        if (label > len || memcmp(path + len - label, v->tables.nodes[n].label, label) != 0) return false;
        if (label == len) return true;
        if (path[len - label - 1] != '/') return false;
        len -= label + 1;
    }
    return false;
}

static ls_err rep_find_root(struct rep_view *v)
{
    const char *path = v->options.node;
    if (!path) return LS_OK;
    uint64_t id;
    if (path[0] == '#' && ls_parse_u64(path + 1, &id) == LS_OK && id < v->tables.nodes_len) {
        v->root = (uint32_t)id;
        return LS_OK;
    }
    uint32_t matches = 0;
    for (uint32_t n = 0; n < v->tables.nodes_len; n++) {
        if (!rep_path_matches(v, n, path)) continue;
        if (matches++ == 0)
            v->root = n;
        else if (matches == 2)
            return ls_fail(
                LS_ERR_USAGE,
                "--node: '%s' is the name of nodes #%u and #%u; write more of its path, or its #id", path,
                v->root, n);
    }
    return matches ? LS_OK
                   : ls_fail(LS_ERR_USAGE, "--node: %s has no node '%s'; loadstone report %s shows the tree",
                             v->options.path, path, v->options.path);
}

/* Samples and bursts outside --node and --where are left out. */
static ls_err rep_keep(struct rep_view *v)
{
    if (v->root == 0 && v->options.where_len == 0) return LS_OK;
    v->keep.samples = malloc(v->in.samples.len + 1);
    v->keep.bursts = malloc(v->tables.bursts_len + 1);
    uint8_t *is_below = malloc(v->tables.nodes_len + 1);
    if (!v->keep.samples || !v->keep.bursts || !is_below) {
        free(is_below);
        return ls_nomem("filtering %llu samples", (unsigned long long)v->in.samples.len);
    }
    for (uint32_t n = 0; n < v->tables.nodes_len; n++)
        is_below[n] = rep_is_below(v, n, v->root);
    for (uint64_t i = 0; i < v->in.samples.len; i++) {
        const uint32_t node = v->in.samples.node[i];
        v->keep.samples[i] = v->root == 0 || (node < v->tables.nodes_len && is_below[node]);
    }
    free(is_below);
    memset(v->keep.bursts, v->root == 0, v->tables.bursts_len); /* without accesses they are below no node */
    v->accesses_chosen = v->root != 0;
    return rep_filter_apply(v);
}

static ls_err rep_group(struct rep_view *v)
{
    const struct an_grouped of = {.tables = &v->tables,
                                  .samples = &v->in.samples,
                                  .keep = v->keep.samples ? &v->keep : NULL,
                                  .by_origin = an_by_is_origin(&v->by) && !v->accesses_chosen};
    LS_TRY(an_combination_init(&v->groups, &v->by, &of));
    const struct an_grouping by = {.group_of_sample = v->groups.group_of_sample,
                                   .group_of_burst = v->groups.group_of_burst,
                                   .groups_len = v->groups.groups_len,
                                   .parent = v->groups.parents,
                                   .by_origin = of.by_origin};
    return an_table_new(&v->in, &v->costs, &by, &v->table);
}

ls_err rep_view_regroup(struct rep_view *v, const char *by)
{
    struct an_by parsed;
    LS_TRY(rep_by_parse(&parsed, by));
    an_table_free(v->table);
    v->table = NULL;
    an_combination_fini(&v->groups);
    v->by = parsed;
    LS_TRY(prof_load_samples(v->profile, v->loaded | an_by_columns(&v->by), &v->in.samples));
    return rep_group(v);
}

ls_err rep_view_keep_columns(struct rep_view *v, uint64_t mask)
{
    an_combination_drop_members(&v->groups);
    prof_drop_samples(v->profile, ~mask, &v->in.samples);
    return prof_load_samples(v->profile, mask, &v->in.samples);
}

ls_err rep_view_init(struct rep_view *v, const struct rep_options *options)
{
    memset(v, 0, sizeof(*v));
    v->options = *options;
    LS_TRY(rep_by_parse(&v->by, options->by));
    LS_TRY(rep_open(v));
    LS_TRY(rep_find_root(v));
    if (options->last_level_bytes) v->in.calibration.last_level_bytes = (double)options->last_level_bytes;
    LS_TRY(an_costs_init(&v->costs, &v->in));
    LS_TRY(rep_keep(v));
    LS_TRY(rep_group(v));
    return an_bootstrap_new(&v->in, &v->costs, 1, &v->bootstrap);
}

void rep_view_fini(struct rep_view *v)
{
    an_bootstrap_free(v->bootstrap);
    an_table_free(v->table);
    an_combination_fini(&v->groups);
    an_costs_fini(&v->costs);
    an_calls_fini(&v->calls);
    an_calls_fini(&v->callers);
    free(v->keep.samples);
    free(v->keep.bursts);
    if (v->profile) prof_close(v->profile);
}

bool rep_is_seen(const struct an_row *row)
{
    return row->samples > 0 || row->time_ns > 0;
}

bool rep_is_by_samples(const struct rep_view *v, const struct an_row *row)
{
    return v->costs.weight_ns <= 0 ||
           (an_table_is_by_origin(v->table) && row->bursts == 0 && row->samples > 0);
}

double rep_samples(const struct rep_view *v)
{
    double all = 0;
    for (uint32_t g = 0; g < v->groups.groups_len; g++)
        all += (double)an_table_self(v->table, g)->samples;
    return all;
}

struct an_interval rep_stall_share(const struct rep_view *v, const an_table *table, uint32_t group)
{
    const struct an_row *total = an_table_total(table, group);
    if (!an_has_stall(&v->costs) || (total->measured == 0 && total->stall_ns <= 0))
        return (struct an_interval){NAN, NAN, NAN};
    if (v->costs.stall_total_ns <= 0) return (struct an_interval){0, 0, 0}; /* nothing stalls */
    return an_bootstrap_share(v->bootstrap, table, group, AN_STALL);
}

const char *rep_label(const struct rep_view *v, uint32_t group)
{
    static char label[AN_LABEL_BYTES];
    return an_combination_label(&v->groups, &v->tables, group, label);
}

const char *rep_shorten(const char *text, char out[REP_SHORT_BYTES])
{
    FILE *memory = cli_text_width(text) > REP_SHORT_WIDTH ? fmemopen(out, REP_SHORT_BYTES, "w") : NULL;
    if (memory) {
        cli_print_cut(text, REP_SHORT_WIDTH, memory);
        fclose(memory);
    } else {
        snprintf(out, REP_SHORT_BYTES, "%s", text);
    }
    return out;
}

const char *rep_short_label(const struct rep_view *v, uint32_t group, char out[REP_SHORT_BYTES])
{
    char path[2 * AN_LABEL_BYTES], label[AN_LABEL_BYTES];
    const uint32_t parent = group < v->groups.groups_len ? v->groups.groups[group].parent : AN_NO_GROUP;
    snprintf(label, sizeof(label), "%s", rep_label(v, group));
    if (parent == AN_NO_GROUP || (*label != '.' && *label != '[')) return rep_shorten(label, out);
    snprintf(path, sizeof(path), "%s/%s", rep_label(v, parent), label);
    return rep_shorten(path, out);
}
