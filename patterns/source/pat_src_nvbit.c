/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of warps (pat_warps.h) as a source: a warp is a thread, its lanes are accesses of one site. As published, all warps are one
 * thread, and only some of them count. */
#include "patterns/source/pat_arrays.h"
#include "patterns/source/pat_collect.h"
#include "patterns/source/pat_sources.h"
#include "patterns/source/pat_tables.h"
#include "patterns/source/pat_warps.h"
#include "common/ls_hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NV_WINDOW_BYTES: bytes of a row of GS Patterns' windows for warps. */
enum { NV_WINDOW_BYTES = 256, WARPS_MAX = 1 << 16 };

struct nv {
    pat_warps *reader;
    struct pat_collect collect;
    struct pat_source_options options;
    struct pat_intern lines;
    uint64_t warps, left_out;
    bool was_folded, has_homes;
    bool is_waiting; /* warp is kept, because an event came before it */
    struct pat_warp warp;
};

/* Return the thread of a warp. Beyond WARPS_MAX, warps share rows, so that tables stay bounded; the row's
 * sequence is broken then. */
static ls_err warp_row(struct nv *n, const struct pat_warp *w, uint32_t *out)
{
    char label[96];
    const uint64_t first = w->grid << 32 ^ (uint32_t)w->warp;
    const uint64_t second =
        (uint64_t)(uint32_t)w->cta[0] << 32 ^ (uint64_t)(uint32_t)w->cta[1] << 16 ^ (uint32_t)w->cta[2];
    uint32_t *row;
    if (n->options.warps_as_published) return pat_collect_thread(&n->collect, 0, "all warps", out);
    LS_TRY(pat_intern(&n->collect.threads, first, second, &row));
    if (*row != PAT_NONE) {
        *out = *row;
        return LS_OK;
    }
    snprintf(label, sizeof(label), "grid %llu CTA %d,%d,%d warp %d", (unsigned long long)w->grid, w->cta[0],
             w->cta[1], w->cta[2], w->warp);
    if (n->warps < WARPS_MAX) {
        n->warps++;
        LS_TRY(pat_tables_add_thread(&n->collect.tables, label, row));
        *out = *row;
        return LS_OK;
    }
    *out = *row = (uint32_t)(n->warps++ % WARPS_MAX);
    if (!n->was_folded && n->options.note)
        n->options.note(n->options.user, "more than 65536 warps: later ones share the names of the first");
    n->was_folded = true;
    return pat_collect_event(&n->collect, &(struct pat_event){.kind = PAT_EVENT_BREAK, .thread = *out});
}

/* The published tool takes loads and stores of whole warps where no lane is next to its neighbour or on the same address. */
static bool is_published(const struct pat_warp *w)
{
    if (!w->is_published || w->active != UINT32_MAX) return false;
    for (unsigned i = 1; i < PAT_WARP_LANES; i++) {
        const uint64_t a = w->addrs[i - 1], b = w->addrs[i];
        if ((a < b ? b - a : a - b) <= w->size_bytes) return false;
    }
    return true;
}

/* 1 + the row of a line, 0 where the trace names none. */
static ls_err line_row(struct nv *n, const char *line, uint32_t *out)
{
    uint32_t *row;
    *out = 0;
    if (!*line) return LS_OK;
    LS_TRY(pat_intern(&n->lines, ls_hash_text(LS_HASH_BEGIN, line), strlen(line), &row));
    if (*row == PAT_NONE) LS_TRY(pat_tables_add_line(&n->collect.tables, line, row));
    *out = *row + 1;
    return LS_OK;
}

