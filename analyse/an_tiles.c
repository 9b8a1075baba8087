/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_tiles.h"
#include "analyse/an_tiles_fold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AN_CLASS_NAME(id, words) words,
const char *const an_class_names[AN_CLASSES] = {AN_CLASS_LIST(AN_CLASS_NAME)};
#undef AN_CLASS_NAME

enum { AN_TILES_ROOM_MIN = 1 << 12, AN_SAMPLES_A_TILE = 8 };

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

/* --- tiles by their coordinates: open addressing --- */

struct an_tile_set {
    struct an_tile *tiles;
    size_t len, room;
    uint32_t *slots; /* 1 + index, 0: free; twice as many as room, a power of two */
};

static uint64_t an_tile_hash(const struct an_tile *t)
{
    uint64_t h = ((uint64_t)t->node << 32 | t->line) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= ((uint64_t)t->thread << 32 | (uint64_t)t->slice << 16 | (uint64_t)t->access << 8 | t->bin) *
         UINT64_C(0xc2b2ae3d27d4eb4f);
    h = (h ^ h >> 29) + ((uint64_t)t->field << 32 | t->place) * UINT64_C(0x94d049bb133111eb);
    return (h ^ h >> 31) * UINT64_C(0xbf58476d1ce4e5b9) >> 20;
}

static bool an_tile_is_same(const struct an_tile *a, const struct an_tile *b)
{
    return a->node == b->node && a->line == b->line && a->thread == b->thread && a->slice == b->slice &&
           a->access == b->access && a->bin == b->bin && a->place == b->place && a->field == b->field;
}

static ls_err an_set_grow(struct an_tile_set *s)
{
    const size_t room = s->room ? s->room * 2 : AN_TILES_ROOM_MIN;
    struct an_tile *tiles = realloc(s->tiles, room * sizeof(*tiles));
    if (tiles) s->tiles = tiles;
    uint32_t *slots = calloc(room * 2, sizeof(*slots));
    if (!tiles || !slots) {
        free(slots);
        return ls_fail(LS_ERR_NOMEM, "no memory for %zu tiles of samples", room);
    }
    for (size_t i = 0; i < s->len; i++) {
        size_t slot = an_tile_hash(&tiles[i]) & (room * 2 - 1);
        while (slots[slot])
            slot = (slot + 1) & (room * 2 - 1);
        slots[slot] = (uint32_t)i + 1;
    }
    free(s->slots);
    s->slots = slots;
    s->room = room;
    return LS_OK;
}

static ls_err an_set_add(struct an_tile_set *s, const struct an_tile *t)
{
    if (s->len == s->room) LS_TRY(an_set_grow(s));
    const size_t mask = s->room * 2 - 1;
    size_t slot = an_tile_hash(t) & mask;
    while (s->slots[slot] && !an_tile_is_same(&s->tiles[s->slots[slot] - 1], t))
        slot = (slot + 1) & mask;
    if (s->slots[slot]) {
        an_tile_add(&s->tiles[s->slots[slot] - 1], t);
    } else {
        s->tiles[s->len] = *t;
        s->slots[slot] = (uint32_t)++s->len;
    }
    return LS_OK;
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
    free(set.slots);
    out->tiles = set.tiles;
    out->len = set.len;
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
