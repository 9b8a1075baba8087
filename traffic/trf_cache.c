/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic/trf_cache.h"

#include "common/ls_quantity.h"
#include "common/ls_vector.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS_MAX = 1024 };

/* ---- geometry ---- */

static ls_err level_parse(const char *text, const char *word, size_t len, struct trf_level *out)
{
    char copy[64];
    uint64_t ways = 0;
    snprintf(copy, sizeof copy, "%.*s", (int)(len < sizeof copy ? len : sizeof copy - 1), word);
    char *slash = strchr(copy, '/');
    if (slash) *slash = '\0';
    if (!slash || ls_parse_bytes(copy, &out->size_bytes) != LS_OK || ls_parse_u64(slash + 1, &ways) != LS_OK)
        return ls_fail(LS_ERR_USAGE, "'%.*s' in '%s' is no cache: write SIZE/WAYS, as 32K/8", (int)len, word,
                       text);
    if (ways < 1 || ways > WAYS_MAX)
        return ls_fail(LS_ERR_USAGE, "'%.*s' in '%s': a cache has 1 to %d ways", (int)len, word, text,
                       WAYS_MAX);
    if (!out->size_bytes || out->size_bytes % (ways * TRF_LINE_BYTES) != 0)
        return ls_fail(LS_ERR_USAGE, "'%.*s' in '%s': the size is no multiple of %" PRIu64 " ways x %d bytes",
                       (int)len, word, text, ways, TRF_LINE_BYTES);
    out->ways = (unsigned)ways;
    return LS_OK;
}

ls_err trf_geometry_parse(const char *text, struct trf_geometry *out)
{
    struct trf_geometry g = {.len = 0};
    for (const char *at = text;; at++) {
        const size_t len = strcspn(at, ",");
        if (g.len == TRF_LEVELS_MAX)
            return ls_fail(LS_ERR_USAGE, "'%s' has more than %d levels of caches", text, TRF_LEVELS_MAX);
        LS_TRY(level_parse(text, at, len, &g.levels[g.len++]));
        at += len;
        if (!*at) break;
    }
    for (unsigned i = 1; i < g.len; i++)
        if (g.levels[i].size_bytes < g.levels[i - 1].size_bytes)
            return ls_fail(LS_ERR_USAGE, "'%s': a level is smaller than the one before it", text);
    *out = g;
    return LS_OK;
}

void trf_geometry_text(const struct trf_geometry *g, char *out, size_t out_bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < g->len && used < out_bytes; i++) {
        const struct trf_level *l = &g->levels[i];
        const bool is_mega = l->size_bytes % (1u << 20) == 0;
        const uint64_t unit = is_mega ? 1u << 20 : l->size_bytes % 1024 == 0 ? 1024 : 1;
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%" PRIu64 "%s/%u", i ? "," : "",
                                 l->size_bytes / unit,
                                 is_mega        ? "M"
                                 : unit == 1024 ? "K"
                                                : "",
                                 l->ways);
    }
}

/* ---- the model ---- */

struct line {
    uint64_t number; /* address / TRF_LINE_BYTES + 1; 0: empty */
    uint64_t used;   /* bit i: byte i was accessed since the line was filled */
    uint32_t owner;
    bool is_dirty;
};

struct level {
    struct line *lines; /* [sets][ways]: each set from the most to the least recently used */
    uint64_t sets;
    unsigned ways;
};

struct trf_cache {
    struct level levels[TRF_LEVELS_MAX];
    unsigned len;
    uint64_t combining; /* line number of the write-combining buffer; 0: empty */
    LS_VECTOR(struct trf_traffic) owners;
};

ls_err trf_cache_new(const struct trf_geometry *g, trf_cache **out)
{
    trf_cache *c = calloc(1, sizeof *c);
    if (!c) return ls_nomem("the model of the caches");
    c->len = g->len;
    for (unsigned i = 0; i < g->len; i++) {
        struct level *l = &c->levels[i];
        l->ways = g->levels[i].ways;
        l->sets = g->levels[i].size_bytes / TRF_LINE_BYTES / l->ways;
        l->lines = calloc(l->sets * l->ways, sizeof *l->lines);
        if (!l->lines) {
            trf_cache_free(c);
            return ls_nomem("the model of a cache of %" PRIu64 " bytes", g->levels[i].size_bytes);
        }
    }
    *out = c;
    return LS_OK;
}

void trf_cache_free(trf_cache *c)
{
    if (!c) return;
    for (unsigned i = 0; i < c->len; i++)
        free(c->levels[i].lines);
    free(c->owners.rows);
    free(c);
}

static unsigned bytes_in(uint64_t used)
{
    return (unsigned)__builtin_popcountll(used);
}

static struct line *set_of(const struct level *l, uint64_t number)
{
    return &l->lines[(number - 1) % l->sets * l->ways];
}

