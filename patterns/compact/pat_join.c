/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_compact_parts.h"

#include <stdlib.h>
#include <string.h>

/* The unit in which a sequence counts: address = base + index * unit_bytes. */
struct join_scale {
    uint64_t base, unit_bytes;
};

static struct join_scale join_scale_of(const struct pat_sequence *s)
{
    return (struct join_scale){s->base, s->elem_size_bytes ? s->elem_size_bytes : 1};
}

static uint64_t join_addr(const struct join_scale *p, int64_t index)
{
    return p->base + (uint64_t)index * p->unit_bytes;
}

/* ---- sequences that go together ---- */

/* True if all accesses are known, so that nothing is claimed that was not seen. */
static bool join_is_known(const struct pat_sequence *s)
{
    return s->is_whole && s->home != PAT_NONE && s->indices.len > 1;
}

/* True if the smaller unit can express the addresses of both. */
static bool join_units_fit(const struct pat_sequence *a, const struct pat_sequence *b)
{
    const struct join_scale p = join_scale_of(a), q = join_scale_of(b);
    const uint64_t unit = p.unit_bytes < q.unit_bytes ? p.unit_bytes : q.unit_bytes;
    const uint64_t apart = p.base < q.base ? q.base - p.base : p.base - q.base;
    return p.unit_bytes % unit == 0 && q.unit_bytes % unit == 0 && apart % unit == 0;
}

static bool join_same_distances(const struct pat_sequence *a, const struct pat_sequence *b)
{
    const struct join_scale p = join_scale_of(a), q = join_scale_of(b);
    const uint64_t apart = join_addr(&q, b->indices.data[0]) - join_addr(&p, a->indices.data[0]);
    for (size_t i = 1; i < a->indices.len; i++)
        if (join_addr(&q, b->indices.data[i]) - join_addr(&p, a->indices.data[i]) != apart) return false;
    return true;
}

static bool join_same_breaks(const struct pat_sequence *a, const struct pat_sequence *b)
{
    return a->breaks_len == b->breaks_len && a->ranges_print == b->ranges_print &&
           (a->breaks_len == 0 || memcmp(a->breaks, b->breaks, a->breaks_len * sizeof(*a->breaks)) == 0);
}

/* True if b, which always has its turn after a, does the same as a. */
static bool join_together(const struct pat_tables *t, const struct pat_sequence *a,
                          const struct pat_sequence *b)
{
    return join_is_known(a) && join_is_known(b) && a->order < b->order && a->turns == b->turns &&
           a->home == b->home && a->thread == b->thread && a->is_pool == b->is_pool &&
           a->threads == b->threads && a->accesses == b->accesses && a->indices.len == b->indices.len &&
           a->fold.period == b->fold.period && a->fold.len == b->fold.len &&
           t->sites[a->site].size_bytes == t->sites[b->site].size_bytes && join_units_fit(a, b) &&
           join_same_breaks(a, b) && join_same_distances(a, b);
}

struct join_order {
    uint32_t order, row;
};

