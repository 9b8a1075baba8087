/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

/* Select and order the rows that a report prints. */
#include "run_h5/prof_tables.h"
#include "tools/report/rep_view.h"
#include "tools/cli/cli_term.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

struct rep_builder {
    const struct rep_view *v;
    uint32_t *first_child, *next_sibling; /* by group, AN_NO_GROUP ends */
    uint8_t *fits;                        /* by group: among the costliest of rows_max; NULL: all */
    struct rep_row *rows;
    size_t len;
    double samples; /* sum over all groups */
};

/* Below this share of the stall, which is printed as 0.0 %, a row counts as one without stall. */
#define REP_STALL_NONE 0.0005
/* Below this share of the time there is too little stall to order rows by. */
#define REP_STALL_LITTLE 0.01

static bool rep_is_sorted_by_stall(const struct rep_view *v)
{
    return v->options.sort == REP_SORT_STALL &&
           (v->options.sort_given || v->costs.stall_total_ns >= REP_STALL_LITTLE * v->costs.weight_ns);
}

static double rep_sort_value(const struct rep_view *v, uint32_t group)
{
    const struct an_row *r = an_table_total(v->table, group);
    switch (v->options.sort) {
    case REP_SORT_STALL:
        if (!rep_is_sorted_by_stall(v)) return r->time_ns;
        return r->stall_ns > REP_STALL_NONE * v->costs.stall_total_ns ? r->stall_ns : 0;
    case REP_SORT_SAMPLES:
        return (double)r->samples;
    case REP_SORT_LATENCY:
        return isnan(r->median_cycles) ? -1 : r->median_cycles;
    default:
        return r->time_ns;
    }
}

