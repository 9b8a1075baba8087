/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "viz-export/export/vx_select.h"

#include "ndm/ndm_mix.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- selection ---- */

enum { VX_NAMES_BYTES = 512 };

/* List the names of the existing fields for a message; truncated if there are too many. */
static const char *vx_field_names(const struct ndm_atlas *a, char out[VX_NAMES_BYTES])
{
    size_t at = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < a->fields_len; i++) {
        const size_t wanted = strlen(a->fields[i].name) + 2;
        if (at + wanted + 4 >= VX_NAMES_BYTES) {
            strcpy(out + at, " ...");
            break;
        }
        at += (size_t)sprintf(out + at, "%s%s", i ? ", " : "", a->fields[i].name);
    }
    return out;
}

static bool vx_field_is_chosen(const struct vx_selection *s, uint32_t field)
{
    for (size_t i = 0; i < s->fields_len; i++)
        if (s->fields[i] == field) return true;
    return false;
}

/* Add the only field of this label, whatever its domain is. */
static bool vx_choose_by_label(struct vx_selection *s, const char *label)
{
    const size_t label_len = strlen(label);
    uint32_t found = 0, matches = 0;
    for (uint32_t i = 0; i < s->atlas->fields_len; i++) {
        const char *name = s->atlas->fields[i].name;
        const size_t len = strlen(name);
        if (len <= label_len || name[len - label_len - 1] != '.' ||
            strcmp(name + len - label_len, label) != 0)
            continue;
        found = i;
        matches++;
    }
    if (matches != 1) return false;
    if (!vx_field_is_chosen(s, found)) s->fields[s->fields_len++] = found;
    return true;
}

/* Add the fields that a pattern names; a name is taken literally first, since labels may hold a '*'. */
static bool vx_choose(struct vx_selection *s, const char *pattern)
{
    const size_t before = s->fields_len;
    bool again = false;
    for (int literal = 1; literal >= 0 && s->fields_len == before && !again; literal--)
        for (uint32_t i = 0; i < s->atlas->fields_len; i++) {
            const char *name = s->atlas->fields[i].name;
            if (literal ? strcmp(pattern, name) != 0 : fnmatch(pattern, name, 0) != 0) continue;
            if (vx_field_is_chosen(s, i))
                again = true;
            else
                s->fields[s->fields_len++] = i;
        }
    return s->fields_len > before || again || vx_choose_by_label(s, pattern);
}

static ls_err vx_choose_all(struct vx_selection *s, const char *fields)
{
    char names[VX_NAMES_BYTES];
    if (vx_choose(s, fields)) return LS_OK; /* try the text as one name, which may contain a comma */
    char *copy = strdup(fields), *rest = copy;
    if (!copy) return ls_nomem("choosing fields");
    ls_err err = LS_OK;
    for (char *pattern; err == LS_OK && (pattern = strsep(&rest, ","));)
        if (!vx_choose(s, pattern))
            err = ls_fail(LS_ERR_USAGE, "--field: there is no field '%s'; there are %s", pattern,
                          vx_field_names(s->atlas, names));
    free(copy);
    return err;
}

static ls_err vx_choose_metric(struct vx_selection *s, const char *name)
{
    char names[VX_NAMES_BYTES] = "";
    for (int m = 0; m < NDM_METRICS_LEN; m++) {
        if (strcmp(ndm_metric(m)->name, name) == 0) {
            s->metrics[m] = true;
            return LS_OK;
        }
        strcat(strcat(names, m ? ", " : ""), ndm_metric(m)->name);
    }
    return ls_fail(LS_ERR_USAGE, "--metric: fields have no '%s'; they have %s", name, names);
}

static ls_err vx_choose_metrics(struct vx_selection *s, const char *metrics)
{
    if (!metrics) {
        memset(s->metrics, true, sizeof(s->metrics));
        return LS_OK;
    }
    char *copy = strdup(metrics), *rest = copy;
    if (!copy) return ls_nomem("choosing metrics");
    ls_err err = LS_OK;
    for (char *name; err == LS_OK && (name = strsep(&rest, ","));)
        err = vx_choose_metric(s, name);
    free(copy);
    return err;
}

