/* SPDX-License-Identifier: BSD-3-Clause */
#include "ndm/ndm_wire.h"
#include "common/ls_error.h"
#include "ndm/ndm_shape.h"

#include <stdlib.h>

enum {
    GEOMETRY_WORDS = 3 + 3 * NDM_AXES_MAX + 3,
    TEXTS = 2 + NDM_AXES_MAX,
    MAP_WORDS = 4 + 4 * NDM_AXES_MAX + 1 + NDM_AXES_MAX + 3
};

static uint64_t padded(uint64_t len_bytes)
{
    return (len_bytes + 7) & ~UINT64_C(7);
}

static uint64_t bits_of_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

static double double_of_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof(d));
    return d;
}

/* ---- writing ---- */

static const char *text_of(const struct ndm_geometry *g, unsigned k)
{
    const char *text = k == 0 ? g->label : k == 1 ? g->unit : g->axes[k - 2];
    return text ? text : "";
}

static uint64_t connectivity_len(const struct ndm_geometry *g)
{
    return g->kind == NDM_MESH && g->cells_len > 0 ? g->offsets[g->cells_len] : 0;
}

static void put_padded(ndm_wire_put put, void *user, const void *bytes, uint64_t len_bytes)
{
    static const char zeros[8];
    if (len_bytes > 0) put(user, bytes, len_bytes);
    if (padded(len_bytes) > len_bytes) put(user, zeros, padded(len_bytes) - len_bytes);
}

uint64_t ndm_geometry_wire_bytes(const struct ndm_geometry *g)
{
    uint64_t n = GEOMETRY_WORDS * 8;
    for (unsigned k = 0; k < TEXTS; k++)
        n += 8 + padded(strlen(text_of(g, k)));
    if (g->kind == NDM_MESH)
        n += 8 * NDM_AXES_MAX * g->points_len + padded(g->cells_len) + 8 * connectivity_len(g);
    return n;
}

void ndm_geometry_put(const struct ndm_geometry *g, ndm_wire_put put, void *user)
{
    uint64_t words[GEOMETRY_WORDS] = {NDM_WIRE_GEOMETRY, g->kind, g->dims};
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        words[3 + k] = g->extents[k];
        words[3 + NDM_AXES_MAX + k] = bits_of_double(g->origin[k]);
        words[3 + 2 * NDM_AXES_MAX + k] = bits_of_double(g->spacing[k]);
    }
    uint64_t *const lens = words + 3 + 3 * NDM_AXES_MAX;
    lens[0] = g->points_len;
    lens[1] = g->cells_len;
    lens[2] = connectivity_len(g);
    put(user, words, sizeof(words));
    for (unsigned k = 0; k < TEXTS; k++) {
        const char *text = text_of(g, k);
        const uint64_t len = strlen(text);
        put(user, &len, sizeof(len));
        put_padded(put, user, text, len);
    }
    if (g->kind != NDM_MESH) return;
    put_padded(put, user, g->points, 8 * NDM_AXES_MAX * g->points_len);
    put_padded(put, user, g->shapes, g->cells_len);
    put_padded(put, user, g->connectivity, 8 * connectivity_len(g));
}

uint64_t ndm_map_wire_bytes(const struct ndm_map *m)
{
    return 8 * (MAP_WORDS + (m->kind == NDM_MAP_TARGETS ? m->targets_len : 0));
}

void ndm_map_put(const struct ndm_map *m, ndm_wire_put put, void *user)
{
    const struct ndm_layout *l = &m->layout;
    uint64_t words[MAP_WORDS] = {NDM_WIRE_MAP, m->kind, m->centering, l->order};
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        words[4 + k] = l->block[k];
        words[4 + NDM_AXES_MAX + k] = l->padded[k];
        words[4 + 2 * NDM_AXES_MAX + k] = l->ghost_low[k];
        words[4 + 3 * NDM_AXES_MAX + k] = l->ghost_high[k];
        words[5 + 4 * NDM_AXES_MAX + k] = (uint64_t)l->stride[k];
    }
    words[4 + 4 * NDM_AXES_MAX] = l->offset;
    uint64_t *const last = words + 5 + 5 * NDM_AXES_MAX;
    last[0] = l->elements_per_cell;
    last[1] = m->elements_per_entity;
    last[2] = m->kind == NDM_MAP_TARGETS ? m->targets_len : 0;
    put(user, words, sizeof(words));
    put_padded(put, user, m->targets, 8 * last[2]);
}

