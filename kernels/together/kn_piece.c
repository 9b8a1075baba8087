/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled like kn_var_operations.c, because the accesses are the same. */
#include "kernels/together/kn_cursor.h"
#include "kernels/together/kn_rows.h"

#include "kernels/kn_options.h"
#include "kernels/replay/kn_job.h"
#include "kernels/kn_values.h"

#define KN_E uint64_t
#define KN_I int32_t
#define KN_NAME(x) KN_GLUE(piece, _e8_i32_, x)
#include "kernels/together/kn_piece.inc.h"
#include "kernels/replay/kn_access_end.inc.h"
#define KN_E uint32_t
#define KN_I int64_t
#define KN_NAME(x) KN_GLUE(piece, _e4_i64_, x)
#include "kernels/together/kn_piece.inc.h"
#include "kernels/replay/kn_access_end.inc.h"
#define KN_E uint32_t
#define KN_I int32_t
#define KN_NAME(x) KN_GLUE(piece, _e4_i32_, x)
#include "kernels/together/kn_piece.inc.h"
#include "kernels/replay/kn_access_end.inc.h"
#define KN_E uint64_t
#define KN_I int64_t
#define KN_NAME(x) KN_GLUE(piece, _e8_i64_, x)
#include "kernels/together/kn_piece.inc.h"

KN_ALWAYS void rows_of(struct kn_piece *p, enum pat_operation does, size_t len)
{
    const struct kn_side s = {.index = p->offset};
    const struct KN_NAME(held) held = KN_NAME(hold)(&s, len);
    struct KN_NAME(state) state = {.last = p->last, .value = KN_NAME(value)(p->row, does)};
    uint64_t *row = p->address;
    const uint64_t n = p->n, times = p->times;
    const int64_t by = p->by, fold_step = p->fold_step;
    __asm__ volatile("" : "+r"(state.none));
    for (uint64_t i = 0; i < n; i++, row += by) {
        uint64_t *at = row;
        KN_UNROLLED for (uint64_t f = 0; f < times; f++, at += fold_step)
            KN_NAME(held_row)(at, &held, len, does, &state);
        state.value = KN_NAME(value_after)(state.value, does);
    }
    p->sum += state.sum;
    p->last = state.last;
}

/* A unit of a, then an element of b. One instruction walks over b, as in a loop. */
KN_ALWAYS void pair_rows_of(struct kn_pair *p, enum pat_operation does, size_t len, bool counts_units)
{
    const struct kn_side s = {.index = p->a->offset};
    const struct KN_NAME(held) held = KN_NAME(hold)(&s, len);
    struct KN_NAME(state) first = {0}, second = {.value = KN_NAME(value)(p->b->row, does)};
    uint64_t *a = p->a->address, *b = (uint64_t *)p->b->address + p->b->offset[0];
    const int64_t by = p->a->by, at_by = p->b->by;
    for (uint64_t r = p->rows; r > 0; r--, a += p->a_row_by, b += p->b_row_by) {
        uint64_t *row = a, *at = b;
        for (uint64_t n = p->n; n > 0; n--, row += by, at += at_by) {
            KN_NAME(held_row)(row, &held, len, PAT_OPERATION_REDUCE, &first);
            KN_NAME(access)(at, does, &second);
            if (counts_units) second.value++;
        }
        second.value++;
    }
    p->a->sum += first.sum;
    p->b->sum += second.sum;
}

#define PAIR_CASE(n)                                \
    case n + 1:                                     \
        pair_rows_of(p, does, n + 1, counts_units); \
        return;
KN_ALWAYS void pair_rows(struct kn_pair *p, enum pat_operation does, bool counts_units)
{
    switch (p->a->offset_len) {
        KN_HELD(PAIR_CASE)
    }
}
#undef PAIR_CASE

#define ROWS_CASE(n)             \
    case n + 1:                  \
        rows_of(p, does, n + 1); \
        return;
KN_ALWAYS void rows_of_any(struct kn_piece *p, enum pat_operation does)
{
    switch (p->offset_len) {
        KN_HELD(ROWS_CASE)
    }
}
#undef ROWS_CASE

