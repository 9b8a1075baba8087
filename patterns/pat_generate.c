/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_builder.h"
#include "common/ls_checked.h"
#include "patterns/pat_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PAT_FIELDS_MAX = 4 };

struct pat_field {
    const char *text;
    size_t len;
};

/* The text after the name, split at the colons. */
struct pat_fields {
    struct pat_field at[PAT_FIELDS_MAX];
    size_t len;
};

struct pat_generator {
    const char *name;
    const char *form;
    size_t fields_min, fields_max;
    ls_err (*run)(const struct pat_fields *f, struct pat_list *l, struct pat_generated *out);
};

static ls_err pat_field_integer(const struct pat_field *f, const char *what, int64_t minimum, int64_t *out)
{
    const ls_err err = pat_integer_parse_from(f->text, f->len, minimum, out);
    if (err == LS_OK) return LS_OK;
    char why[256];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(err, "%s: %s", what, why);
}

static ls_err pat_overflow(const char *name)
{
    return ls_fail(LS_ERR_RANGE, "%s: its indices do not fit 64 bits", name);
}

static ls_err pat_uniform(const struct pat_fields *f, struct pat_list *l, struct pat_generated *out)
{
    int64_t len, stride, last;
    LS_TRY(pat_field_integer(&f->at[0], "length", 1, &len));
    LS_TRY(pat_field_integer(&f->at[1], "stride", 1, &stride));
    if (__builtin_mul_overflow(len, stride, &last)) return pat_overflow("UNIFORM");
    if (f->len == 3) {
        out->sets_delta = true;
        out->delta = last; /* NR, no reuse */
        if (f->at[2].len != 2 || strncasecmp(f->at[2].text, "NR", 2) != 0)
            LS_TRY(pat_field_integer(&f->at[2], "delta", INT64_MIN, &out->delta));
    }
    LS_TRY(pat_list_reserve(l, (size_t)len));
    for (int64_t i = 0; i < len; i++)
        l->v.data[i] = i * stride;
    l->v.len = (size_t)len;
    return LS_OK;
}

static ls_err pat_ms1_lists(const struct pat_fields *f, struct pat_list *locations, struct pat_list *gaps)
{
    LS_TRY(pat_integers_parse(f->at[1].text, f->at[1].len, 0, locations));
    LS_TRY(pat_integers_parse(f->at[2].text, f->at[2].len, 0, gaps));
    if (gaps->v.len > locations->v.len)
        return ls_fail(LS_ERR_ARG, "%zu gaps for %zu locations; give as many, or one gap for all",
                       gaps->v.len, locations->v.len);
    if (gaps->v.len > 1 && gaps->v.len < locations->v.len)
        return ls_fail(LS_ERR_ARG,
                       "%zu gaps for %zu locations (Spatter reads beyond "
                       "its list here); give as many, or one gap for all",
                       gaps->v.len, locations->v.len);
    return LS_OK;
}

static ls_err pat_ms1_walk(size_t len, const struct pat_indices *locations, const struct pat_indices *gaps,
                           struct pat_list *l, size_t *used)
{
    int64_t at = -1;
    size_t next = 0;
    LS_TRY(pat_list_reserve(l, len));
    for (size_t i = 0; i < len; i++) {
        int64_t step = 1;
        if (next < locations->len && (uint64_t)locations->data[next] == i) {
            step = gaps->data[gaps->len > 1 ? next : 0];
            next++;
        }
        if (__builtin_add_overflow(at, step, &at)) return pat_overflow("MS1");
        if (at < 0) return ls_fail(LS_ERR_RANGE, "MS1: a gap of 0 at location 0 makes index 0 negative");
        l->v.data[l->v.len++] = at;
    }
    *used = next;
    return LS_OK;
}

static ls_err pat_ms1(const struct pat_fields *f, struct pat_list *l, struct pat_generated *out)
{
    int64_t len = 0;
    size_t used = 0;
    struct pat_list locations = {0}, gaps = {0};
    ls_err err = pat_field_integer(&f->at[0], "length", 1, &len);
    if (err == LS_OK) err = pat_ms1_lists(f, &locations, &gaps);
    if (err == LS_OK) err = pat_ms1_walk((size_t)len, &locations.v, &gaps.v, l, &used);
    if (err == LS_OK && used < locations.v.len)
        snprintf(out->note, sizeof(out->note),
                 "MS1: location %lld is not reached (not ascending, or beyond the length); this and the "
                 "following ones have no effect",
                 (long long)locations.v.data[used]);
    pat_list_fini(&locations);
    pat_list_fini(&gaps);
    return err;
}

