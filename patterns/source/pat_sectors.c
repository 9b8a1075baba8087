/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_sectors.h"

#include "config.h"

#include "common/ls_hash.h"
#include "common/ls_vector.h"
#include "patterns/source/pat_input.h"
#include "patterns/source/pat_intern.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_SHIFT = 16, BANKS = 32, BANK_BYTES = 4 };

/* Sectors of 64 KiB of memory. */
struct chunk {
    uint64_t number, low, high; /* low, high: touched addresses */
    uint64_t needed_bytes, sectors;
};

struct work {
    struct pat_sectors *out;
    const struct pat_arrays *arrays; /* NULL: none */
    struct pat_intern known_rows, known_chunks, known_uses;
    size_t rows_room, uses_room;
    LS_VECTOR(struct chunk) chunks;
};

/* ---- one warp ---- */

/* Sort the addresses of the active lanes. */
static unsigned sort_lanes(const struct pat_warp *w, uint64_t out[PAT_WARP_LANES])
{
    unsigned len = 0;
    for (unsigned i = 0; i < PAT_WARP_LANES; i++) {
        if (!(w->active >> i & 1)) continue;
        unsigned at = len++;
        for (; at > 0 && out[at - 1] > w->addrs[i]; at--)
            out[at] = out[at - 1];
        out[at] = w->addrs[i];
    }
    return len;
}

/* Is the distance from each active lane to the next one the same? */
static bool is_strided(const struct pat_warp *w)
{
    const unsigned first = (unsigned)__builtin_ctz(w->active);
    uint64_t step = 0;
    unsigned last = first;
    for (unsigned i = first + 1; i < PAT_WARP_LANES; i++) {
        if (!(w->active >> i & 1)) continue;
        const uint64_t distance = w->addrs[i] - w->addrs[last];
        if (last == first && distance % (i - last) == 0) step = distance / (i - last);
        if (distance != step * (i - last)) return false;
        last = i;
    }
    return true;
}

static enum pat_lanes class_of(const struct pat_warp *w, const struct pat_sector_sums *one)
{
    const uint64_t full = (one->needed_bytes + PAT_SECTOR_BYTES - 1) / PAT_SECTOR_BYTES;
    if (one->lanes > 1 && one->needed_bytes == w->size_bytes) return PAT_LANES_BROADCAST;
    if (one->sectors <= full + 1) return PAT_LANES_COALESCED;
    return is_strided(w) ? PAT_LANES_STRIDED : PAT_LANES_SCATTERED;
}

static ls_err add_to_chunk(struct work *k, uint64_t begin, uint64_t end, bool is_new)
{
    const uint64_t number = begin >> CHUNK_SHIFT;
    uint32_t *row;
    LS_TRY(pat_intern(&k->known_chunks, number, 0, &row));
    if (*row == PAT_NONE) {
        LS_TRY(LS_VECTOR_ADD(&k->chunks, (struct chunk){.number = number, .low = begin, .high = end}));
        *row = (uint32_t)(k->chunks.len - 1);
    }
    struct chunk *c = &k->chunks.rows[*row];
    if (begin < c->low) c->low = begin;
    if (end > c->high) c->high = end;
    c->needed_bytes += end - begin;
    c->sectors += is_new;
    return LS_OK;
}

/* The part of one warp in each array that it touches. */
struct parts {
    struct pat_sector_use rows[PAT_WARP_LANES + 1];
    unsigned len;
};

static struct pat_sector_sums *part_at(const struct work *k, struct parts *p, uint64_t addr)
{
    const uint32_t array = pat_arrays_find(k->arrays, addr);
    unsigned i = 0;
    while (i < p->len && p->rows[i].array != array)
        i++;
    if (i == PAT_WARP_LANES) return &p->rows[i].sums; /* a piece that reaches out of the lane's array */
    if (i == p->len) p->rows[p->len++] = (struct pat_sector_use){.array = array, .sums.warps = 1};
    return &p->rows[i].sums;
}

