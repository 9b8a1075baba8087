/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure_lines.h"
#include "patterns/compact/pat_measure_map.h"

#include <stdlib.h>

enum {
    PAT_PAGE_SHIFT = 12,
    PAT_PAGE_SEED = 0x7a6e11,
    PAT_TABLE_LINES = 1 << 20, /* 64 MiB of data in 8 MiB */
    PAT_TABLE_LEAST = 4096     /* lines, also where there are fewer accesses */
};

/* Accesses that touch all that is touched. */
static size_t pat_lines_len(const struct pat_stream *s)
{
    return s->fold.period ? s->fold.period : s->pieces.sequence->len;
}

static uint64_t pat_lines_byte(const struct pat_stream *s, size_t i)
{
    return pat_stream_byte(s, i) & (UINT64_MAX >> 1);
}

/* Bytes of a line that the access at [byte, byte + len) uses. */
static uint64_t pat_line_mask(uint64_t line, uint64_t byte, uint64_t len)
{
    const uint64_t begin = line << PAT_LINE_SHIFT;
    const uint64_t first = byte > begin ? byte - begin : 0;
    const uint64_t end = byte + len - begin < 64 ? byte + len - begin : 64;
    return (end == 64 ? ~UINT64_C(0) : (UINT64_C(1) << end) - 1) & ~((UINT64_C(1) << first) - 1);
}

/* Of the pages that the hash chooses, one of 2^shift. */
static ls_err pat_touch_lines(struct pat_map *lines, const struct pat_stream *s, size_t i, unsigned shift)
{
    const uint64_t byte = pat_lines_byte(s, i), len = s->access_size_bytes;
    for (uint64_t line = byte >> PAT_LINE_SHIFT; line <= (byte + len - 1) >> PAT_LINE_SHIFT; line++) {
        uint64_t *mask;
        const uint64_t page = line >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT);
        if (ls_random_mix(page ^ PAT_PAGE_SEED) & ((UINT64_C(1) << shift) - 1)) continue;
        LS_TRY(pat_map_at(lines, line, &mask));
        *mask |= pat_line_mask(line, byte, len);
    }
    return LS_OK;
}

static ls_err pat_use_lines(const struct pat_map *lines, unsigned shift, struct pat_measures *out)
{
    struct pat_map pages = {0};
    uint64_t bytes = 0, *seen;
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < lines->room; i++)
        if (lines->rows[i].is_used) {
            bytes += (uint64_t)__builtin_popcountll(lines->rows[i].value);
            e = pat_map_at(&pages, lines->rows[i].key >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT), &seen);
        }
    if (e == LS_OK && lines->len) {
        out->line_utilisation = (double)bytes / ((double)lines->len * (1 << PAT_LINE_SHIFT));
        out->page_utilisation = (double)bytes / ((double)pages.len * (1 << PAT_PAGE_SHIFT));
        out->footprint_bytes = (uint64_t)lines->len << (PAT_LINE_SHIFT + shift);
    }
    pat_map_fini(&pages);
    return e;
}

/* By a hash of the lines. */
static ls_err pat_lines_anywhere(const struct pat_stream *s, struct pat_measures *out)
{
    struct pat_map lines = {0};
    const size_t len = pat_lines_len(s);
    unsigned shift = 0;
    ls_err e = LS_OK;
    while (len >> shift > s->limit)
        shift++;
    for (size_t i = 0; e == LS_OK && i < len; i++)
        e = pat_touch_lines(&lines, s, i, shift);
    if (e == LS_OK) e = pat_use_lines(&lines, shift, out);
    pat_map_fini(&lines);
    return e;
}

/* ---- data that lies together: a table of all its lines ---- */

struct pat_lines_table {
    uint64_t *masks;
    uint64_t first; /* line */
    size_t len;
};

/* False: it lies too far apart for as many accesses as there are. */
static bool pat_lines_fit(const struct pat_stream *s, struct pat_lines_table *out)
{
    const size_t len = pat_lines_len(s);
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < len; i++) {
        const uint64_t byte = pat_lines_byte(s, i);
        if (byte < low) low = byte;
        if (byte > high) high = byte;
    }
    if (len == 0) return false;
    const uint64_t first = low >> PAT_LINE_SHIFT, last = (high + s->access_size_bytes - 1) >> PAT_LINE_SHIFT;
    *out = (struct pat_lines_table){.first = first, .len = (size_t)(last - first + 1)};
    return last - first < PAT_TABLE_LINES && (last - first < PAT_TABLE_LEAST || last - first < len);
}

static void pat_table_touch(struct pat_lines_table *t, uint64_t byte, uint64_t len_bytes)
{
    for (uint64_t line = byte >> PAT_LINE_SHIFT; line <= (byte + len_bytes - 1) >> PAT_LINE_SHIFT; line++)
        t->masks[line - t->first] |= pat_line_mask(line, byte, len_bytes);
}

static void pat_table_use(const struct pat_lines_table *t, struct pat_measures *out)
{
    uint64_t bytes = 0, lines = 0, pages = 0, page = UINT64_MAX;
    for (size_t i = 0; i < t->len; i++) {
        if (!t->masks[i]) continue;
        const uint64_t here = (t->first + i) >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT);
        bytes += (uint64_t)__builtin_popcountll(t->masks[i]);
        lines++;
        pages += here != page;
        page = here;
    }
    out->line_utilisation = (double)bytes / ((double)lines * (1 << PAT_LINE_SHIFT));
    out->page_utilisation = (double)bytes / ((double)pages * (1 << PAT_PAGE_SHIFT));
    out->footprint_bytes = lines << PAT_LINE_SHIFT;
}

ls_err pat_lines_of(const struct pat_stream *s, struct pat_measures *out)
{
    struct pat_lines_table t;
    if (!pat_lines_fit(s, &t)) return pat_lines_anywhere(s, out);
    t.masks = calloc(t.len, sizeof(*t.masks));
    if (!t.masks) return ls_fail(LS_ERR_NOMEM, "no memory for the measures of %zu lines", t.len);
    for (size_t i = 0; i < pat_lines_len(s); i++)
        pat_table_touch(&t, pat_lines_byte(s, i), s->access_size_bytes);
    pat_table_use(&t, out);
    free(t.masks);
    return LS_OK;
}
