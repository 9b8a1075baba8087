/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_builder.h"
#include "common/ls_checked.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAT_PAGE_ELEMENTS = 512, PAT_PAGES_FIRST = 1024 };

/* Keep the first len indices; 0 keeps all. LS_ERR_RANGE when there are fewer; p is unchanged. */
static ls_err pat_truncate(struct pat_indices *p, uint64_t len)
{
    if (len > p->len)
        return ls_fail(LS_ERR_RANGE, "it cannot be cut to %llu indices, because it has only %zu",
                       (unsigned long long)len, p->len);
    if (len == 0 || len == p->len) return LS_OK;
    int64_t *data = realloc(p->data, len * sizeof(int64_t));
    if (data) p->data = data; /* shrinking failed: keep the old block */
    p->len = len;
    return LS_OK;
}

/* Take every index modulo boundary, which has 63 bits at most; 0 leaves them. */
static ls_err pat_bound(struct pat_indices *p, uint64_t boundary)
{
    if (boundary > INT64_MAX)
        return ls_fail(LS_ERR_RANGE, "boundary %llu does not fit 63 bits", (unsigned long long)boundary);
    for (size_t i = 0; boundary && i < p->len; i++)
        p->data[i] %= (int64_t)boundary;
    return LS_OK;
}

/* Pages in the order first seen: a table of numbers, open addressing. */
struct pat_pages {
    int64_t *page;   /* [capacity], -1: free */
    int64_t *number; /* [capacity] */
    size_t capacity; /* power of two */
    size_t len;
};

