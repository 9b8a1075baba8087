/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of warps as GS Patterns' NVBit tool writes them (nvbit_tracing/gsnv_trace/common.h of its
 * sources): a header of 24 bytes, map entries of 120 (names of instructions and lines), records of 312: warp,
 * operation, and the addresses of 32 lanes, 0 for an inactive lane. A warp is a thread, its lanes are
 * accesses of one site. */
#include "patterns/source/pat_collect.h"
#include "patterns/source/pat_input.h"
#include "patterns/source/pat_sources.h"
#include "patterns/source/pat_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* NV_WINDOW_BYTES: bytes of a row of GS Patterns' windows for warps. */
enum { LANES = 32, NV_WINDOW_BYTES = 256, MAP_BYTES = 120, WARPS_MAX = 1 << 16 };

struct nv_header {
    uint64_t maps, map_entries, records;
};

struct nv_record {
    uint64_t grid;
    int32_t cta_x, cta_y, cta_z, warp, opcode, opcode_short, is_load, is_store, size_bytes, line;
    uint64_t ip;
    uint64_t addrs[LANES];
};
_Static_assert(sizeof(struct nv_header) == 24, "the header has 24 bytes");
_Static_assert(sizeof(struct nv_record) == 312, "a record has 312 bytes");

struct nv {
    struct pat_records records;
    struct pat_collect collect;
    struct pat_source_options options;
    uint64_t maps_left, warps;
    uint64_t announced, seen;    /* records: number in the header (0: none given), and number read */
    bool was_folded, is_waiting; /* record waits: an event came before it */
    struct nv_record record;
};

/* The thread of a warp. Beyond WARPS_MAX warps take rows in turn, so that tables stay bounded; the row's
 * sequence is broken then. */
static ls_err warp_row(struct nv *n, const struct nv_record *r, uint32_t *out)
{
    char label[96];
    const uint64_t first = r->grid << 32 ^ (uint32_t)r->warp;
    const uint64_t second =
        (uint64_t)(uint32_t)r->cta_x << 32 ^ (uint64_t)(uint32_t)r->cta_y << 16 ^ (uint32_t)r->cta_z;
    uint32_t *row;
    LS_TRY(pat_intern(&n->collect.threads, first, second, &row));
    if (*row != PAT_NONE) {
        *out = *row;
        return LS_OK;
    }
    snprintf(label, sizeof(label), "grid %llu CTA %d,%d,%d warp %d", (unsigned long long)r->grid, r->cta_x,
             r->cta_y, r->cta_z, r->warp);
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

static bool is_partial(const struct nv_record *r)
{
    for (size_t i = 0; i < LANES; i++)
        if (r->addrs[i] == 0) return true;
    return false;
}

static bool is_contiguous(const struct nv_record *r)
{
    for (size_t i = 1; i < LANES; i++)
        if (r->addrs[i] != r->addrs[i - 1] + (uint64_t)(int64_t)r->size_bytes) return false;
    return true;
}

static bool is_wanted(const struct nv *n, const struct nv_record *r)
{
    if (r->cta_x == -1) return false; /* the writer's mark for none */
    if ((r->is_load != 0) == (r->is_store != 0)) return false;
    if (r->size_bytes < 0 || r->size_bytes > UINT16_MAX) return false;
    return !n->options.warps_as_published || !(is_partial(r) || is_contiguous(r));
}

static ls_err nv_record(struct nv *n)
{
    const struct nv_record *r = &n->record;
    uint32_t thread;
    n->is_waiting = false;
    if (!is_wanted(n, r)) {
        n->collect.counts.skipped++;
        return LS_OK;
    }
    LS_TRY(warp_row(n, r, &thread));
    n->is_waiting = pat_collect_is_ready(&n->collect);
    if (n->is_waiting) return LS_OK;
    const struct pat_site site = {.ip = r->ip,
                                  .module = PAT_NONE,
                                  .size_bytes = (uint16_t)r->size_bytes,
                                  .op = r->is_store ? PAT_OP_STORE : PAT_OP_LOAD};
    for (size_t i = 0; i < LANES; i++)
        if (r->addrs[i]) LS_TRY(pat_collect_one(&n->collect, thread, &site, r->addrs[i]));
    return LS_OK;
}

static ls_err nv_end(const struct nv *n)
{
    if (n->seen < n->announced)
        return ls_fail(LS_ERR_TRUNCATED,
                       "%s ends at byte %llu, after %llu of the %llu records that its header announces",
                       pat_input_name(n->records.input), (unsigned long long)n->records.at_bytes,
                       (unsigned long long)n->seen, (unsigned long long)n->announced);
    if (n->collect.counts.accesses) return LS_OK;
    return ls_fail(LS_ERR_FORMAT, "%s: no record is an access of a warp", pat_input_name(n->records.input));
}

static ls_err nv_read(void *self, bool *has_ended)
{
    struct nv *n = self;
    const uint8_t *bytes;
    if (n->is_waiting) return nv_record(n);
    for (; n->maps_left; n->maps_left--) {
        LS_TRY(pat_records_next(&n->records, MAP_BYTES, &bytes));
        if (!bytes)
            return ls_fail(LS_ERR_TRUNCATED, "%s ends at byte %llu, before the last map entry",
                           pat_input_name(n->records.input), (unsigned long long)n->records.at_bytes);
    }
    LS_TRY(pat_records_next(&n->records, sizeof(n->record), &bytes));
    *has_ended = !bytes;
    if (!bytes) return nv_end(n);
    n->seen++;
    memcpy(&n->record, bytes, sizeof(n->record));
    return nv_record(n);
}

static ls_err nv_next(void *self, struct pat_batch *b)
{
    struct nv *n = self;
    return pat_collect_next(&n->collect, nv_read, n, b);
}

/* The header is followed by a map entry with one of three names. */
static bool nv_recognise(const void *bytes, size_t len, const char *path)
{
    static const char *const names[] = {"ID_TO_OPCODE", "ID_TO_OPCODE_SHORT", "ID_TO_LINE"};
    struct nv_header h;
    char name[25] = "";
    (void)path;
    if (len < sizeof(h) + MAP_BYTES) return false;
    memcpy(&h, bytes, sizeof(h));
    memcpy(name, (const char *)bytes + sizeof(h), sizeof(name) - 1);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcasecmp(name, names[i]) == 0) return h.maps > 0 && h.maps < 100 && h.map_entries < UINT32_MAX;
    return false;
}

static void nv_close(void *self)
{
    struct nv *n = self;
    pat_records_fini(&n->records);
    pat_collect_fini(&n->collect);
    free(n);
}

static ls_err nv_start(struct nv *n, const char *path)
{
    const uint8_t *bytes;
    struct nv_header h;
    LS_TRY(pat_records_init(&n->records, path));
    LS_TRY(pat_records_next(&n->records, sizeof(h), &bytes));
    if (!bytes) return ls_fail(LS_ERR_TRUNCATED, "%s is empty; expected a header of 24 bytes", path);
    memcpy(&h, bytes, sizeof(h));
    n->maps_left = h.map_entries;
    n->announced = h.records;
    return LS_OK;
}

static ls_err nv_open(const char *path, const struct pat_source_options *o, void **out)
{
    struct nv *n = calloc(1, sizeof(*n));
    if (!n) return ls_nomem("reading %s", path);
    n->options = *o;
    n->collect.counts.scale = 1;
    const ls_err err = nv_start(n, path);
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
