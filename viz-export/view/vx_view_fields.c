/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields on their domains, as fine as fits into a page: cells of a grid, or points and cells of a mesh, that
 * share a tile are one place (ndm/ndm_mix.h). */
#include "ndm/ndm_mix.h"
#include "viz-export/view/vx_view_parts.h"

#include <math.h>
#include <stdlib.h>

enum { VX_FIELD_PLACES_MAX = 1 << 16, VX_FIELD_PLACES_MIN = 1 << 10, VX_STEPS_MAX = 64 };
enum { VX_SAMPLES_A_PLACE = 3, VX_SOLID_PLACES_MIN = 1 << 12 }; /* for meshes with three axes */
enum { VX_FIELDS_BYTES_MAX = 900000 };                          /* deflated */

/* Sum one metric of one field (or of one of its steps) by place. */
struct vx_metric {
    const double *values, *weights; /* values_len each */
    enum ndm_metric metric;
};

static double *vx_place_values(const struct vx_places *places, const struct vx_metric *m)
{
    struct ndm_mix *mixes = malloc((places->len + 1) * sizeof(*mixes));
    double *out = malloc((places->len + 1) * sizeof(*out));
    for (size_t p = 0; mixes && p < places->len; p++)
        ndm_mix_init(&mixes[p]);
    for (uint64_t i = 0; mixes && i < places->values_len; i++)
        ndm_mix_add(&mixes[places->place_of_value[i]], m->metric, m->values[i], m->weights[i]);
    for (size_t p = 0; mixes && out && p < places->len; p++)
        out[p] = ndm_mix_finish(&mixes[p], m->metric);
    free(mixes);
    return mixes ? out : (free(out), NULL);
}

static void vx_field_metric(struct vx_pack *p, const struct vx_places *places, const struct vx_metric *m,
                            const char *name)
{
    double *values = m->values ? vx_place_values(places, m) : NULL;
    if (values) vx_pack_floats(p, name, values, places->len);
    if (m->values && !values) p->failed = true;
    free(values);
}

static void vx_field_columns(const struct ndm_field *f, uint32_t number, const struct vx_places *places,
                             struct vx_pack *p)
{
    char name[40];
    for (int m = 0; m < NDM_METRICS_LEN; m++) {
        snprintf(name, sizeof(name), "f%u.%d", number, m);
        const struct vx_metric whole = {f->values[m], ndm_mix_weights(f, (enum ndm_metric)m, UINT32_MAX),
                                        (enum ndm_metric)m};
        vx_field_metric(p, places, &whole, name);
    }
}

/* Steps have only metrics that can be summed, and the mean latency. */
static void vx_step_columns(const struct ndm_field *f, uint32_t number, const struct vx_places *places,
                            struct vx_pack *p)
{
    static const enum ndm_metric kept[] = {NDM_SAMPLES, NDM_TIME, NDM_STALL, NDM_LATENCY_MEAN, NDM_TIMED};
    char name[40];
    for (uint32_t s = 0; s < f->steps_len && s < VX_STEPS_MAX; s++)
        for (size_t k = 0; k < sizeof(kept) / sizeof(kept[0]); k++) {
            const double *all = f->step_values[kept[k]], *weights = ndm_mix_weights(f, kept[k], s);
            snprintf(name, sizeof(name), "f%u.s%u.%d", number, s, (int)kept[k]);
            const struct vx_metric step = {all && weights ? all + s * f->values_len : NULL, weights, kept[k]};
            vx_field_metric(p, places, &step, name);
        }
}

/* Fields of one domain share their places: a selection in one of them applies to all. */
static uint64_t vx_mapped_most(const struct ndm_atlas *a, const struct ndm_field *f)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < a->fields_len; i++) {
        const struct ndm_field *other = &a->fields[i];
        if (other->domain == f->domain && other->centering == f->centering && other->mapped_len > most)
            most = other->mapped_len;
    }
    return most;
}

ls_err vx_field_places(const struct ndm_atlas *a, const struct ndm_field *f, size_t max,
                       struct vx_places *out)
{
    const struct ndm_geometry *g = &a->domains[f->domain];
    if (g->kind == NDM_GRID) return vx_places_grid(g, max, out); /* the page can coarsen it further */
    const uint64_t fitting = vx_mapped_most(a, f) / VX_SAMPLES_A_PLACE;
    const size_t room = fitting > VX_SOLID_PLACES_MIN ? fitting : VX_SOLID_PLACES_MIN;
    return vx_places_mesh(g, f->centering, g->dims > 2 && room < max ? room : max, out);
}

