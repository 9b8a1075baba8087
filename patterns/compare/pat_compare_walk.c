/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare_walk.h"

#include <string.h>

enum { PAT_WALK_PIECE = 512 };

/* The list that the kernel steps through, and what it points into. */
static void pat_walk_lists(const struct pat_config *c, enum pat_side side, struct pat_walk *w)
{
    const bool gathers = side == PAT_SIDE_GATHER;
    *w = (struct pat_walk){.list = &c->pattern, .delta = c->delta, .deltas = &c->deltas};
    if (c->kernel == PAT_GS) {
        w->list = gathers ? &c->gather : &c->scatter;
        w->delta = gathers ? c->delta_gather : c->delta_scatter;
        w->deltas = gathers ? &c->deltas_gather : &c->deltas_scatter;
    } else if (c->kernel == PAT_MULTIGATHER || c->kernel == PAT_MULTISCATTER) {
        w->list = c->kernel == PAT_MULTIGATHER ? &c->gather : &c->scatter;
        w->inner = &c->pattern;
    }
    if (w->deltas->len == 0) w->deltas = NULL;
}

ls_err pat_walk_config(const struct pat_config *c, enum pat_side side, struct pat_walk *out)
{
    struct pat_extent extent;
    struct pat_walk w;
    LS_TRY(pat_extent_of(c, side, &extent)); /* from here on no index overflows */
    pat_walk_lists(c, side, &w);
    if (__builtin_mul_overflow(w.list->len, c->count, &w.len) || w.len > INT64_MAX)
        return ls_fail(LS_ERR_RANGE, "configuration '%s' makes more accesses than 63 bits can count",
                       c->name);
    *out = w;
    return LS_OK;
}

struct pat_walk pat_walk_list(const struct pat_indices *p, const size_t *breaks, size_t breaks_len)
{
    return (struct pat_walk){.list = p, .len = p->len, .breaks = breaks, .breaks_len = breaks_len};
}

static int64_t pat_walk_base(const struct pat_walk *w, uint64_t iteration)
{
    static const struct pat_indices none;
    return pat_base(w->delta, w->deltas ? w->deltas : &none, iteration);
}

void pat_walk_read(const struct pat_walk *w, uint64_t from, size_t len, int64_t *out)
{
    uint64_t iteration = from / w->list->len;
    size_t at = from % w->list->len;
    int64_t base = pat_walk_base(w, iteration);
    for (size_t i = 0; i < len; i++) {
        const int64_t index = w->list->data[at];
        out[i] = (int64_t)((uint64_t)base + (uint64_t)(w->inner ? w->inner->data[index] : index));
        if (++at < w->list->len) continue;
        at = 0;
        /* the iteration behind the last one has no base that is known to fit */
        if (i + 1 < len) base = pat_walk_base(w, ++iteration);
    }
}

static bool pat_walk_breaks_same(const struct pat_walk *a, const struct pat_walk *b)
{
    return a->breaks_len == b->breaks_len &&
           (a->breaks_len == 0 || memcmp(a->breaks, b->breaks, a->breaks_len * sizeof *a->breaks) == 0);
}

/* Written alike: the usual case, and the one where reading all accesses could take long. */
static bool pat_walk_written_same(const struct pat_walk *a, const struct pat_walk *b)
{
    if (a->inner || b->inner || a->deltas || b->deltas || a->delta != b->delta) return false;
    return a->len == b->len && a->list->len == b->list->len &&
           memcmp(a->list->data, b->list->data, a->list->len * sizeof *a->list->data) == 0;
}

bool pat_walk_same(const struct pat_walk *a, const struct pat_walk *b)
{
    int64_t piece_a[PAT_WALK_PIECE], piece_b[PAT_WALK_PIECE];
    uint64_t shift = 0;
    if (a->len != b->len || !pat_walk_breaks_same(a, b)) return false;
    if (pat_walk_written_same(a, b)) return true;
    for (uint64_t from = 0; from < a->len; from += PAT_WALK_PIECE) {
        const size_t len = a->len - from < PAT_WALK_PIECE ? (size_t)(a->len - from) : PAT_WALK_PIECE;
        pat_walk_read(a, from, len, piece_a);
        pat_walk_read(b, from, len, piece_b);
        if (from == 0) shift = (uint64_t)piece_b[0] - (uint64_t)piece_a[0];
        for (size_t i = 0; i < len; i++)
            if ((uint64_t)piece_b[i] - (uint64_t)piece_a[i] != shift) return false;
    }
    return true;
}
