/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/report/rep_field.h"

#include "common/ls_quantity.h"
#include "tools/report/rep_raster.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { REP_LIST_BYTES = 400, REP_THIRDS = 3, REP_PARTS_MAX = 27 };

/* --- which field --- */

static const char *const rep_metric_words[] = {
    [NDM_SAMPLES] = "samples",
    [NDM_TIME] = "time",
    [NDM_STALL] = "stall",
    [NDM_LATENCY_MEAN] = "latency",
    [NDM_LATENCY_MAX] = "latency-max",
    [NDM_LEVEL_L1] = "L1",
    [NDM_LEVEL_L2] = "L2",
    [NDM_LEVEL_L3] = "L3",
    [NDM_LEVEL_MEMORY] = "memory",
    [NDM_TIMED] = "timed",
};
_Static_assert(sizeof(rep_metric_words) / sizeof(rep_metric_words[0]) == NDM_METRICS_LEN, "a word each");

const char *rep_metric_word(enum ndm_metric m)
{
    return rep_metric_words[m];
}

static bool rep_metric_parse(const char *word, enum ndm_metric *out)
{
    for (int m = 0; m < NDM_METRICS_LEN; m++)
        if (strcasecmp(word, rep_metric_words[m]) == 0 ||
            strcmp(word, ndm_metric((enum ndm_metric)m)->name) == 0) {
            *out = (enum ndm_metric)m;
            return true;
        }
    return false;
}

static void rep_list_add(char *list, const char *name)
{
    const size_t len = strlen(list);
    if (len + 4 < REP_LIST_BYTES) snprintf(list + len, REP_LIST_BYTES - len, "%s%s", len ? ", " : "", name);
}

/* A path of labels that ends in this node: "B", "Input/B"; or its id, "#12". */
static bool rep_names_node(const prof_profile *p, uint32_t node, const char *path)
{
    size_t nodes_len, left = strlen(path);
    uint64_t id;
    const struct prof_node *nodes = prof_nodes(p, &nodes_len);
    if (path[0] == '#' && ls_parse_u64(path + 1, &id) == LS_OK) return id == node;
    for (uint32_t n = node; n < nodes_len; n = n ? nodes[n].parent : UINT32_MAX) {
        const size_t label = strlen(nodes[n].label);
        if (label > left || memcmp(path + left - label, nodes[n].label, label) != 0) return false;
        if (label == left) return true;
        if (path[left - label - 1] != '/') return false;
        left -= label + 1;
    }
    return false;
}

static bool rep_names_field(const prof_profile *p, const struct ndm_field *f, const char *name)
{
    return strcmp(f->name, name) == 0 ||
           (f->node == UINT32_MAX ? strcmp(f->label, name) == 0 : rep_names_node(p, f->node, name));
}

static ls_err rep_no_field(const struct ndm_atlas *a, const char *name)
{
    char list[REP_LIST_BYTES] = "";
    for (uint32_t i = 0; i < a->fields_len; i++)
        rep_list_add(list, a->fields[i].name);
    return ls_fail(LS_ERR_USAGE,
                   "--heatmap: nothing that was sampled on a domain is called '%s'; there is: %s", name,
                   list);
}

/* A name that is exactly a field's is that one; others must be of one field only. */
static ls_err rep_field_named(const prof_profile *p, const struct ndm_atlas *a, const char *name,
                              uint32_t *out)
{
    char list[REP_LIST_BYTES] = "";
    uint32_t matches = 0;
    for (uint32_t i = 0; i < a->fields_len; i++) {
        if (!rep_names_field(p, &a->fields[i], name)) continue;
        *out = i;
        if (strcmp(a->fields[i].name, name) == 0) return LS_OK;
        rep_list_add(list, a->fields[i].name);
        matches++;
    }
    if (matches == 0) return rep_no_field(a, name);
    if (matches > 1)
        return ls_fail(LS_ERR_USAGE, "--heatmap: '%s' may be each of: %s; write one of them, or #id", name,
                       list);
    return LS_OK;
}

ls_err rep_field_find(const prof_profile *p, const struct ndm_atlas *a, const char *text,
                      struct rep_field_choice *out)
{
    char name[REP_LIST_BYTES];
    const char *colon = strrchr(text, ':');
    out->metric = NDM_STALL;
    if (a->fields_len == 0)
        return ls_fail(LS_ERR_USAGE,
                       "--heatmap: nothing of this run is mapped onto a domain: the program says "
                       "where its data lie with ndm_map_grid and its like (loadstone/ndm.h)");
    snprintf(name, sizeof(name), "%s", text);
    if (colon && rep_metric_parse(colon + 1, &out->metric))
        name[(size_t)(colon - text) < sizeof(name) ? (size_t)(colon - text) : sizeof(name) - 1] = '\0';
    else if (colon && rep_field_named(p, a, text, &out->field) != LS_OK) {
        char list[REP_LIST_BYTES] = "";
        for (int m = 0; m < NDM_METRICS_LEN; m++)
            rep_list_add(list, rep_metric_words[m]);
        return ls_fail(LS_ERR_USAGE, "--heatmap: '%s' is none of %s", colon + 1, list);
    }
    return rep_field_named(p, a, name, &out->field);
}