bool vx_field_is_sound(const struct ndm_atlas *a, const struct ndm_field *f)
{
    if (f->domain >= a->domains_len || f->values_len == 0 || !f->values[NDM_SAMPLES]) return false;
    const struct ndm_geometry *g = &a->domains[f->domain];
    return f->values_len == ndm_geometry_values(g, f->centering);
}

static ls_err vx_fields_pack(const struct ndm_atlas *a, size_t places_max, struct vx_pack *p)
{
    for (uint32_t i = 0; i < a->fields_len; i++) {
        struct vx_places places = {0};
        if (!vx_field_is_sound(a, &a->fields[i])) continue;
        const ls_err err = vx_field_places(a, &a->fields[i], places_max, &places);
        if (err == LS_OK) {
            vx_places_pack(&places, i, p);
            vx_field_columns(&a->fields[i], i, &places, p);
            vx_step_columns(&a->fields[i], i, &places, p);
        }
        vx_places_fini(&places);
        LS_TRY(err);
    }
    return LS_OK;
}

/* --- description of the columns --- */

static void vx_json_step_labels(const struct ndm_field *f, struct ls_json *j)
{
    ls_json_open(j, "steps", '[');
    for (uint32_t s = 0; s < f->steps_len && s < VX_STEPS_MAX; s++) {
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "label", f->step_labels ? f->step_labels[s] : "");
        ls_json_number(j, "beginS", f->step_begin_s ? f->step_begin_s[s] : NAN);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    ls_json_number(j, "stepsAll", f->steps_len);
}

/* The number of the node in the tiles, NAN: a field of the whole domain, or of a node without samples. */
static double vx_field_node(const struct vx_view *v, const struct ndm_field *f)
{
    const struct an_keys *k = &v->tiles->node;
    for (uint32_t n = 0; n < k->len; n++)
        if (k->keys[n] == f->node) return n;
    return NAN;
}

static ls_err vx_json_field(const struct vx_view *v, uint32_t i, size_t places_max, struct ls_json *j)
{
    const struct ndm_field *f = &v->atlas->fields[i];
    struct vx_places places = {0};
    const ls_err err = vx_field_places(v->atlas, f, places_max, &places);
    if (err == LS_OK) {
        ls_json_open(j, NULL, '{');
        ls_json_number(j, "number", i);
        ls_json_text(j, "name", f->name);
        ls_json_text(j, "label", f->label);
        ls_json_number(j, "node", vx_field_node(v, f));
        ls_json_number(j, "isWholeDomain", f->node == UINT32_MAX);
        ls_json_text(j, "centering", f->centering == NDM_POINTS ? "points" : "cells");
        ls_json_number(j, "mapped", (double)f->mapped_len);
        ls_json_number(j, "outside", (double)f->outside_len);
        ls_json_number(j, "values", (double)f->values_len);
        ls_json_number(j, "base", v->places->base[i]);
        ls_json_number(j, "firstPlace", v->places->first[i]);
        vx_json_step_labels(f, j);
        vx_places_json(&places, &v->atlas->domains[f->domain], j);
        ls_json_close(j, '}');
    }
    vx_places_fini(&places);
    return err;
}

ls_err vx_fields_places_max(const struct ndm_atlas *a, size_t *out)
{
    ls_err err = LS_OK;
    for (*out = VX_FIELD_PLACES_MAX; err == LS_OK; *out /= 2) {
        struct vx_pack probe = {0};
        err = vx_fields_pack(a, *out, &probe);
        const bool fits =
            *out <= VX_FIELD_PLACES_MIN || vx_pack_deflated_bytes(&probe, 0) <= VX_FIELDS_BYTES_MAX;
        vx_pack_fini(&probe);
        if (fits) break;
    }
    return err;
}

ls_err vx_view_fields(const struct vx_view *v, struct vx_pack *p, struct ls_json *j)
{
    static const char *const mixing[] = {[NDM_ADDS] = "adds", [NDM_MAX] = "max", [NDM_MEAN] = "mean"};
    const size_t places_max = v->places->places_max;
    LS_TRY(vx_fields_pack(v->atlas, places_max, p));
    ls_json_open(j, "metrics", '[');
    for (int m = 0; m < NDM_METRICS_LEN; m++) {
        const struct ndm_metric_row *row = ndm_metric((enum ndm_metric)m);
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "name", row->name);
        ls_json_text(j, "unit", row->unit);
        ls_json_text(j, "words", row->words);
        ls_json_text(j, "mixing", mixing[row->mixing]);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    ls_json_open(j, "fields", '[');
    for (uint32_t i = 0; i < v->atlas->fields_len; i++)
        if (vx_field_is_sound(v->atlas, &v->atlas->fields[i])) LS_TRY(vx_json_field(v, i, places_max, j));
    ls_json_close(j, ']');
    return LS_OK;
}
