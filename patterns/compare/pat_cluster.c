/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- linkage --- */

/* Chains of nearest neighbours (Murtagh, Comput. J. 26, 1983): O(n^2). Complete linkage is monotone, so the
 * merges up to a distance yield the groups at that distance. */
struct pat_linkage {
    double *between; /* [n][n] of living groups: the largest distance of a pair */
    size_t *parent;  /* union-find over items; only merges within the cut are recorded */
    size_t *chain;
    bool *alive;
    size_t n, chain_len;
};

static size_t pat_root(size_t *parent, size_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static size_t pat_nearest_group(const struct pat_linkage *l, size_t from, size_t preferred)
{
    size_t nearest = preferred;
    for (size_t i = 0; i < l->n; i++) {
        if (!l->alive[i] || i == from) continue;
        if (nearest == SIZE_MAX || l->between[from * l->n + i] < l->between[from * l->n + nearest])
            nearest = i;
    }
    return nearest;
}

static void pat_merge_groups(struct pat_linkage *l, size_t a, size_t b, double within)
{
    if (l->between[a * l->n + b] <= within) l->parent[pat_root(l->parent, b)] = pat_root(l->parent, a);
    l->alive[b] = false;
    for (size_t i = 0; i < l->n; i++) {
        if (!l->alive[i] || i == a) continue;
        const double x = l->between[a * l->n + i], y = l->between[b * l->n + i];
        l->between[a * l->n + i] = l->between[i * l->n + a] = x > y ? x : y;
    }
}

/* Take one step along the chain: merge two groups that are each other's nearest. */
static void pat_link_step(struct pat_linkage *l, double within)
{
    const size_t top = l->chain[l->chain_len - 1];
    const size_t below = l->chain_len > 1 ? l->chain[l->chain_len - 2] : SIZE_MAX;
    const size_t nearest = pat_nearest_group(l, top, below);
    if (nearest != below) {
        l->chain[l->chain_len++] = nearest;
        return;
    }
    l->chain_len -= 2;
    pat_merge_groups(l, top < below ? top : below, top < below ? below : top, within);
}

static void pat_link(struct pat_linkage *l, double within)
{
    for (size_t living = l->n; living > 1;) {
        if (l->chain_len == 0) {
            size_t first = 0;
            while (!l->alive[first])
                first++;
            l->chain[l->chain_len++] = first;
        }
        const size_t before = l->chain_len;
        pat_link_step(l, within);
        living -= l->chain_len < before;
    }
}

static void pat_number_groups(struct pat_linkage *l, size_t *out)
{
    size_t groups = 0;
    for (size_t i = 0; i < l->n; i++)
        out[i] = SIZE_MAX;
    for (size_t i = 0; i < l->n; i++) {
        const size_t root = pat_root(l->parent, i);
        size_t first = 0;
        while (first < i && pat_root(l->parent, first) != root)
            first++;
        out[i] = first < i ? out[first] : groups++;
    }
}

ls_err pat_cluster_distances(const double *distances, size_t len, double within, size_t *out)
{
    struct pat_linkage l = {.between = malloc((len * len + 1) * sizeof *l.between),
                            .parent = calloc(len + 1, sizeof *l.parent),
                            .chain = calloc(len + 1, sizeof *l.chain),
                            .alive = calloc(len + 1, sizeof *l.alive),
                            .n = len};
    ls_err err = LS_OK;
    if (l.between && l.parent && l.chain && l.alive) {
        memcpy(l.between, distances, len * len * sizeof *distances);
        for (size_t i = 0; i < len; i++) {
            l.parent[i] = i;
            l.alive[i] = true;
        }
        pat_link(&l, within);
        pat_number_groups(&l, out);
    } else {
        err = ls_nomem("grouping %zu patterns", len);
    }
    free(l.between);
    free(l.parent);
    free(l.chain);
    free(l.alive);
    return err;
}

/* --- groups --- */

struct pat_grouping {
    const struct pat_items *items;
    const double *distances;
    struct pat_clusters *out;
};

static double pat_between_items(const struct pat_grouping *g, size_t a, size_t b)
{
    return g->distances[a * g->items->len + b];
}

static double pat_sum_to_group(const struct pat_grouping *g, size_t item, size_t group)
{
    double sum = 0;
    for (size_t i = 0; i < g->items->len; i++)
        if (g->out->group_of[i] == group) sum += pat_between_items(g, item, i);
    return sum;
}

/* Return whether the item counts for its group: no earlier member is from its file. */
static bool pat_is_first_of_input(const struct pat_grouping *g, size_t item)
{
    for (size_t i = 0; i < item; i++)
        if (g->out->group_of[i] == g->out->group_of[item] &&
            g->items->rows[i].input == g->items->rows[item].input)
            return false;
    return true;
}

/* Return whether its threads count for its group: no earlier member is of the same thread of the same
 * file. */
static bool pat_is_first_of_thread(const struct pat_grouping *g, size_t item)
{
    const struct pat_item *const own = &g->items->rows[item];
    for (size_t i = 0; i < item; i++) {
        const struct pat_item *const other = &g->items->rows[i];
        if (g->out->group_of[i] == g->out->group_of[item] && other->input == own->input &&
            strcmp(other->thread, own->thread) == 0)
            return false;
    }
    return true;
}

static void pat_group_add(const struct pat_grouping *g, size_t item)
{
    const struct pat_item *const row = &g->items->rows[item];
    struct pat_group *const group = &g->out->groups[g->out->group_of[item]];
    group->members++;
    if (pat_is_first_of_thread(g, item)) group->threads += row->threads;
    group->inputs += pat_is_first_of_input(g, item);
    if (!isnan(row->share)) group->share = (isnan(group->share) ? 0 : group->share) + row->share;
    for (size_t i = 0; i < item; i++)
        if (g->out->group_of[i] == g->out->group_of[item])
            group->diameter = fmax(group->diameter, pat_between_items(g, i, item));
}

static void pat_group_represent(const struct pat_grouping *g, size_t number)
{
    struct pat_group *const group = &g->out->groups[number];
    double least = INFINITY;
    for (size_t i = 0; i < g->items->len; i++) {
        if (g->out->group_of[i] != number) continue;
        const double sum = pat_sum_to_group(g, i, number);
        if (sum >= least) continue;
        least = sum;
        group->representative = i;
    }
    group->mean = least / (double)group->members;
}

static double pat_silhouette_of(const struct pat_grouping *g, size_t item)
{
    const struct pat_clusters *const c = g->out;
    const size_t own = c->group_of[item];
    double nearest = INFINITY;
    if (c->groups[own].members == 1) return 0; /* as defined by Rousseeuw */
    const double inside = pat_sum_to_group(g, item, own) / (double)(c->groups[own].members - 1);
    for (size_t k = 0; k < c->groups_len; k++)
        if (k != own) nearest = fmin(nearest, pat_sum_to_group(g, item, k) / (double)c->groups[k].members);
    const double larger = fmax(inside, nearest);
    return larger > 0 ? (nearest - inside) / larger : 0;
}

static double pat_silhouette(const struct pat_grouping *g)
{
    const size_t len = g->items->len;
    double sum = 0;
    if (g->out->groups_len < 2 || g->out->groups_len == len) return NAN;
    for (size_t i = 0; i < len; i++)
        sum += pat_silhouette_of(g, i);
    return sum / (double)len;
}

static int pat_group_compare(const void *a, const void *b)
{
    const struct pat_group *x = a, *y = b;
    if (x->threads != y->threads) return x->threads > y->threads ? -1 : 1;
    if (x->members != y->members) return x->members > y->members ? -1 : 1;
    return x->representative < y->representative ? -1 : x->representative > y->representative;
}

/* Sort the groups; group_of is renumbered by the representatives. */
static void pat_groups_sort(const struct pat_grouping *g)
{
    struct pat_clusters *const c = g->out;
    for (size_t i = 0; i < g->items->len; i++) {
        const size_t representative = c->groups[c->group_of[i]].representative;
        c->distance[i] = pat_between_items(g, i, representative);
        c->group_of[i] = representative;
    }
    qsort(c->groups, c->groups_len, sizeof *c->groups, pat_group_compare);
    for (size_t i = 0; i < g->items->len; i++) {
        size_t k = 0;
        while (c->groups[k].representative != c->group_of[i])
            k++;
        c->group_of[i] = k;
    }
}

static ls_err pat_groups_make(const struct pat_grouping *g)
{
    struct pat_clusters *const c = g->out;
    for (size_t i = 0; i < g->items->len; i++)
        if (c->group_of[i] >= c->groups_len) c->groups_len = c->group_of[i] + 1;
    c->groups = calloc(c->groups_len + 1, sizeof *c->groups);
    if (!c->groups) return ls_nomem("%zu groups", c->groups_len);
    for (size_t k = 0; k < c->groups_len; k++)
        c->groups[k].share = NAN;
    for (size_t i = 0; i < g->items->len; i++)
        pat_group_add(g, i);
    for (size_t k = 0; k < c->groups_len; k++)
        pat_group_represent(g, k);
    c->silhouette = pat_silhouette(g);
    pat_groups_sort(g);
    return LS_OK;
}

static ls_err pat_all_distances(struct pat_items *items, double *out)
{
    for (size_t i = 0; i < items->len; i++)
        for (size_t k = 0; k < i; k++) {
            LS_TRY(pat_item_distance(&items->rows[i], &items->rows[k], &out[i * items->len + k]));
            out[k * items->len + i] = out[i * items->len + k];
        }
    return LS_OK;
}

ls_err pat_cluster(struct pat_items *items, double within, struct pat_clusters *out)
{
    double *const distances = calloc(items->len * items->len + 1, sizeof *distances);
    const struct pat_grouping g = {items, distances, out};
    ls_err err = LS_OK;
    *out = (struct pat_clusters){.group_of = calloc(items->len + 1, sizeof *out->group_of),
                                 .distance = calloc(items->len + 1, sizeof *out->distance)};
    if (!distances || !out->group_of || !out->distance) err = ls_nomem("grouping %zu patterns", items->len);
    if (err == LS_OK) err = pat_all_distances(items, distances);
    if (err == LS_OK) err = pat_cluster_distances(distances, items->len, within, out->group_of);
    if (err == LS_OK) err = pat_groups_make(&g);
    free(distances);
    if (err != LS_OK) pat_clusters_fini(out);
    return err;
}

void pat_clusters_fini(struct pat_clusters *c)
{
    free(c->group_of);
    free(c->distance);
    free(c->groups);
    *c = (struct pat_clusters){0};
}
