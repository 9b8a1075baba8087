/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure_lines.h"
#include "patterns/compact/pat_measure_map.h"

#include <stdlib.h>

enum {
    PAT_PAGE_SHIFT = 12,
    PAT_PAGE_SEED = 0x7a6e11,
    PAT_LINES_AHEAD = 16,      /* accesses whose lines' masks are fetched */
    PAT_TABLE_LINES = 1 << 20, /* 64 MiB of data in 8 MiB */
    PAT_TABLE_LEAST = 4096     /* lines, also where there are fewer accesses */
};

/* What some accesses touch. */
struct pat_touched {
    uint64_t bytes, lines, pages;
};

/* Accesses that touch all that is touched, but for rounds that move on. */
static size_t pat_lines_len(const struct pat_stream *s)
{
    return s->fold.period && !s->fold.shift ? s->fold.period : s->pieces.sequence->len;
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

static ls_err pat_use_lines(const struct pat_map *lines, struct pat_touched *out)
{
    struct pat_map pages = {0};
    uint64_t *seen;
    ls_err e = LS_OK;
    const struct pat_map_row *row;
    *out = (struct pat_touched){.lines = lines->len};
    for (size_t i = 0; e == LS_OK && (row = pat_map_next(lines, &i)) != NULL;) {
        out->bytes += (uint64_t)__builtin_popcountll(row->value);
        e = pat_map_at(&pages, pat_map_key(row) >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT), &seen);
    }
    out->pages = pages.len;
    pat_map_fini(&pages);
    return e;
}

/* By a hash of the lines of one page in 2^shift. */
static ls_err pat_lines_anywhere(const struct pat_stream *s, size_t len, unsigned shift,
                                 struct pat_touched *out)
{
    struct pat_map lines = {0};
    ls_err e = LS_OK;
    for (size_t i = 0; e == LS_OK && i < len; i++)
        e = pat_touch_lines(&lines, s, i, shift);
    if (e == LS_OK) e = pat_use_lines(&lines, out);
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

static void pat_table_use(const struct pat_lines_table *t, struct pat_touched *out)
{
    uint64_t page = UINT64_MAX;
    *out = (struct pat_touched){0};
    for (size_t i = 0; i < t->len; i++) {
        if (!t->masks[i]) continue;
        const uint64_t here = (t->first + i) >> (PAT_PAGE_SHIFT - PAT_LINE_SHIFT);
        out->bytes += (uint64_t)__builtin_popcountll(t->masks[i]);
        out->lines++;
        out->pages += here != page;
        page = here;
    }
}

static ls_err pat_lines_together(const struct pat_stream *s, size_t len, struct pat_lines_table t,
                                 struct pat_touched *out)
{
    t.masks = calloc(t.len, sizeof(*t.masks));
    if (!t.masks) return ls_nomem("the measures of %zu lines", t.len);
    for (size_t i = 0; i < len; i++) {
        if (i + PAT_LINES_AHEAD < len)
            ls_prefetch(&t.masks[(pat_lines_byte(s, i + PAT_LINES_AHEAD) >> PAT_LINE_SHIFT) - t.first]);
        pat_table_touch(&t, pat_lines_byte(s, i), s->access_size_bytes);
    }
    pat_table_use(&t, out);
    free(t.masks);
    return LS_OK;
}

/* ---- all of a sequence ---- */

/* How its lines are looked at. */
struct pat_lines_way {
    struct pat_lines_table table;
    bool is_together;
    unsigned shift; /* one page in 2^shift */
};

static struct pat_lines_way pat_lines_way(const struct pat_stream *s)
{
    struct pat_lines_way way = {.is_together = false};
    way.is_together = pat_lines_fit(s, &way.table);
    while (!way.is_together && pat_lines_len(s) >> way.shift > s->limit)
        way.shift++;
    return way;
}

/* By the first len accesses. */
static ls_err pat_lines_touched(const struct pat_stream *s, const struct pat_lines_way *way, size_t len,
                                struct pat_touched *out)
{
    return way->is_together ? pat_lines_together(s, len, way->table, out)
                            : pat_lines_anywhere(s, len, way->shift, out);
}

/* Each round that follows the second one touches as much that is new as that did; the last one may be cut. */
static ls_err pat_lines_moved(const struct pat_stream *s, const struct pat_lines_way *way,
                              struct pat_touched *out)
{
    const size_t period = s->fold.period, rounds = s->fold.len / period;
    struct pat_touched one, two, cut;
    LS_TRY(pat_lines_touched(s, way, period, &one));
    LS_TRY(pat_lines_touched(s, way, 2 * period, &two));
    LS_TRY(pat_lines_touched(s, way, period + s->fold.len % period, &cut));
    out->bytes = cut.bytes + (rounds - 1) * (two.bytes - one.bytes);
    out->lines = cut.lines + (rounds - 1) * (two.lines - one.lines);
    out->pages = cut.pages + (rounds - 1) * (two.pages - one.pages);
    return LS_OK;
}

ls_err pat_lines_of(const struct pat_stream *s, struct pat_measures *out)
{
    const struct pat_lines_way way = pat_lines_way(s);
    struct pat_touched all;
    LS_TRY(s->fold.shift ? pat_lines_moved(s, &way, &all)
                         : pat_lines_touched(s, &way, pat_lines_len(s), &all));
    if (all.lines) {
        out->line_utilisation = (double)all.bytes / ((double)all.lines * (1 << PAT_LINE_SHIFT));
        out->page_utilisation = (double)all.bytes / ((double)all.pages * (1 << PAT_PAGE_SHIFT));
        out->footprint_bytes = all.lines << (PAT_LINE_SHIFT + way.shift);
    }
    return LS_OK;
}