/* Count the distinct bytes and sectors of the sorted addresses. */
static ls_err count_sectors(struct work *k, const struct pat_warp *w, const uint64_t *addrs,
                            struct pat_sector_sums *one, struct parts *parts)
{
    uint64_t at = addrs[0], sector = UINT64_MAX;
    for (unsigned i = 0; i < one->lanes; i++) {
        uint64_t end;
        if (__builtin_add_overflow(addrs[i], w->size_bytes ? w->size_bytes : 1, &end)) end = UINT64_MAX;
        if (k->arrays) part_at(k, parts, addrs[i])->lanes++;
        for (at = at > addrs[i] ? at : addrs[i]; at < end;) {
            const uint64_t next = (at / PAT_SECTOR_BYTES + 1) * PAT_SECTOR_BYTES;
            const uint64_t stop = next && next < end ? next : end;
            const bool is_new = at / PAT_SECTOR_BYTES != sector;
            sector = at / PAT_SECTOR_BYTES;
            one->sectors += is_new;
            one->needed_bytes += stop - at;
            if (k->arrays) {
                struct pat_sector_sums *part = part_at(k, parts, at);
                part->sectors += is_new;
                part->needed_bytes += stop - at;
            }
            LS_TRY(add_to_chunk(k, at, stop, is_new));
            at = stop;
        }
    }
    return LS_OK;
}

/* Return the largest number of different words of one bank that lanes [first, last) access. */
static unsigned passes_of(const struct pat_warp *w, unsigned first, unsigned last)
{
    uint64_t words[BANKS][BANKS];
    unsigned lens[BANKS] = {0}, most = 0;
    for (unsigned i = first; i < last; i++) {
        if (!(w->active >> i & 1)) continue;
        const uint64_t end = (w->addrs[i] + (w->size_bytes ? w->size_bytes : 1) - 1) / BANK_BYTES;
        for (uint64_t word = w->addrs[i] / BANK_BYTES; word <= end && end - word < BANKS; word++) {
            const unsigned bank = (unsigned)(word % BANKS);
            unsigned known = 0;
            while (known < lens[bank] && words[bank][known] != word)
                known++;
            if (known == lens[bank] && known < BANKS) words[bank][lens[bank]++] = word;
            if (lens[bank] > most) most = lens[bank];
        }
    }
    return most;
}

/* Lanes of 8 bytes take turns by halves, lanes of 16 bytes by quarters. */
static void count_passes(const struct pat_warp *w, struct pat_sector_sums *one)
{
    const unsigned words = w->size_bytes <= BANK_BYTES ? 1 : (w->size_bytes + BANK_BYTES - 1U) / BANK_BYTES;
    const unsigned group = words >= PAT_WARP_LANES ? 1 : PAT_WARP_LANES / words;
    for (unsigned first = 0; first < PAT_WARP_LANES; first += group) {
        const unsigned last = first + group < PAT_WARP_LANES ? first + group : PAT_WARP_LANES;
        const unsigned passes = passes_of(w, first, last);
        one->passes += passes;
        one->passes_least += passes > 0;
    }
}

/* ---- sums ---- */

void pat_sectors_add(struct pat_sector_sums *to, const struct pat_sector_sums *one)
{
    to->warps += one->warps;
    to->lanes += one->lanes;
    to->needed_bytes += one->needed_bytes;
    to->sectors += one->sectors;
    to->moved_bytes += one->moved_bytes;
    to->passes += one->passes;
    to->passes_least += one->passes_least;
    for (int c = 0; c < PAT_LANES_COUNT; c++)
        to->classes[c] += one->classes[c];
}

