/* SPDX-License-Identifier: BSD-3-Clause */
/* Plan the domains and fields of a profile before its samples are mapped: labels, sizes, steps. */
#include "config.h"

#include "resolve/prof_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ls_err prof_plan_no_memory(void)
{
    return ls_nomem("natural domains");
}

/* --- domains --- */

static bool prof_is_one_domain(const struct prof_domain *a, const struct prof_domain *b)
{
    const struct ndm_geometry *g = &a->geometry, *h = &b->geometry;
    return a->process == b->process && strcmp(g->label, h->label) == 0 && g->kind == h->kind &&
           g->dims == h->dims && g->points_len == h->points_len && g->cells_len == h->cells_len &&
           memcmp(g->extents, h->extents, sizeof(g->extents)) == 0;
}

static bool prof_is_label_taken(const struct prof_atlas_plan *p, const char *label)
{
    for (size_t i = 0; i < p->domains.len; i++)
        if (strcmp(p->domains.rows[i].geometry.label, label) == 0) return true;
    return false;
}

/* "mesh", "mesh #2", ... */
static char *prof_unique_label(const struct prof_atlas_plan *p, const char *label)
{
    char *out = strdup(label);
    for (unsigned n = 2; out && prof_is_label_taken(p, out); n++) {
        free(out);
        if (asprintf(&out, "%s #%u", label, n) < 0) out = NULL;
    }
    return out;
}

/* Enlarge the cells until the grid has at most cells_max. */
static void prof_coarsen(struct prof_planned_domain *d, uint64_t cells_max)
{
    struct ndm_geometry *g = &d->geometry;
    const struct ndm_geometry fine = *g;
    d->block = 1;
    while (g->kind == NDM_GRID && g->cells_len > cells_max) {
        d->block *= 2;
        g->cells_len = 1;
        for (uint32_t axis = 0; axis < g->dims; axis++) {
            g->extents[axis] = (fine.extents[axis] + d->block - 1) / d->block;
            g->spacing[axis] = fine.spacing[axis] * (double)d->block;
            g->cells_len *= g->extents[axis];
        }
    }
}

static ls_err prof_plan_domain(struct prof_atlas_plan *p, const struct prof_domains *d, uint32_t row,
                               uint64_t cells_max)
{
    for (uint32_t i = 0; i < p->domains.len; i++)
        if (prof_is_one_domain(&d->domains.rows[row], &d->domains.rows[p->domains.rows[i].from])) {
            p->domains.rows[i].from = row;
            p->domain_of[row] = i;
            return LS_OK;
        }
    struct prof_planned_domain planned = {.geometry = d->domains.rows[row].geometry, .from = row};
    LS_TRY(LS_VECTOR_ROOM(&p->domains));
    planned.geometry.label = prof_unique_label(p, planned.geometry.label);
    if (!planned.geometry.label) return prof_plan_no_memory();
    prof_coarsen(&planned, cells_max);
    p->domain_of[row] = (uint32_t)p->domains.len;
    p->domains.rows[p->domains.len++] = planned;
    return LS_OK;
}

/* Take everything but labels and coarse cells from the domain that was registered last. */
static void prof_plan_last_arrays(struct prof_atlas_plan *p, const struct prof_domains *d)
{
    for (size_t i = 0; i < p->domains.len; i++) {
        struct ndm_geometry *g = &p->domains.rows[i].geometry;
        const struct ndm_geometry *from = &d->domains.rows[p->domains.rows[i].from].geometry;
        g->points = from->points;
        g->offsets = from->offsets;
        g->connectivity = from->connectivity;
        g->shapes = from->shapes;
        g->unit = from->unit;
        memcpy(g->axes, from->axes, sizeof(g->axes));
    }
}

/* --- fields --- */

static enum ndm_centering prof_span_centering(const struct prof_domains *d, const struct prof_map_span *s)
{
    const struct ndm_map *map = &d->layouts.rows[s->layout].map;
    const enum ndm_kind kind = d->domains.rows[s->domain].geometry.kind;
    if (map->kind != NDM_MAP_CALLBACK) return map->centering;
    return kind == NDM_GRID ? NDM_CELLS : NDM_POINTS; /* the finder's centering */
}

static bool prof_is_one_node(prof_tree *tree, uint32_t a, uint32_t b)
{
    if (a == b || a == UINT32_MAX || b == UINT32_MAX) return a == b;
    const struct prof_node *x = prof_tree_node(tree, a), *y = prof_tree_node(tree, b);
    return x->parent == y->parent && strcmp(x->label, y->label) == 0;
}

static ls_err prof_plan_field(struct prof_atlas_plan *p, prof_tree *tree, struct prof_planned_field want,
                              uint32_t *out)
{
    for (*out = 0; *out < p->fields.len; ++*out) {
        const struct prof_planned_field *f = &p->fields.rows[*out];
        if (f->domain == want.domain && f->centering == want.centering &&
            prof_is_one_node(tree, f->node, want.node))
            return LS_OK;
    }
    return LS_VECTOR_ADD(&p->fields, want);
}

static ls_err prof_plan_fields(struct prof_atlas_plan *p, const struct prof_domains *d, prof_tree *tree)
{
    for (size_t i = 0; i < d->spans.len; i++) {
        const struct prof_map_span *s = &d->spans.rows[i], *before = i ? s - 1 : NULL;
        p->fields_of[i][0] = p->fields_of[i][1] = PROF_NO_FIELD;
        if (s->domain == PROF_NO_DOMAIN) continue;
        if (before && before->node == s->node && before->domain == s->domain && before->layout == s->layout) {
            memcpy(p->fields_of[i], p->fields_of[i - 1], sizeof(p->fields_of[i]));
            continue;
        }
        struct prof_planned_field want = {
            .domain = p->domain_of[s->domain], .node = UINT32_MAX, .centering = prof_span_centering(d, s)};
        LS_TRY(prof_plan_field(p, tree, want, &p->fields_of[i][1]));
        want.node = s->node;
        LS_TRY(prof_plan_field(p, tree, want, &p->fields_of[i][0]));
    }
    return LS_OK;
}

ls_err prof_atlas_plan_init(struct prof_atlas_plan *out, const struct prof_domains *d, prof_tree *tree,
                            uint64_t cells_max)
{
    *out = (struct prof_atlas_plan){.domain_of = calloc(d->domains.len + 1, sizeof(*out->domain_of)),
                                    .fields_of = calloc(d->spans.len + 1, sizeof(*out->fields_of))};
    if (!out->domain_of || !out->fields_of) return prof_plan_no_memory();
    for (uint32_t i = 0; i < d->domains.len; i++)
        LS_TRY(prof_plan_domain(out, d, i, cells_max));
    prof_plan_last_arrays(out, d);
    return prof_plan_fields(out, d, tree);
}

void prof_atlas_plan_fini(struct prof_atlas_plan *p)
{
    for (size_t i = 0; i < p->domains.len; i++)
        free(p->domains.rows[i].geometry.label); /* the rest is borrowed */
    free(p->domains.rows);
    free(p->fields.rows);
    free(p->domain_of);
    free(p->fields_of);
    *p = (struct prof_atlas_plan){0};
}

uint64_t prof_atlas_plan_value(const struct prof_planned_domain *d, const struct ndm_geometry *from,
                               uint64_t value)
{
    if (d->block == 1) return value;
    const uint64_t x = value % from->extents[0], y = value / from->extents[0] % from->extents[1],
                   z = value / from->extents[0] / from->extents[1];
    const struct ndm_geometry *g = &d->geometry;
    return x / d->block + g->extents[0] * (y / d->block + g->extents[1] * (z / d->block));
}
