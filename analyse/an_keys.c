/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "analyse/an_keys.h"

#include <stdlib.h>
#include <string.h>

static uint32_t an_process_of(const struct an_names *n, const struct prof_samples *s, uint64_t i)
{
    return s->thread[i] < n->threads_len ? n->threads[s->thread[i]].process : UINT32_MAX;
}

static int an_compare_place(const struct prof_line *l, uint32_t process, uint64_t ip)
{
    if (l->process != process) return l->process < process ? -1 : 1;
    return (l->ip > ip) - (l->ip < ip);
}

static uint32_t an_line_find(const struct an_names *n, uint32_t process, uint64_t ip)
{
    size_t lo = 0, hi = n->lines_len;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const int c = an_compare_place(&n->lines[mid], process, ip);
        if (c == 0) return (uint32_t)mid;
        *(c < 0 ? &lo : &hi) = c < 0 ? mid + 1 : mid;
    }
    return UINT32_MAX;
}

/* Loops repeat their few instructions: a small direct-mapped cache spares nearly all searches. */
enum { AN_CACHE_LEN = 4096 };
struct an_cache_row {
    uint64_t ip;
    uint32_t process, row;
};

static ls_err an_map_to_lines(struct an_keys *k, const struct prof_samples *s, const struct an_names *n)
{
    struct an_cache_row *cache = calloc(AN_CACHE_LEN, sizeof(*cache));
    if (!cache) return ls_fail(LS_ERR_NOMEM, "no memory to group samples by instruction");
    for (size_t i = 0; i < AN_CACHE_LEN; i++)
        cache[i].row = UINT32_MAX;
    for (uint64_t i = 0; i < s->len; i++) {
        const uint32_t process = an_process_of(n, s, i);
        struct an_cache_row *c = &cache[(s->ip[i] ^ s->ip[i] >> 12) % AN_CACHE_LEN];
        if (c->row == UINT32_MAX || c->ip != s->ip[i] || c->process != process)
            *c = (struct an_cache_row){s->ip[i], process, an_line_find(n, process, s->ip[i])};
        k->group_of_sample[i] = c->row;
    }
    free(cache);
    return LS_OK;
}

static int an_compare_function(const struct prof_line *a, const struct prof_line *b)
{
    const int c = strcmp(a->module, b->module);
    return c ? c : strcmp(a->function, b->function);
}

static int an_compare_source(const struct prof_line *a, const struct prof_line *b)
{
    int c = strcmp(a->file, b->file);
    if (c == 0) c = (a->line > b->line) - (a->line < b->line);
    return c ? c : an_compare_function(a, b);
}

typedef int an_compare_lines(const struct prof_line *a, const struct prof_line *b);
struct an_order {
    const struct prof_line *lines;
    an_compare_lines *compare;
};

static int an_compare_rows(const void *a, const void *b, void *user)
{
    const struct an_order *o = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int c = o->compare(&o->lines[x], &o->lines[y]);
    return c ? c : (x > y) - (x < y);
}

/* Rows that compare equal become one group. */
static ls_err an_merge_rows(struct an_keys *k, const struct prof_samples *s, const struct an_names *n,
                            an_compare_lines *compare)
{
    struct an_order order = {n->lines, compare};
    uint32_t *sorted = calloc(n->lines_len + 1, sizeof(*sorted)),
             *group_of_row = calloc(n->lines_len + 1, sizeof(*group_of_row));
    const ls_err err =
        sorted && group_of_row ? LS_OK : ls_fail(LS_ERR_NOMEM, "no memory to group %zu lines", n->lines_len);
    if (err == LS_OK) {
        for (size_t i = 0; i < n->lines_len; i++)
            sorted[i] = (uint32_t)i;
        qsort_r(sorted, n->lines_len, sizeof(*sorted), an_compare_rows, &order);
        k->groups_len = 0;
        for (size_t i = 0; i < n->lines_len; i++) {
            if (i == 0 || compare(&n->lines[sorted[i - 1]], &n->lines[sorted[i]]) != 0)
                k->row_of_group[k->groups_len++] = sorted[i];
            group_of_row[sorted[i]] = k->groups_len - 1;
        }
        for (uint64_t i = 0; i < s->len; i++)
            if (k->group_of_sample[i] != UINT32_MAX)
                k->group_of_sample[i] = group_of_row[k->group_of_sample[i]];
    }
    free(sorted);
    free(group_of_row);
    return err;
}

static ls_err an_by_lines(struct an_keys *k, enum an_by by, const struct prof_samples *s,
                          const struct an_names *n)
{
    k->row_of_group = calloc(n->lines_len + 1, sizeof(*k->row_of_group));
    if (!k->row_of_group) return ls_fail(LS_ERR_NOMEM, "no memory to group %zu lines", n->lines_len);
    LS_TRY(an_map_to_lines(k, s, n));
    if (by != AN_BY_IP)
        return an_merge_rows(k, s, n, by == AN_BY_FUNCTION ? an_compare_function : an_compare_source);
    k->groups_len = (uint32_t)n->lines_len;
    for (uint32_t i = 0; i < k->groups_len; i++)
        k->row_of_group[i] = i;
    return LS_OK;
}

static uint32_t an_simple_group(enum an_by by, const struct prof_samples *s, const struct an_names *n,
                                uint64_t i)
{
    switch (by) {
    case AN_BY_NODE:
        return s->node[i];
    case AN_BY_THREAD:
        return s->thread[i];
    case AN_BY_PROCESS:
        return an_process_of(n, s, i);
    default:
        return an_is_measured(s, i) && s->level[i] < PROF_LEVEL_COUNT ? s->level[i] : AN_LEVEL_NOT_MEASURED;
    }
}

ls_err an_keys_init(struct an_keys *out, enum an_by by, const struct prof_samples *s,
                    const struct an_names *names)
{
    const size_t groups[] = {[AN_BY_NODE] = names->nodes_len,
                             [AN_BY_THREAD] = names->threads_len,
                             [AN_BY_PROCESS] = names->processes_len,
                             [AN_BY_LEVEL] = AN_LEVEL_GROUPS};
    memset(out, 0, sizeof(*out));
    out->group_of_sample = malloc((s->len ? s->len : 1) * sizeof(*out->group_of_sample));
    if (!out->group_of_sample)
        return ls_fail(LS_ERR_NOMEM, "no memory to group %llu samples", (unsigned long long)s->len);
    if (by >= AN_BY_IP) return an_by_lines(out, by, s, names);
    out->groups_len = (uint32_t)groups[by];
    for (uint64_t i = 0; i < s->len; i++)
        out->group_of_sample[i] = an_simple_group(by, s, names, i);
    return LS_OK;
}

void an_keys_fini(struct an_keys *k)
{
    free(k->group_of_sample);
    free(k->row_of_group);
    memset(k, 0, sizeof(*k));
}