static ls_err vx_same_domain(const struct vx_selection *s)
{
    char names[VX_NAMES_BYTES];
    const struct ndm_field *first = &s->atlas->fields[s->fields[0]];
    for (size_t i = 1; i < s->fields_len; i++) {
        const struct ndm_field *f = &s->atlas->fields[s->fields[i]];
        if (f->domain != first->domain)
            return ls_fail(LS_ERR_USAGE,
                           "fields %s and %s lie on different domains, which one file cannot hold: choose "
                           "with --field; there are %s",
                           first->name, f->name, vx_field_names(s->atlas, names));
    }
    return LS_OK;
}

ls_err vx_select(const struct ndm_atlas *a, const char *fields, const char *metrics, struct vx_selection *out)
{
    *out = (struct vx_selection){.atlas = a};
    if (a->fields_len == 0)
        return ls_fail(
            LS_ERR_NOT_FOUND,
            "the recording has no fields: the program maps no data to a natural domain (ndm_map_grid "
            "of loadstone/ndm.h in C, mapGrid of SMRTree.h in C++, ls_map_grid in Fortran; "
            "doc/natural-domain.md), or no sample hit the mapped data");
    out->fields = calloc(a->fields_len, sizeof(*out->fields));
    if (!out->fields) return ls_nomem("choosing fields");
    LS_TRY(vx_choose_all(out, fields ? fields : "*"));
    LS_TRY(vx_choose_metrics(out, metrics));
    LS_TRY(vx_same_domain(out));
    out->geometry = &a->domains[a->fields[out->fields[0]].domain];
    return LS_OK;
}

ls_err vx_select_steps(struct vx_selection *s)
{
    const struct ndm_field *first = &s->atlas->fields[s->fields[0]];
    for (size_t i = 0; i < s->fields_len; i++) {
        const struct ndm_field *f = &s->atlas->fields[s->fields[i]];
        if (f->steps_len == 0)
            return ls_fail(
                LS_ERR_USAGE,
                "field %s has no steps: only the whole run was recorded (the program names no phases "
                "by loadstone_phase_begin, or the domain has too many cells for steps)",
                f->name);
        if (f->steps_len != first->steps_len)
            return ls_fail(LS_ERR_USAGE, "fields %s and %s have different steps: choose one with --field",
                           first->name, f->name);
    }
    s->steps_len = first->steps_len;
    return LS_OK;
}

void vx_selection_fini(struct vx_selection *s)
{
    free(s->fields);
    s->fields = NULL;
}

const char *vx_step_label(const struct vx_selection *s, uint32_t step)
{
    const struct ndm_field *f = &s->atlas->fields[s->fields[0]];
    return step < f->steps_len && f->step_labels ? f->step_labels[step] : "";
}

double vx_step_begin_s(const struct vx_selection *s, uint32_t step)
{
    const struct ndm_field *f = &s->atlas->fields[s->fields[0]];
    return step < f->steps_len && f->step_begin_s ? f->step_begin_s[step] : 0;
}

/* Field names are "DOMAIN.NODE", "DOMAIN" for all nodes together, "DOMAIN (points)" for fields on points: in
 * a file of one domain the part after DOMAIN distinguishes them. */
static const char *vx_short_name(const struct vx_selection *s, const struct ndm_field *f)
{
    const size_t len = strlen(s->geometry->label);
    if (s->fields_len == 1 || strcmp(f->name, s->geometry->label) == 0) return "";
    const bool begins = strncmp(f->name, s->geometry->label, len) == 0;
    return begins && (f->name[len] == '.' || f->name[len] == ' ') ? f->name + len + 1 : f->name;
}

static ls_err vx_array_init(struct vx_array *a, const struct vx_selection *s, uint32_t step)
{
    const struct ndm_field *f = a->field;
    const char *prefix = vx_short_name(s, f);
    const uint64_t wanted = ndm_geometry_values(s->geometry, f->centering);
    if (f->values_len != wanted)
        return ls_fail(LS_ERR_FORMAT, "field %s has %llu values, its domain %s wants %llu", f->name,
                       (unsigned long long)f->values_len, s->geometry->label, (unsigned long long)wanted);
    a->len = f->values_len;
    a->values =
        step == VX_WHOLE_RUN ? f->values[a->metric] : f->step_values[a->metric] + step * f->values_len;
    a->weights = ndm_mix_weights(f, a->metric, step);
    if (asprintf(&a->name, "%s%s%s", prefix, *prefix ? "." : "", ndm_metric(a->metric)->name) < 0) {
        a->name = NULL;
        return ls_nomem("the name of an array");
    }
    return LS_OK;
}

