/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_layout.h"

#include "common/ls_vector.h"

#include <stdlib.h>
#include <string.h>

enum {
    AN_LINE_BYTES = 64,
    AN_NEAR_INSTRUCTIONS = 32, /* largest distance of positions of consecutive accesses */
    AN_COLD_PER_100 = 1,
    AN_POINTER_BYTES = 8,
    AN_ALIGN_MAX = 16
};
#define AN_LAYOUT_BETTER 0.9 /* largest share of the present lines for an order that is suggested */

/* An access to the type. */
struct an_touch {
    uint64_t object, offset_bytes, len_bytes;
    uint32_t row;
};
struct an_touches {
    struct an_touch *rows;
    size_t len, room;
    uint64_t *lines;
    size_t lines_room;
};

static const struct prof_member *an_layout_member(const struct an_layout *l, const struct an_tables *t,
                                                  uint32_t row)
{
    return &t->members[l->first + row];
}

/* Return the row directly in the type that contains the row, or the row itself. */
static uint32_t an_layout_unit(const struct an_layout *l, const struct an_tables *t, uint32_t row)
{
    for (;;) {
        const uint32_t parent = an_layout_member(l, t, row)->parent;
        if (parent == UINT32_MAX || parent - l->first == 0) return row;
        row = parent - l->first;
    }
}

uint32_t an_layout_depth(const struct an_layout *l, const struct an_tables *t, uint32_t row)
{
    uint32_t depth = 0;
    for (uint32_t parent; (parent = an_layout_member(l, t, row)->parent) != UINT32_MAX; depth++)
        row = parent - l->first;
    return depth;
}

/* --- accesses of a burst --- */

static int an_compare_touches(const void *a, const void *b)
{
    const struct an_touch *x = a, *y = b;
    if (x->object != y->object) return x->object < y->object ? -1 : 1;
    return (x->offset_bytes > y->offset_bytes) - (x->offset_bytes < y->offset_bytes);
}

/* Collect the type's accesses of a burst that follow each other. */
static ls_err an_burst_touches(const struct an_layout *l, const struct an_input *in, uint32_t burst,
                               struct an_touches *out)
{
    const struct prof_samples *s = &in->samples;
    const struct prof_burst *b = &in->bursts[burst];
    out->len = 0;
    for (uint64_t i = b->first_sample; i < b->first_sample + b->samples_len; i++) {
        const bool is_first = i == b->first_sample;
        if (!is_first && s->position[i] - s->position[i - 1] > AN_NEAR_INSTRUCTIONS) break;
        if (l->row_of_sample[i] == UINT32_MAX || s->type_offset[i] == UINT64_MAX) continue;
        LS_TRY(LS_GROW(out->rows, out->room, out->len + 1));
        out->rows[out->len++] = (struct an_touch){.object = s->addr[i] - s->type_offset[i],
                                                  .offset_bytes = s->type_offset[i],
                                                  .len_bytes = s->size[i] ? s->size[i] : 1,
                                                  .row = l->row_of_sample[i]};
    }
    if (out->len > 1) qsort(out->rows, out->len, sizeof(*out->rows), an_compare_touches);
    return LS_OK;
}

typedef ls_err an_touches_use(struct an_layout *l, const struct an_tables *t, struct an_touches *touches,
                              void *user);

static ls_err an_each_burst(struct an_layout *l, const struct an_input *in, const struct an_tables *t,
                            an_touches_use *use, void *user)
{
    struct an_touches touches = {0};
    ls_err e = LS_OK;
    for (uint32_t b = 0; e == LS_OK && b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        if (burst->first_sample > in->samples.len ||
            burst->samples_len > in->samples.len - burst->first_sample)
            continue;
        e = an_burst_touches(l, in, b, &touches);
        if (e == LS_OK && touches.len > 0) e = use(l, t, &touches, user);
    }
    free(touches.rows);
    free(touches.lines);
    return e == LS_OK ? e : ls_nomem("the accesses to a type");
}

/* --- counts --- */

static ls_err an_count_rows(struct an_layout *l, const struct an_input *in)
{
    const struct prof_samples *s = &in->samples;
    for (uint32_t b = 0; b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        for (uint64_t i = burst->first_sample; i < burst->first_sample + burst->samples_len && i < s->len;
             i++) {
            if (i > burst->first_sample && s->position[i] - s->position[i - 1] > AN_NEAR_INSTRUCTIONS) break;
            const uint32_t row = l->row_of_sample[i];
            if (row == UINT32_MAX) continue;
            l->accesses++;
            l->loads[row] += s->op[i] == 0;
            l->stores[row] += s->op[i] == 1;
        }
    }
    return LS_OK;
}

static uint64_t an_row_accesses(const struct an_layout *l, uint32_t row)
{
    return l->loads[row] + l->stores[row];
}

