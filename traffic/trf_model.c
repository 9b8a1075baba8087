/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic/trf_model.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernels ---- */

struct kernel_sink {
    struct trf_sink sink;
    trf_cache *cache;
    uint64_t bases[TRF_ARRAYS_MAX];
    uint32_t element_bytes;
    bool may_pass; /* sequential stores bypass the caches */
    ls_err err;
};

static void sink_access(struct kernel_sink *k, unsigned array, uint64_t element, enum trf_op op)
{
    if (k->err != LS_OK) return;
    k->err =
        trf_cache_access(k->cache, k->bases[array] + element * k->element_bytes, k->element_bytes, op, array);
}

static void sink_load(struct trf_sink *s, unsigned array, uint64_t element)
{
    sink_access((struct kernel_sink *)s, array, element, TRF_LOAD);
}

static void sink_store(struct trf_sink *s, unsigned array, uint64_t element, bool sequential)
{
    struct kernel_sink *k = (struct kernel_sink *)s;
    sink_access(k, array, element, sequential && k->may_pass ? TRF_STORE_NONTEMPORAL : TRF_STORE);
}

/* Put each array on a separate page, some lines away from its beginning, so that arrays do not share sets. */
static void place_arrays(const struct trf_kernel *k, const struct trf_size *s, uint64_t bases[TRF_ARRAYS_MAX])
{
    enum { PAGE_BYTES = 4096, LINES_APART = 5 };
    uint64_t at = UINT64_C(1) << 32;
    for (unsigned i = 0; i < TRF_ARRAYS_MAX && k->arrays[i]; i++) {
        bases[i] = at + (uint64_t)i * LINES_APART * TRF_LINE_BYTES;
        const uint64_t bytes = k->elements(s, i) * k->element_bytes;
        at = (bases[i] + bytes + 2 * PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
}

ls_err trf_model_kernel(const struct trf_kernel *k, const struct trf_size *s, const struct trf_geometry *g,
                        struct trf_traffic out[TRF_ARRAYS_MAX])
{
    struct kernel_sink sink = {.sink = {.load = sink_load, .store = sink_store},
                               .element_bytes = k->element_bytes,
                               .may_pass = !s->stores_allocate};
    size_t len = 0;
    LS_TRY(trf_kernel_check(k, s));
    if (!k->run) return ls_fail(LS_ERR_UNSUPPORTED, "%s: the loops are those of a library", k->name);
    LS_TRY(trf_cache_new(g, &sink.cache));
    place_arrays(k, s, sink.bases);
    k->run(s, &sink.sink);
    if (sink.err == LS_OK) trf_cache_flush(sink.cache);
    const struct trf_traffic *rows = trf_cache_traffic(sink.cache, &len);
    for (unsigned i = 0; i < TRF_ARRAYS_MAX; i++)
        out[i] = i < len ? rows[i] : (struct trf_traffic){0};
    trf_cache_free(sink.cache);
    return sink.err;
}

/* ---- traces ---- */

ls_err trf_homes_event(struct trf_homes *h, const struct pat_tables *t, const struct pat_event *e)
{
    if ((e->kind != PAT_EVENT_RANGE_BORN && e->kind != PAT_EVENT_RANGE_DIED) || e->what >= t->ranges_len)
        return LS_OK;
    const struct pat_range *r = &t->ranges[e->what];
    const struct smr_range range = {.base = r->start, .end = r->end, .value = e->what};
    struct smr_range conflict;
    h->has_last = false;
    if (e->kind == PAT_EVENT_RANGE_DIED) {
        smr_avl_remove(&h->live, r->start, e->what, NULL);
        return LS_OK;
    }
    ls_err err = r->start < r->end ? smr_avl_insert(&h->live, range, SMR_AVL_INNER, &conflict) : LS_OK;
    while (err == LS_ERR_OVERLAP) { /* the end of the other one was not recorded */
        smr_avl_remove(&h->live, conflict.base, conflict.value, NULL);
        err = smr_avl_insert(&h->live, range, SMR_AVL_INNER, &conflict);
    }
    return err;
}

/* Return whether [lo, hi) holds a range that begins inside of `r`, which is then not the innermost one. */
static bool has_inner(const struct trf_homes *h, const struct smr_range *r)
{
    struct smr_range next;
    return smr_avl_first_from(&h->live, r->base + 1, UINT64_MAX, &next) && next.base < r->end;
}

uint32_t trf_homes_range(struct trf_homes *h, uint64_t addr)
{
    if (!h->has_last || addr < h->last.base || addr >= h->last.end) {
        struct smr_range found;
        if (!smr_avl_last(&h->live, addr, addr, &found)) return PAT_NONE;
        h->last = found;
        h->has_last = !has_inner(h, &found);
    }
    return h->last.value;
}

/* Owner 0 is data without a name; home i of the source is owner i + 1. */
static uint32_t owner_at(struct trf_homes *h, const struct pat_tables *t, uint64_t addr)
{
    const uint32_t range = trf_homes_range(h, addr);
    return range == PAT_NONE ? 0 : t->ranges[range].home + 1;
}

static ls_err feed(trf_cache *c, struct trf_homes *h, const struct pat_tables *t, const struct pat_batch *b)
{
    for (size_t i = 0; i < b->events_len; i++)
        LS_TRY(trf_homes_event(h, t, &b->events[i]));
    for (size_t i = 0; i < b->accesses_len; i++) {
        const struct pat_access *a = &b->accesses[i];
        const struct pat_site *site = &t->sites[a->site];
        LS_TRY(trf_cache_access(c, a->addr, site->size_bytes, site->op == PAT_OP_STORE ? TRF_STORE : TRF_LOAD,
                                owner_at(h, t, a->addr)));
    }
    return LS_OK;
}

static int more_first(const void *a, const void *b)
{
    const struct trf_traffic *x = &((const struct trf_row *)a)->traffic,
                             *y = &((const struct trf_row *)b)->traffic;
    const uint64_t of_x = x->read_lines + x->written_lines, of_y = y->read_lines + y->written_lines;
    if (of_x != of_y) return of_x < of_y ? 1 : -1;
    return x->accesses < y->accesses ? 1 : x->accesses > y->accesses ? -1 : 0;
}

static ls_err rows_of(const trf_cache *c, const struct pat_tables *t, struct trf_rows *out)
{
    size_t len = 0;
    const struct trf_traffic *traffic = trf_cache_traffic(c, &len);
    out->rows = calloc(len ? len : 1, sizeof *out->rows);
    if (!out->rows) return ls_nomem("the traffic of %zu pieces of data", len);
    for (size_t i = 0; i < len; i++) {
        if (!traffic[i].accesses && !traffic[i].written_lines) continue;
        const char *label = i && i - 1 < t->homes_len ? t->homes[i - 1].label : NULL;
        struct trf_row *row = &out->rows[out->len++];
        row->traffic = traffic[i];
        row->label = strdup(label ? label : i ? "(no name)" : "(no known data)");
        if (!row->label) return ls_nomem("a label");
        out->all.accesses += traffic[i].accesses;
        out->all.read_lines += traffic[i].read_lines;
        out->all.written_lines += traffic[i].written_lines;
        out->all.used_bytes += traffic[i].used_bytes;
    }
    qsort(out->rows, out->len, sizeof *out->rows, more_first);
    return LS_OK;
}

static ls_err run_source(pat_source *s, trf_cache *c, struct trf_homes *h, struct trf_rows *out)
{
    for (struct pat_batch b;;) {
        LS_TRY(pat_source_next(s, &b));
        if (!b.events_len && !b.accesses_len) break;
        LS_TRY(feed(c, h, pat_source_tables(s), &b));
    }
    trf_cache_flush(c);
    out->is_sampled = pat_source_counts(s).is_sampled;
    return rows_of(c, pat_source_tables(s), out);
}

ls_err trf_model_source(pat_source *s, const struct trf_geometry *g, struct trf_rows *out)
{
    struct trf_homes h = {.has_last = false};
    trf_cache *c = NULL;
    *out = (struct trf_rows){0};
    LS_TRY(trf_cache_new(g, &c));
    smr_avl_init(&h.live);
    const ls_err err = run_source(s, c, &h, out);
    smr_avl_fini(&h.live);
    trf_cache_free(c);
    if (err != LS_OK) trf_rows_fini(out);
    return err;
}

void trf_rows_fini(struct trf_rows *r)
{
    for (size_t i = 0; i < r->len; i++)
        free(r->rows[i].label);
    free(r->rows);
    *r = (struct trf_rows){0};
}
