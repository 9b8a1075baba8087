/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles and sampled rows as columns. */
#include "viz-export/view/vx_view_parts.h"

#include <math.h>

static uint64_t vx_tile_bin_digit(uint8_t bin)
{
    return bin == AN_TILE_NO_BIN ? 0 : 1u + bin;
}

static uint32_t vx_bins_max(const struct an_tiles *t)
{
    uint32_t bins = 0;
    for (size_t i = 0; i < t->len; i++)
        if (t->tiles[i].bin != AN_TILE_NO_BIN && t->tiles[i].bin >= bins) bins = t->tiles[i].bin + 1u;
    return bins;
}

static void vx_tile_coordinates(const struct an_tiles *t, struct vx_pack *p)
{
    static const char *const names[] = {"tile.node", "tile.line",  "tile.thread", "tile.access",
                                        "tile.bin",  "tile.slice", "tile.field",  "tile.place"};
    for (size_t c = 0; c < sizeof(names) / sizeof(names[0]); c++) {
        uint32_t before = 0;
        vx_pack_begin(p, names[c], VX_COLUMN_INT);
        for (size_t i = 0; i < t->len; i++) {
            const struct an_tile *tile = &t->tiles[i];
            const uint32_t now[] = {
                tile->node,  tile->line,  tile->thread, tile->access, (uint32_t)vx_tile_bin_digit(tile->bin),
                tile->slice, tile->field, tile->place};
            vx_pack_int(p, (int64_t)now[c] - before);
            before = now[c];
        }
    }
}

/* Costs of a stranger's profile may be infinite, or none. */
static double vx_bounded(double value, double otherwise)
{
    const double most = 0x1p53;
    return isnan(value) ? otherwise : fmin(fmax(value, -most), most);
}

/* Sums from the begin to here are rounded, not each tile: errors do not add up. */
static void vx_tile_sums(const struct an_tiles *t, struct vx_pack *p, double unit_ns, bool is_stall)
{
    double sum = 0, told = 0;
    vx_pack_begin(p, is_stall ? "tile.stall" : "tile.time", VX_COLUMN_INT);
    for (size_t i = 0; i < t->len; i++) {
        sum += is_stall ? t->tiles[i].stall_ns : t->tiles[i].time_ns;
        const double now = vx_bounded(round(sum / unit_ns), told);
        vx_pack_int(p, (int64_t)(now - told));
        told = now;
    }
}

void vx_view_tiles(const struct vx_view *v, struct vx_pack *p, struct ls_json *j)
{
    const struct an_tiles *t = v->tiles;
    const double unit_ns = fmax(v->costs->weight_ns, 1) / VX_VIEW_UNITS;
    ls_json_open(j, "tiles", '{');
    ls_json_number(j, "len", (double)t->len);
    ls_json_number(j, "unitNs", unit_ns);
    ls_json_number(j, "slices", t->slices);
    ls_json_number(j, "places", t->places.len);
    ls_json_number(j, "placeLevel", t->place_level);
    ls_json_number(j, "bins", vx_bins_max(t));
    ls_json_number(j, "binsPerOctave", t->bins_per_octave);
    ls_json_number(j, "linesFolded", t->lines_folded);
    ls_json_number(j, "nodesFolded", t->nodes_folded);
    ls_json_number(j, "threadsFolded", t->threads_folded);
    ls_json_open(j, "classes", '[');
    for (int c = 0; c < AN_CLASSES; c++)
        ls_json_text(j, NULL, an_class_names[c]);
    ls_json_close(j, ']');
    ls_json_close(j, '}');
    vx_tile_coordinates(t, p);
    vx_pack_begin(p, "tile.samples", VX_COLUMN_UINT);
    for (size_t i = 0; i < t->len; i++)
        vx_pack_uint(p, t->tiles[i].samples);
    vx_tile_sums(t, p, unit_ns, false);
    vx_tile_sums(t, p, unit_ns, true);
    vx_pack_begin(p, "tile.latency", VX_COLUMN_INT);
    for (size_t i = 0; i < t->len; i++)
        vx_pack_int(p, (int64_t)t->tiles[i].latency_cycles);
}

