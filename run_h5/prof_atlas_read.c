/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "run_h5/prof_atlas.h"
#include "run_h5/prof_file.h"
#include "run_h5/prof_h5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names and shapes --- */

char *prof_atlas_escape(const char *label)
{
    const bool is_dots = strcmp(label, ".") == 0 || strcmp(label, "..") == 0;
    char *out = malloc(3 * strlen(label) + 2), *at = out;
    if (!out) return NULL;
    for (const char *c = label; *c; c++) {
        if (*c == '/' || *c == '%' || is_dots)
            at += sprintf(at, "%%%02X", (unsigned char)*c);
        else
            *at++ = *c;
    }
    if (at == out) *at++ = '%'; /* a group must have a name; no label becomes this one */
    *at = '\0';
    return out;
}

bool prof_atlas_may_miss(enum ndm_metric m)
{
    return ndm_metric(m)->mixing != NDM_ADDS;
}

int prof_atlas_shape(const struct ndm_geometry *g, enum ndm_centering centering, uint64_t out[NDM_AXES_MAX])
{
    out[0] = ndm_geometry_values(g, centering);
    if (g->kind != NDM_GRID) return 1;
    for (uint32_t axis = 0; axis < g->dims; axis++)
        out[g->dims - 1 - axis] = g->extents[axis];
    return (int)g->dims;
}

/* Longer names of groups than any label makes. */
enum { ATLAS_LABEL_BYTES = 4096, ATLAS_NAME_BYTES = ATLAS_LABEL_BYTES + 16, ATLAS_FIELDS_MAX = 1 << 20 };
#define ATLAS_EXTENT_MAX (UINT64_C(1) << 31)
#define ATLAS_CELLS_MAX (UINT64_C(1) << 40)

/* --- domains --- */

static ls_err prof_get_grid(const struct prof_h5_location *at, struct ndm_geometry *g)
{
    LS_TRY(prof_h5_get_list(at, "extents", PROF_U64, g->dims, g->extents));
    LS_TRY(prof_h5_get_list(at, "origin", PROF_F64, g->dims, g->origin));
    LS_TRY(prof_h5_get_list(at, "spacing", PROF_F64, g->dims, g->spacing));
    g->cells_len = 1;
    for (uint32_t i = 0; i < NDM_AXES_MAX; i++) {
        if (i >= g->dims) {
            g->extents[i] = 1;
            g->spacing[i] = 1;
        }
        if (g->extents[i] == 0 || g->extents[i] > ATLAS_EXTENT_MAX ||
            __builtin_mul_overflow(g->cells_len, g->extents[i], &g->cells_len) ||
            g->cells_len > ATLAS_CELLS_MAX)
            return prof_h5_bad(at, "extents", "are impossible");
        if (!isfinite(g->origin[i]) || !isfinite(g->spacing[i]) || g->spacing[i] <= 0)
            return prof_h5_bad(at, "origin, spacing", "are no coordinates");
    }
    return LS_OK;
}

static ls_err prof_check_cells(const struct prof_h5_location *at, const struct ndm_geometry *g,
                               uint64_t corners)
{
    if (g->offsets[0] != 0 || g->offsets[g->cells_len] != corners)
        return prof_h5_bad(at, "offsets", "do not fit connectivity");
    for (uint64_t c = 0; c < g->cells_len; c++)
        if (g->offsets[c] > g->offsets[c + 1]) return prof_h5_bad(at, "offsets", "descend");
    for (uint64_t i = 0; i < corners; i++)
        if (g->connectivity[i] >= g->points_len)
            return prof_h5_bad(at, "connectivity", "names a point that there is not");
    return LS_OK;
}

static ls_err prof_get_cells(const struct prof_h5_location *at, struct ndm_geometry *g)
{
    struct prof_h5_array array = {"shapes", PROF_U8, 1, {UINT64_MAX}, PROF_ATLAS_VALUES_MAX};
    LS_TRY(prof_h5_get_array(at, &array, (void **)&g->shapes));
    const uint64_t cells = array.extents[0];
    array = (struct prof_h5_array){"offsets", PROF_U64, 1, {cells + 1}, PROF_ATLAS_VALUES_MAX + 1};
    LS_TRY(prof_h5_get_array(at, &array, (void **)&g->offsets));
    array = (struct prof_h5_array){"connectivity", PROF_U64, 1, {UINT64_MAX}, PROF_ATLAS_VALUES_MAX};
    LS_TRY(prof_h5_get_array(at, &array, (void **)&g->connectivity));
    g->cells_len = cells;
    return prof_check_cells(at, g, array.extents[0]);
}

