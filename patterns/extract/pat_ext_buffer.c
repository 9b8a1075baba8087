/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_engine.h"
#include "common/ls_vector.h"
#include "smrtree/smr_array.h"

#include <stdlib.h>
#include <string.h>

/* The buffer is small, so that it stays in the near caches; with many strands it is larger, so that each has some
 * accesses. It takes at most this part of the memory. */
enum {
    BUFFER_FIRST = 1 << 13,
    BUFFER_STRAND = 32,
    BUFFER_LAST = 1 << 20,
    BUFFER_MEMORY_PART = 15,
    BUFFER_LEAST = 256,
    BUFFER_LEAF = 256
};

static uint64_t buffer_bytes(uint64_t cap)
{
    return cap * (sizeof(uint64_t) + sizeof(uint8_t) + 4 * sizeof(uint32_t));
}

static void buffer_release(struct pat_ext_buffer *r)
{
    free(r->addrs);
    free(r->strand_of);
    free(r->sorted);
    free(r->touched);
    free(r->marks);
    free(r->whose);
}

/* Make room for `cap` accesses and drop the present ones. Return false without memory: then nothing
 * changes. */
static bool buffer_resize(struct pat_ext_buffer *r, struct pat_ext_budget *b, size_t cap)
{
    struct pat_ext_buffer wider = {.addrs = smr_array_alloc(cap * sizeof(*wider.addrs)),
                                   .strand_of = smr_array_alloc(cap * sizeof(*wider.strand_of)),
                                   .sorted =
                                       smr_array_alloc((cap + PAT_EXT_BUFFER_AHEAD) * sizeof(*wider.sorted)),
                                   .touched = smr_array_alloc(cap * sizeof(*wider.touched)),
                                   .marks = smr_array_alloc(cap * sizeof(*wider.marks)),
                                   .whose = smr_array_alloc(cap * sizeof(*wider.whose))};
    if (!wider.addrs || !wider.strand_of || !wider.sorted || !wider.touched || !wider.marks || !wider.whose) {
        buffer_release(&wider);
        return false;
    }
    buffer_release(r);
    r->addrs = wider.addrs;
    r->strand_of = wider.strand_of;
    r->sorted = wider.sorted;
    r->touched = wider.touched;
    r->marks = wider.marks;
    r->whose = wider.whose;
    pat_ext_give(b, buffer_bytes(r->cap));
    pat_ext_charge(b, buffer_bytes(cap));
    r->cap = cap;
    return true;
}

ls_err pat_ext_buffer_init(struct pat_ext_buffer *r, struct pat_ext_budget *b)
{
    *r = (struct pat_ext_buffer){.cap_most = b->limit_bytes / BUFFER_MEMORY_PART / buffer_bytes(1)};
    if (r->cap_most < BUFFER_LEAST) r->cap_most = BUFFER_LEAST;
    if (r->cap_most > BUFFER_LAST) r->cap_most = BUFFER_LAST;
    const size_t cap = r->cap_most < BUFFER_FIRST ? r->cap_most : BUFFER_FIRST;
    return buffer_resize(r, b, cap) ? LS_OK : ls_nomem("extracting patterns");
}

void pat_ext_buffer_fini(struct pat_ext_buffer *r)
{
    buffer_release(r);
    free(r->strands);
    for (size_t i = 0; i < r->threads_len; i++) {
        for (size_t k = 0; k < r->threads[i].len; k++)
            free(r->threads[i].leaves[k]);
        free(r->threads[i].leaves);
    }
    free(r->threads);
    *r = (struct pat_ext_buffer){0};
}

/* ---- strands ---- */

static ls_err buffer_nomem(void)
{
    return ls_nomem("the sites of a thread");
}

static ls_err buffer_add_threads(struct pat_ext_buffer *r, struct pat_ext_budget *b,
                                 const struct pat_tables *t)
{
    struct pat_ext_by_site *wider = realloc(r->threads, t->threads_len * sizeof(*wider));
    if (!wider) return ls_nomem("%zu threads", t->threads_len);
    r->threads = wider;
    pat_ext_charge(b, (t->threads_len - r->threads_len) * sizeof(*wider));
    while (r->threads_len < t->threads_len)
        wider[r->threads_len++] = (struct pat_ext_by_site){0};
    return LS_OK;
}

static ls_err buffer_add_leaf(struct pat_ext_by_site *s, struct pat_ext_budget *b, const struct pat_tables *t,
                              size_t leaf)
{
    if (leaf >= s->len) {
        const size_t len = (t->sites_len + BUFFER_LEAF - 1) / BUFFER_LEAF;
        uint32_t **wider = realloc(s->leaves, len * sizeof(*wider));
        if (!wider) return buffer_nomem();
        pat_ext_charge(b, (len - s->len) * sizeof(*wider));
        s->leaves = wider;
        while (s->len < len)
            wider[s->len++] = NULL;
    }
    s->leaves[leaf] = calloc(BUFFER_LEAF, sizeof(**s->leaves));
    if (!s->leaves[leaf]) return buffer_nomem();
    pat_ext_charge(b, BUFFER_LEAF * sizeof(**s->leaves));
    return LS_OK;
}

