/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_tiles.h"
#include "analyse/an_tiles_fold.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AN_CLASS_NAME(id, words) words,
const char *const an_class_names[AN_CLASSES] = {AN_CLASS_LIST(AN_CLASS_NAME)};
#undef AN_CLASS_NAME

enum { AN_SAMPLES_A_TILE = 8 };

uint8_t an_tile_bin(int32_t latency_cycles, uint32_t bins_per_octave)
{
    if (latency_cycles < 1) return 0; /* a coarse counter */
    return (uint8_t)(1 + floor(log2((double)latency_cycles) * bins_per_octave + 1e-9));
}

enum an_class an_class_of(const struct prof_samples *s, uint64_t i)
{
    if (s->op[i] == 1) return AN_CLASS_STORE;
    if (s->op[i] != 0) return AN_CLASS_OTHER;
    if (!an_is_measured(s, i)) return AN_CLASS_UNMEASURED;
    return s->level[i] < PROF_LEVEL_COUNT ? (enum an_class)s->level[i] : AN_CLASS_LEVEL_UNKNOWN;
}

/* --- tiles by their coordinates --- */

struct an_tile_set {
    LS_VECTOR(struct an_tile) tiles;
    struct ls_index by_place;
};

static uint64_t an_tile_key(const struct an_tile *t)
{
    const uint64_t code = ls_index_key((uint64_t)t->node << 32 | t->line, t->thread);
    const uint64_t kind = (uint64_t)t->slice << 16 | (uint64_t)t->access << 8 | t->bin;
    return ls_index_key(ls_index_key(code, kind), (uint64_t)t->field << 32 | t->place);
}

static bool an_tile_is_same(const struct an_tile *a, const struct an_tile *b)
{
    return a->node == b->node && a->line == b->line && a->thread == b->thread && a->slice == b->slice &&
           a->access == b->access && a->bin == b->bin && a->place == b->place && a->field == b->field;
}

static ls_err an_set_add(struct an_tile_set *s, const struct an_tile *t)
{
    const uint64_t key = an_tile_key(t);
    uint32_t row;
    for (size_t step = 0; ls_index_next(&s->by_place, key, &step, &row);)
        if (an_tile_is_same(&s->tiles.rows[row], t)) {
            an_tile_add(&s->tiles.rows[row], t);
            return LS_OK;
        }
    LS_TRY(LS_VECTOR_ADD(&s->tiles, *t));
    return ls_index_put(&s->by_place, key, (uint32_t)s->tiles.len - 1);
}

/* --- samples to tiles --- */

static uint32_t an_number_or_none(const struct an_keys *k, uint64_t i)
{
    const uint32_t n = k->number_of_sample[i];
    return n < k->len ? n : k->len;
}

/* Very many samples would make as many tiles before these are put together. */
static uint32_t an_first_place_level(const struct an_tiles_input *from)
{
    return from->places && from->in->samples.len / AN_SAMPLES_A_TILE > from->len_max ? 2 : 0;
}

uint32_t an_place_of(const struct an_places *p, uint64_t i, uint32_t level)
{
    const uint32_t place = p->place_of_sample[i];
    return place && level ? 1 + p->coarser[level - 1][place - 1] : place;
}

static ls_err an_tiles_sum(struct an_tiles *out, const struct an_tiles_input *from,
                           const struct an_keys *slice, struct an_tile_set *set)
{
    const struct prof_samples *s = &from->in->samples;
    const struct an_places *p = out->places.len ? &out->places : NULL;
    for (uint64_t i = 0; i < s->len; i++) {
        const bool is_measured = an_is_measured(s, i);
        const uint32_t in_slice = slice->number_of_sample[i];
        const struct an_tile t = {.node = an_number_or_none(&out->node, i),
                                  .line = an_number_or_none(&out->line, i),
                                  .thread = an_number_or_none(&out->thread, i),
                                  .slice = in_slice < slice->len ? slice->keys[in_slice] : out->slices,
                                  .field = p ? p->field_of_sample[i] : 0,
                                  .place = p ? an_place_of(p, i, out->place_level) : 0,
                                  .access = (uint8_t)an_class_of(s, i),
                                  .bin = is_measured ? an_tile_bin(s->latency_cycles[i], out->bins_per_octave)
                                                     : AN_TILE_NO_BIN,
                                  .samples = 1,
                                  .time_ns = (double)from->costs->time_ns[i],
                                  .stall_ns = (double)from->costs->stall_ns[i],
                                  .latency_cycles = is_measured ? s->latency_cycles[i] : 0};
        LS_TRY(an_set_add(set, &t));
    }
    return LS_OK;
}

/* Bursts as a whole: where they began, and those without accesses. */
static ls_err an_tiles_sum_bursts(struct an_tiles *out, const struct an_tiles_input *from,
                                  const struct an_keys *slice, struct an_tile_set *set)
{
    for (size_t b = 0; b < from->in->bursts_len; b++) {
        const uint32_t in_slice = slice->number_of_burst[b];
        struct an_tile t = {.node = out->node.len + 1,
                            .line = an_keys_dense(&out->line, out->line.number_of_burst[b]),
                            .thread = an_keys_dense(&out->thread, out->thread.number_of_burst[b]),
                            .slice = in_slice < slice->len ? slice->keys[in_slice] : out->slices,
                            .access = AN_CLASS_ORIGIN,
                            .bin = AN_TILE_NO_BIN,
                            .time_ns = an_weight_ns(from->costs, &from->in->bursts[b])};
        if (t.time_ns <= 0) continue;
        LS_TRY(an_set_add(set, &t));
        t.access = AN_CLASS_NO_ACCESS;
        t.time_ns = an_data_weight_ns(from->costs, &from->in->bursts[b]);
        if (from->in->bursts[b].samples_len == 0) LS_TRY(an_set_add(set, &t));
    }
    return LS_OK;
}

static ls_err an_tiles_keys(struct an_keys *out, const char *dimension, const struct an_tiles_input *from)
{
    return an_keys_init(out, an_dimension_named(dimension, strlen(dimension)), from->tables,
                        &from->in->samples);
}

ls_err an_tiles_init(struct an_tiles *out, const struct an_tiles_input *from)
{
    struct an_tile_set set = {0};
    struct an_keys slice = {0};
    *out = (struct an_tiles){.slices = from->tables->slices, .bins_per_octave = AN_TILE_BINS_PER_OCTAVE};
    if (from->places && from->places->len) {
        out->places = *from->places;
        out->place_level = an_first_place_level(from);
    }
    LS_TRY(an_tiles_keys(&out->node, "node", from));
    LS_TRY(an_tiles_keys(&out->line, "line", from));
    LS_TRY(an_tiles_keys(&out->thread, "thread", from));
    ls_err err = an_tiles_keys(&slice, "slice", from);
    if (err == LS_OK) err = an_tiles_sum(out, from, &slice, &set);
    if (err == LS_OK) err = an_tiles_sum_bursts(out, from, &slice, &set);
    an_keys_fini(&slice);
    ls_index_fini(&set.by_place);
    out->tiles = set.tiles.rows;
    out->len = set.tiles.len;
    return err == LS_OK ? an_tiles_fold(out, from->tables, from->len_max) : err;
}

void an_tiles_fini(struct an_tiles *t)
{
    an_keys_fini(&t->node);
    an_keys_fini(&t->line);
    an_keys_fini(&t->thread);
    free(t->tiles);
    memset(t, 0, sizeof(*t));
}