static ls_err prof_get_mesh(const struct prof_h5_location *at, struct ndm_geometry *g)
{
    struct prof_h5_array points = {"points", PROF_F64, 2, {UINT64_MAX, 3}, PROF_ATLAS_VALUES_MAX};
    LS_TRY(prof_h5_get_array(at, &points, (void **)&g->points));
    g->points_len = points.extents[0];
    for (uint64_t i = 0; i < 3 * g->points_len; i++)
        if (!isfinite(g->points[i])) return prof_h5_bad(at, "points", "has coordinates that are not finite");
    return H5Lexists(at->id, "shapes", H5P_DEFAULT) > 0 ? prof_get_cells(at, g) : LS_OK;
}

static ls_err prof_get_domain(const struct prof_h5_location *at, struct ndm_geometry *g)
{
    char *kind = NULL;
    LS_TRY(prof_h5_get_text(at, "kind", &kind));
    const bool is_grid = strcmp(kind, "grid") == 0, is_mesh = strcmp(kind, "mesh") == 0;
    free(kind);
    if (!is_grid && !is_mesh) return prof_h5_bad(at, "kind", "is neither grid nor mesh");
    g->kind = is_grid ? NDM_GRID : NDM_MESH;
    LS_TRY(prof_h5_get_text(at, "label", &g->label));
    LS_TRY(prof_h5_get_text(at, "unit", &g->unit));
    LS_TRY(prof_h5_get_list(at, "dims", PROF_U32, 1, &g->dims));
    if (g->dims < 1 || g->dims > NDM_AXES_MAX) return prof_h5_bad(at, "dims", "is not 1, 2 or 3");
    LS_TRY(prof_h5_get_list(at, "axes", PROF_TEXT, g->dims, g->axes));
    return is_grid ? prof_get_grid(at, g) : prof_get_mesh(at, g);
}

/* --- fields --- */

static ls_err prof_find_domain(const struct prof_h5_location *at, const struct ndm_atlas *a, uint32_t *out)
{
    char *label = NULL;
    LS_TRY(prof_h5_get_text(at, "domain", &label));
    for (*out = 0; *out < a->domains_len; ++*out)
        if (strcmp(a->domains[*out].label, label) == 0) break;
    free(label);
    return *out < a->domains_len ? LS_OK : prof_h5_bad(at, "domain", "is not one of /meshes");
}

static ls_err prof_get_steps(const struct prof_h5_location *field, struct ndm_field *f)
{
    if (H5Lexists(field->id, "steps", H5P_DEFAULT) <= 0) return LS_OK;
    const struct prof_h5_location at = {field->file, field->group, H5Gopen2(field->id, "steps", H5P_DEFAULT)};
    if (at.id < 0) return prof_h5_bad(field, "steps", "is not a group");
    struct prof_h5_array array = {"label", PROF_TEXT, 1, {UINT64_MAX}, PROF_ATLAS_VALUES_MAX};
    ls_err e = prof_h5_get_array(&at, &array, (void **)&f->step_labels);
    if (e == LS_OK) f->steps_len = (uint32_t)array.extents[0];
    array = (struct prof_h5_array){"begin_s", PROF_F64, 1, {f->steps_len}, PROF_ATLAS_VALUES_MAX};
    if (e == LS_OK) e = prof_h5_get_array(&at, &array, (void **)&f->step_begin_s);
    H5Gclose(at.id);
    return e;
}

static ls_err prof_get_field(const struct prof_h5_location *at, const struct ndm_atlas *a, uint64_t nodes_len,
                             struct ndm_field *f)
{
    char *centering = NULL;
    LS_TRY(prof_h5_get_text(at, "name", &f->name));
    LS_TRY(prof_h5_get_text(at, "label", &f->label));
    LS_TRY(prof_find_domain(at, a, &f->domain));
    LS_TRY(prof_h5_get_text(at, "centering", &centering));
    const bool is_cells = strcmp(centering, "cells") == 0, is_points = strcmp(centering, "points") == 0;
    free(centering);
    if (!is_cells && !is_points) return prof_h5_bad(at, "centering", "is neither cells nor points");
    f->centering = is_cells ? NDM_CELLS : NDM_POINTS;
    if (is_points && a->domains[f->domain].kind == NDM_GRID)
        return prof_h5_bad(at, "centering", "a grid has cells only");
    f->values_len = ndm_geometry_values(&a->domains[f->domain], f->centering);
    LS_TRY(prof_h5_get_list(at, "node", PROF_U32, 1, &f->node));
    if (f->node != UINT32_MAX && f->node >= nodes_len) return prof_h5_bad(at, "node", "is out of range");
    LS_TRY(prof_h5_get_list(at, "mapped", PROF_U64, 1, &f->mapped_len));
    LS_TRY(prof_h5_get_list(at, "outside", PROF_U64, 1, &f->outside_len));
    return prof_get_steps(at, f);
}