static ls_err row_of(struct work *k, const struct pat_warp *w, struct pat_sector_row **out)
{
    struct pat_sectors *s = k->out;
    uint32_t *row;
    const uint64_t rest = ls_hash_text(LS_HASH_BEGIN + w->size_bytes, w->opcode) ^ (uint64_t)w->is_store;
    LS_TRY(pat_intern(&k->known_rows, w->ip, rest, &row));
    if (*row == PAT_NONE) {
        LS_TRY(LS_GROW(s->rows, k->rows_room, s->len + 1));
        struct pat_sector_row made = {.id = (uint32_t)s->len,
                                      .ip = w->ip,
                                      .kernel = strdup(""),
                                      .opcode = strdup(w->opcode),
                                      .line = strdup(w->line),
                                      .space = w->space,
                                      .size_bytes = w->size_bytes,
                                      .is_store = w->is_store && !w->is_load,
                                      .is_atomic = w->is_atomic};
        *row = (uint32_t)s->len;
        s->rows[s->len++] = made;
        if (!made.opcode || !made.line || !made.kernel) return ls_nomem("%zu instructions", s->len);
    }
    *out = &s->rows[*row];
    return LS_OK;
}

static ls_err add_use(struct work *k, uint32_t id, const struct pat_sector_use *part)
{
    struct pat_sectors *s = k->out;
    uint32_t *row;
    LS_TRY(pat_intern(&k->known_uses, id, part->array, &row));
    if (*row == PAT_NONE) {
        LS_TRY(LS_GROW(s->uses, k->uses_room, s->uses_len + 1));
        *row = (uint32_t)s->uses_len;
        s->uses[s->uses_len++] = (struct pat_sector_use){.id = id, .array = part->array};
    }
    pat_sectors_add(&s->uses[*row].sums, &part->sums);
    pat_sectors_add(&s->arrays[part->array], &part->sums);
    return LS_OK;
}

static ls_err add_warp(struct work *k, const struct pat_warp *w)
{
    uint64_t addrs[PAT_WARP_LANES];
    struct parts parts = {.len = 0};
    struct pat_sector_row *row = NULL;
    struct pat_sector_sums one = {.warps = 1, .lanes = sort_lanes(w, addrs)};
    LS_TRY(row_of(k, w, &row));
    if (w->space == PAT_WARP_SPACE_SHARED) {
        count_passes(w, &one);
    } else {
        LS_TRY(count_sectors(k, w, addrs, &one, &parts));
        one.moved_bytes = one.sectors * PAT_SECTOR_BYTES;
        one.classes[class_of(w, &one)] = 1;
    }
    pat_sectors_add(&row->sums, &one);
    pat_sectors_add(&k->out->all, &one);
    const uint32_t id = row->id;
    for (unsigned i = 0; i < parts.len; i++) {
        parts.rows[i].sums.moved_bytes = parts.rows[i].sums.sectors * PAT_SECTOR_BYTES;
        parts.rows[i].sums.classes[class_of(w, &one)] = 1;
        LS_TRY(add_use(k, id, &parts.rows[i]));
    }
    return LS_OK;
}

/* ---- the result ---- */