/* Find a line and make it the most recently used one of its set; NULL: it is not there. */
static struct line *find(const struct level *l, uint64_t number)
{
    struct line *set = set_of(l, number);
    unsigned way = 0;
    while (way < l->ways && set[way].number != number)
        way++;
    if (way == l->ways) return NULL;
    if (way > 0) {
        const struct line found = set[way];
        memmove(set + 1, set, way * sizeof *set);
        set[0] = found;
    }
    return set;
}

static void leave(trf_cache *c, unsigned level, const struct line *line);

/* Put a line into a level, in place of the least recently used one of its set. */
static void put(trf_cache *c, unsigned level, const struct line *line)
{
    const struct level *l = &c->levels[level];
    struct line *set = set_of(l, line->number);
    const struct line last = set[l->ways - 1];
    memmove(set + 1, set, (l->ways - 1) * sizeof *set);
    set[0] = *line;
    if (last.number) leave(c, level, &last);
}

/* Pass a line that left a level to the next one, or to memory. */
static void leave(trf_cache *c, unsigned level, const struct line *line)
{
    if (level + 1 == c->len) {
        struct trf_traffic *t = &c->owners.rows[line->owner];
        t->used_bytes += bytes_in(line->used);
        t->written_lines += line->is_dirty;
        return;
    }
    struct line *next = find(&c->levels[level + 1], line->number);
    if (next) {
        next->used |= line->used;
        next->is_dirty |= line->is_dirty;
    } else if (line->is_dirty) {
        put(c, level + 1, line);
    } else {
        c->owners.rows[line->owner].used_bytes += bytes_in(line->used);
    }
}

/* Make a line the first of its set in the nearest level, filled from the levels beyond where it is absent. */
static struct line *fetch(trf_cache *c, uint64_t number, uint32_t owner)
{
    struct line *first = find(&c->levels[0], number);
    if (first) return first;
    unsigned level = 1;
    while (level < c->len && !find(&c->levels[level], number))
        level++;
    const struct line line = {.number = number, .owner = owner};
    for (unsigned i = 0; i < level; i++)
        c->owners.rows[owner].misses[i]++;
    if (level == c->len) c->owners.rows[owner].read_lines++;
    while (level-- > 0)
        put(c, level, &line);
    return set_of(&c->levels[0], number);
}

/* Remove a line from all levels. True: a copy was dirty. */
static bool discard(trf_cache *c, uint64_t number)
{
    bool is_dirty = false;
    for (unsigned i = 0; i < c->len; i++) {
        struct line *line = find(&c->levels[i], number);
        if (!line) continue;
        is_dirty |= line->is_dirty;
        c->owners.rows[line->owner].used_bytes += bytes_in(line->used);
        memmove(line, line + 1, (c->levels[i].ways - 1) * sizeof *line);
        line[c->levels[i].ways - 1] = (struct line){.number = 0};
    }
    return is_dirty;
}

/* One line at a time is gathered for memory; the caches give up their copy, which is written back where it is
 * dirty (Intel SDM vol. 1, 10.4.6.2). */
static void store_past(trf_cache *c, uint64_t number, uint32_t owner)
{
    if (c->combining == number) return;
    c->combining = number;
    struct trf_traffic *t = &c->owners.rows[owner];
    t->written_lines += 1 + discard(c, number);
}

ls_err trf_cache_access(trf_cache *c, uint64_t addr, uint32_t len_bytes, enum trf_op op, uint32_t owner)
{
    while (owner >= c->owners.len)
        LS_TRY(LS_VECTOR_ADD(&c->owners, (struct trf_traffic){0}));
    c->owners.rows[owner].accesses++;
    for (uint64_t at = addr, left = len_bytes ? len_bytes : 1; left > 0;) {
        const unsigned offset = (unsigned)(at % TRF_LINE_BYTES);
        const unsigned here = left < TRF_LINE_BYTES - offset ? (unsigned)left : TRF_LINE_BYTES - offset;
        const uint64_t number = at / TRF_LINE_BYTES + 1;
        if (op == TRF_STORE_NONTEMPORAL) {
            store_past(c, number, owner);
        } else {
            struct line *line = fetch(c, number, owner);
            line->used |= (here == 64 ? UINT64_MAX : (UINT64_C(1) << here) - 1) << offset;
            line->is_dirty |= op == TRF_STORE;
        }
        at += here;
        left -= here;
    }
    return LS_OK;
}

ls_err trf_cache_flush(trf_cache *c)
{
    for (unsigned i = 0; i < c->len; i++) {
        const struct level *l = &c->levels[i];
        for (uint64_t j = 0; j < l->sets * l->ways; j++) {
            const struct line line = l->lines[j];
            if (!line.number) continue;
            l->lines[j] = (struct line){.number = 0};
            leave(c, i, &line);
        }
    }
    c->combining = 0;
    return LS_OK;
}

const struct trf_traffic *trf_cache_traffic(const trf_cache *c, size_t *len)
{
    *len = c->owners.len;
    return c->owners.rows;
}
