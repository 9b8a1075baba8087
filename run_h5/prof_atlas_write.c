/* SPDX-License-Identifier: BSD-3-Clause */
/* Write natural domains and their fields: /meshes and /fields. */
#include "config.h"

#include "run_h5/prof_atlas.h"

#include "run_h5/prof_file.h"
#include "run_h5/prof_h5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ATLAS_CHUNK_VALUES = 65536, /* half a MiB: large enough to compress well, small enough to skip */
    ATLAS_CHUNKED_FROM = 128,   /* smaller ones are not worth an index */
    ATLAS_DEFLATE_LEVEL = 1,
    ATLAS_AXES_MAX = NDM_AXES_MAX + 1 /* steps */
};

/* An array on its way into the file. */
struct prof_array {
    const char *name;
    enum prof_type type;
    int axes;
    hsize_t extents[ATLAS_AXES_MAX];
    const void *values;
    const void *fill; /* NULL: 0 */
    bool is_narrow;   /* PROF_F64 kept with 24 bits of precision */
};

static hsize_t prof_array_len(const struct prof_array *a, int from_axis)
{
    hsize_t len = 1;
    for (int i = from_axis; i < a->axes; i++)
        len *= a->extents[i];
    return len;
}

/* Whole rows of the fastest axes, as many as fit. */
static void prof_array_chunk(const struct prof_array *a, hsize_t out[ATLAS_AXES_MAX])
{
    hsize_t room = ATLAS_CHUNK_VALUES;
    for (int i = a->axes; i-- > 0;) {
        out[i] = a->extents[i] < room ? a->extents[i] : room;
        room = room / out[i] ? room / out[i] : 1;
    }
}

static hid_t prof_array_properties(const struct prof_array *a, hid_t memory_type)
{
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[ATLAS_AXES_MAX];
    if (a->fill) H5Pset_fill_value(properties, memory_type, a->fill);
    if (prof_array_len(a, 0) < ATLAS_CHUNKED_FROM) return properties;
    prof_array_chunk(a, chunk);
    H5Pset_chunk(properties, a->axes, chunk);
    if (prof_type_bytes(a->type) > 1) H5Pset_shuffle(properties);
    H5Pset_deflate(properties, ATLAS_DEFLATE_LEVEL);
    return properties;
}

static bool prof_is_all_fill(const struct prof_array *a, const uint8_t *from, hsize_t len)
{
    static const uint64_t zero = 0;
    const size_t bytes = prof_type_bytes(a->type);
    const void *fill = a->fill ? a->fill : &zero;
    /* the first value is the fill value, and each one equals the next */
    return memcmp(from, fill, bytes) == 0 && memcmp(from, from + bytes, (len - 1) * bytes) == 0;
}

/* Write slabs of the slowest axis, one row of chunks each; slabs without a value are not stored. */
static ls_err prof_array_put_slabs(struct prof_writer *w, hid_t dataset, const struct prof_array *a)
{
    const hid_t memory_type = prof_h5_memory_type(a->type), file_space = H5Dget_space(dataset);
    const hsize_t row_len = prof_array_len(a, 1);
    const size_t row_bytes = row_len * prof_type_bytes(a->type);
    hsize_t chunk[ATLAS_AXES_MAX], start[ATLAS_AXES_MAX] = {0}, count[ATLAS_AXES_MAX];
    ls_err e = LS_OK;
    prof_array_chunk(a, chunk);
    memcpy(count, a->extents, sizeof(count));
    for (; e == LS_OK && start[0] < a->extents[0]; start[0] += chunk[0]) {
        const uint8_t *from = (const uint8_t *)a->values + start[0] * row_bytes;
        const hsize_t rest = a->extents[0] - start[0];
        count[0] = rest < chunk[0] ? rest : chunk[0];
        const hsize_t len = count[0] * row_len;
        if (prof_is_all_fill(a, from, len)) continue;
        e = prof_writer_reserve(w, count[0] * row_bytes);
        if (e != LS_OK) break;
        const hid_t memory_space = H5Screate_simple(1, &len, NULL);
        H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL);
        if (H5Dwrite(dataset, memory_type, memory_space, file_space, H5P_DEFAULT, from) < 0)
            e = prof_writer_failed(w, a->name);
        H5Sclose(memory_space);
    }
    H5Sclose(file_space);
    H5Tclose(memory_type);
    return e;
}