static int by_number(const void *a, const void *b)
{
    const struct chunk *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Join chunks that follow each other. */
static ls_err make_regions(struct work *k)
{
    struct pat_sectors *s = k->out;
    s->regions = calloc(k->chunks.len + 1, sizeof(*s->regions));
    if (!s->regions) return ls_nomem("%zu regions", k->chunks.len);
    if (k->chunks.len) qsort(k->chunks.rows, k->chunks.len, sizeof(*k->chunks.rows), by_number);
    for (size_t i = 0; i < k->chunks.len; i++) {
        const struct chunk *c = &k->chunks.rows[i];
        if (i == 0 || c->number > c[-1].number + 1)
            s->regions[s->regions_len++] = (struct pat_sector_region){.start = c->low};
        struct pat_sector_region *r = &s->regions[s->regions_len - 1];
        r->end = c->high;
        r->needed_bytes += c->needed_bytes;
        r->sectors += c->sectors;
    }
    return LS_OK;
}

static uint64_t in_vain(const struct pat_sector_sums *s)
{
    return s->moved_bytes > s->needed_bytes ? s->moved_bytes - s->needed_bytes : 0;
}

static int by_cost(const void *a, const void *b)
{
    const struct pat_sector_row *x = a, *y = b;
    const uint64_t v = in_vain(&x->sums), w = in_vain(&y->sums);
    const uint64_t p = x->sums.passes - x->sums.passes_least, q = y->sums.passes - y->sums.passes_least;
    if (v != w) return v > w ? -1 : 1;
    if (p != q) return p > q ? -1 : 1;
    if (x->ip != y->ip) return x->ip < y->ip ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_instruction(const void *a, const void *b)
{
    const struct pat_sector_use *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->sums.moved_bytes != y->sums.moved_bytes) return x->sums.moved_bytes < y->sums.moved_bytes ? 1 : -1;
    return (x->array > y->array) - (x->array < y->array);
}

void pat_sectors_sort(struct pat_sectors *s)
{
    if (s->len) qsort(s->rows, s->len, sizeof(*s->rows), by_cost);
    if (s->uses_len) qsort(s->uses, s->uses_len, sizeof(*s->uses), by_instruction);
}

static ls_err read_all(struct work *k, pat_warps *reader)
{
    struct pat_warp w;
    for (bool has_ended = false;;) {
        LS_TRY(pat_warps_next(reader, &w, &has_ended));
        if (has_ended) break;
        k->out->partial += w.active != UINT32_MAX;
        k->out->skipped += w.active == 0;
        if (w.active) LS_TRY(add_warp(k, &w));
    }
    k->out->skipped += pat_warps_skipped(reader);
    pat_sectors_sort(k->out);
    return make_regions(k);
}

static ls_err read_warps(struct work *k, const char *path)
{
    pat_warps *reader;
    LS_TRY(pat_warps_open(path, &reader));
    const ls_err err = read_all(k, reader);
    pat_warps_free(reader);
    pat_intern_fini(&k->known_rows);
    pat_intern_fini(&k->known_chunks);
    pat_intern_fini(&k->known_uses);
    free(k->chunks.rows);
    return err;
}

static bool is_omniprobe(const char *path)
{
    char bytes[4096];
    size_t len = 0;
    pat_input *in;
    if (strcmp(path, "-") == 0 || pat_input_open(path, &in) != LS_OK) return false;
    const bool is_one =
        pat_input_read(in, bytes, sizeof(bytes), &len) == LS_OK && pat_sectors_is_omniprobe(bytes, len);
    pat_input_free(in);
    return is_one;
}

ls_err pat_sectors_read(const char *path, const struct pat_arrays *arrays, struct pat_sectors *out)
{
    struct work k = {.out = out, .arrays = arrays};
    *out = (struct pat_sectors){0};
    if (is_omniprobe(path)) {
        if (arrays) return ls_fail(LS_ERR_USAGE, "%s has no addresses, so that arrays cannot be found", path);
        return pat_sectors_read_omniprobe(path, out);
    }
    if (arrays) {
        out->arrays_len = arrays->names_len + 1;
        out->arrays = calloc(out->arrays_len, sizeof(*out->arrays));
        if (!out->arrays) return ls_nomem("%zu arrays", arrays->names_len);
    }
    return read_warps(&k, path);
}

void pat_sectors_fini(struct pat_sectors *s)
{
    for (size_t i = 0; i < s->len; i++) {
        free(s->rows[i].opcode);
        free(s->rows[i].line);
        free(s->rows[i].kernel);
    }
    free(s->rows);
    free(s->regions);
    free(s->uses);
    free(s->arrays);
    *s = (struct pat_sectors){0};
}

enum pat_lanes pat_sector_class(const struct pat_sector_sums *s)
{
    enum pat_lanes most = PAT_LANES_BROADCAST;
    for (int c = 0; c < PAT_LANES_COUNT; c++)
        if (s->classes[c] > s->classes[most]) most = (enum pat_lanes)c;
    return most;
}
