/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "common/ls_vector.h"

#include <stdlib.h>

/* Each reclaim drops one part in RECLAIM_PART of the sequences' memory; if they take less than one part in
 * RECLAIM_MIN_PART of the limit, it frees too little. */
enum { EXT_RECLAIM_PART = 4, EXT_RECLAIM_MIN_PART = 64, EXT_RECLAIM_PAUSE = 1 << 14 };

void pat_ext_row_drop(struct pat_ext *e, struct pat_ext_row *r)
{
    pat_ext_repetition_free(e, r->repetition);
    r->repetition = NULL;
    pat_ext_stream_fini(&r->stream, &e->budget);
    pat_ext_tally_fini(&r->tally, &e->counts);
    pat_ext_pages_fini(&r->pages, &e->counts);
    free(r->crossings);
    r->crossings = NULL;
}

static int rows_by_first_access(const void *a, const void *b)
{
    const struct pat_ext_row *x = *(struct pat_ext_row *const *)a, *y = *(struct pat_ext_row *const *)b;
    return (x->first_access > y->first_access) - (x->first_access < y->first_access);
}

struct pat_ext_row **pat_ext_rows(const struct pat_ext *e)
{
    struct pat_ext_row **rows = malloc((e->rows_len + 1) * sizeof(struct pat_ext_row *));
    for (size_t i = 0; rows && i < e->rows_len; i++)
        rows[i] = pat_ext_row(e, (uint32_t)i);
    if (rows) qsort(rows, e->rows_len, sizeof(struct pat_ext_row *), rows_by_first_access);
    return rows;
}

static size_t ext_key_slot(const struct pat_ext *e, uint32_t site, uint32_t home, uint32_t thread)
{
    const uint64_t key = ((uint64_t)site << 32 | home) ^ pat_ext_hash(thread);
    return pat_ext_hash(key) >> (64 - e->found_log2);
}

static struct pat_ext_row **ext_find_key(const struct pat_ext *e, uint32_t site, uint32_t home,
                                         uint32_t thread)
{
    const size_t mask = ((size_t)1 << e->found_log2) - 1;
    size_t i = ext_key_slot(e, site, home, thread);
    for (const struct pat_ext_row *r; (r = e->found[i]) != NULL; i = (i + 1) & mask)
        if (r->site == site && r->home == home && r->thread == thread) break;
    return &e->found[i];
}

static bool ext_found_grow(struct pat_ext *e)
{
    const size_t cap = (size_t)1 << e->found_log2;
    if (e->rows_len < cap / 2) return true;
    if (!pat_ext_take(&e->budget, cap * sizeof(*e->found))) return false;
    struct pat_ext_row **before = e->found;
    e->found = calloc(2 * cap, sizeof(*e->found));
    if (!e->found) {
        e->found = before;
        pat_ext_give(&e->budget, cap * sizeof(*e->found));
        return false;
    }
    e->found_log2++;
    for (size_t i = 0; i < cap; i++)
        if (before[i]) *ext_find_key(e, before[i]->site, before[i]->home, before[i]->thread) = before[i];
    free(before);
    return true;
}

/* A row that may lose its sequence when memory is short: the least costly first. */
struct ext_rank {
    struct pat_ext_row *row;
    size_t order;
};

static int ext_by_cost(const void *a, const void *b)
{
    const struct ext_rank *x = a, *y = b;
    if (x->row->cost_parts != y->row->cost_parts) return x->row->cost_parts < y->row->cost_parts ? -1 : 1;
    const uint64_t n = pat_ext_row_accesses(x->row), m = pat_ext_row_accesses(y->row);
    if (n != m) return n < m ? -1 : 1;
    return (x->order < y->order) - (x->order > y->order); /* the younger first */
}

static void ext_give_up_sequence(struct pat_ext *e, struct pat_ext_row *r)
{
    pat_ext_repetition_give_up(e, r);
    pat_ext_stream_fini(&r->stream, &e->budget);
    r->kept = 0;
    r->is_cut = true;
}