static int join_by_order(const void *a, const void *b)
{
    const struct join_order *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Set next[a] = b and is_led[b] where b continues a; next is PAT_NONE elsewhere. The sequence that begins a
 * chain is the `first` of all others in it. */
static void join_link(const struct pat_sequences *s, const struct pat_tables *t,
                      const struct join_order *orders, uint32_t *next, bool *is_led)
{
    for (size_t i = 0; i < s->len; i++)
        next[i] = PAT_NONE;
    for (size_t i = 0; i < s->len; i++) { /* any row ahead was visited earlier */
        const struct pat_sequence *b = &s->rows[orders[i].row];
        const struct join_order key = {.order = b->ahead};
        const struct join_order *found =
            key.order == PAT_NONE ? NULL : bsearch(&key, orders, s->len, sizeof(key), join_by_order);
        if (!found || next[found->row] != PAT_NONE) continue;
        const struct pat_sequence *a = &s->rows[found->row];
        if (b->first != (is_led[found->row] ? a->first : a->order) || !join_together(t, a, b)) continue;
        next[found->row] = orders[i].row;
        is_led[orders[i].row] = true;
    }
}

/* ---- loads and stores ---- */

static enum pat_op join_op(const struct pat_sequences *s, const struct pat_tables *t, uint32_t row)
{
    return (enum pat_op)t->sites[s->rows[row].site].op;
}

static uint64_t join_first_addr(const struct pat_sequence *s)
{
    const struct join_scale p = join_scale_of(s);
    return join_addr(&p, s->indices.data[0]);
}

/* Count the members before `end` with this operation at the addresses of `row`. */
static size_t join_at_addresses(const struct pat_sequences *s, const struct pat_tables *t,
                                const struct pat_join *j, size_t end, enum pat_op op, uint32_t row)
{
    size_t found = 0;
    for (size_t i = 0; i < end; i++)
        found += join_op(s, t, j->members[i]) == op &&
                 join_first_addr(&s->rows[j->members[i]]) == join_first_addr(&s->rows[row]);
    return found;
}

/* True if each store has exactly one load of its address, before it, and there are no other loads. */
static bool join_is_update(const struct pat_sequences *s, const struct pat_tables *t,
                           const struct pat_join *j)
{
    size_t stores = 0;
    for (size_t i = 0; i < j->len; i++) {
        const uint32_t row = j->members[i];
        if (join_op(s, t, row) == PAT_OP_LOAD) continue;
        stores++;
        if (join_at_addresses(s, t, j, i, PAT_OP_LOAD, row) != 1 ||
            join_at_addresses(s, t, j, j->len, PAT_OP_STORE, row) != 1)
            return false;
    }
    return stores > 0 && 2 * stores == j->len;
}

/* Append a chain: an update stays one join; otherwise loads and stores become two joins, each in their
 * order. */
static void join_put(const struct pat_sequences *s, const struct pat_tables *t, struct pat_join chain,
                     struct pat_joins *out)
{
    uint32_t *to = (uint32_t *)chain.members;
    chain.is_update = join_is_update(s, t, &chain);
    if (chain.is_update || chain.len == 1) {
        out->rows[out->len++] = chain;
        return;
    }
    size_t loads = 0;
    for (size_t i = 0; i < chain.len;
         i++) { /* move loads to the front; the order among loads and among stores does not change */
        const uint32_t row = to[i];
        if (join_op(s, t, row) != PAT_OP_LOAD) continue;
        memmove(&to[loads + 1], &to[loads], (i - loads) * sizeof(*to));
        to[loads++] = row;
    }
    if (loads) out->rows[out->len++] = (struct pat_join){.members = to, .len = loads};
    if (loads < chain.len)
        out->rows[out->len++] = (struct pat_join){.members = to + loads, .len = chain.len - loads};
}

static ls_err join_room(const struct pat_sequences *s, struct pat_joins *out)
{
    *out = (struct pat_joins){.rows = calloc(s->len + 1, sizeof(*out->rows)),
                              .members = calloc(s->len + 1, sizeof(*out->members))};
    if (out->rows && out->members) return LS_OK;
    pat_joins_fini(out);
    return ls_nomem("joining %zu sequences", s->len);
}

ls_err pat_join_none(const struct pat_sequences *s, struct pat_joins *out)
{
    LS_TRY(join_room(s, out));
    for (size_t i = 0; i < s->len; i++) {
        out->members[i] = (uint32_t)i;
        out->rows[out->len++] = (struct pat_join){.members = &out->members[i], .len = 1};
    }
    return LS_OK;
}

static void join_chains(const struct pat_sequences *s, const struct pat_tables *t, const uint32_t *next,
                        const bool *is_led, struct pat_joins *out)
{
    size_t used = 0;
    for (size_t i = 0; i < s->len; i++) {
        if (is_led[i]) continue;
        struct pat_join chain = {.members = &out->members[used]};
        for (uint32_t at = (uint32_t)i; at != PAT_NONE; at = next[at], chain.len++)
            out->members[used++] = at;
        join_put(s, t, chain, out);
    }
}

ls_err pat_join_find(const struct pat_sequences *s, const struct pat_tables *t, struct pat_joins *out)
{
    struct join_order *orders = calloc(s->len + 1, sizeof(*orders));
    uint32_t *next = calloc(s->len + 1, sizeof(*next));
    bool *is_led = calloc(s->len + 1, sizeof(*is_led));
    ls_err e = orders && next && is_led ? join_room(s, out) : ls_nomem("joining %zu sequences", s->len);
    if (e == LS_OK) {
        for (size_t i = 0; i < s->len; i++)
            orders[i] = (struct join_order){s->rows[i].order, (uint32_t)i};
        qsort(orders, s->len, sizeof(*orders), join_by_order);
        join_link(s, t, orders, next, is_led);
        join_chains(s, t, next, is_led, out);
    }
    free(is_led);
    free(next);
    free(orders);
    return e;
}

void pat_joins_fini(struct pat_joins *j)
{
    free(j->rows);
    free(j->members);
    *j = (struct pat_joins){0};
}

/* ---- one sequence ---- */

/* The base and unit that all indices of the joined sequence use. */
static struct join_scale join_common_scale(const struct pat_sequences *s, const struct pat_join *j)
{
    struct join_scale all = join_scale_of(&s->rows[j->members[0]]);
    for (size_t i = 1; i < j->len; i++) {
        const struct join_scale one = join_scale_of(&s->rows[j->members[i]]);
        if (one.base < all.base) all.base = one.base;
        if (one.unit_bytes < all.unit_bytes) all.unit_bytes = one.unit_bytes;
    }
    return all;
}

/* True for members whose accesses the joined sequence contains. */
static bool join_counts(const struct pat_sequences *s, const struct pat_tables *t, const struct pat_join *j,
                        size_t i)
{
    return !j->is_update || join_op(s, t, j->members[i]) == PAT_OP_STORE;
}

/* Interleave one access of each member. */
static void join_fill(const struct pat_sequences *s, const struct pat_tables *t, const struct pat_join *j,
                      size_t width, struct pat_sequence *out)
{
    const struct join_scale all = {out->base, out->elem_size_bytes};
    size_t lane = 0;
    for (size_t m = 0; m < j->len; m++) {
        const struct pat_sequence *one = &s->rows[j->members[m]];
        const struct join_scale scale = join_scale_of(one);
        if (!join_counts(s, t, j, m)) continue;
        for (size_t i = 0; i < one->indices.len; i++)
            out->indices.data[i * width + lane] =
                (int64_t)(join_addr(&scale, one->indices.data[i]) - all.base) / (int64_t)all.unit_bytes;
        lane++;
    }
    for (size_t i = 0; i < out->breaks_len; i++)
        out->breaks[i] = s->rows[j->members[0]].breaks[i] * width;
}

static bool join_is_member(const struct pat_sequences *s, const struct pat_join *j, uint32_t site)
{
    for (size_t m = 0; m < j->len; m++)
        if (s->rows[j->members[m]].site == site) return true;
    return false;
}

/* Set the index of the joined sequence: one of the members (a chain of pointers), or the same load for
 * all. */
static void join_index(const struct pat_sequences *s, const struct pat_join *j, struct pat_sequence *out)
{
    out->index_home = s->rows[j->members[0]].index_home;
    out->index_site = s->rows[j->members[0]].index_site;
    for (size_t m = 0; m < j->len; m++) {
        const struct pat_sequence *one = &s->rows[j->members[m]];
        if (one->index_home != out->index_home) out->index_home = out->index_site = PAT_NONE;
        if (one->index_site != PAT_NONE && join_is_member(s, j, one->index_site)) {
            out->index_home = out->home;
            out->index_site = out->site;
            return;
        }
    }
}

/* Are the threads of all members at the same distances, in whole units of the joined sequence? */
static bool join_same_apart(const struct pat_sequences *s, const struct pat_join *j, uint64_t unit_bytes)
{
    const struct pat_sequence *a = &s->rows[j->members[0]];
    for (size_t m = 0; m < j->len; m++) {
        const struct pat_sequence *b = &s->rows[j->members[m]];
        if (!a->threads_apart != !b->threads_apart) return false;
        for (uint32_t t = 0; a->threads_apart && t < a->threads; t++)
            if (a->threads_apart[t] != b->threads_apart[t] || a->threads_apart[t] % (int64_t)unit_bytes)
                return false;
    }
    return true;
}

ls_err pat_join_sequence(const struct pat_sequences *s, const struct pat_tables *t, const struct pat_join *j,
                         struct pat_sequence *out)
{
    const size_t width = j->is_update ? j->len / 2 : j->len;
    const struct join_scale all = join_common_scale(s, j);
    size_t first = 0;
    while (!join_counts(s, t, j, first))
        first++;
    *out = s->rows[j->members[first]];
    out->base = all.base;
    out->range_elements = out->range_elements * out->elem_size_bytes / all.unit_bytes;
    out->elem_size_bytes = all.unit_bytes;
    if (!join_same_apart(s, j, all.unit_bytes)) out->threads_apart = NULL;
    out->distances = NULL;
    out->distances_len = 0;
    out->distances_seen = 0;
    out->accesses = 0;
    out->cost = 0;
    for (size_t m = 0; m < j->len; m++) {
        const struct pat_sequence *one = &s->rows[j->members[m]];
        out->accesses += one->accesses;
        out->cost += one->cost;
        if (one->lines > out->lines) out->lines = one->lines;
    }
    join_index(s, j, out);
    out->indices = (struct pat_indices){0};
    out->fold.period *= width;
    out->fold.len *= width;
    out->breaks = malloc((out->breaks_len + 1) * sizeof(*out->breaks));
    if (s->rows[j->members[0]].indices.len > SIZE_MAX / sizeof(int64_t) / width || !out->breaks) {
        free(out->breaks);
        *out = (struct pat_sequence){0};
        return ls_nomem("joining %zu sequences", j->len);
    }
    out->indices.len = s->rows[j->members[0]].indices.len * width;
    out->indices.data = malloc(out->indices.len * sizeof(*out->indices.data));
    if (!out->indices.data) {
        const size_t len = out->indices.len;
        free(out->breaks);
        *out = (struct pat_sequence){0};
        return ls_nomem("a pattern of %zu indices", len);
    }
    join_fill(s, t, j, width, out);
    if (out->fold.period) out->fold.shift = out->indices.data[out->fold.period] - out->indices.data[0];
    return LS_OK;
}