/* --- groups --- */

struct prof_shelf {
    prof_profile *profile;
    const char *path; /* "/meshes" */
    hid_t group;
    hsize_t len;
};

static ls_err prof_shelf_open(prof_profile *p, const char *path, struct prof_shelf *out)
{
    H5G_info_t info;
    *out = (struct prof_shelf){.profile = p, .path = path};
    out->group = H5Gopen2(prof_profile_file(p), path, H5P_DEFAULT);
    if (out->group < 0 || H5Gget_info(out->group, &info) < 0)
        return ls_fail(LS_ERR_FORMAT, "%s: %s: is not a group", prof_profile_path(p), path);
    out->len = info.nlinks;
    return LS_OK;
}

static void prof_shelf_close(struct prof_shelf *s)
{
    if (s->group >= 0) H5Gclose(s->group);
}

static ls_err prof_shelf_member(const struct prof_shelf *s, hsize_t i, char name[ATLAS_NAME_BYTES],
                                struct prof_h5_location *out)
{
    const char *file = prof_profile_path(s->profile);
    char label[ATLAS_LABEL_BYTES];
    const ssize_t len = H5Lget_name_by_idx(s->group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, label,
                                           sizeof(label), H5P_DEFAULT);
    if (len <= 0 || (size_t)len >= sizeof(label))
        return ls_fail(LS_ERR_FORMAT, "%s: %s: a name is missing or too long", file, s->path);
    snprintf(name, ATLAS_NAME_BYTES, "%s/%s", s->path, label);
    *out = (struct prof_h5_location){file, name, H5Gopen2(s->group, label, H5P_DEFAULT)};
    return out->id >= 0 ? LS_OK : ls_fail(LS_ERR_FORMAT, "%s: %s: is not a group", file, name);
}

static ls_err prof_list_domains(const struct prof_shelf *s, struct ndm_atlas *a)
{
    char name[ATLAS_NAME_BYTES];
    struct prof_h5_location at;
    if (s->len > PROF_ATLAS_DOMAINS_MAX)
        return ls_fail(LS_ERR_FORMAT, "%s: /meshes: impossibly many", prof_profile_path(s->profile));
    a->domains = calloc(s->len + 1, sizeof(*a->domains));
    if (!a->domains) return ls_nomem("/meshes of %s", prof_profile_path(s->profile));
    for (hsize_t i = 0; i < s->len; i++) {
        LS_TRY(prof_shelf_member(s, i, name, &at));
        const ls_err e = prof_get_domain(&at, &a->domains[a->domains_len++]);
        H5Gclose(at.id);
        LS_TRY(e);
    }
    return LS_OK;
}

static ls_err prof_list_fields(const struct prof_shelf *s, struct ndm_atlas *a)
{
    char name[ATLAS_NAME_BYTES];
    struct prof_h5_location at;
    size_t nodes_len;
    prof_nodes(s->profile, &nodes_len);
    if (s->len > ATLAS_FIELDS_MAX)
        return ls_fail(LS_ERR_FORMAT, "%s: /fields: impossibly many", prof_profile_path(s->profile));
    a->fields = calloc(s->len + 1, sizeof(*a->fields));
    if (!a->fields) return ls_nomem("/fields of %s", prof_profile_path(s->profile));
    for (hsize_t i = 0; i < s->len; i++) {
        LS_TRY(prof_shelf_member(s, i, name, &at));
        const ls_err e = prof_get_field(&at, a, nodes_len, &a->fields[a->fields_len++]);
        H5Gclose(at.id);
        LS_TRY(e);
    }
    return LS_OK;
}

typedef ls_err prof_shelf_reader(const struct prof_shelf *s, struct ndm_atlas *a);

static ls_err prof_shelf_read(prof_profile *p, const char *path, prof_shelf_reader *read, struct ndm_atlas *a)
{
    struct prof_shelf s;
    ls_err e = prof_shelf_open(p, path, &s);
    if (e == LS_OK) e = read(&s, a);
    prof_shelf_close(&s);
    return e;
}