/* ---- reading ---- */

static ls_err take_words(struct ls_cursor *c, uint64_t magic, uint64_t *words, size_t len)
{
    const uint64_t version = UINT64_C(0xffff) << 48;
    if (!ls_cursor_read(c, words, len * sizeof(*words)))
        return ls_fail(LS_ERR_TRUNCATED, "natural domain: its record ends after %zu bytes",
                       c->span.len_bytes);
    if (words[0] == magic) return LS_OK;
    if ((words[0] & ~version) == (magic & ~version))
        return ls_fail(LS_ERR_VERSION, "natural domain: written by another version of Loadstone");
    return ls_fail(LS_ERR_FORMAT, "natural domain: the record does not begin as it must");
}

/* Copy the next len items, which are padded; NULL for none. */
static ls_err take_array(struct ls_cursor *c, uint64_t len, size_t item_bytes, void *out_array)
{
    void *copy = NULL;
    if (len > ls_cursor_left(c) / item_bytes || padded(len * item_bytes) > ls_cursor_left(c))
        return ls_fail(LS_ERR_TRUNCATED, "natural domain: %llu values are announced, %zu bytes are left",
                       (unsigned long long)len, ls_cursor_left(c));
    if (len > 0) {
        copy = malloc(len * item_bytes);
        if (!copy) return ls_nomem("a natural domain");
        memcpy(copy, ls_cursor_take(c, padded(len * item_bytes)), len * item_bytes);
    }
    memcpy(out_array, &copy, sizeof(copy)); /* works for any type of pointer */
    return LS_OK;
}

static ls_err take_text(struct ls_cursor *c, char **out)
{
    uint64_t len;
    if (!ls_cursor_read(c, &len, sizeof(len)) || len > NDM_LABEL_MAX_BYTES || padded(len) > ls_cursor_left(c))
        return ls_fail(LS_ERR_TRUNCATED, "natural domain: a text does not fit its record");
    const uint8_t *text = ls_cursor_take(c, padded(len));
    *out = strndup((const char *)text, len);
    return *out ? LS_OK : ls_nomem("a natural domain");
}

static ls_err take_geometry_words(struct ls_cursor *c, struct ndm_geometry *g, uint64_t *out_connectivity_len)
{
    uint64_t words[GEOMETRY_WORDS];
    LS_TRY(take_words(c, NDM_WIRE_GEOMETRY, words, GEOMETRY_WORDS));
    if (words[1] > NDM_MESH || words[2] > NDM_AXES_MAX)
        return ls_fail(LS_ERR_FORMAT, "natural domain: unknown kind or number of axes");
    g->kind = (enum ndm_kind)words[1];
    g->dims = (uint32_t)words[2];
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        g->extents[k] = words[3 + k];
        g->origin[k] = double_of_bits(words[3 + NDM_AXES_MAX + k]);
        g->spacing[k] = double_of_bits(words[3 + 2 * NDM_AXES_MAX + k]);
    }
    g->points_len = words[3 + 3 * NDM_AXES_MAX];
    g->cells_len = words[4 + 3 * NDM_AXES_MAX];
    *out_connectivity_len = words[5 + 3 * NDM_AXES_MAX];
    return LS_OK;
}