/* The rows that were accessed most, the first one most. */
static void an_choose_fields(struct an_layout *l)
{
    for (uint32_t row = 0; row < l->len; row++) {
        const uint64_t accesses = an_row_accesses(l, row);
        uint32_t at = l->fields_len;
        if (accesses == 0) continue;
        while (at > 0 && an_row_accesses(l, l->fields[at - 1]) < accesses)
            at--;
        if (at == AN_LAYOUT_FIELDS_MAX) continue;
        if (l->fields_len < AN_LAYOUT_FIELDS_MAX) l->fields_len++;
        memmove(&l->fields[at + 1], &l->fields[at], (l->fields_len - at - 1) * sizeof(l->fields[0]));
        l->fields[at] = row;
    }
}

static void an_find_cold(struct an_layout *l, const struct an_tables *t)
{
    uint64_t *units = calloc(l->len + 1u, sizeof(*units));
    for (uint32_t row = 0; units && row < l->len; row++)
        units[an_layout_unit(l, t, row)] += an_row_accesses(l, row);
    for (uint32_t row = 1; units && row < l->len; row++)
        l->is_cold[row] = units[an_layout_unit(l, t, row)] * 100 < l->accesses * AN_COLD_PER_100;
    free(units);
}

/* --- visits --- */

struct an_visiting {
    uint8_t *field_of_row; /* number in fields plus 1; 0: none */
    uint64_t lines, bytes;
};

static void an_note_visit(struct an_layout *l, const struct an_touch *rows, size_t len,
                          const struct an_visiting *v)
{
    uint64_t seen = 0, done = 0;
    uint64_t last_part = UINT64_MAX;
    for (size_t i = 0; i < len; i++) {
        const uint8_t field = v->field_of_row[rows[i].row];
        if (field > 0) seen |= UINT64_C(1) << (field - 1);
        const uint64_t from = rows[i].offset_bytes > done ? rows[i].offset_bytes : done;
        const uint64_t to = rows[i].offset_bytes + rows[i].len_bytes;
        for (uint64_t at = from; at < to;) {
            const uint64_t part = at / AN_LINE_BYTES, end = (part + 1) * AN_LINE_BYTES;
            if (part >= AN_LAYOUT_LINES_MAX) break;
            if (part != last_part) l->parts[part].visits++;
            last_part = part;
            l->parts[part].bytes += (to < end ? to : end) - at;
            at = end;
        }
        if (to > done) done = to;
    }
    l->visits++;
    for (uint32_t a = 0; a < l->fields_len; a++)
        for (uint32_t b = 0; (seen >> a & 1) && b < l->fields_len; b++)
            l->together[a][b] += seen >> b & 1;
}

static ls_err an_note_visits(struct an_layout *l, const struct an_tables *t, struct an_touches *touches,
                             void *user)
{
    struct an_visiting *v = user;
    uint64_t done = 0, next_line = 0;
    (void)t;
    for (size_t from = 0, to; from < touches->len; from = to) {
        for (to = from + 1; to < touches->len && touches->rows[to].object == touches->rows[from].object; to++)
            ;
        an_note_visit(l, &touches->rows[from], to - from, v);
    }
    for (size_t i = 0; i < touches->len; i++) { /* by address */
        const uint64_t at = touches->rows[i].object + touches->rows[i].offset_bytes;
        const uint64_t end = at + touches->rows[i].len_bytes, last = (end - 1) / AN_LINE_BYTES;
        const uint64_t first = at / AN_LINE_BYTES > next_line ? at / AN_LINE_BYTES : next_line;
        if (end <= at) continue; /* no address of a program */
        if (last >= first) v->lines += last - first + 1;
        if (last + 1 > next_line) next_line = last + 1;
        if (end > done) v->bytes += end - (at > done ? at : done);
        if (end > done) done = end;
    }
    return LS_OK;
}

static ls_err an_visit_all(struct an_layout *l, const struct an_input *in, const struct an_tables *t)
{
    struct an_visiting v = {.field_of_row = calloc(l->len + 1u, 1)};
    if (!v.field_of_row) return ls_nomem("%u members", l->len);
    for (uint32_t i = 0; i < l->fields_len; i++)
        v.field_of_row[l->fields[i]] = (uint8_t)(i + 1);
    const ls_err e = an_each_burst(l, in, t, an_note_visits, &v);
    l->lines = l->accesses ? (double)v.lines / (double)l->accesses : 0;
    l->bytes_used = v.lines ? (double)v.bytes / (double)v.lines : 0;
    free(v.field_of_row);
    return e;
}

/* --- other orders --- */