static ls_err prof_array_put_text(struct prof_writer *w, hid_t dataset, const struct prof_array *a)
{
    const size_t width = prof_h5_text_width(a->values, a->extents[0]);
    const herr_t e = prof_h5_write_texts(dataset, width, a->values, a->extents[0]);
    return e < 0 ? prof_writer_failed(w, a->name) : LS_OK;
}

/* Create a below group. *out (NULL: not wanted) is the open data set, the caller's to close. */
static ls_err prof_array_write(struct prof_writer *w, hid_t group, const struct prof_array *a, hid_t *out)
{
    LS_TRY(prof_writer_reserve(w, 0));
    const size_t width = a->type == PROF_TEXT ? prof_h5_text_width(a->values, a->extents[0]) : 0;
    const hid_t memory_type = width ? prof_h5_text_type(width) : prof_h5_memory_type(a->type);
    const hid_t file_type = width          ? prof_h5_text_type(width)
                            : a->is_narrow ? H5Tcopy(H5T_IEEE_F32LE)
                                           : prof_h5_file_type(a->type);
    const hid_t space = H5Screate_simple(a->axes, a->extents, NULL);
    const hid_t properties = prof_array_properties(a, memory_type);
    const hid_t dataset = H5Dcreate2(group, a->name, file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    ls_err e = dataset >= 0 ? LS_OK : prof_writer_failed(w, a->name);
    if (e == LS_OK && prof_array_len(a, 0) > 0)
        e = a->type == PROF_TEXT ? prof_array_put_text(w, dataset, a) : prof_array_put_slabs(w, dataset, a);
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(memory_type);
    H5Tclose(file_type);
    if (e == LS_OK && out)
        *out = dataset;
    else if (dataset >= 0)
        H5Dclose(dataset);
    return e;
}

/* /meshes/<label> or /fields/<name>. */
static ls_err prof_member_create(struct prof_writer *w, const char *folder, const char *label, hid_t *out)
{
    char *name = prof_atlas_escape(label), *path = NULL;
    if (!name || asprintf(&path, "%s/%s", folder, name) < 0) {
        free(name);
        return ls_nomem("%s/%s", folder, label);
    }
    const ls_err e = H5Lexists(prof_writer_file(w), path, H5P_DEFAULT) > 0
                         ? ls_fail(LS_ERR_EXISTS, "%s: there are two of that name", path)
                         : prof_writer_group(w, prof_writer_file(w), path, out);
    free(path);
    free(name);
    return e;
}

static void prof_put_grid(hid_t group, const struct ndm_geometry *g)
{
    prof_h5_put_list(group, "extents", PROF_U64, g->dims, g->extents);
    prof_h5_put_list(group, "origin", PROF_F64, g->dims, g->origin);
    prof_h5_put_list(group, "spacing", PROF_F64, g->dims, g->spacing);
}

static ls_err prof_put_mesh(struct prof_writer *w, hid_t group, const struct ndm_geometry *g)
{
    const hsize_t corners = g->cells_len ? g->offsets[g->cells_len] : 0;
    const struct prof_array arrays[] = {
        {"points", PROF_F64, 2, {g->points_len, 3}, g->points, NULL, false},
        {"offsets", PROF_U64, 1, {g->cells_len + 1}, g->offsets, NULL, false},
        {"connectivity", PROF_U64, 1, {corners}, g->connectivity, NULL, false},
        {"shapes", PROF_U8, 1, {g->cells_len}, g->shapes, NULL, false},
    };
    const size_t len = g->cells_len ? 4 : 1; /* points only */
    for (size_t i = 0; i < len; i++)
        LS_TRY(prof_array_write(w, group, &arrays[i], NULL));
    return LS_OK;
}

ls_err prof_atlas_write_domain(struct prof_writer *w, const struct ndm_atlas *a, uint32_t domain)
{
    const struct ndm_geometry *g = &a->domains[domain];
    const char *axes[NDM_AXES_MAX];
    hid_t group;
    LS_TRY(prof_member_create(w, "/meshes", g->label, &group));
    for (uint32_t i = 0; i < g->dims; i++)
        axes[i] = g->axes[i] ? g->axes[i] : (const char *[]){"x", "y", "z"}[i];
    prof_h5_put_text(group, "kind", g->kind == NDM_GRID ? "grid" : "mesh");
    prof_h5_put_text(group, "label", g->label);
    prof_h5_put_text(group, "unit", g->unit ? g->unit : "");
    prof_h5_put_attribute(group, "dims", PROF_U32, 1, &g->dims);
    prof_h5_put_list(group, "axes", PROF_TEXT, g->dims, axes);
    ls_err e = LS_OK;
    if (g->kind == NDM_GRID)
        prof_put_grid(group, g);
    else
        e = prof_put_mesh(w, group, g);
    H5Gclose(group);
    return e;
}

static ls_err prof_put_values(struct prof_writer *w, hid_t group, enum ndm_metric m, struct prof_array array)
{
    static const double missing = NAN;
    const struct ndm_metric_row *row = ndm_metric(m);
    hid_t dataset;
    array.name = row->name;
    array.type = PROF_F64;
    array.fill = prof_atlas_may_miss(m) ? &missing : NULL;
    array.is_narrow = prof_atlas_may_miss(m); /* sums are to add up, means and shares are not that precise */
    LS_TRY(prof_array_write(w, group, &array, &dataset));
    prof_h5_put_text(dataset, "description", row->words);
    prof_h5_put_text(dataset, "unit", row->unit);
    H5Dclose(dataset);
    return LS_OK;
}

static ls_err prof_put_steps(struct prof_writer *w, hid_t group, const struct ndm_field *f,
                             const struct prof_array *shape)
{
    hid_t steps;
    LS_TRY(prof_writer_group(w, group, "steps", &steps));
    const struct prof_array labels = {"label", PROF_TEXT, 1, {f->steps_len}, f->step_labels, NULL, false};
    const struct prof_array begins = {"begin_s", PROF_F64, 1, {f->steps_len}, f->step_begin_s, NULL, false};
    struct prof_array values = {.axes = shape->axes + 1, .extents = {f->steps_len}};
    memcpy(values.extents + 1, shape->extents, NDM_AXES_MAX * sizeof(*shape->extents));
    ls_err e = prof_array_write(w, steps, &labels, NULL);
    if (e == LS_OK) e = prof_array_write(w, steps, &begins, NULL);
    for (int m = 0; e == LS_OK && m < NDM_METRICS_LEN; m++) {
        values.values = f->step_values[m];
        e = prof_put_values(w, steps, (enum ndm_metric)m, values);
    }
    H5Gclose(steps);
    return e;
}

static ls_err prof_put_field(struct prof_writer *w, hid_t group, const struct ndm_atlas *a,
                             const struct ndm_field *f)
{
    const struct ndm_geometry *g = &a->domains[f->domain];
    uint64_t extents[NDM_AXES_MAX];
    struct prof_array array = {.axes = prof_atlas_shape(g, f->centering, extents)};
    for (int i = 0; i < array.axes; i++)
        array.extents[i] = extents[i];
    prof_h5_put_text(group, "domain", g->label);
    prof_h5_put_text(group, "label", f->label);
    prof_h5_put_text(group, "centering", f->centering == NDM_CELLS ? "cells" : "points");
    prof_h5_put_text(group, "name", f->name);
    prof_h5_put_attribute(group, "node", PROF_U32, 1, &f->node);
    prof_h5_put_attribute(group, "mapped", PROF_U64, 1, &f->mapped_len);
    prof_h5_put_attribute(group, "outside", PROF_U64, 1, &f->outside_len);
    for (int m = 0; m < NDM_METRICS_LEN; m++) {
        array.values = f->values[m];
        LS_TRY(prof_put_values(w, group, (enum ndm_metric)m, array));
    }
    return f->steps_len ? prof_put_steps(w, group, f, &array) : LS_OK;
}

ls_err prof_atlas_write_field(struct prof_writer *w, const struct ndm_atlas *a, uint32_t field)
{
    hid_t group;
    H5G_info_t info = {0};
    H5Gget_info_by_name(prof_writer_file(w), "/fields", &info, H5P_DEFAULT);
    const uint32_t number = (uint32_t)info.nlinks; /* samples refer to the field by it */
    LS_TRY(prof_member_create(w, "/fields", a->fields[field].name, &group));
    prof_h5_put_attribute(group, "number", PROF_U32, 1, &number);
    const ls_err e = prof_put_field(w, group, a, &a->fields[field]);
    H5Gclose(group);
    return e;
}

ls_err prof_atlas_write(struct prof_writer *w, const struct ndm_atlas *a)
{
    for (uint32_t i = 0; i < a->domains_len; i++)
        LS_TRY(prof_atlas_write_domain(w, a, i));
    for (uint32_t i = 0; i < a->fields_len; i++)
        LS_TRY(prof_atlas_write_field(w, a, i));
    return LS_OK;
}