ls_err vx_arrays_of(const struct vx_selection *s, uint32_t step, struct vx_array **out, size_t *out_len)
{
    struct vx_array *arrays = calloc(s->fields_len * NDM_METRICS_LEN + 1, sizeof(*arrays));
    if (!arrays) return ls_nomem("%zu fields", s->fields_len);
    size_t len = 0;
    ls_err err = LS_OK;
    for (size_t i = 0; err == LS_OK && i < s->fields_len; i++)
        for (int m = 0; err == LS_OK && m < NDM_METRICS_LEN; m++) {
            const struct ndm_field *f = &s->atlas->fields[s->fields[i]];
            if (!s->metrics[m] || !(step == VX_WHOLE_RUN ? f->values[m] : f->step_values[m])) continue;
            arrays[len] = (struct vx_array){.field = f, .metric = (enum ndm_metric)m};
            err = vx_array_init(&arrays[len++], s, step);
        }
    if (err != LS_OK) {
        vx_arrays_free(arrays, len);
        return err;
    }
    *out = arrays;
    *out_len = len;
    return LS_OK;
}

void vx_arrays_free(struct vx_array *arrays, size_t len)
{
    for (size_t i = 0; i < len; i++)
        free(arrays[i].name);
    free(arrays);
}

/* ---- squares of cells ---- */

enum { VX_SAMPLES_A_SQUARE = 4, VX_SQUARES_LEAST = 400, VX_SQUARES_ACROSS_MAX = 2048 };

static uint64_t vx_side(const struct vx_array *a, const struct ndm_geometry *g)
{
    const uint64_t x = g->extents[0], y = g->dims > 1 ? g->extents[1] : 1,
                   layers = g->dims > 2 ? g->extents[2] : 1;
    const double samples = (double)a->field->mapped_len / (double)layers;
    const double wanted = fmax(samples / VX_SAMPLES_A_SQUARE, VX_SQUARES_LEAST);
    const double cells = (double)x * (double)y / wanted;
    const uint64_t longest = x > y ? x : y, least = (longest - 1) / VX_SQUARES_ACROSS_MAX + 1;
    const uint64_t side = cells <= 1 ? 1 : (uint64_t)ceil(y == 1 ? cells : sqrt(cells));
    return side > least ? side : least;
}

/* The first cell of the layer is value `base` of the array. */
static double vx_gather(const struct vx_squares *s, const struct vx_array *a, uint64_t base,
                        const uint64_t cells[2], uint64_t square)
{
    const uint64_t x0 = square % s->across * s->side, y0 = square / s->across * s->side;
    struct ndm_mix mix;
    ndm_mix_init(&mix);
    for (uint64_t y = y0; y < y0 + s->side && y < cells[1]; y++)
        for (uint64_t x = x0; x < x0 + s->side && x < cells[0]; x++) {
            const uint64_t i = base + y * cells[0] + x;
            ndm_mix_add(&mix, a->metric, a->values[i], a->weights[i]);
        }
    return ndm_mix_finish(&mix, a->metric);
}

ls_err vx_squares_init(struct vx_squares *s, const struct vx_array *a, const struct ndm_geometry *g,
                       uint64_t layer)
{
    const uint64_t cells[2] = {g->extents[0], g->dims > 1 ? g->extents[1] : 1};
    *s = (struct vx_squares){.side = vx_side(a, g)};
    s->across = (cells[0] - 1) / s->side + 1;
    s->up = (cells[1] - 1) / s->side + 1;
    s->values = malloc(s->across * s->up * sizeof(*s->values));
    if (!s->values) return ls_nomem("a picture of %s", g->label);
    for (uint64_t i = 0; i < s->across * s->up; i++)
        s->values[i] = vx_gather(s, a, layer * cells[0] * cells[1], cells, i);
    return LS_OK;
}

void vx_squares_fini(struct vx_squares *s)
{
    free(s->values);
    *s = (struct vx_squares){0};
}