static ls_err buffer_add_strand(struct pat_ext_buffer *r, struct pat_ext_budget *b,
                                const struct pat_access *a, uint32_t *slot)
{
    if (r->strands_len == UINT32_MAX) return buffer_nomem();
    const size_t cap = r->strands_cap;
    LS_TRY(LS_GROW(r->strands, r->strands_cap, r->strands_len + 1));
    pat_ext_charge(b, (r->strands_cap - cap) * sizeof(*r->strands));
    r->strands[r->strands_len++] = (struct pat_ext_strand){.site = a->site, .thread = a->thread};
    *slot = (uint32_t)r->strands_len;
    return LS_OK;
}

/* Find the number of an access's strand, the slow way: create the strand, or fail if the tables lack the site or
 * thread. */
static ls_err buffer_find_strand(struct pat_ext_buffer *r, struct pat_ext_budget *b,
                                 const struct pat_tables *t, const struct pat_access *a, uint32_t *out)
{
    if (a->thread >= t->threads_len)
        return ls_fail(LS_ERR_FORMAT, "an access is of thread %u, but the source lists %zu threads",
                       a->thread, t->threads_len);
    if (a->site >= t->sites_len)
        return ls_fail(LS_ERR_FORMAT, "an access is of site %u, but the source lists %zu sites", a->site,
                       t->sites_len);
    if (a->thread >= r->threads_len) LS_TRY(buffer_add_threads(r, b, t));
    struct pat_ext_by_site *sites = &r->threads[a->thread];
    const size_t leaf = a->site / BUFFER_LEAF;
    if (leaf >= sites->len || !sites->leaves[leaf]) LS_TRY(buffer_add_leaf(sites, b, t, leaf));
    uint32_t *slot = &sites->leaves[leaf][a->site % BUFFER_LEAF];
    if (!*slot) LS_TRY(buffer_add_strand(r, b, a, slot));
    *out = *slot - 1;
    return LS_OK;
}

/* ---- filling and sorting ---- */

/* Return the sites of a thread that have strands. */
static const struct pat_ext_by_site *buffer_sites(const struct pat_ext_buffer *r, uint32_t thread)
{
    static const struct pat_ext_by_site none = {0};
    return thread < r->threads_len ? &r->threads[thread] : &none;
}

/* Return the strand number + 1, 0: no strand yet. */
static inline uint32_t buffer_slot(const struct pat_ext_by_site *sites, uint32_t site)
{
    const size_t leaf = site / BUFFER_LEAF;
    return leaf < sites->len && sites->leaves[leaf] ? sites->leaves[leaf][site % BUFFER_LEAF] : 0;
}

ls_err pat_ext_buffer_add(struct pat_ext_buffer *r, struct pat_ext_budget *b, const struct pat_tables *t,
                          const struct pat_access *a, size_t len, size_t *taken)
{
    const size_t n = len < r->cap - r->len ? len : r->cap - r->len;
    uint64_t *addrs = &r->addrs[r->len];
    uint32_t *strand_of = &r->strand_of[r->len];
    struct pat_ext_by_site sites = {0};
    uint32_t thread = PAT_NONE;
    *taken = n;
    for (size_t i = 0; i < n; i++) {
        if (a[i].thread != thread) {
            thread = a[i].thread;
            sites = *buffer_sites(r, thread);
        }
        uint32_t strand = buffer_slot(&sites, a[i].site) - 1;
        if (strand == UINT32_MAX) {
            LS_TRY(buffer_find_strand(r, b, t, &a[i], &strand));
            sites = *buffer_sites(r, thread); /* the number of leaves may have grown */
        }
        if (r->strands[strand].len++ == 0) r->touched[r->touched_len++] = strand;
        strand_of[i] = strand;
        addrs[i] = a[i].addr;
        r->len++;
    }
    return LS_OK;
}

void pat_ext_buffer_sort(struct pat_ext_buffer *r)
{
    uint32_t end = 0;
    memset(r->marks, 0, r->len * sizeof(*r->marks));
    for (size_t i = 0; i < r->touched_len; i++) {
        struct pat_ext_strand *l = &r->strands[r->touched[i]];
        l->end = end; /* becomes the end during sorting */
        end += l->len;
    }
    for (size_t i = 0; i < r->len; i++)
        r->sorted[r->strands[r->strand_of[i]].end++] = (uint32_t)i;
    memset(&r->sorted[r->len], 0, PAT_EXT_BUFFER_AHEAD * sizeof(*r->sorted));
}

void pat_ext_buffer_next(struct pat_ext_buffer *r, struct pat_ext_budget *b)
{
    for (size_t i = 0; i < r->touched_len; i++)
        r->strands[r->touched[i]].len = 0;
    r->before += r->len;
    r->len = r->touched_len = 0;
    size_t cap = r->cap;
    while (cap < r->strands_len * BUFFER_STRAND && 2 * cap <= r->cap_most)
        cap *= 2;
    if (cap > r->cap) buffer_resize(r, b, cap); /* without memory, the buffer remains small */
}
