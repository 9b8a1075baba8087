/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_tiles.h"

#include "common/ls_random.h"
#include "common/ls_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AN_CLASS_NAME(id, words) words,
const char *const an_class_names[AN_CLASSES] = {AN_CLASS_LIST(AN_CLASS_NAME)};
#undef AN_CLASS_NAME

uint8_t an_tile_bin(int32_t latency_cycles, uint32_t bins_per_octave)
{
    if (latency_cycles < 1) return 0; /* a coarse counter */
    return (uint8_t)(1 + floor(log2((double)latency_cycles) * bins_per_octave + 1e-9));
}

/* Return the class of sample i. */
static enum an_class an_class_of(const struct prof_samples *s, uint64_t i)
{
    if (s->op[i] == 1) return AN_CLASS_STORE;
    if (s->op[i] != 0) return AN_CLASS_OTHER;
    if (!an_is_measured(s, i)) return AN_CLASS_UNMEASURED;
    return s->level[i] < PROF_LEVEL_COUNT ? (enum an_class)s->level[i] : AN_CLASS_LEVEL_UNKNOWN;
}

static uint32_t an_place_of(const struct an_places *p, uint64_t i, uint32_t level)
{
    const uint32_t place = p->place_of_sample[i];
    return place && level ? 1 + p->coarser[level - 1][place - 1] : place;
}

/* --- tiles by their coordinates --- */

