/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_layout.h"

#include "analyse/an_layout_lines.h"
#include "common/ls_hash.h"

#include <stdlib.h>
#include <string.h>

enum {
    AN_NEAR_INSTRUCTIONS = 32, /* largest distance of positions of consecutive accesses */
    AN_COLD_PER_100 = 1,
    AN_ALIGN_MAX = 16,
    AN_SPLITS_OF = 8 /* most accessed members from which splits are made */
};
#define AN_LAYOUT_BETTER 0.9 /* largest share of the present lines for an order that is suggested */
#define AN_SPLIT_BETTER 0.98 /* and of the lines of a split that was tried before, unless it is smaller */
#define AN_SPLIT_SAME \
    1.02 /* lines that differ by less than this factor are equal, up to the error of sampling */
#define AN_TOGETHER_PART \
    0.5 /* share of the visits to one of two members in which members of a group are accessed together */

struct an_collected {
    LS_VECTOR(struct an_touch) touches;
    struct an_visits visits;
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
    if (x->offset_bytes != y->offset_bytes) return x->offset_bytes < y->offset_bytes ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The number of a burst's first samples that follow each other without a gap. */
static uint64_t an_consecutive(const struct an_input *in, const struct prof_burst *b)
{
    const struct prof_samples *s = &in->samples;
    const struct prof_cost_samples all = an_cost_samples(s, 0, s->len);
    if (b->first_sample > s->len || b->samples_len > s->len - b->first_sample) return 0;
    if (b->probe_loads) return prof_cost_gapless(b, &all);
    uint64_t len = b->samples_len > 0;
    while (len < b->samples_len &&
           s->position[b->first_sample + len] - s->position[b->first_sample + len - 1] <=
               AN_NEAR_INSTRUCTIONS)
        len++;
    return len;
}

/* A number for the function in which the burst began. */
static uint64_t an_code_of(const struct an_input *in, const struct an_tables *t, const struct prof_burst *b)
{
    const uint64_t ip = in->samples.ip[b->first_sample];
    const uint32_t process =
        an_tables_process(t, in->samples.thread ? in->samples.thread[b->first_sample] : 0);
    const uint32_t line = an_tables_line(t, process, ip);
    if (line >= t->lines_len || !*t->lines[line].function) return 0;
    return ls_hash_text(LS_HASH_BEGIN, t->lines[line].function);
}

/* Collect the type's accesses of a burst that follow each other. */
static ls_err an_burst_touches(const struct an_layout *l, const struct an_input *in,
                               const struct an_tables *t, uint32_t burst, struct an_collected *c)
{
    const struct prof_samples *s = &in->samples;
    const struct prof_burst *b = &in->bursts[burst];
    const uint64_t end = b->first_sample + an_consecutive(in, b);
    c->touches.len = 0;
    for (uint64_t i = b->first_sample; i < end; i++) {
        const uint32_t row = l->row_of_sample[i];
        if (row == UINT32_MAX || s->type_offset[i] == UINT64_MAX) continue;
        const uint32_t unit = an_layout_unit(l, t, row);
        LS_TRY(LS_VECTOR_ADD(
            &c->touches, (struct an_touch){.object = s->addr[i] - s->type_offset[i],
                                           .offset_bytes = s->type_offset[i],
                                           .len_bytes = s->size[i] ? s->size[i] : 1,
                                           .at = i - b->first_sample,
                                           .unit_offset_bytes = an_layout_member(l, t, unit)->offset_bytes,
                                           .row = row,
                                           .unit = unit}));
    }
    if (c->touches.len > 1)
        qsort(c->touches.rows, c->touches.len, sizeof(*c->touches.rows), an_compare_touches);
    return LS_OK;
}

typedef ls_err an_touches_use(struct an_layout *l, const struct an_touches *touches, void *user);

static ls_err an_each_burst(struct an_layout *l, const struct an_input *in, const struct an_tables *t,
                            struct an_collected *c, an_touches_use *use, void *user)
{
    for (uint32_t b = 0; b < in->bursts_len; b++) {
        LS_TRY(an_burst_touches(l, in, t, b, c));
        if (c->touches.len == 0) continue;
        const struct an_touches touches = {c->touches.rows, c->touches.len, an_code_of(in, t, &in->bursts[b]),
                                           b};
        LS_TRY(use(l, &touches, user));
    }
    return LS_OK;
}

/* --- counts --- */

static void an_count_rows(struct an_layout *l, const struct an_input *in)
{
    const struct prof_samples *s = &in->samples;
    for (uint32_t b = 0; b < in->bursts_len; b++) {
        const struct prof_burst *burst = &in->bursts[b];
        const uint64_t end = burst->first_sample + an_consecutive(in, burst);
        for (uint64_t i = burst->first_sample; i < end; i++) {
            const uint32_t row = l->row_of_sample[i];
            if (row == UINT32_MAX) continue;
            l->accesses++;
            l->loads[row] += s->op[i] == 0;
            l->stores[row] += s->op[i] == 1;
        }
    }
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
    const uint8_t *field_of_row; /* number in fields plus 1; 0: none */
    struct an_visits *visits;
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
            const uint64_t part = at / AN_LAYOUT_LINE_BYTES, end = (part + 1) * AN_LAYOUT_LINE_BYTES;
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

static ls_err an_learn_burst(struct an_layout *l, const struct an_touches *touches, void *user)
{
    (void)l;
    return an_visits_learn(((struct an_visiting *)user)->visits, touches);
}

static ls_err an_note_burst(struct an_layout *l, const struct an_touches *touches, void *user)
{
    const struct an_visiting *v = user;
    for (size_t from = 0, to; from < touches->len; from = to) {
        for (to = from + 1; to < touches->len && touches->rows[to].object == touches->rows[from].object; to++)
            ;
        an_note_visit(l, &touches->rows[from], to - from, v);
    }
    return an_visits_add(v->visits, touches);
}

static ls_err an_visit_all(struct an_layout *l, const struct an_input *in, const struct an_tables *t,
                           struct an_collected *c)
{
    uint8_t *fields = calloc(l->len + 1u, 1);
    struct an_visiting v = {.field_of_row = fields, .visits = &c->visits};
    if (!fields) return ls_nomem("%u members", l->len);
    for (uint32_t i = 0; i < l->fields_len; i++)
        fields[l->fields[i]] = (uint8_t)(i + 1);
    ls_err e = an_each_burst(l, in, t, c, an_learn_burst, &v);
    if (e == LS_OK) e = an_each_burst(l, in, t, c, an_note_burst, &v);
    free(fields);
    l->is_array = an_visits_are_in_arrays(&c->visits);
    l->whole_visits = c->visits.len;
    l->whole_accesses = c->visits.accesses;
    l->in_runs = c->visits.in_runs;
    l->run_len = an_visits_run_len(&c->visits);
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

/* Count the lines of all visits if the members were as in the order. */
static ls_err an_try(struct an_layout *l, const struct an_tables *t, struct an_visits *v, struct an_order *o)
{
    uint64_t *places = calloc(l->len + 1u, sizeof(*places));
    bool *elsewhere = calloc(l->len + 1u, sizeof(*elsewhere));
    double lines = 0;
    ls_err e = places && elsewhere ? LS_OK : ls_nomem("%u members", l->len);
    if (e == LS_OK) {
        const bool is_split = o->hot_len < o->len;
        uint64_t hot = an_place(l, t, o, 0, o->hot_len, 0, places);
        o->has_pointer = is_split && !l->is_array;
        if (is_split) o->cold_bytes = an_place(l, t, o, o->hot_len, o->len, 0, places);
        if (o->has_pointer)
            hot = (hot + AN_POINTER_BYTES - 1) / AN_POINTER_BYTES * AN_POINTER_BYTES + AN_POINTER_BYTES;
        for (uint32_t i = o->hot_len; i < o->len; i++)
            elsewhere[o->members[i]] = true;
        o->len_bytes = hot;
        const struct an_places p = {places, elsewhere, o->len_bytes, o->cold_bytes, o->has_pointer};
        e = an_visits_lines(v, &p, &lines);
        o->lines = v->accesses ? lines / (double)v->accesses : 0;
        o->is_better = o->lines < AN_LAYOUT_BETTER * l->lines;
    }
    free(places);
    free(elsewhere);
    return e;
}

/* Count the lines that the members touch as they are. */
static ls_err an_count_lines(struct an_layout *l, const struct an_tables *t, struct an_visits *v)
{
    uint64_t *places = calloc(l->len + 1u, sizeof(*places));
    bool *elsewhere = calloc(l->len + 1u, sizeof(*elsewhere));
    double lines = 0;
    ls_err e = places && elsewhere ? LS_OK : ls_nomem("%u members", l->len);
    for (uint32_t row = 0; e == LS_OK && row < l->len; row++)
        places[row] = an_layout_member(l, t, row)->offset_bytes;
    const struct an_places p = {.of_unit = places, .is_elsewhere = elsewhere, .len_bytes = v->len_bytes};
    if (e == LS_OK) e = an_visits_lines(v, &p, &lines);
    l->lines = v->accesses ? lines / (double)v->accesses : 0;
    l->bytes_used = lines > 0 ? (double)v->bytes / lines : 0;
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

static uint64_t an_accesses_of(const struct an_layout *l, const struct an_tables *t, const struct an_order *o,
                               uint32_t len)
{
    uint64_t sum = 0;
    for (uint32_t row = 0; row < l->len; row++)
        for (uint32_t i = 0; i < len; i++)
            if (o->members[i] == an_layout_unit(l, t, row)) sum += an_row_accesses(l, row);
    return sum;
}

/* The part with more accesses comes first, if the other one needs no pointer. */
static void an_put_hot_first(const struct an_layout *l, const struct an_tables *t, struct an_order *o)
{
    const struct an_order old = *o;
    const uint64_t first = an_accesses_of(l, t, o, o->hot_len), all = an_accesses_of(l, t, o, o->len);
    if (!l->is_array || 2 * first >= all) return;
    o->hot_len = o->len - old.hot_len;
    memcpy(o->members, &old.members[old.hot_len], o->hot_len * sizeof(o->members[0]));
    memcpy(&o->members[o->hot_len], old.members, old.hot_len * sizeof(o->members[0]));
}

/* Try the split that keeps the first keep_len members of o; store it if it touches fewer lines, or as many with a
 * smaller first part. */
static ls_err an_try_split(struct an_layout *l, const struct an_tables *t, struct an_visits *v,
                           const struct an_order *o, uint32_t keep_len)
{
    if (keep_len == 0 || keep_len >= o->len) return LS_OK;
    struct an_order split = *o;
    split.hot_len = keep_len;
    an_put_hot_first(l, t, &split);
    LS_TRY(an_try(l, t, v, &split));
    const bool is_first = l->split.hot_len == 0, is_smaller = split.len_bytes < l->split.len_bytes;
    if (is_first || split.lines < AN_SPLIT_BETTER * l->split.lines ||
        (is_smaller && split.lines * AN_SPLIT_BETTER <= l->split.lines))
        l->split = split;
    return LS_OK;
}

/* Are rows a and b of fields accessed in the same visits? */
static bool an_are_together(const struct an_layout *l, uint32_t a, uint32_t b)
{
    const double both = (double)l->together[a][b],
                 either = (double)(l->together[a][a] + l->together[b][b]) - both;
    return either > 0 && both >= AN_TOGETHER_PART * either;
}

/* Order the members of o so that those accessed together with field are in front; return how many these are. */
static uint32_t an_take_group(const struct an_layout *l, const struct an_tables *t, uint32_t field,
                              struct an_order *o)
{
    bool *is_in = calloc(l->len + 1u, sizeof(*is_in));
    uint32_t len = 0;
    for (uint32_t f = 0; is_in && f < l->fields_len; f++)
        if (an_are_together(l, field, f)) is_in[an_layout_unit(l, t, l->fields[f])] = true;
    for (uint32_t i = 0; is_in && i < o->len; i++) {
        const uint32_t member = o->members[i];
        if (!is_in[member]) continue;
        memmove(&o->members[len + 1], &o->members[len], (i - len) * sizeof(o->members[0]));
        o->members[len++] = member;
    }
    free(is_in);
    return len;
}

/* Try splits: without the cold members; the most accessed members alone; members that are accessed together. */
static ls_err an_try_splits(struct an_layout *l, const struct an_tables *t, struct an_visits *v)
{
    uint32_t warm = 0;
    while (warm < l->order.len && !l->is_cold[l->order.members[warm]])
        warm++;
    LS_TRY(an_try_split(l, t, v, &l->order, warm));
    for (uint32_t len = warm < AN_SPLITS_OF ? warm : AN_SPLITS_OF; len > 0; len--)
        LS_TRY(an_try_split(l, t, v, &l->order, len));
    for (uint32_t f = 0; f < l->fields_len && f < AN_SPLITS_OF; f++) {
        struct an_order order = l->order;
        const uint32_t len = an_take_group(l, t, f, &order);
        LS_TRY(an_try_split(l, t, v, &order, len));
    }
    return LS_OK;
}

/* Has the split fewer lines than the order of the whole, or as many of smaller objects? */
static bool an_split_beats_order(const struct an_order *split, const struct an_order *order)
{
    if (split->lines * AN_SPLIT_SAME < order->lines) return true;
    return split->lines <= order->lines * AN_SPLIT_SAME && split->len_bytes < order->len_bytes;
}

static ls_err an_try_orders(struct an_layout *l, const struct an_tables *t, struct an_visits *v)
{
    l->is_movable = an_take_units(l, t, &l->order) && l->accesses > 0 && t->types[l->type].len_bytes > 0;
    if (!l->is_movable) return LS_OK;
    an_sort_units(l, t, &l->order);
    LS_TRY(an_try(l, t, v, &l->order));
    LS_TRY(an_try_splits(l, t, v));
    if (l->split.hot_len == 0) { /* no split at all */
        l->split = l->order;
        l->split.is_better = false;
    }
    l->split.is_better = l->split.is_better && an_split_beats_order(&l->split, &l->order);
    return LS_OK;
}

static ls_err an_layout_find(struct an_layout *l, const struct an_input *in, const struct an_tables *t,
                             struct an_collected *c)
{
    an_count_rows(l, in);
    an_choose_fields(l);
    an_find_cold(l, t);
    LS_TRY(an_visit_all(l, in, t, c));
    LS_TRY(an_count_lines(l, t, &c->visits));
    return an_try_orders(l, t, &c->visits);
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
    struct an_collected c = {.visits.len_bytes = t->types[type].len_bytes};
    const ls_err e = an_layout_find(out, in, t, &c);
    free(c.touches.rows);
    an_visits_fini(&c.visits);
    return e == LS_OK ? e : ls_nomem("the accesses to a type");
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