/* Return the alignment of the row, that of its largest plain member. */
static uint64_t an_row_align(const struct an_layout *l, const struct an_tables *t, uint32_t row)
{
    const struct prof_member *m = an_layout_member(l, t, row);
    uint64_t align = 1;
    bool has_parts = false;
    for (uint32_t i = row + 1; i < l->len && !m->bits_len; i++) {
        if (an_layout_member(l, t, i)->parent != l->first + row) continue;
        const uint64_t part = an_row_align(l, t, i);
        has_parts = true;
        if (part > align) align = part;
    }
    if (has_parts) return align;
    const uint64_t len = m->elem_len_bytes ? m->elem_len_bytes : m->len_bytes;
    while (align < AN_ALIGN_MAX && len % (2 * align) == 0 && m->offset_bytes % (2 * align) == 0)
        align *= 2;
    return align;
}

/* Place the members from `from` to `to` of an order, the first one at `at`; return the end, aligned. */
static uint64_t an_place(const struct an_layout *l, const struct an_tables *t, const struct an_order *o,
                         uint32_t from, uint32_t to, uint64_t at, uint64_t *place_of_row)
{
    uint64_t most = 1;
    for (uint32_t i = from; i < to; i++) {
        const uint64_t align = an_row_align(l, t, o->members[i]);
        at = (at + align - 1) / align * align;
        place_of_row[o->members[i]] = at;
        at += an_layout_member(l, t, o->members[i])->len_bytes;
        if (align > most) most = align;
    }
    return (at + most - 1) / most * most;
}

struct an_trial {
    const struct an_order *order;
    const uint64_t *place_of_row;
    const bool *is_elsewhere; /* by row */
    uint64_t lines, len_bytes;
};

static int an_compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The address of an object that has new_len_bytes: objects of an array stay neighbours, and without a change of
 * size nothing moves. */
static uint64_t an_moved(uint64_t object, uint64_t len_bytes, uint64_t new_len_bytes)
{
    const uint64_t at = (uint64_t)((unsigned __int128)object * new_len_bytes / len_bytes);
    return at / AN_POINTER_BYTES * AN_POINTER_BYTES;
}

/* Count the lines that the accesses of a burst would touch. */
static ls_err an_try_burst(struct an_layout *l, const struct an_tables *t, struct an_touches *touches,
                           void *user)
{
    struct an_trial *trial = user;
    const struct an_order *o = trial->order;
    const uint64_t old_len = t->types[l->type].len_bytes;
    size_t len = 0;
    LS_TRY(LS_GROW(touches->lines, touches->lines_room, 3 * touches->len + 1));
    for (size_t i = 0; i < touches->len; i++) {
        const struct an_touch *touch = &touches->rows[i];
        const uint32_t unit = an_layout_unit(l, t, touch->row);
        const uint64_t hot = an_moved(touch->object, old_len, o->len_bytes);
        const bool is_far = trial->is_elsewhere[unit];
        const uint64_t base =
            is_far ? UINT64_C(1) << 62 | an_moved(touch->object, old_len, o->cold_bytes) : hot;
        const uint64_t inside = touch->offset_bytes - an_layout_member(l, t, unit)->offset_bytes;
        const uint64_t at = base + trial->place_of_row[unit] + inside;
        touches->lines[len++] = at / AN_LINE_BYTES;
        touches->lines[len++] = (at + touch->len_bytes - 1) / AN_LINE_BYTES;
        /* the pointer to the other part is the last member */
        if (is_far) touches->lines[len++] = (hot + o->len_bytes - AN_POINTER_BYTES) / AN_LINE_BYTES;
    }
    qsort(touches->lines, len, sizeof(*touches->lines), an_compare_u64);
    for (size_t i = 0; i < len; i++)
        trial->lines += i == 0 || touches->lines[i] != touches->lines[i - 1];
    return LS_OK;
}

static ls_err an_try(struct an_layout *l, const struct an_input *in, const struct an_tables *t,
                     struct an_order *o)
{
    uint64_t *places = calloc(l->len + 1u, sizeof(*places));
    bool *elsewhere = calloc(l->len + 1u, sizeof(*elsewhere));
    ls_err e = places && elsewhere ? LS_OK : ls_nomem("%u members", l->len);
    if (e == LS_OK) {
        const bool is_split = o->hot_len < o->len;
        uint64_t hot = an_place(l, t, o, 0, o->hot_len, 0, places);
        if (is_split) {
            hot = (hot + AN_POINTER_BYTES - 1) / AN_POINTER_BYTES * AN_POINTER_BYTES + AN_POINTER_BYTES;
            o->cold_bytes = an_place(l, t, o, o->hot_len, o->len, 0, places);
        }
        for (uint32_t i = o->hot_len; i < o->len; i++)
            elsewhere[o->members[i]] = true;
        o->len_bytes = hot;
        struct an_trial trial = {.order = o, .place_of_row = places, .is_elsewhere = elsewhere};
        e = an_each_burst(l, in, t, an_try_burst, &trial);
        o->lines = l->accesses ? (double)trial.lines / (double)l->accesses : 0;
        o->is_better = o->lines < AN_LAYOUT_BETTER * l->lines;
    }
    free(places);
    free(elsewhere);
    return e;
}