/* --- summary of its values --- */

static void rep_hottest_insert(struct rep_hottest *h, const double *values, uint64_t i)
{
    uint32_t at = h->len;
    while (at > 0 && values[i] > values[h->values[at - 1]])
        at--;
    if (at == REP_HOTTEST_MAX) return;
    if (h->len < REP_HOTTEST_MAX) h->len++;
    for (uint32_t k = h->len - 1; k > at; k--)
        h->values[k] = h->values[k - 1];
    h->values[at] = i;
}

static void rep_domain_box(const struct ndm_geometry *g, double low[NDM_AXES_MAX], double high[NDM_AXES_MAX])
{
    for (uint32_t axis = 0; axis < NDM_AXES_MAX; axis++) {
        low[axis] = g->kind == NDM_GRID ? g->origin[axis] : INFINITY;
        high[axis] =
            g->kind == NDM_GRID ? g->origin[axis] + g->spacing[axis] * (double)g->extents[axis] : -INFINITY;
    }
    for (uint64_t i = 0; g->kind == NDM_MESH && i < 3 * g->points_len; i++) {
        low[i % 3] = fmin(low[i % 3], g->points[i]);
        high[i % 3] = fmax(high[i % 3], g->points[i]);
    }
}

static bool rep_is_cut(const struct ndm_geometry *g, uint32_t axis, double low, double high)
{
    if (g->kind == NDM_GRID) return axis < g->dims && g->extents[axis] >= REP_THIRDS;
    return high > low;
}

/* Third of an axis: 0, 1, 2. */
static uint32_t rep_third(double at, double low, double high)
{
    const double third = (at - low) / (high - low) * REP_THIRDS;
    return third < 1 ? 0 : third < 2 ? 1 : 2;
}

static void rep_hottest_part(const struct ndm_geometry *g, const struct ndm_field *f, const double *values,
                             struct rep_hottest *out)
{
    double low[NDM_AXES_MAX], high[NDM_AXES_MAX], at[NDM_AXES_MAX], sums[REP_PARTS_MAX] = {0};
    uint32_t best = 0;
    rep_domain_box(g, low, high);
    for (uint64_t i = 0; i < f->values_len; i++) {
        uint32_t part = 0;
        if (!(values[i] > 0)) continue;
        ndm_geometry_place(g, f->centering, i, at);
        for (uint32_t axis = NDM_AXES_MAX; axis-- > 0;)
            part =
                part * REP_THIRDS +
                (rep_is_cut(g, axis, low[axis], high[axis]) ? rep_third(at[axis], low[axis], high[axis]) : 0);
        sums[part] += values[i];
    }
    for (uint32_t part = 0; part < REP_PARTS_MAX; part++)
        if (sums[part] > sums[best]) best = part;
    out->has_part = out->sum > 0;
    out->part_share = sums[best] / out->sum;
    out->parts = 1;
    for (uint32_t axis = 0, rest = best; axis < NDM_AXES_MAX; axis++, rest /= REP_THIRDS) {
        const bool is_cut = rep_is_cut(g, axis, low[axis], high[axis]);
        const double third = (high[axis] - low[axis]) / REP_THIRDS;
        out->part[axis] = is_cut ? (int)(rest % REP_THIRDS) : -1;
        out->low[axis] = low[axis] + third * (rest % REP_THIRDS);
        out->high[axis] = out->low[axis] + third;
        out->parts *= is_cut ? REP_THIRDS : 1;
    }
}

void rep_field_hottest(const struct ndm_geometry *g, const struct ndm_field *f, enum ndm_metric m,
                       struct rep_hottest *out)
{
    const double *values = f->values[m];
    *out = (struct rep_hottest){.max = NAN};
    for (uint64_t i = 0; i < f->values_len; i++) {
        if (isnan(values[i]) || !(f->values[NDM_SAMPLES][i] > 0)) continue;
        out->sum += values[i];
        if (!(values[i] <= out->max)) out->max = values[i];
        rep_hottest_insert(out, values, i);
    }
    if (ndm_metric(m)->mixing == NDM_ADDS) rep_hottest_part(g, f, values, out);
}
