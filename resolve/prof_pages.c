/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_pages.h"

#include "spool/spool_record.h"

#include <stdlib.h>
#include <string.h>

static int prof_compare_pages(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The page's entry among sorted ones, NULL: none. */
static const uint64_t *prof_page_find(const uint64_t *pages, size_t len, uint64_t page)
{
    size_t from = 0, to = len;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (pages[middle] < page)
            from = middle + 1;
        else
            to = middle;
    }
    return from < len && (pages[from] & ~SPOOL_PAGE_NODE_MASK) == page ? &pages[from] : NULL;
}

ls_err prof_pages_apply(const struct spool_pages *record, struct prof_sample *rows, size_t len)
{
    const size_t bytes = record->pages_len * sizeof(uint64_t);
    uint64_t *pages = malloc(bytes + 1);
    if (!pages) return ls_nomem("%u pages", record->pages_len);
    memcpy(pages, SPOOL_REC_TAIL(record), bytes);
    qsort(pages, record->pages_len, sizeof(*pages), prof_compare_pages);
    for (size_t i = 0; i < len; i++) {
        const uint64_t *page = prof_page_find(pages, record->pages_len, rows[i].addr & ~SPOOL_PAGE_NODE_MASK);
        if (page && (*page & SPOOL_PAGE_NODE_MASK) < UINT8_MAX)
            rows[i].numa = (uint8_t)(*page & SPOOL_PAGE_NODE_MASK);
    }
    free(pages);
    return LS_OK;
}
