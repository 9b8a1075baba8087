/* SPDX-License-Identifier: BSD-3-Clause */
#include "smrtree/smr_index.h"
#include "common/ls_vector.h"
#include "smrtree/smr_array.h"
#include "smrtree/smr_avl.h"

#include <stdlib.h>

#define INDEX_LANES 16u

struct smr_index {
    uint64_t *starts; /* Eytzinger order from [1], aligned so that the 8 great-grandchildren of a key share a
                         line */
    uint32_t *values; /* same order; values[0]: before the first segment */
    size_t len;
};

struct segment {
    uint64_t start;
    uint32_t value;
};

/* Flattening: ranges arrive outer before inner, by base; the stack holds the open ones. */
struct flattener {
    struct segment *segments;
    size_t len, cap;
    struct smr_range *open;
    size_t open_len, open_room;
    bool nomem;
};

static void flat_emit(struct flattener *f, uint64_t start, uint32_t value)
{
    if (f->len > 0 && f->segments[f->len - 1].start == start)
        f->len--; /* it is empty: the newer segment begins here */
    if (f->len > 0 && f->segments[f->len - 1].value == value) return;
    f->segments[f->len++] = (struct segment){start, value}; /* cap is 2 per range: its begin and its end */
}

static void flat_close_until(struct flattener *f, uint64_t base)
{
    while (f->open_len > 0 && f->open[f->open_len - 1].end <= base) {
        const uint64_t end = f->open[--f->open_len].end;
        flat_emit(f, end, f->open_len > 0 ? f->open[f->open_len - 1].value : SMR_INDEX_NONE);
    }
}

static void flat_visit(void *user, const struct smr_range *r)
{
    struct flattener *f = user;
    f->nomem = f->nomem || LS_GROW(f->open, f->open_room, f->open_len + 1) != LS_OK;
    if (f->nomem) return;
    flat_close_until(f, r->base);
    f->open[f->open_len++] = *r;
    flat_emit(f, r->base, r->value);
}

/* Fill the implicit tree in order: k's children are 2k and 2k + 1. */
static size_t index_fill(smr_index *x, const struct segment *segments, size_t next, size_t k)
{
    if (k > x->len) return next;
    next = index_fill(x, segments, next, 2 * k);
    x->starts[k] = segments[next].start;
    x->values[k] = segments[next].value;
    return index_fill(x, segments, next + 1, 2 * k + 1);
}

static bool index_build(smr_index *x, const struct segment *segments, size_t len)
{
    x->len = len;
    x->starts = smr_array_alloc((len + 1) * sizeof(*x->starts));
    x->values = smr_array_alloc((len + 1) * sizeof(*x->values));
    if (!x->starts || !x->values) return false;
    x->starts[0] = 0;
    x->values[0] = SMR_INDEX_NONE;
    index_fill(x, segments, 0, 1);
    return true;
}

ls_err smr_index_new(const struct smr_avl *t, smr_index **out)
{
    struct flattener f = {.cap = 2 * (size_t)t->len};
    f.segments = malloc((f.cap ? f.cap : 1) * sizeof(*f.segments));
    smr_index *x = calloc(1, sizeof(*x));
    f.nomem = !f.segments || !x;
    if (!f.nomem) smr_avl_each(t, flat_visit, &f);
    if (!f.nomem) flat_close_until(&f, UINT64_MAX);
    const bool built = !f.nomem && index_build(x, f.segments, f.len);
    free(f.segments);
    free(f.open);
    if (!built) {
        smr_index_free(x);
        return ls_nomem("a look-up index of %u ranges", t->len);
    }
    *out = x;
    return LS_OK;
}

void smr_index_free(smr_index *x)
{
    if (!x) return;
    free(x->starts);
    free(x->values);
    free(x);
}

size_t smr_index_len(const smr_index *x)
{
    return x->len;
}

/* Go one level down: right if the segment begins at or before addr. */
static inline size_t index_step(const uint64_t *starts, size_t k, uint64_t addr)
{
    return 2 * k + (starts[k] <= addr);
}

/* The bits of k after its highest one are the turns taken (1: right); return the node of the last right turn,
 * which is the segment. */
static inline size_t index_last_right(size_t k)
{
    return k >> (__builtin_ctzll(k) + 1);
}

/* Prefetch by an integer address: a prefetch after the end of the array is harmless, but pointer arithmetic
 * there is not. */
static inline void index_prefetch(const uint64_t *starts, size_t k)
{
    __builtin_prefetch((const void *)((uintptr_t)starts + k * SMR_ARRAY_LINE_BYTES));
}

static inline uint32_t index_search(const smr_index *x, uint64_t addr)
{
    const uint64_t *starts = x->starts;
    size_t k = 1;
    while (k <= x->len) {
        index_prefetch(starts, k);
        k = index_step(starts, k, addr);
    }
    return x->values[index_last_right(k)];
}

bool smr_index_find(const smr_index *x, uint64_t addr, uint32_t *out_value)
{
    const uint32_t value = index_search(x, addr);
    if (value == SMR_INDEX_NONE) return false;
    *out_value = value;
    return true;
}

/* Advance INDEX_LANES searches level by level. The levels above the last are full: no test for the end is
 * needed there. */
static void index_search_lanes(const smr_index *x, const uint64_t *addrs, uint32_t *out_values)
{
    const uint64_t *starts = x->starts;
    size_t k[INDEX_LANES];
    for (unsigned i = 0; i < INDEX_LANES; i++)
        k[i] = 1;
    for (size_t first = 1; first <= x->len / 2; first *= 2) /* 2 * first - 1 <= len: this level is full */
        for (unsigned i = 0; i < INDEX_LANES; i++) {
            index_prefetch(starts, k[i]);
            k[i] = index_step(starts, k[i], addrs[i]);
        }
    for (unsigned i = 0; i < INDEX_LANES; i++) {
        while (k[i] <= x->len)
            k[i] = index_step(starts, k[i], addrs[i]);
        k[i] = index_last_right(k[i]);
        __builtin_prefetch(&x->values[k[i]]);
    }
    for (unsigned i = 0; i < INDEX_LANES; i++)
        out_values[i] = x->values[k[i]];
}

void smr_index_find_bulk(const smr_index *x, const uint64_t *addrs, size_t len, uint32_t *out_values)
{
    size_t done = 0;
    for (; len - done >= INDEX_LANES; done += INDEX_LANES)
        index_search_lanes(x, addrs + done, out_values + done);
    for (; done < len; done++)
        out_values[done] = index_search(x, addrs[done]);
}
