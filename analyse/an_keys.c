/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "analyse/an_keys.h"

#include <stdlib.h>
#include <string.h>

static ls_err an_keys_no_memory(const struct an_keys *k, uint64_t len)
{
    return ls_nomem("grouping %llu samples by %s", (unsigned long long)len, k->dimension->name);
}

/* --- from keys (rows of any table) to numbers --- */

struct an_order {
    const struct an_dimension *dimension;
    const struct an_tables *tables;
};

static int an_compare_keys(const void *a, const void *b, void *user)
{
    const struct an_order *o = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int c = o->dimension->compare ? o->dimension->compare(o->tables, x, y) : 0;
    return c ? c : (x > y) - (x < y);
}

static int an_compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sort keys and drop duplicates. */
static size_t an_distinct(uint32_t *keys, size_t len)
{
    size_t kept = 0;
    qsort(keys, len, sizeof(*keys), an_compare_u32);
    for (size_t i = 0; i < len; i++)
        if (keys[i] != AN_NO_KEY && (kept == 0 || keys[kept - 1] != keys[i])) keys[kept++] = keys[i];
    return kept;
}

/* Return the position of key in the rising keys. */
static uint32_t an_position(const uint32_t *keys, size_t len, uint32_t key)
{
    size_t lo = 0, hi = len;
    while (hi - lo > 1) {
        const size_t mid = lo + (hi - lo) / 2;
        *(keys[mid] <= key ? &lo : &hi) = mid;
    }
    return (uint32_t)lo;
}

/* Store the lowest of the keys that compare equal in representative[], at the position of each in keys. */
static ls_err an_represent(const struct an_keys *k, const struct an_tables *t, uint32_t *representative)
{
    struct an_order order = {k->dimension, t};
    uint32_t *sorted = malloc((k->len + 1u) * sizeof(*sorted));
    if (!sorted) return an_keys_no_memory(k, k->len);
    memcpy(sorted, k->keys, k->len * sizeof(*sorted));
    qsort_r(sorted, k->len, sizeof(*sorted), an_compare_keys, &order);
    uint32_t first = 0;
    for (uint32_t i = 0; i < k->len; i++) {
        if (i == 0 || k->dimension->compare(t, sorted[i - 1], sorted[i]) != 0) first = sorted[i];
        representative[an_position(k->keys, k->len, sorted[i])] = first;
    }
    free(sorted);
    return LS_OK;
}

/* Merge keys that compare equal: k->keys and every key in map shrink to the representatives. */
static ls_err an_merge(struct an_keys *k, const struct an_tables *t, uint32_t *map, size_t map_len)
{
    uint32_t *representative = malloc((k->len + 1u) * sizeof(*representative));
    if (!representative) return an_keys_no_memory(k, k->len);
    const ls_err err = an_represent(k, t, representative);
    if (err == LS_OK) {
        for (size_t i = 0; i < map_len; i++)
            if (map[i] != AN_NO_KEY) map[i] = representative[an_position(k->keys, k->len, map[i])];
        k->len = (uint32_t)an_distinct(representative, k->len);
        memcpy(k->keys, representative, k->len * sizeof(*k->keys));
    }
    free(representative);
    return err;
}

/* Add the keys that contain keys, so that each has its parent. */
static ls_err an_close(struct an_keys *k, const struct an_tables *t)
{
    const size_t room = k->len ? (size_t)k->keys[k->len - 1] + 1 : 1;
    uint8_t *seen = calloc(room, 1);
    uint32_t *closed = malloc(room * sizeof(*closed));
    const ls_err err = seen && closed ? LS_OK : an_keys_no_memory(k, room);
    for (uint32_t i = 0; err == LS_OK && i < k->len; i++)
        for (uint32_t key = k->keys[i]; key < room && !seen[key]; key = k->dimension->parent(t, key))
            seen[key] = 1;
    uint32_t len = 0;
    for (size_t key = 0; err == LS_OK && key < room; key++)
        if (seen[key]) closed[len++] = (uint32_t)key;
    free(seen);
    if (err != LS_OK) {
        free(closed);
        return err;
    }
    free(k->keys);
    k->keys = closed;
    k->len = len;
    return LS_OK;
}

/* map has the keys of map_len items. Replace the keys by numbers, and store the key of each number in
 * k->keys. */