bool pat_ext_reclaim(struct pat_ext *e)
{
    if (e->reclaim_pause) {
        e->reclaim_pause--;
        return false;
    }
    struct pat_ext_row **rows = pat_ext_rows(e);
    struct ext_rank *ranks = malloc(e->rows_len * sizeof(*ranks));
    uint64_t all_bytes = 0, freed_bytes = 0;
    size_t len = 0;
    for (size_t i = 0; rows && ranks && i < e->rows_len; i++)
        if (rows[i]->stream.first) {
            all_bytes += rows[i]->stream.len_bytes;
            ranks[len++] = (struct ext_rank){rows[i], i};
        }
    const bool helps = all_bytes > e->budget.limit_bytes / EXT_RECLAIM_MIN_PART;
    if (helps) qsort(ranks, len, sizeof(*ranks), ext_by_cost);
    for (size_t i = 0; helps && i < len && freed_bytes < all_bytes / EXT_RECLAIM_PART; i++) {
        freed_bytes += ranks[i].row->stream.len_bytes;
        ext_give_up_sequence(e, ranks[i].row);
    }
    if (!helps) e->reclaim_pause = EXT_RECLAIM_PAUSE;
    free(ranks);
    free(rows);
    return helps;
}

/* Add one slab. Return false without memory. */
static bool ext_slab_add(struct pat_ext *e)
{
    const size_t len_bytes = (size_t)1 << PAT_EXT_SLAB_LOG2;
    const size_t cap = e->slabs_cap;
    if (LS_GROW(e->slabs, e->slabs_cap, e->slabs_len + 1) != LS_OK) return false;
    pat_ext_charge(&e->budget, (e->slabs_cap - cap) * sizeof(e->slabs[0]));
    if (!pat_ext_take(&e->budget, len_bytes) && (!pat_ext_reclaim(e) || !pat_ext_take(&e->budget, len_bytes)))
        return false;
    struct pat_ext_slab *s = pat_ext_arena_take(e->budget.arena, PAT_EXT_SLAB_LOG2);
    if (!s) {
        pat_ext_give(&e->budget, len_bytes);
        return false;
    }
    e->slabs[e->slabs_len++] = s;
    return true;
}

static uint64_t ext_saturated(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Create a row; NULL without memory. */
static struct pat_ext_row *ext_row_new(struct pat_ext *e, uint32_t site, uint32_t home, uint32_t thread)
{
    if (!ext_found_grow(e) && e->rows_len + 1 >= (size_t)1 << e->found_log2) return NULL;
    if (e->rows_len == e->slabs_len * PAT_EXT_SLAB_ROWS && !ext_slab_add(e)) return NULL;
    struct pat_ext_row *r = pat_ext_row(e, (uint32_t)e->rows_len);
    const struct pat_site *row = &e->tables->sites[site];
    const uint64_t size_bytes = row->size_bytes ? row->size_bytes : 1;
    const uint64_t elem_bytes = home == PAT_NONE ? 0 : e->tables->homes[home].elem_size_bytes;
    *r = (struct pat_ext_row){.site = site,
                              .home = home,
                              .thread = thread,
                              .id = (uint32_t)e->rows_len,
                              .range = PAT_NONE,
                              .line = UINT64_MAX,
                              .len_less = (uint32_t)(size_bytes - 1),
                              .is_store = row->op == PAT_OP_STORE};
    r->far_bytes = ext_saturated(e->options->far_elements, elem_bytes ? elem_bytes : size_bytes);
    e->rows_len++;
    return r;
}

struct pat_ext_row *pat_ext_row_at(struct pat_ext *e, const struct pat_ext_strand *strand, uint32_t at,
                                   uint32_t home)
{
    const uint64_t addr = e->buffer.addrs[at];
    struct pat_ext_row **found = ext_find_key(e, strand->site, home, strand->thread);
    for (struct pat_ext_row *r = *found; r; r = r->next)
        if (!pat_ext_has_area(e, r) || pat_ext_in_area(r, addr)) return r;
    struct pat_ext_row *r = ext_row_new(e, strand->site, home, strand->thread);
    if (!r) return NULL;
    r->anchor = addr;
    r->first_access = e->buffer.before + at;
    found = ext_find_key(e, strand->site, home, strand->thread); /* the table may have moved */
    r->next = *found;
    *found = r;
    return r;
}
