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