static ls_err an_number(struct an_keys *k, const struct an_tables *t, uint32_t *map, size_t map_len)
{
    k->keys = malloc((map_len + 1) * sizeof(*k->keys));
    if (!k->keys) return an_keys_no_memory(k, map_len);
    if (map_len) memcpy(k->keys, map, map_len * sizeof(*map));
    k->len = (uint32_t)an_distinct(k->keys, map_len);
    if (k->dimension->compare && k->len) LS_TRY(an_merge(k, t, map, map_len));
    if (k->dimension->parent) LS_TRY(an_close(k, t));
    for (size_t i = 0; i < map_len; i++)
        if (map[i] != AN_NO_KEY) map[i] = an_position(k->keys, k->len, map[i]);
    return LS_OK;
}

/* --- from samples to rows of the base's table --- */

/* A small direct-mapped cache avoids nearly all searches, because loops repeat few instructions. */
enum { AN_CACHE_LEN = 4096 };
struct an_cache_row {
    uint64_t ip;
    uint32_t process, row;
};

static ls_err an_line_rows(struct an_keys *k, const struct an_tables *t, const struct prof_samples *s)
{
    struct an_cache_row *cache = calloc(AN_CACHE_LEN, sizeof(*cache));
    if (!cache) return an_keys_no_memory(k, s->len);
    for (size_t i = 0; i < AN_CACHE_LEN; i++)
        cache[i].row = UINT32_MAX;
    for (uint64_t i = 0; i < s->len; i++) {
        const uint32_t process = an_tables_process(t, s->thread[i]);
        struct an_cache_row *c = &cache[(s->ip[i] ^ s->ip[i] >> 12) % AN_CACHE_LEN];
        if (c->row == UINT32_MAX || c->ip != s->ip[i] || c->process != process)
            *c = (struct an_cache_row){s->ip[i], process, an_tables_line(t, process, s->ip[i])};
        k->number_of_sample[i] =
            an_tables_line_changes(t, c->row) ? an_tables_line_then(t, c->row, s->time_ns[i]) : c->row;
    }
    free(cache);
    return LS_OK;
}

static uint32_t an_line_of_burst(const struct an_tables *t, const struct prof_burst *b)
{
    const uint32_t row = an_tables_line(t, an_tables_process(t, b->thread), b->ip);
    return an_tables_line_changes(t, row) ? an_tables_line_then(t, row, b->time_ns) : row;
}

/* The row of the base's table that a burst points to as a whole. */
static uint32_t an_row_of_burst(const struct an_dimension *d, const struct an_tables *t, uint32_t burst)
{
    switch (d->base) {
    case AN_BASE_LINE:
        return an_line_of_burst(t, &t->bursts[burst]);
    case AN_BASE_THREAD:
        return t->bursts[burst].thread;
    case AN_BASE_BURST:
        return burst;
    case AN_BASE_PHASE:
        return t->bursts[burst].phase;
    case AN_BASE_SAMPLE:
        return d->key_of_burst ? d->key_of_burst(t, burst) : AN_NO_DATA;
    case AN_BASE_NODE:
    case AN_BASE_MEMBER:
        break;
    }
    return AN_NO_DATA;
}

static const uint32_t *an_base_column(enum an_base base, const struct prof_samples *s)
{
    switch (base) {
    case AN_BASE_NODE:
        return s->node;
    case AN_BASE_THREAD:
        return s->thread;
    case AN_BASE_BURST:
        return s->burst;
    case AN_BASE_PHASE:
        return s->phase;
    case AN_BASE_MEMBER:
        return s->member;
    case AN_BASE_LINE:
    case AN_BASE_SAMPLE:
        break;
    }
    return NULL;
}

static size_t an_base_len(enum an_base base, const struct an_tables *t)
{
    const size_t lens[] = {[AN_BASE_NODE] = t->nodes_len,        [AN_BASE_LINE] = t->lines_len,
                           [AN_BASE_THREAD] = t->threads_len,    [AN_BASE_BURST] = t->bursts_len,
                           [AN_BASE_PHASE] = t->phases_len,      [AN_BASE_MEMBER] = t->members_len,
                           [AN_BASE_SAMPLE] = AN_SAMPLE_KEYS_MAX};
    return lens[base];
}

static ls_err an_base_rows(struct an_keys *k, const struct an_tables *t, const struct prof_samples *s)
{
    const struct an_dimension *d = k->dimension;
    if (d->base == AN_BASE_LINE) return an_line_rows(k, t, s);
    const uint32_t *column = an_base_column(d->base, s);
    for (uint64_t i = 0; i < s->len; i++)
        k->number_of_sample[i] = column ? column[i] : d->key_of_sample(t, s, i);
    return LS_OK;
}