#define ROWS_DEFINE(name, does)                 \
    static void rows_##name(struct kn_piece *p) \
    {                                           \
        rows_of_any(p, PAT_OPERATION_##does);   \
    }
ROWS_DEFINE(reduce, REDUCE)
ROWS_DEFINE(chase, CHASE)
ROWS_DEFINE(fill, FILL)
ROWS_DEFINE(update, UPDATE)

static void pair_rows_reduce(struct kn_pair *p)
{
    pair_rows(p, PAT_OPERATION_REDUCE, false);
}

static void pair_rows_fill(struct kn_pair *p)
{
    if (p->counts_units)
        pair_rows(p, PAT_OPERATION_FILL, true);
    else
        pair_rows(p, PAT_OPERATION_FILL, false);
}
#include "kernels/replay/kn_access_end.inc.h"

static void linked(struct kn_piece *p)
{
    const uint64_t *at = p->address;
    uint64_t sum = 0;
    for (uint64_t n = p->n; n > 0; n--) {
        at = (const uint64_t *)(uintptr_t)*at;
        sum += (uintptr_t)at;
        __asm__ volatile("" ::: "memory");
    }
    p->address = (void *)(uintptr_t)at;
    p->sum += sum;
}

#define BY_OPERATION(prefix)                                                              \
    {                                                                                     \
        [PAT_OPERATION_REDUCE] = prefix##_reduce, [PAT_OPERATION_CHASE] = prefix##_chase, \
        [PAT_OPERATION_FILL] = prefix##_fill, [PAT_OPERATION_UPDATE] = prefix##_update    \
    }
#define BY_LIST(tag)                                                                       \
    {                                                                                      \
        BY_OPERATION(piece_##tag##_piece_listed), BY_OPERATION(piece_##tag##_piece_levels) \
    }

kn_piece_move *kn_piece_find(enum kn_piece_kind kind, enum pat_operation does, unsigned element_bytes,
                             unsigned index_bits)
{
    static kn_piece_move *const rows[PAT_OPERATION_COUNT] = BY_OPERATION(rows);
    static kn_piece_move *const lists[2][2][2][PAT_OPERATION_COUNT] = {{BY_LIST(e4_i32), BY_LIST(e4_i64)},
                                                                       {BY_LIST(e8_i32), BY_LIST(e8_i64)}};
    if (kind == KN_PIECE_LINKED) return element_bytes == 8 && does == PAT_OPERATION_CHASE ? linked : NULL;
    if (kind == KN_PIECE_ROWS) return element_bytes == 8 ? rows[does] : NULL;
    return lists[element_bytes == 8][index_bits == 64][kind == KN_PIECE_LEVELS][does];
}

kn_pair_move *kn_pair_find(enum kn_piece_kind kind_of_a, enum pat_operation b_does, unsigned index_bits)
{
    const bool fills = b_does == PAT_OPERATION_FILL;
    if (!fills && b_does != PAT_OPERATION_REDUCE) return NULL;
    if (kind_of_a == KN_PIECE_ROWS) return fills ? pair_rows_fill : pair_rows_reduce;
    if (kind_of_a != KN_PIECE_LISTED) return NULL;
    if (index_bits == 64) return fills ? piece_e8_i64_pair_listed_fill : piece_e8_i64_pair_listed_reduce;
    return fills ? piece_e8_i32_pair_listed_fill : piece_e8_i32_pair_listed_reduce;
}

#define ROWS_BY_OPERATION(prefix)                                                       \
    {                                                                                   \
        [PAT_OPERATION_REDUCE] = prefix##_reduce, [PAT_OPERATION_FILL] = prefix##_fill, \
        [PAT_OPERATION_UPDATE] = prefix##_update                                        \
    }
#define ROWS_BY_WAY(tag)                                                                         \
    {                                                                                            \
        ROWS_BY_OPERATION(piece_##tag##_rows_alone), ROWS_BY_OPERATION(piece_##tag##_rows_with), \
            ROWS_BY_OPERATION(piece_##tag##_rows_then)                                           \
    }

#define ROWS_WAITING(tag)                                                                                  \
    {                                                                                                      \
        piece_##tag##_rows_waiting_alone, piece_##tag##_rows_waiting_with, piece_##tag##_rows_waiting_then \
    }

kn_rows_move *kn_rows_find(enum kn_rows_way way, enum pat_operation does, unsigned element_bytes,
                           unsigned index_bits, bool waits)
{
    static kn_rows_move *const waiting[2][2][KN_ROWS_WAYS] = {{ROWS_WAITING(e4_i32), ROWS_WAITING(e4_i64)},
                                                              {ROWS_WAITING(e8_i32), ROWS_WAITING(e8_i64)}};
    static kn_rows_move *const rows[2][2][KN_ROWS_WAYS][PAT_OPERATION_COUNT] = {
        {ROWS_BY_WAY(e4_i32), ROWS_BY_WAY(e4_i64)}, {ROWS_BY_WAY(e8_i32), ROWS_BY_WAY(e8_i64)}};
    if (waits && does == PAT_OPERATION_REDUCE) return waiting[element_bytes == 8][index_bits == 64][way];
    return rows[element_bytes == 8][index_bits == 64][way][does];
}
