/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces by a list of indices. Included with the macros that kn_access.inc.h requires; they stay defined:
 * kn_piece.c adds to them or includes kn_access_end.inc.h. */
#include "kernels/replay/kn_access.inc.h"

KN_ALWAYS void KN_NAME(piece_listed)(struct kn_piece *p, enum pat_operation does, bool levels)
{
    const struct kn_side s = {.index = p->index, .inner = p->inner};
    struct KN_NAME(state) state = {.last = (KN_E)p->last, .value = KN_NAME(value)(p->row, does)};
    KN_E *const row = p->address;
    const uint64_t n = p->n;
    __asm__ volatile("" : "+r"(state.none));
    KN_EACH(j, n, does, KN_NAME(access)(row + KN_NAME(index)(&s, j, levels), does, &state));
    p->sum = (KN_E)(p->sum + state.sum);
    p->last = state.last;
}

#define KN_DEFINE(name, does)                                     \
    static void KN_NAME(piece_listed_##name)(struct kn_piece * p) \
    {                                                             \
        KN_NAME(piece_listed)(p, PAT_OPERATION_##does, false);    \
    }                                                             \
    static void KN_NAME(piece_levels_##name)(struct kn_piece * p) \
    {                                                             \
        KN_NAME(piece_listed)(p, PAT_OPERATION_##does, true);     \
    }
KN_DEFINE(reduce, REDUCE)
KN_DEFINE(chase, CHASE)
KN_DEFINE(fill, FILL)
KN_DEFINE(update, UPDATE)
#undef KN_DEFINE

/* A load of a's list, then an element of b (kn_pair), for elements of 8 bytes. */
KN_ALWAYS void KN_NAME(pair_listed)(struct kn_pair *p, enum pat_operation does)
{
    const struct kn_side s = {.index = p->a->index};
    struct KN_NAME(state) first = {0}, second = {.value = KN_NAME(value)(p->b->row, does)};
    KN_E *a = p->a->address, *b = (KN_E *)p->b->address + p->b->offset[0];
    const int64_t at_by = p->b->by;
    const uint64_t n = p->n, value_by = p->counts_units;
    for (uint64_t r = p->rows; r > 0; r--, a += p->a_row_by, b += p->b_row_by) {
        KN_E *at = b;
        for (uint64_t j = 0; j < n; j++, at += at_by) {
            KN_NAME(access)(a + KN_NAME(index)(&s, j, false), PAT_OPERATION_REDUCE, &first);
            KN_NAME(access)(at, does, &second);
            second.value = (KN_E)(second.value + value_by);
        }
        second.value++;
    }
    p->a->sum += first.sum;
    p->b->sum += second.sum;
}

static __attribute__((unused)) void KN_NAME(pair_listed_reduce)(struct kn_pair *p)
{
    KN_NAME(pair_listed)(p, PAT_OPERATION_REDUCE);
}

static __attribute__((unused)) void KN_NAME(pair_listed_fill)(struct kn_pair *p)
{
    KN_NAME(pair_listed)(p, PAT_OPERATION_FILL);
}

/* Progress of elements at fixed places of each row. */
struct KN_NAME(fixed) {
    KN_E *at;
    struct KN_NAME(state) state;
};

KN_ALWAYS struct KN_NAME(fixed) KN_NAME(fixed_begin)(const struct kn_rows_fixed *f)
{
    struct KN_NAME(fixed) out = {0};
    if (f->piece) out.at = f->piece->address;
    if (f->piece) out.state.value = KN_NAME(value)(f->piece->row, PAT_OPERATION_FILL);
    return out;
}

/* Load the elements of a row, 0 to 2. */
KN_ALWAYS void KN_NAME(fixed_load)(struct KN_NAME(fixed) * now, unsigned elements, int64_t second, int64_t by)
{
    if (!elements) return;
    KN_NAME(access)(now->at, PAT_OPERATION_REDUCE, &now->state);
    if (elements == 2) KN_NAME(access)(now->at + second, PAT_OPERATION_REDUCE, &now->state);
    now->at += by;
}

KN_ALWAYS void KN_NAME(fixed_end)(const struct kn_rows_fixed *f, const struct KN_NAME(fixed) * now)
{
    if (!f->piece) return;
    f->piece->address = now->at;
    f->piece->sum = (KN_E)(f->piece->sum + now->state.sum);
}

/* Return the number of the next rows, at most `most`, that store one value; then set the value of the rows after them. */
KN_ALWAYS uint64_t KN_NAME(fixed_alike)(struct kn_rows_fixed *f, struct KN_NAME(fixed) * now, uint64_t most)
{
    if (!f->elements) return most;
    if (f->left == 0) {
        f->left = f->len;
        f->piece->row++;
        now->state.value = KN_NAME(value_after)(now->state.value, PAT_OPERATION_FILL);
    }
    const uint64_t rows = f->left < most ? f->left : most;
    f->left -= rows;
    return rows;
}

/* Load an element, and let the end of the row depend on its value, as where the value decides whether the row goes on. Return the end, which
 * stays the same. */
KN_ALWAYS const KN_I *KN_NAME(load_and_wait)(const KN_E *element, const KN_I *stop, struct KN_NAME(state) * s)
{
    const KN_E value = *element;
    s->sum += value;
    KN_ALONE();
    return (const KN_I *)(const void *)((const char *)stop + (value & s->none));
}

/* The steps of a loop by rows and the number of its fixed elements; constants where possible, since each variable takes a
 * register from the loop. */
struct KN_NAME(rows_shape) {
    unsigned loads, fills;
    int64_t b_by, load_by, fill_by;
    bool waits;
};

/* Rows of a, each an inner loop (kn_rows_piece), with the elements of b or followed by its rows. */
KN_ALWAYS void KN_NAME(rows_shaped)(struct kn_rows_piece *p, enum pat_operation does, enum kn_rows_way way,
                                    struct KN_NAME(rows_shape) shape)
{
    struct KN_NAME(state) first = {.value = KN_NAME(value)(p->a->row, does)}, second = {0};
    struct KN_NAME(fixed) loaded = KN_NAME(fixed_begin)(&p->load), filled = KN_NAME(fixed_begin)(&p->fill);
    KN_E *const row = p->a->address;
    KN_E *at = way == KN_ROWS_ALONE ? NULL : p->b->address;
    const KN_I *index = p->a->index, *then_index = way == KN_ROWS_THEN ? p->b->index : NULL;
    const uint16_t *len = p->a_len, *then = p->b_len, *const last = len + p->n;
    const int64_t load_second = p->load.second;
    __asm__ volatile("" : "+r"(first.none));
    while (len < last) {
        const uint16_t *const end = len + KN_NAME(fixed_alike)(&p->fill, &filled, (uint64_t)(last - len));
        for (; len < end; len++) {
            KN_NAME(fixed_load)(&loaded, shape.loads, load_second, shape.load_by);
            for (const KN_I *stop = index + *len; index < stop; index++) {
                if (shape.waits)
                    stop = KN_NAME(load_and_wait)(row + *index, stop, &first);
                else
                    KN_NAME(access)(row + *index, does, &first);
                KN_COUNTED(index);
                if (way != KN_ROWS_WITH) continue;
                KN_NAME(access)(at, PAT_OPERATION_REDUCE, &second);
                at += shape.b_by;
                KN_COUNTED(at);
            }
            if (way == KN_ROWS_THEN)
                for (const KN_I *const stop = then_index + *then++; then_index < stop; then_index++) {
                    KN_NAME(access)(at + *then_index, PAT_OPERATION_REDUCE, &second);
                    KN_COUNTED(then_index);
                }
            if (!shape.fills) continue;
            KN_NAME(access)(filled.at, PAT_OPERATION_FILL, &filled.state);
            filled.at += shape.fill_by;
        }
    }
    p->a_len = len;
    p->a->index = index;
    p->a->sum = (KN_E)(p->a->sum + first.sum);
    KN_NAME(fixed_end)(&p->load, &loaded);
    KN_NAME(fixed_end)(&p->fill, &filled);
    if (way == KN_ROWS_ALONE) return;
    p->b->sum = (KN_E)(p->b->sum + second.sum);
    if (way == KN_ROWS_WITH) p->b->address = at;
    if (way == KN_ROWS_THEN) {
        p->b_len = then;
        p->b->index = then_index;
    }
}

KN_ALWAYS bool KN_NAME(steps_are_1)(const struct kn_rows_piece *p, enum kn_rows_way way)
{
    return (way != KN_ROWS_WITH || p->b_by == 1) && (!p->load.elements || p->load.by == 1) &&
           (!p->fill.elements || p->fill.by == 1);
}

KN_ALWAYS void KN_NAME(rows_by)(struct kn_rows_piece *p, enum pat_operation does, enum kn_rows_way way,
                                bool waits)
{
    const struct KN_NAME(rows_shape)
        any = {p->load.elements, p->fill.elements, p->b_by, p->load.by, p->fill.by, waits};
#define KN_SHAPE(loads, fills)                                                                          \
    case 2 * (loads) + (fills):                                                                         \
        KN_NAME(rows_shaped)(p, does, way, (struct KN_NAME(rows_shape)){loads, fills, 1, 1, 1, false}); \
        return;
    if (!waits && does == PAT_OPERATION_REDUCE && sizeof(KN_E) == 8 && KN_NAME(steps_are_1)(p, way))
        switch (2 * any.loads + any.fills) {
            KN_SHAPE(0, 0)
            KN_SHAPE(0, 1)
            KN_SHAPE(1, 0)
            KN_SHAPE(1, 1)
            KN_SHAPE(2, 0)
            KN_SHAPE(2, 1)
        }
#undef KN_SHAPE
    KN_NAME(rows_shaped)(p, does, way, any);
}

#define KN_DEFINE(name, does)                                            \
    static void KN_NAME(rows_alone_##name)(struct kn_rows_piece * p)     \
    {                                                                    \
        KN_NAME(rows_by)(p, PAT_OPERATION_##does, KN_ROWS_ALONE, false); \
    }                                                                    \
    static void KN_NAME(rows_with_##name)(struct kn_rows_piece * p)      \
    {                                                                    \
        KN_NAME(rows_by)(p, PAT_OPERATION_##does, KN_ROWS_WITH, false);  \
    }                                                                    \
    static void KN_NAME(rows_then_##name)(struct kn_rows_piece * p)      \
    {                                                                    \
        KN_NAME(rows_by)(p, PAT_OPERATION_##does, KN_ROWS_THEN, false);  \
    }
KN_DEFINE(reduce, REDUCE)
KN_DEFINE(fill, FILL)
KN_DEFINE(update, UPDATE)
#undef KN_DEFINE

static void KN_NAME(rows_waiting_alone)(struct kn_rows_piece *p)
{
    KN_NAME(rows_by)(p, PAT_OPERATION_REDUCE, KN_ROWS_ALONE, true);
}

static void KN_NAME(rows_waiting_with)(struct kn_rows_piece *p)
{
    KN_NAME(rows_by)(p, PAT_OPERATION_REDUCE, KN_ROWS_WITH, true);
}

static void KN_NAME(rows_waiting_then)(struct kn_rows_piece *p)
{
    KN_NAME(rows_by)(p, PAT_OPERATION_REDUCE, KN_ROWS_THEN, true);
}