/* --- rows of samples --- */

enum { VX_OFFSET_PARTS = 10000 };

/* How far into its node the access went, in parts of 10,000; one more: not known. */
static uint64_t vx_offset_of(const struct vx_view *v, uint64_t i)
{
    const struct prof_samples *s = &v->in->samples;
    if (s->node[i] >= v->tables->nodes_len) return VX_OFFSET_PARTS;
    const struct prof_node *n = &v->tables->nodes[s->node[i]];
    if (n->end <= n->base || s->addr[i] < n->base || s->addr[i] >= n->end) return VX_OFFSET_PARTS;
    return (uint64_t)((double)(s->addr[i] - n->base) / (double)(n->end - n->base) * VX_OFFSET_PARTS);
}

/* 0: not measured, else one more than the cycles. */
static uint64_t vx_latency_of(const struct prof_samples *s, uint64_t i)
{
    if (!an_is_measured(s, i)) return 0;
    return s->latency_cycles[i] > 0 ? (uint64_t)s->latency_cycles[i] + 1 : 1;
}

static uint64_t vx_row_time_us(const struct vx_view *v, uint64_t i)
{
    const uint64_t time_ns = v->in->samples.time_ns[i];
    return time_ns == UINT64_MAX ? 0 : time_ns / 1000;
}

static uint32_t vx_number(const struct an_keys *k, uint64_t i)
{
    return k->number_of_sample[i] < k->len ? k->number_of_sample[i] : k->len;
}

static void vx_row_numbers(const struct vx_view *v, struct vx_pack *p, const char *name,
                           const struct an_keys *k)
{
    vx_pack_begin(p, name, VX_COLUMN_UINT);
    for (size_t r = 0; r < v->rows_len; r++)
        vx_pack_uint(p, vx_number(k, v->rows[r]));
}

/* As tile.place has them. */
static void vx_row_places(const struct vx_view *v, struct vx_pack *p)
{
    if (v->tiles->places.len == 0) return;
    vx_pack_begin(p, "row.place", VX_COLUMN_UINT);
    for (size_t r = 0; r < v->rows_len; r++)
        vx_pack_uint(p, an_place_of(&v->tiles->places, v->rows[r], v->tiles->place_level));
}

void vx_view_sample(const struct vx_view *v, struct vx_pack *p, struct ls_json *j)
{
    const struct prof_samples *s = &v->in->samples;
    ls_json_open(j, "sample", '{');
    ls_json_number(j, "len", (double)v->rows_len);
    ls_json_number(j, "of", (double)s->len);
    ls_json_number(j, "offsetParts", VX_OFFSET_PARTS);
    ls_json_close(j, '}');
    vx_row_numbers(v, p, "row.node", &v->tiles->node);
    vx_row_numbers(v, p, "row.line", &v->tiles->line);
    vx_row_numbers(v, p, "row.thread", &v->tiles->thread);
    vx_pack_begin(p, "row.access", VX_COLUMN_UINT);
    for (size_t r = 0; r < v->rows_len; r++)
        vx_pack_uint(p, an_class_of(s, v->rows[r]));
    vx_pack_begin(p, "row.latency", VX_COLUMN_UINT);
    for (size_t r = 0; r < v->rows_len; r++)
        vx_pack_uint(p, vx_latency_of(s, v->rows[r]));
    vx_pack_begin(p, "row.time", VX_COLUMN_INT);
    uint64_t before_us = 0;
    for (size_t r = 0; r < v->rows_len; r++) {
        const uint64_t now_us = vx_row_time_us(v, v->rows[r]);
        vx_pack_int(p, (int64_t)(now_us - before_us));
        before_us = now_us;
    }
    vx_row_places(v, p);
    vx_pack_begin(p, "row.offset", VX_COLUMN_UINT);
    for (size_t r = 0; r < v->rows_len; r++)
        vx_pack_uint(p, vx_offset_of(v, v->rows[r]));
}