static size_t pat_page_slot(const struct pat_pages *t, int64_t page)
{
    size_t slot = ((uint64_t)page * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (t->capacity - 1);
    while (t->page[slot] >= 0 && t->page[slot] != page)
        slot = (slot + 1) & (t->capacity - 1);
    return slot;
}

static ls_err pat_pages_init(struct pat_pages *t, size_t capacity)
{
    *t = (struct pat_pages){.page = malloc(capacity * sizeof(int64_t)),
                            .number = malloc(capacity * sizeof(int64_t)),
                            .capacity = capacity};
    if (!t->page || !t->number) return ls_nomem("compressing a pattern");
    for (size_t i = 0; i < capacity; i++)
        t->page[i] = -1;
    return LS_OK;
}

static void pat_pages_fini(struct pat_pages *t)
{
    free(t->page);
    free(t->number);
}

static ls_err pat_pages_grow(struct pat_pages *t)
{
    struct pat_pages wider;
    const ls_err err = pat_pages_init(&wider, 2 * t->capacity);
    for (size_t i = 0; err == LS_OK && i < t->capacity; i++)
        if (t->page[i] >= 0) {
            const size_t slot = pat_page_slot(&wider, t->page[i]);
            wider.page[slot] = t->page[i];
            wider.number[slot] = t->number[i];
        }
    if (err != LS_OK) {
        pat_pages_fini(&wider);
        return err;
    }
    wider.len = t->len;
    pat_pages_fini(t);
    *t = wider;
    return LS_OK;
}

static ls_err pat_pages_learn(struct pat_pages *t, int64_t page)
{
    size_t slot = pat_page_slot(t, page);
    if (t->page[slot] >= 0) return LS_OK;
    if (2 * (t->len + 1) > t->capacity) {
        LS_TRY(pat_pages_grow(t));
        slot = pat_page_slot(t, page);
    }
    t->page[slot] = page;
    t->number[slot] = (int64_t)t->len++;
    return LS_OK;
}

ls_err pat_compress(struct pat_indices *p)
{
    struct pat_pages t;
    ls_err err = pat_pages_init(&t, PAT_PAGES_FIRST);
    for (size_t i = 0; err == LS_OK && i < p->len; i++)
        err = pat_pages_learn(&t, p->data[i] / PAT_PAGE_ELEMENTS);
    for (size_t i = 0; err == LS_OK && i < p->len; i++) {
        const int64_t number = t.number[pat_page_slot(&t, p->data[i] / PAT_PAGE_ELEMENTS)];
        p->data[i] = number * PAT_PAGE_ELEMENTS + p->data[i] % PAT_PAGE_ELEMENTS;
    }
    pat_pages_fini(&t);
    return err;
}

static ls_err pat_list_fail(ls_err err, const char *list)
{
    char why[256];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(err, "%s: %s", list, why);
}

static ls_err pat_list_finish(struct pat_indices *p, const char *list, const struct pat_config *c,
                              bool compress)
{
    if (p->len == 0) return LS_OK;
    ls_err err = pat_truncate(p, c->pattern_size);
    if (err == LS_OK) err = pat_bound(p, c->boundary);
    if (err == LS_OK && compress) err = pat_compress(p);
    return err == LS_OK ? LS_OK : pat_list_fail(err, list);
}

static ls_err pat_needs(const struct pat_config *c, const struct pat_indices *p, const char *list)
{
    if (p->len) return LS_OK;
    return ls_fail(LS_ERR_ARG, "kernel %s needs %s with one index at least", pat_kernel_name(c->kernel),
                   list);
}

static ls_err pat_check_lists(const struct pat_config *c)
{
    if (c->kernel != PAT_GS) LS_TRY(pat_needs(c, &c->pattern, "pattern"));
    if (c->kernel == PAT_GS || c->kernel == PAT_MULTIGATHER)
        LS_TRY(pat_needs(c, &c->gather, "pattern-gather"));
    if (c->kernel == PAT_GS || c->kernel == PAT_MULTISCATTER)
        LS_TRY(pat_needs(c, &c->scatter, "pattern-scatter"));
    if (c->kernel == PAT_GS && c->gather.len != c->scatter.len)
        return ls_fail(LS_ERR_ARG,
                       "pattern-gather has %zu indices, pattern-scatter %zu; gs needs as many in both",
                       c->gather.len, c->scatter.len);
    return LS_OK;
}

static ls_err pat_rows_fail(const struct pat_config *c, uint64_t accesses)
{
    return ls_fail(LS_ERR_ARG,
                   "row-lengths: the rows have %llu accesses, but the pattern has %zu indices and count %llu",
                   (unsigned long long)accesses, pat_config_len(c), (unsigned long long)c->count);
}

/* Check that the rows hold all accesses. A pattern that was cut to pattern_size has lost its rows. */
static ls_err pat_rows_finish(struct pat_config *c)
{
    if (c->pattern_size) {
        free(c->row_lengths.data);
        c->row_lengths = (struct pat_indices){0};
    }
    if (c->row_lengths.len == 0 || pat_rows_hold_all(c)) return LS_OK;
    uint64_t accesses = 0;
    for (size_t i = 0; i < c->row_lengths.len; i++)
        if (!ls_add_u64(accesses, (uint64_t)c->row_lengths.data[i], &accesses))
            return ls_fail(LS_ERR_RANGE, "row-lengths: the sum up to element %zu does not fit 64 bits", i);
    return pat_rows_fail(c, accesses);
}

ls_err pat_config_finish(struct pat_config *c, bool compress)
{
    LS_TRY(pat_list_finish(&c->pattern, "pattern", c, compress));
    LS_TRY(pat_list_finish(&c->gather, "pattern-gather", c, compress));
    LS_TRY(pat_list_finish(&c->scatter, "pattern-scatter", c, compress));
    LS_TRY(pat_check_lists(c));
    if (!pat_operation_fits(c->operation, c->kernel))
        return ls_fail(LS_ERR_ARG, "kernel %s has no operation %s", pat_kernel_name(c->kernel),
                       pat_operation_name(c->operation));
    if (c->count == 0) return ls_fail(LS_ERR_RANGE, "count is 0; it is at least 1");
    if (c->wrap == 0) return ls_fail(LS_ERR_RANGE, "wrap is 0; it is at least 1");
    if (c->runs == 0) return ls_fail(LS_ERR_RANGE, "the number of runs is 0; it is at least 1");
    return pat_rows_finish(c);
}
