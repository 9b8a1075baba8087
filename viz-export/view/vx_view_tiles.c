/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles and sampled rows as columns. */
#include "common/ls_hash.h"
#include "viz-export/view/vx_view_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Costs in a profile of another user may be infinite or NAN. */
static double vx_bounded(double value, double otherwise)
{
    const double most = 0x1p53;
    return isnan(value) ? otherwise : fmin(fmax(value, -most), most);
}

/* Round the running sum instead of each tile, so that errors do not add up. */
static void vx_tile_sums(const struct an_tiles *t, struct vx_pack *p, double unit_ns, bool is_stall)
{
    double sum = 0, written = 0;
    vx_pack_begin(p, is_stall ? "tile.stall" : "tile.time", VX_COLUMN_INT);
    for (size_t i = 0; i < t->len; i++) {
        sum += is_stall ? t->tiles[i].stall_ns : t->tiles[i].time_ns;
        const double now = vx_bounded(round(sum / unit_ns), written);
        vx_pack_int(p, (int64_t)(now - written));
        written = now;
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

/* --- call stacks --- */

static void vx_stack_coordinates(const struct an_stacks *s, struct vx_pack *p)
{
    static const char *const names[] = {"stack.call",   "stack.node",  "stack.line",
                                        "stack.thread", "stack.slice", "stack.origin"};
    for (size_t c = 0; c < sizeof(names) / sizeof(names[0]); c++) {
        uint32_t before = 0;
        vx_pack_begin(p, names[c], VX_COLUMN_INT);
        for (size_t i = 0; i < s->len; i++) {
            const struct an_stack *row = &s->rows[i];
            const uint32_t now[] = {row->call, row->node, row->line, row->thread, row->slice, row->is_origin};
            vx_pack_int(p, (int64_t)now[c] - before);
            before = now[c];
        }
    }
}

static void vx_stack_sums(const struct an_stacks *s, struct vx_pack *p, double unit_ns, bool is_stall)
{
    double sum = 0, written = 0;
    vx_pack_begin(p, is_stall ? "stack.stall" : "stack.time", VX_COLUMN_INT);
    for (size_t i = 0; i < s->len; i++) {
        sum += is_stall ? s->rows[i].stall_ns : s->rows[i].time_ns;
        const double now = vx_bounded(round(sum / unit_ns), written);
        vx_pack_int(p, (int64_t)(now - written));
        written = now;
    }
}

/* Return the number of the first call with the name of call c, because names are stored once. */
static uint32_t vx_call_name(const struct an_stacks *s, const struct ls_index *names, uint32_t c)
{
    uint32_t first = c;
    for (size_t step = 0;
         ls_index_next(names, ls_hash_text(LS_HASH_BEGIN, s->calls[c].function), &step, &first);)
        if (strcmp(s->calls[first].function, s->calls[c].function) == 0) return first;
    return c;
}

static void vx_stack_names(const struct an_stacks *s, struct vx_pack *p, struct ls_json *j)
{
    struct ls_index names = {0};
    uint32_t len = 0, *number = calloc(s->calls_len + 1u, sizeof(*number));
    ls_json_open(j, "names", '[');
    for (uint32_t c = 0; number && c < s->calls_len; c++) {
        const uint32_t first = vx_call_name(s, &names, c);
        number[c] = first == c ? len++ : number[first];
        if (first < c) continue;
        ls_json_text(j, NULL, s->calls[c].function);
        if (ls_index_put(&names, ls_hash_text(LS_HASH_BEGIN, s->calls[c].function), c) != LS_OK)
            p->failed = true;
    }
    ls_json_close(j, ']');
    vx_pack_begin(p, "call.name", VX_COLUMN_UINT);
    for (uint32_t c = 0; number && c < s->calls_len; c++)
        vx_pack_uint(p, number[c]);
    p->failed |= !number;
    free(number);
    ls_index_fini(&names);
}

void vx_view_stacks(const struct vx_view *v, struct vx_pack *p, struct ls_json *j)
{
    const struct an_stacks *s = &v->tiles->stacks;
    const double unit_ns = fmax(v->costs->weight_ns, 1) / VX_VIEW_UNITS;
    ls_json_open(j, "stacks", '{');
    ls_json_number(j, "len", (double)s->len);
    ls_json_number(j, "calls", s->calls_len);
    ls_json_number(j, "level", s->level);
    vx_stack_names(s, p, j);
    ls_json_close(j, '}');
    vx_pack_begin(p, "call.parent", VX_COLUMN_UINT); /* 0: none, otherwise the number plus 1 */
    for (uint32_t c = 0; c < s->calls_len; c++)
        vx_pack_uint(p, s->calls[c].parent == UINT32_MAX ? 0 : s->calls[c].parent + 1);
    vx_stack_coordinates(s, p);
    vx_stack_sums(s, p, unit_ns, false);
    vx_stack_sums(s, p, unit_ns, true);
}

/* --- rows of samples --- */

enum { VX_OFFSET_PARTS = 10000 };

/* Position of the access in its node, in parts of 10,000; 10,001: not known. */
static uint64_t vx_row_offset(const struct vx_view *v, const struct an_tile_row *row)
{
    if (row->node >= v->tiles->node.len) return VX_OFFSET_PARTS;
    const struct prof_node *n = &v->tables->nodes[v->tiles->node.keys[row->node]];
    if (n->end <= n->base || row->addr < n->base || row->addr >= n->end) return VX_OFFSET_PARTS;
    return (uint64_t)((double)(row->addr - n->base) / (double)(n->end - n->base) * VX_OFFSET_PARTS);
}

/* 0: not measured, otherwise the cycles plus 1. */
static uint64_t vx_row_latency(const struct vx_view *v, const struct an_tile_row *row)
{
    (void)v;
    if (row->latency_cycles == INT32_MIN) return 0;
    return row->latency_cycles > 0 ? (uint64_t)row->latency_cycles + 1 : 1;
}

#define VX_ROW_MEMBER(member)                                                               \
    static uint64_t vx_row_##member(const struct vx_view *v, const struct an_tile_row *row) \
    {                                                                                       \
        (void)v;                                                                            \
        return row->member;                                                                 \
    }
VX_ROW_MEMBER(node)
VX_ROW_MEMBER(line)
VX_ROW_MEMBER(thread)
VX_ROW_MEMBER(access)
VX_ROW_MEMBER(place)
#undef VX_ROW_MEMBER

static void vx_rows(const struct vx_view *v, struct vx_pack *p, const char *name,
                    uint64_t (*value)(const struct vx_view *v, const struct an_tile_row *row))
{
    vx_pack_begin(p, name, VX_COLUMN_UINT);
    for (size_t r = 0; r < v->rows_len; r++)
        vx_pack_uint(p, value(v, &v->rows[r]));
}

/* Write the differences of the times. */
static void vx_row_times(const struct vx_view *v, struct vx_pack *p)
{
    uint64_t before_us = 0;
    vx_pack_begin(p, "row.time", VX_COLUMN_INT);
    for (size_t r = 0; r < v->rows_len; r++) {
        const uint64_t time_ns = v->rows[r].time_ns, now_us = time_ns == UINT64_MAX ? 0 : time_ns / 1000;
        vx_pack_int(p, (int64_t)(now_us - before_us));
        before_us = now_us;
    }
}

void vx_view_sample(const struct vx_view *v, struct vx_pack *p, struct ls_json *j)
{
    ls_json_open(j, "sample", '{');
    ls_json_number(j, "len", (double)v->rows_len);
    ls_json_number(j, "of", (double)v->samples_len);
    ls_json_number(j, "offsetParts", VX_OFFSET_PARTS);
    ls_json_close(j, '}');
    vx_rows(v, p, "row.node", vx_row_node);
    vx_rows(v, p, "row.line", vx_row_line);
    vx_rows(v, p, "row.thread", vx_row_thread);
    vx_rows(v, p, "row.access", vx_row_access);
    vx_rows(v, p, "row.latency", vx_row_latency);
    vx_row_times(v, p);
    if (v->tiles->places.len > 0) vx_rows(v, p, "row.place", vx_row_place); /* numbered like tile.place */
    vx_rows(v, p, "row.offset", vx_row_offset);
}