static void an_mark_rows(const uint32_t *rows, uint64_t rows_len, uint32_t *map, size_t len)
{
    for (uint64_t i = 0; i < rows_len; i++)
        if (rows[i] < len) map[rows[i]] = rows[i];
}

/* Compute the key of each row of the base; where samples have the keys themselves, only of keys that
 * occur. */
static void an_keys_of_rows(const struct an_keys *k, const struct an_tables *t, uint32_t *map, size_t len,
                            uint64_t samples_len)
{
    const struct an_dimension *d = k->dimension;
    if (d->base == AN_BASE_SAMPLE) {
        memset(map, 0xff, len * sizeof(*map));
        an_mark_rows(k->number_of_sample, samples_len, map, len);
        an_mark_rows(k->number_of_burst, t->bursts_len, map, len);
        return;
    }
    for (size_t row = 0; row < len; row++)
        map[row] = d->key_of_row ? d->key_of_row(t, (uint32_t)row) : (uint32_t)row;
}

static void an_number_rows(uint32_t *rows, uint64_t rows_len, const uint32_t *map, size_t len)
{
    for (uint64_t i = 0; i < rows_len; i++)
        if (rows[i] != AN_NO_DATA) rows[i] = rows[i] < len ? map[rows[i]] : AN_NO_KEY;
}

static ls_err an_keys_fill(struct an_keys *k, const struct an_tables *t, const struct prof_samples *s)
{
    const size_t len = an_base_len(k->dimension->base, t);
    uint32_t *map = malloc((len + 1) * sizeof(*map));
    if (!map) return an_keys_no_memory(k, s->len);
    ls_err err = an_base_rows(k, t, s);
    for (uint32_t b = 0; b < t->bursts_len; b++)
        k->number_of_burst[b] = an_row_of_burst(k->dimension, t, b);
    if (err == LS_OK) {
        an_keys_of_rows(k, t, map, len, s->len);
        err = an_number(k, t, map, len);
    }
    if (err == LS_OK) {
        an_number_rows(k->number_of_sample, s->len, map, len);
        an_number_rows(k->number_of_burst, t->bursts_len, map, len);
    }
    free(map);
    return err;
}

ls_err an_keys_init(struct an_keys *out, const struct an_dimension *d, const struct an_tables *t,
                    const struct prof_samples *s)
{
    *out = (struct an_keys){.dimension = d};
    out->number_of_sample = malloc((s->len ? s->len : 1) * sizeof(*out->number_of_sample));
    out->number_of_burst = malloc((t->bursts_len + 1) * sizeof(*out->number_of_burst));
    if (!out->number_of_sample || !out->number_of_burst) return an_keys_no_memory(out, s->len);
    return an_keys_fill(out, t, s);
}

void an_keys_drop_numbers(struct an_keys *k)
{
    free(k->number_of_sample);
    free(k->number_of_burst);
    k->number_of_sample = k->number_of_burst = NULL;
}

void an_keys_fini(struct an_keys *k)
{
    an_keys_drop_numbers(k);
    free(k->keys);
    memset(k, 0, sizeof(*k));
}

uint32_t an_keys_parent(const struct an_keys *k, const struct an_tables *t, uint32_t number)
{
    const uint32_t parent =
        k->dimension->parent && number < k->len ? k->dimension->parent(t, k->keys[number]) : AN_NO_KEY;
    /* the root of the tree of nodes contains everything, also bursts without accesses */
    if (number == k->len + 1 && k->dimension->parent && k->dimension->base == AN_BASE_NODE && k->len > 0)
        return 0;
    return parent == AN_NO_KEY ? AN_NO_KEY : an_position(k->keys, k->len, parent);
}

uint32_t an_keys_key(const struct an_keys *k, uint32_t number)
{
    if (number < k->len) return k->keys[number];
    return number == k->len + 1 ? AN_NO_DATA : AN_NO_KEY;
}

uint32_t an_keys_dense(const struct an_keys *k, uint32_t number_of)
{
    if (number_of == AN_NO_KEY) return k->len;
    return number_of == AN_NO_DATA ? k->len + 1 : number_of;
}

const char *an_keys_path(const struct an_keys *k, const struct an_tables *t, uint32_t number,
                         char out[AN_LABEL_BYTES])
{
    return an_dimension_path(k->dimension, t, an_keys_key(k, number), out);
}