struct an_summing {
    struct an_tiles *out;
    const struct an_tiles_input *from;
    struct an_keys slice;
    struct an_fold fold;
    struct an_stacks_sum stacks;
    size_t room; /* of out->tiles */
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

static ls_err an_tile_put(struct an_summing *s, const struct an_tile *t)
{
    const uint64_t key = an_tile_key(t);
    uint32_t row;
    for (size_t step = 0; ls_index_next(&s->by_place, key, &step, &row);)
        if (an_tile_is_same(&s->out->tiles[row], t)) {
            an_tile_add(&s->out->tiles[row], t);
            return LS_OK;
        }
    LS_TRY(LS_GROW(s->out->tiles, s->room, s->out->len + 1));
    s->out->tiles[s->out->len++] = *t;
    return ls_index_put(&s->by_place, key, (uint32_t)s->out->len - 1);
}

/* Coarsen the tiles as soon as there are too many: there may be as many combinations as samples. */
static ls_err an_shrink(struct an_summing *s)
{
    LS_TRY(an_tiles_fold(s->out, &s->fold, s->from->len_max));
    ls_index_fini(&s->by_place);
    for (size_t i = 0; i < s->out->len; i++)
        LS_TRY(ls_index_put(&s->by_place, an_tile_key(&s->out->tiles[i]), (uint32_t)i));
    return LS_OK;
}

typedef ls_err an_tile_use(struct an_summing *s, struct an_tile *t, uint32_t burst);

static ls_err an_use_count(struct an_summing *s, struct an_tile *t, uint32_t burst)
{
    (void)burst;
    an_fold_count(&s->fold, t);
    return LS_OK;
}

static ls_err an_use_sum(struct an_summing *s, struct an_tile *t, uint32_t burst)
{
    (void)burst;
    an_fold_tile(&s->fold, s->out, t);
    LS_TRY(an_tile_put(s, t));
    return s->out->len / 2 < s->from->len_max || an_fold_is_done(&s->fold) ? LS_OK : an_shrink(s);
}

/* Runs after the tiles are complete, because it uses their final numbers. */
static ls_err an_use_stack(struct an_summing *s, struct an_tile *t, uint32_t burst)
{
    if (t->access == AN_CLASS_NO_ACCESS) return LS_OK; /* the row of the burst has this time */
    an_fold_tile(&s->fold, s->out, t);
    return an_stacks_add(&s->stacks, t, burst);
}

/* --- samples to tiles --- */

static uint32_t an_number_or_none(const struct an_keys *k, uint64_t i)
{
    const uint32_t n = k->number_of_sample[i];
    return n < k->len ? n : k->len;
}

static uint32_t an_slice_of(const struct an_keys *k, uint32_t number, uint32_t slices)
{
    return number < k->len ? k->keys[number] : slices;
}

static ls_err an_each_sample(struct an_summing *s, an_tile_use *use)
{
    const struct prof_samples *all = &s->from->in->samples;
    const struct an_tiles *out = s->out;
    const struct an_places *p = out->places.len ? &out->places : NULL;
    for (uint64_t i = 0; i < all->len; i++) {
        const bool is_measured = an_is_measured(all, i);
        const uint64_t n = an_accesses(all, i);
        struct an_tile t = {.node = an_number_or_none(&out->node, i),
                            .line = an_number_or_none(&out->line, i),
                            .thread = an_number_or_none(&out->thread, i),
                            .slice =
                                an_slice_of(&s->slice, s->slice.number_of_sample[i], s->from->tables->slices),
                            .field = p ? p->field_of_sample[i] : 0,
                            .place = p ? p->place_of_sample[i] : 0,
                            .access = (uint8_t)an_class_of(all, i),
                            .bin = is_measured ? an_tile_bin(all->latency_cycles[i], AN_TILE_BINS_PER_OCTAVE)
                                               : AN_TILE_NO_BIN,
                            .samples = n,
                            .time_ns = (double)s->from->costs->time_ns[i],
                            .stall_ns = (double)s->from->costs->stall_ns[i],
                            .latency_cycles = is_measured ? (double)all->latency_cycles[i] * (double)n : 0};
        LS_TRY(use(s, &t, all->burst ? all->burst[i] : UINT32_MAX));
    }
    return LS_OK;
}

/* Add bursts as a whole: by the line where they began, and those without accesses. */
static ls_err an_each_burst(struct an_summing *s, an_tile_use *use)
{
    const struct an_tiles *out = s->out;
    const struct an_input *in = s->from->in;
    for (size_t b = 0; b < in->bursts_len; b++) {
        const struct an_tile whole = {
            .node = out->node.len + 1,
            .line = an_keys_dense(&out->line, out->line.number_of_burst[b]),
            .thread = an_keys_dense(&out->thread, out->thread.number_of_burst[b]),
            .slice = an_slice_of(&s->slice, s->slice.number_of_burst[b], s->from->tables->slices),
            .access = AN_CLASS_ORIGIN,
            .bin = AN_TILE_NO_BIN,
            .time_ns = an_weight_ns(s->from->costs, &in->bursts[b])};
        struct an_tile begin = whole, computing = whole;
        computing.access = AN_CLASS_NO_ACCESS;
        computing.time_ns = an_data_weight_ns(s->from->costs, &in->bursts[b]);
        if (whole.time_ns <= 0) continue;
        LS_TRY(use(s, &begin, (uint32_t)b));
        if (in->bursts[b].samples_len == 0) LS_TRY(use(s, &computing, (uint32_t)b));
    }
    return LS_OK;
}

static ls_err an_tiles_sum(struct an_summing *s)
{
    LS_TRY(an_each_sample(s, an_use_count));
    LS_TRY(an_each_burst(s, an_use_count));
    LS_TRY(an_each_sample(s, an_use_sum));
    LS_TRY(an_each_burst(s, an_use_sum));
    return an_tiles_fold(s->out, &s->fold, s->from->len_max);
}

static ls_err an_tiles_stacks(struct an_summing *s)
{
    if (!s->from->tables->calls || s->from->stacks_len_max == 0) return LS_OK;
    s->stacks = (struct an_stacks_sum){.out = &s->out->stacks,
                                       .tables = s->from->tables,
                                       .costs = s->from->costs,
                                       .len_max = s->from->stacks_len_max};
    LS_TRY(an_stacks_sum_init(&s->stacks, s->from->in));
    do {
        LS_TRY(an_each_sample(s, an_use_stack));
        LS_TRY(an_each_burst(s, an_use_stack));
    } while (!an_stacks_end(&s->stacks));
    return LS_OK;
}

/* --- single samples --- */

static void an_tiles_fill_rows(const struct an_tiles *t, const struct an_tiles_input *from)
{
    const struct prof_samples *s = &from->in->samples;
    for (size_t r = 0; r < from->rows_len; r++) {
        struct an_tile_row *row = &from->rows[r];
        const uint64_t i = row->sample;
        row->node = an_number_or_none(&t->node, i);
        row->line = an_number_or_none(&t->line, i);
        row->thread = an_number_or_none(&t->thread, i);
        row->place = t->places.len ? an_place_of(&t->places, i, t->place_level) : 0;
        row->access = (uint8_t)an_class_of(s, i);
        row->latency_cycles = an_is_measured(s, i) ? s->latency_cycles[i] : INT32_MIN;
        row->time_ns = s->time_ns[i];
    }
}

/* --- all together --- */

static ls_err an_tiles_keys(struct an_keys *out, const char *dimension, const struct an_tiles_input *from)
{
    return an_keys_init(out, an_dimension_named(dimension, strlen(dimension)), from->tables,
                        &from->in->samples);
}

static ls_err an_tiles_make(struct an_summing *s)
{
    LS_TRY(an_tiles_keys(&s->out->node, "node", s->from));
    LS_TRY(an_tiles_keys(&s->out->line, "line", s->from));
    LS_TRY(an_tiles_keys(&s->out->thread, "thread", s->from));
    LS_TRY(an_tiles_keys(&s->slice, "slice", s->from));
    LS_TRY(an_fold_init(&s->fold, s->out, s->from->tables));
    LS_TRY(an_tiles_sum(s));
    LS_TRY(an_tiles_stacks(s));
    an_tiles_fill_rows(s->out, s->from);
    return LS_OK;
}

ls_err an_tiles_init(struct an_tiles *out, const struct an_tiles_input *from)
{
    struct an_summing s = {.out = out, .from = from};
    *out = (struct an_tiles){.slices = from->tables->slices, .bins_per_octave = AN_TILE_BINS_PER_OCTAVE};
    if (from->places && from->places->len) out->places = *from->places;
    const ls_err err = an_tiles_make(&s);
    ls_index_fini(&s.by_place);
    an_stacks_sum_fini(&s.stacks);
    an_fold_fini(&s.fold);
    an_keys_fini(&s.slice);
    an_keys_drop_numbers(&out->node);
    an_keys_drop_numbers(&out->line);
    an_keys_drop_numbers(&out->thread);
    return err;
}

void an_tiles_fini(struct an_tiles *t)
{
    an_keys_fini(&t->node);
    an_keys_fini(&t->line);
    an_keys_fini(&t->thread);
    free(t->tiles);
    free(t->stacks.calls);
    free(t->stacks.rows);
    memset(t, 0, sizeof(*t));
}

/* --- rows at random --- */

size_t an_pick_rows(uint64_t *out, size_t rows, uint64_t len)
{
    uint64_t state = 1;
    size_t picked = 0;
    if (rows > len) rows = len;
    for (uint64_t i = 0; picked < rows; i++) {
        const double uniform = ls_random_uniform(&state);
        if ((double)(len - i) * uniform < (double)(rows - picked)) out[picked++] = i;
    }
    return picked;
}