/* An atomic is a store, because it changes its elements. */
static ls_err nv_warp(struct nv *n)
{
    const struct pat_warp *w = &n->warp;
    struct pat_site site = {.ip = w->ip,
                            .module = PAT_NONE,
                            .size_bytes = w->size_bytes,
                            .op = w->is_store || w->is_atomic ? PAT_OP_STORE : PAT_OP_LOAD};
    uint32_t thread;
    n->is_waiting = false;
    n->collect.counts.skipped = pat_warps_skipped(n->reader) + n->left_out;
    if (w->active == 0 || (n->options.warps_as_published && !is_published(w))) {
        n->left_out++;
        return LS_OK;
    }
    LS_TRY(warp_row(n, w, &thread));
    n->is_waiting = pat_collect_is_ready(&n->collect);
    if (n->is_waiting) return LS_OK;
    LS_TRY(line_row(n, w->line, &site.line));
    for (unsigned i = 0; i < PAT_WARP_LANES; i++)
        if (w->active >> i & 1) LS_TRY(pat_collect_one(&n->collect, thread, &site, w->addrs[i]));
    return LS_OK;
}

/* A home for each name, with all of its memory, from the begin on. */
static ls_err nv_arrays(struct nv *n, const struct pat_arrays *a)
{
    struct pat_tables *t = &n->collect.tables;
    uint32_t first = 0;
    for (size_t i = 0; i < a->names_len; i++) {
        uint32_t row;
        const struct pat_home home = {.label = a->names[i], .kind = PAT_HOME_HEAP};
        LS_TRY(pat_tables_add_home(t, &home, &row));
        if (i == 0) first = row;
    }
    for (size_t i = 0; i < a->len; i++) {
        const struct pat_range range = {a->rows[i].start, a->rows[i].end, first + a->rows[i].name};
        struct pat_event born = {.kind = PAT_EVENT_RANGE_BORN, .thread = PAT_NONE};
        LS_TRY(pat_tables_add_range(t, &range, &born.what));
        LS_TRY(pat_collect_event(&n->collect, &born));
    }
    return LS_OK;
}

static ls_err nv_read(void *self, bool *has_ended)
{
    struct nv *n = self;
    if (!n->has_homes && n->options.arrays) LS_TRY(nv_arrays(n, n->options.arrays));
    n->has_homes = true;
    if (n->is_waiting) return nv_warp(n);
    LS_TRY(pat_warps_next(n->reader, &n->warp, has_ended));
    n->collect.counts.skipped = pat_warps_skipped(n->reader) + n->left_out;
    return *has_ended ? LS_OK : nv_warp(n);
}

static ls_err nv_next(void *self, struct pat_batch *b)
{
    struct nv *n = self;
    return pat_collect_next(&n->collect, nv_read, n, b);
}

static bool nv_recognise(const void *bytes, size_t len, const char *path)
{
    (void)path;
    return pat_warps_recognise(bytes, len);
}

static void nv_close(void *self)
{
    struct nv *n = self;
    pat_warps_free(n->reader);
    pat_collect_fini(&n->collect);
    pat_intern_fini(&n->lines);
    free(n);
}

static ls_err nv_open(const char *path, const struct pat_source_options *o, void **out)
{
    struct nv *n = calloc(1, sizeof(*n));
    if (!n) return ls_nomem("reading %s", path);
    n->options = *o;
    n->collect.counts.scale = 1;
    const ls_err err = pat_warps_open(path, &n->reader);
    if (err != LS_OK) {
        nv_close(n);
        return err;
    }
    *out = n;
    return LS_OK;
}

static const struct pat_tables *nv_tables(const void *self)
{
    return &((const struct nv *)self)->collect.tables;
}

static struct pat_source_counts nv_counts(const void *self)
{
    return ((const struct nv *)self)->collect.counts;
}

const struct pat_source_format pat_source_nvbit = {.name = "nvbit",
                                                   .text = "GS Patterns' NVBit tool",
                                                   .window_bytes = NV_WINDOW_BYTES,
                                                   .recognise = nv_recognise,
                                                   .open = nv_open,
                                                   .next = nv_next,
                                                   .tables = nv_tables,
                                                   .counts = nv_counts,
                                                   .close = nv_close};