/* Write positions (j + 1) * size^i on branch i, ascending by branch; the last one is the largest. */
static ls_err pat_laplacian_positions(int64_t dimensions, int64_t order, int64_t size, struct pat_list *l)
{
    int64_t scale = 1, position;
    for (int64_t i = 0; i < dimensions; i++) {
        for (int64_t j = 0; j < order; j++) {
            if (__builtin_mul_overflow(j + 1, scale, &position)) return pat_overflow("LAPLACIAN");
            LS_TRY(pat_list_push(l, position));
        }
        if (i + 1 < dimensions && __builtin_mul_overflow(scale, size, &scale))
            return pat_overflow("LAPLACIAN");
    }
    return LS_OK;
}

static ls_err pat_laplacian_mirror(const struct pat_indices *positions, struct pat_list *l)
{
    const size_t n = positions->len;
    const int64_t middle = positions->data[n - 1];
    if (middle > INT64_MAX / 2) return pat_overflow("LAPLACIAN");
    LS_TRY(pat_list_reserve(l, 2 * n + 1));
    for (size_t i = 0; i < n; i++)
        l->v.data[i] = middle - positions->data[n - 1 - i];
    l->v.data[n] = middle;
    for (size_t i = 0; i < n; i++)
        l->v.data[n + 1 + i] = middle + positions->data[i];
    l->v.len = 2 * n + 1;
    return LS_OK;
}

static ls_err pat_laplacian(const struct pat_fields *f, struct pat_list *l, struct pat_generated *out)
{
    int64_t dimensions, order, size;
    size_t bytes;
    LS_TRY(pat_field_integer(&f->at[0], "dimensions", 1, &dimensions));
    LS_TRY(pat_field_integer(&f->at[1], "order", 1, &order));
    LS_TRY(pat_field_integer(&f->at[2], "size", 1, &size));
    struct pat_list positions = {.limit = l->limit};
    if (!ls_mul_size((size_t)dimensions, (size_t)order, &bytes)) return pat_overflow("LAPLACIAN");
    ls_err err = pat_list_reserve(&positions, bytes);
    if (err == LS_OK) err = pat_laplacian_positions(dimensions, order, size, &positions);
    if (err == LS_OK) err = pat_laplacian_mirror(&positions.v, l);
    pat_list_fini(&positions);
    out->sets_delta = true;
    out->delta = 1;
    return err;
}

static const struct pat_generator pat_generators[] = {
    {"UNIFORM", "UNIFORM:LENGTH:STRIDE[:DELTA|:NR]", 2, 3, pat_uniform},
    {"MS1", "MS1:LENGTH:LOCATIONS:GAPS", 3, 3, pat_ms1},
    {"LAPLACIAN", "LAPLACIAN:DIMENSIONS:ORDER:SIZE", 3, 3, pat_laplacian},
};

/* Split text at its colons; one excess field is counted, so that it can be refused. */
static struct pat_fields pat_fields_of(const char *text)
{
    struct pat_fields f = {.len = 0};
    while (text && f.len < PAT_FIELDS_MAX) {
        const size_t len = strcspn(text, ":");
        f.at[f.len++] = (struct pat_field){text, len};
        text = text[len] == ':' ? text + len + 1 : NULL;
    }
    return f;
}

static ls_err pat_generator_run(const struct pat_generator *g, const char *fields, struct pat_list *l,
                                struct pat_generated *out)
{
    const struct pat_fields f = pat_fields_of(fields);
    if (f.len < g->fields_min || f.len > g->fields_max)
        return ls_fail(LS_ERR_ARG, "%zu fields after %s; expected %s", f.len, g->name, g->form);
    const ls_err err = g->run(&f, l, out);
    if (err == LS_OK || err == LS_ERR_NOMEM) return err;
    char why[256];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(err, "%s; expected %s", why, g->form);
}

static ls_err pat_generate_list(const char *text, struct pat_list *l, struct pat_generated *out)
{
    const size_t name_len = strcspn(text, ":");
    if (text[name_len] == '\0') {
        if (*text == '\0')
            return ls_fail(LS_ERR_ARG, "the pattern is empty; expected indices as in 0,4,8,12");
        return pat_integers_parse(text, name_len, 0, l);
    }
    for (size_t i = 0; i < sizeof(pat_generators) / sizeof(pat_generators[0]); i++)
        if (strlen(pat_generators[i].name) == name_len &&
            strncasecmp(text, pat_generators[i].name, name_len) == 0)
            return pat_generator_run(&pat_generators[i], text + name_len + 1, l, out);
    return ls_fail(LS_ERR_ARG, "unknown generator '%.*s': use UNIFORM, MS1 or LAPLACIAN",
                   (int)(name_len < 40 ? name_len : 40), text);
}

ls_err pat_generate(const char *text, struct pat_generated *out)
{
    return pat_generate_within(text, 0, out);
}

ls_err pat_generate_within(const char *text, size_t limit, struct pat_generated *out)
{
    struct pat_list l = {.limit = limit};
    memset(out, 0, sizeof(*out));
    const ls_err err = pat_generate_list(text, &l, out);
    if (err == LS_OK)
        pat_list_take(&l, &out->indices);
    else
        memset(out, 0, sizeof(*out));
    pat_list_fini(&l);
    return err;
}