/* Compute the start of each cell in the connectivity from the shapes. */
static ls_err make_offsets(struct ndm_geometry *g, uint64_t connectivity_len)
{
    uint64_t at = 0;
    g->offsets = malloc((g->cells_len + 1) * sizeof(*g->offsets));
    if (!g->offsets) return ls_nomem("a natural domain");
    for (uint64_t c = 0; c < g->cells_len; c++) {
        g->offsets[c] = at;
        at += ndm_shape_points(g->shapes[c]);
    }
    g->offsets[g->cells_len] = at;
    if (at == connectivity_len) return LS_OK;
    return ls_fail(LS_ERR_FORMAT, "natural domain \"%.120s\": its cells have %llu points, but %llu are there",
                   g->label, (unsigned long long)at, (unsigned long long)connectivity_len);
}

static ls_err take_mesh(struct ls_cursor *c, struct ndm_geometry *g, uint64_t connectivity_len)
{
    if (g->points_len > NDM_CELLS_MAX || g->cells_len > NDM_CELLS_MAX)
        return ls_fail(LS_ERR_RANGE, "natural domain \"%.120s\": more than 2^40 points or cells", g->label);
    LS_TRY(take_array(c, NDM_AXES_MAX * g->points_len, sizeof(double), &g->points));
    LS_TRY(take_array(c, g->cells_len, 1, &g->shapes));
    LS_TRY(take_array(c, connectivity_len, sizeof(uint64_t), &g->connectivity));
    return make_offsets(g, connectivity_len);
}

static ls_err take_geometry(struct ls_cursor *c, struct ndm_geometry *g)
{
    uint64_t connectivity_len = 0;
    LS_TRY(take_geometry_words(c, g, &connectivity_len));
    LS_TRY(take_text(c, &g->label));
    LS_TRY(take_text(c, &g->unit));
    for (unsigned k = 0; k < NDM_AXES_MAX; k++)
        LS_TRY(take_text(c, &g->axes[k]));
    if (g->kind == NDM_MESH) LS_TRY(take_mesh(c, g, connectivity_len));
    return ndm_geometry_check(g);
}

ls_err ndm_geometry_get(struct ls_span bytes, struct ndm_geometry *out)
{
    struct ls_cursor c = {.span = bytes};
    memset(out, 0, sizeof(*out));
    const ls_err e = take_geometry(&c, out);
    if (e != LS_OK) ndm_geometry_fini(out);
    return e;
}

static ls_err take_map(struct ls_cursor *c, struct ndm_map *m)
{
    uint64_t words[MAP_WORDS];
    LS_TRY(take_words(c, NDM_WIRE_MAP, words, MAP_WORDS));
    if (words[1] > NDM_MAP_CALLBACK || words[2] > NDM_POINTS || words[3] > NDM_STRIDED)
        return ls_fail(LS_ERR_FORMAT, "natural domain: unknown kind of map, centering or order");
    struct ndm_layout *const l = &m->layout;
    m->kind = (enum ndm_map_kind)words[1];
    m->centering = (enum ndm_centering)words[2];
    l->order = (enum ndm_order)words[3];
    for (unsigned k = 0; k < NDM_AXES_MAX; k++) {
        l->block[k] = words[4 + k];
        l->padded[k] = words[4 + NDM_AXES_MAX + k];
        l->ghost_low[k] = words[4 + 2 * NDM_AXES_MAX + k];
        l->ghost_high[k] = words[4 + 3 * NDM_AXES_MAX + k];
        l->stride[k] = (int64_t)words[5 + 4 * NDM_AXES_MAX + k];
    }
    l->offset = words[4 + 4 * NDM_AXES_MAX];
    const uint64_t *const last = words + 5 + 5 * NDM_AXES_MAX;
    l->elements_per_cell = last[0];
    m->elements_per_entity = last[1];
    m->targets_len = last[2];
    return take_array(c, m->targets_len, sizeof(uint64_t), &m->targets);
}

ls_err ndm_map_get(struct ls_span bytes, struct ndm_map *out)
{
    struct ls_cursor c = {.span = bytes};
    memset(out, 0, sizeof(*out));
    const ls_err e = take_map(&c, out);
    if (e != LS_OK) ndm_map_fini(out);
    return e;
}