ls_err prof_atlas_list(prof_profile *p, struct ndm_atlas *out)
{
    *out = (struct ndm_atlas){0};
    LS_TRY(prof_shelf_read(p, "/meshes", prof_list_domains, out));
    return prof_shelf_read(p, "/fields", prof_list_fields, out);
}

/* --- values --- */

static ls_err prof_load_metric(const struct prof_h5_location *at, enum ndm_metric m,
                               struct prof_h5_array shape, double **out)
{
    shape.name = ndm_metric(m)->name;
    return *out ? LS_OK : prof_h5_get_array(at, &shape, (void **)out);
}

static ls_err prof_load_metrics(const struct prof_h5_location *at, uint32_t metrics,
                                const struct prof_h5_array *shape, double *values[NDM_METRICS_LEN])
{
    for (int m = 0; m < NDM_METRICS_LEN; m++)
        if (metrics >> m & 1) LS_TRY(prof_load_metric(at, (enum ndm_metric)m, *shape, &values[m]));
    return LS_OK;
}

static ls_err prof_load_steps(const struct prof_h5_location *field, const struct prof_h5_array *shape,
                              uint32_t metrics, struct ndm_field *f)
{
    if (f->steps_len == 0) return LS_OK;
    struct prof_h5_array stepped = {.type = PROF_F64,
                                    .axes = shape->axes + 1,
                                    .extents = {f->steps_len},
                                    .values_max = PROF_ATLAS_VALUES_MAX};
    memcpy(stepped.extents + 1, shape->extents, (PROF_GET_AXES_MAX - 1) * sizeof(*shape->extents));
    const struct prof_h5_location at = {field->file, field->group, H5Gopen2(field->id, "steps", H5P_DEFAULT)};
    if (at.id < 0) return prof_h5_bad(field, "steps", "is not a group");
    const ls_err e = prof_load_metrics(&at, metrics, &stepped, f->step_values);
    H5Gclose(at.id);
    return e;
}

ls_err prof_atlas_load(prof_profile *p, struct ndm_atlas *a, const struct prof_atlas_want *want)
{
    struct ndm_field *f = &a->fields[want->field];
    struct prof_h5_array shape = {.type = PROF_F64, .values_max = PROF_ATLAS_VALUES_MAX};
    shape.axes = prof_atlas_shape(&a->domains[f->domain], f->centering, shape.extents);
    char *name = prof_atlas_escape(f->name), *path = NULL;
    if (!name || asprintf(&path, "/fields/%s", name) < 0) {
        free(name);
        return ls_nomem("%s", prof_profile_path(p));
    }
    const struct prof_h5_location at = {prof_profile_path(p), path,
                                        H5Gopen2(prof_profile_file(p), path, H5P_DEFAULT)};
    ls_err e = at.id >= 0 ? LS_OK : prof_h5_bad(&at, "name", "is not that of the group");
    if (e == LS_OK) e = prof_load_metrics(&at, want->metrics, &shape, f->values);
    if (e == LS_OK && want->steps) e = prof_load_steps(&at, &shape, want->metrics, f);
    if (at.id >= 0) H5Gclose(at.id);
    free(path);
    free(name);
    return e;
}

static ls_err prof_check_size(prof_profile *p, const struct ndm_atlas *a)
{
    uint64_t all = 0, steps, values;
    for (uint32_t i = 0; i < a->fields_len; i++) {
        const struct ndm_field *f = &a->fields[i];
        if (__builtin_add_overflow((uint64_t)f->steps_len, 1, &steps) ||
            __builtin_mul_overflow(f->values_len, steps * NDM_METRICS_LEN, &values) ||
            __builtin_add_overflow(all, values, &all) || all > PROF_ATLAS_VALUES_MAX)
            return ls_fail(LS_ERR_RANGE,
                           "%s: /fields: more than %llu values in all: read one field at a time",
                           prof_profile_path(p), (unsigned long long)PROF_ATLAS_VALUES_MAX);
    }
    return LS_OK;
}

ls_err prof_atlas_read(prof_profile *p, struct ndm_atlas *out)
{
    LS_TRY(prof_atlas_list(p, out));
    LS_TRY(prof_check_size(p, out));
    for (uint32_t i = 0; i < out->fields_len; i++) {
        const struct prof_atlas_want want = {i, PROF_ATLAS_ALL, true};
        LS_TRY(prof_atlas_load(p, out, &want));
    }
    return LS_OK;
}