static int rep_compare(const void *a, const void *b, void *user)
{
    const struct rep_view *v = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (v->options.sort == REP_SORT_LABEL) {
        char first[AN_LABEL_BYTES];
        snprintf(first, sizeof(first), "%s", rep_label(v, x));
        const int c = strcmp(first, rep_label(v, y));
        return c ? c : (x > y) - (x < y);
    }
    const struct an_group *a_group = &v->groups.groups[x], *b_group = &v->groups.groups[y];
    if (!v->options.sort_given && v->by.dimensions[a_group->depth]->is_ordered)
        return (a_group->number > b_group->number) - (a_group->number < b_group->number);
    double p = rep_sort_value(v, x), q = rep_sort_value(v, y);
    if (p == q && v->options.sort == REP_SORT_STALL) { /* rows without stall by time */
        p = an_table_total(v->table, x)->time_ns;
        q = an_table_total(v->table, y)->time_ns;
    }
    if (p == q) { /* such as page faults, which have no time */
        p = (double)an_table_total(v->table, x)->samples;
        q = (double)an_table_total(v->table, y)->samples;
    }
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

/* The larger of the shares of time and of stall; samples where there is no time. */
static double rep_importance(const struct rep_view *v, uint32_t group)
{
    const struct an_row *r = an_table_total(v->table, group);
    if (v->costs.weight_ns <= 0) return (double)r->samples;
    const double time = r->time_ns / v->costs.weight_ns,
                 stall = v->costs.stall_total_ns > 0 ? r->stall_ns / v->costs.stall_total_ns : 0;
    return fmax(time, stall);
}

/* Parents come before their children, which are never more important and have higher numbers. */
static int rep_compare_importance(const void *a, const void *b, void *user)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const double p = rep_importance(user, x), q = rep_importance(user, y);
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

static bool rep_is_unregistered(const struct rep_view *v, uint32_t group)
{
    const uint32_t node = rep_node_of(v, group);
    return node != UINT32_MAX && v->tables.nodes[node].kind == PROF_NODE_UNREGISTERED;
}

/* Leave out groups that were not seen, or that are below --min-share in time and stall, or in samples. */
static bool rep_is_shown(const struct rep_builder *b, uint32_t group)
{
    const struct rep_view *v = b->v;
    const struct an_row *r = an_table_total(v->table, group);
    if (!rep_is_seen(r)) return false;
    if (v->options.no_unregistered && rep_is_unregistered(v, group)) return false;
    if (rep_is_by_samples(v, r)) return (double)r->samples >= v->options.min_share * b->samples;
    return r->time_ns >= v->options.min_share * v->costs.weight_ns ||
           r->stall_ns > v->options.min_share * v->costs.stall_total_ns;
}

static void rep_add(struct rep_builder *b, uint32_t group, uint32_t depth, bool last)
{
    b->rows[b->len++] =
        (struct rep_row){.group = group,
                         .depth = depth,
                         .last = last,
                         .time = an_bootstrap_share(b->v->bootstrap, b->v->table, group, AN_TIME),
                         .stall = rep_stall_share(b->v, b->v->table, group)};
}

/* Sort ids, print the shown ones that fit into limit, count the others that were seen. */
static ls_err rep_add_siblings(struct rep_builder *b, uint32_t *ids, size_t len, uint32_t depth);

/* Return whether the group holds bursts without accesses. */
static bool rep_is_no_data(const struct rep_view *v, uint32_t group)
{
    const struct an_group *g = &v->groups.groups[group];
    return an_keys_key(&v->groups.keys[g->depth], g->number) == AN_NO_DATA;
}

/* Skip "unregistered" if it is the only child with samples: nothing is registered, and its row would repeat
 * its parent's. */
static uint32_t rep_skip_unregistered(const struct rep_builder *b, uint32_t group)
{
    uint32_t only = AN_NO_GROUP;
    for (uint32_t c = b->first_child[group]; c != AN_NO_GROUP; c = b->next_sibling[c]) {
        if (!rep_is_seen(an_table_total(b->v->table, c)) || rep_is_no_data(b->v, c)) continue;
        if (only != AN_NO_GROUP) return group;
        only = c;
    }
    return only != AN_NO_GROUP && rep_is_unregistered(b->v, only) ? only : group;
}

static ls_err rep_add_children(struct rep_builder *b, uint32_t group, uint32_t depth)
{
    size_t len = 0;
    if (depth > b->v->options.depth) return LS_OK;
    const uint32_t from =
        b->v->options.is_complete || b->v->options.no_unregistered ? group : rep_skip_unregistered(b, group);
    for (uint32_t c = b->first_child[group]; c != AN_NO_GROUP; c = b->next_sibling[c])
        len++;
    for (uint32_t c = b->first_child[from]; c != AN_NO_GROUP; c = b->next_sibling[c])
        len++;
    uint32_t *ids = malloc((len + 1) * sizeof(*ids));
    if (!ids) return ls_nomem("%zu rows", len);
    len = 0;
    for (uint32_t c = b->first_child[from]; c != AN_NO_GROUP; c = b->next_sibling[c])
        ids[len++] = c;
    for (uint32_t c = b->first_child[group]; from != group && c != AN_NO_GROUP; c = b->next_sibling[c])
        if (c != from) ids[len++] = c;
    const ls_err err = rep_add_siblings(b, ids, len, depth);
    free(ids);
    return err;
}

static ls_err rep_add_siblings(struct rep_builder *b, uint32_t *ids, size_t len, uint32_t depth)
{
    size_t shown = 0;
    uint32_t hidden = 0;
    for (size_t i = 0; i < len; i++) {
        if (rep_is_shown(b, ids[i]) && (!b->fits || b->fits[ids[i]]))
            ids[shown++] = ids[i];
        else
            hidden += rep_is_seen(an_table_total(b->v->table, ids[i]));
    }
    qsort_r(ids, shown, sizeof(*ids), rep_compare, (void *)(uintptr_t)b->v);
    if (shown > b->v->options.limit) {
        hidden += (uint32_t)(shown - b->v->options.limit);
        shown = b->v->options.limit;
    }
    for (size_t i = 0; i < shown; i++) {
        rep_add(b, ids[i], depth, i + 1 == shown && !hidden);
        LS_TRY(rep_add_children(b, ids[i], depth + 1));
    }
    if (hidden) b->rows[b->len++] = (struct rep_row){.depth = depth, .last = true, .hidden = hidden};
    return LS_OK;
}

static ls_err rep_link_children(struct rep_builder *b)
{
    const size_t n = b->v->groups.groups_len;
    b->first_child = malloc((n + 1) * sizeof(uint32_t));
    b->next_sibling = malloc((n + 1) * sizeof(uint32_t));
    if (!b->first_child || !b->next_sibling) return ls_nomem("%zu rows", n);
    memset(b->first_child, 0xff, (n + 1) * sizeof(uint32_t));
    for (size_t i = n; i-- > 0;) {
        const uint32_t p = b->v->groups.parents[i];
        b->next_sibling[i] = p == AN_NO_GROUP ? AN_NO_GROUP : b->first_child[p];
        if (p != AN_NO_GROUP) b->first_child[p] = (uint32_t)i;
    }
    return LS_OK;
}

/* Begin the rows with the node the report is about, or with all groups without a parent. */
static size_t rep_tops(const struct rep_view *v, uint32_t *ids)
{
    size_t len = 0;
    const uint32_t root = rep_group_of(v, v->root);
    if (root != UINT32_MAX) ids[len++] = root;
    for (uint32_t g = 0; g < v->groups.groups_len; g++)
        if (v->groups.parents[g] == AN_NO_GROUP && rep_node_of(v, g) == UINT32_MAX) ids[len++] = g;
    return len;
}

/* Mark the `most` most important groups. */
static void rep_choose(struct rep_builder *b, uint32_t *ids, size_t most)
{
    size_t len = 0;
    for (uint32_t g = 0; g < b->v->groups.groups_len; g++)
        if (rep_is_shown(b, g)) ids[len++] = g;
    qsort_r(ids, len, sizeof(*ids), rep_compare_importance, (void *)(uintptr_t)b->v);
    memset(b->fits, 0, b->v->groups.groups_len);
    for (size_t i = 0; i < len && i < most; i++)
        b->fits[ids[i]] = 1;
}

/* Fill the rows; with rows_max, choose fewer groups until they fit with the lines for hidden ones. */
static ls_err rep_fill(struct rep_builder *b, uint32_t *ids)
{
    const size_t max = b->v->options.rows_max;
    for (size_t most = max;;) {
        if (max) rep_choose(b, ids, most);
        b->len = 0;
        LS_TRY(rep_add_siblings(b, ids, rep_tops(b->v, ids), 0));
        if (max == 0 || b->len <= max || most == 1) return LS_OK;
        const size_t fewer =
            (b->len - max + 1) / 2; /* a group takes up to two lines: its own, and one for hidden ones */
        most = most > fewer ? most - fewer : 1;
    }
}

static ls_err rep_build(struct rep_builder *b)
{
    const uint32_t groups = b->v->groups.groups_len;
    /* at most every group, and one line of hidden siblings per group */
    b->rows = calloc(2 * ((size_t)groups + 2), sizeof(*b->rows));
    uint32_t *ids = malloc(((size_t)groups + 1) * sizeof(*ids));
    if (b->v->options.rows_max) b->fits = malloc((size_t)groups + 1);
    ls_err err = b->rows && ids && (b->fits || !b->v->options.rows_max) ? LS_OK : ls_nomem("%u rows", groups);
    b->samples = rep_samples(b->v);
    if (err == LS_OK) err = rep_link_children(b);
    if (err == LS_OK) err = rep_fill(b, ids);
    free(ids);
    return err;
}

ls_err rep_rows(const struct rep_view *v, struct rep_row **out, size_t *out_len)
{
    struct rep_builder b = {.v = v};
    const ls_err err = rep_build(&b);
    free(b.first_child);
    free(b.next_sibling);
    free(b.fits);
    if (err != LS_OK) {
        free(b.rows);
        return err;
    }
    *out = b.rows;
    *out_len = b.len;
    return LS_OK;
}

/* ---- their texts ---- */

const char *rep_format_share(const struct an_interval *i, char out[CLI_CELL_BYTES])
{
    if (isnan(i->share)) return strcpy(out, "-");
    const double share = fmax(i->share, 0); /* with a coarse clock, small shares may be negative */
    const double half = fmax(i->high - i->share, i->share - i->low);
    if (isnan(half))
        snprintf(out, CLI_CELL_BYTES, "~%.0f", share * 100);
    else
        snprintf(out, CLI_CELL_BYTES, cli_term_utf8() ? "%.1f ±%.1f" : "%.1f +-%.1f", share * 100,
                 half * 100);
    return out;
}

const char *rep_level_head(const struct rep_view *v, const char *head)
{
    for (int l = 0; l < PROF_LEVEL_COUNT; l++) {
        const char *heading = prof_level_heading(v->run, (enum prof_level)l);
        if (strcmp(head, prof_level_names[l]) == 0) return heading ? heading : "";
    }
    return head;
}

const char *rep_format_level(const struct an_row *r, enum prof_level level, char out[CLI_CELL_BYTES])
{
    const uint64_t known = r->measured - r->level_unknown;
    if (!known) return strcpy(out, "-");
    snprintf(out, CLI_CELL_BYTES, "%.0f", (double)r->levels[level] / (double)known * 100);
    return out;
}

struct rep_glyphs {
    const char *tee, *corner, *bar, *blank;
};

static const struct rep_glyphs *rep_glyphs(void)
{
    static const struct rep_glyphs utf8 = {"├─ ", "└─ ", "│  ", "   "};
    static const struct rep_glyphs ascii = {"|- ", "`- ", "|  ", "   "};
    return cli_term_utf8() ? &utf8 : &ascii;
}

void rep_label_text(const struct rep_view *v, const struct rep_row *row, bool open[REP_OPEN_MAX],
                    char out[REP_LABEL_BYTES])
{
    const struct rep_glyphs *g = rep_glyphs();
    size_t len = 0;
    out[0] = '\0';
    for (uint32_t d = 1; d < row->depth && d < REP_OPEN_MAX; d++)
        len += (size_t)snprintf(out + len, REP_LABEL_BYTES - len, "%s", open[d] ? g->bar : g->blank);
    if (row->depth && row->depth < REP_OPEN_MAX) {
        len += (size_t)snprintf(out + len, REP_LABEL_BYTES - len, "%s", row->last ? g->corner : g->tee);
        open[row->depth] = !row->last;
    }
    if (row->hidden)
        snprintf(out + len, REP_LABEL_BYTES - len, "(%u more, not shown)", row->hidden);
    else
        snprintf(out + len, REP_LABEL_BYTES - len, "%s", rep_label(v, row->group));
}

const char *rep_titles(const struct rep_view *v, char out[AN_LABEL_BYTES])
{
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < v->by.len && len < AN_LABEL_BYTES; i++)
        len +=
            (size_t)snprintf(out + len, AN_LABEL_BYTES - len, i ? " / %s" : "%s", v->by.dimensions[i]->title);
    return out;
}