/* Base classes and the pointer to the virtual functions stay in front; then the members by their accesses. */
static void an_sort_units(const struct an_layout *l, const struct an_tables *t, struct an_order *o)
{
    uint64_t *units = calloc(l->len + 1u, sizeof(*units));
    for (uint32_t row = 0; units && row < l->len; row++)
        units[an_layout_unit(l, t, row)] += an_row_accesses(l, row);
    for (uint32_t i = 1; units && i < o->len; i++)
        for (uint32_t k = i; k > 0; k--) {
            const uint32_t a = o->members[k - 1], b = o->members[k];
            const bool is_fixed = an_layout_member(l, t, a)->kind == PROF_MEMBER_BASE ||
                                  strncmp(an_layout_member(l, t, a)->path, "_vptr", 5) == 0;
            if (is_fixed || units[a] >= units[b]) break;
            o->members[k - 1] = b;
            o->members[k] = a;
        }
    free(units);
}

/* List the members directly in the type; false: they cannot be moved. */
static bool an_take_units(const struct an_layout *l, const struct an_tables *t, struct an_order *o)
{
    const uint32_t kind = t->types[l->type].kind;
    const char *name = t->types[l->type].name;
    const bool is_library = strncmp(name, "std::", 5) == 0 || strncmp(name, "__gnu_cxx::", 11) == 0;
    if ((kind != PROF_TYPE_STRUCT && kind != PROF_TYPE_CLASS) || t->types[l->type].lost > 0 || is_library)
        return false;
    for (uint32_t row = 1; row < l->len; row++) {
        const struct prof_member *m = an_layout_member(l, t, row);
        if (m->parent != l->first) continue;
        if (o->len == AN_LAYOUT_UNITS_MAX || m->len_bytes == 0) return false;
        o->members[o->len++] = row;
    }
    o->hot_len = o->len;
    return o->len > 1;
}

static ls_err an_try_orders(struct an_layout *l, const struct an_input *in, const struct an_tables *t)
{
    l->is_movable = an_take_units(l, t, &l->order) && l->accesses > 0 && t->types[l->type].len_bytes > 0;
    if (!l->is_movable) return LS_OK;
    an_sort_units(l, t, &l->order);
    l->split = l->order;
    l->split.hot_len = 0;
    while (l->split.hot_len < l->split.len && !l->is_cold[l->split.members[l->split.hot_len]])
        l->split.hot_len++;
    LS_TRY(an_try(l, in, t, &l->order));
    LS_TRY(an_try(l, in, t, &l->split));
    const bool is_split = l->split.hot_len > 0 && l->split.hot_len < l->split.len;
    l->split.is_better = l->split.is_better && is_split && l->split.lines < l->order.lines;
    return LS_OK;
}

ls_err an_layout_init(struct an_layout *out, const struct an_input *in, const struct an_tables *t,
                      uint32_t type, const uint8_t *keep)
{
    *out = (struct an_layout){.type = type};
    while (out->first < t->members_len && t->members[out->first].type != type)
        out->first++;
    while (out->first + out->len < t->members_len && t->members[out->first + out->len].type == type)
        out->len++;
    out->row_of_sample = malloc((in->samples.len + 1) * sizeof(*out->row_of_sample));
    out->loads = calloc(out->len + 1u, sizeof(*out->loads));
    out->stores = calloc(out->len + 1u, sizeof(*out->stores));
    out->is_cold = calloc(out->len + 1u, sizeof(*out->is_cold));
    if (!out->row_of_sample || !out->loads || !out->stores || !out->is_cold)
        return ls_nomem("%u members", out->len);
    for (uint64_t i = 0; i < in->samples.len; i++) {
        const uint32_t row = in->samples.member[i] - out->first;
        const bool is_of_type = row < out->len && (!keep || keep[i]);
        out->row_of_sample[i] = is_of_type ? row : UINT32_MAX;
        out->samples += is_of_type;
    }
    LS_TRY(an_count_rows(out, in));
    an_choose_fields(out);
    an_find_cold(out, t);
    LS_TRY(an_visit_all(out, in, t));
    return an_try_orders(out, in, t);
}

void an_layout_fini(struct an_layout *l)
{
    free(l->row_of_sample);
    free(l->loads);
    free(l->stores);
    free(l->is_cold);
    l->row_of_sample = NULL;
    l->loads = l->stores = NULL;
    l->is_cold = NULL;
}
