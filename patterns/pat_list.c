/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_list.h"
#include "common/ls_checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAT_LIST_FIRST = 64, PAT_LIST_LARGE = 1 << 24 };

/* What the system can still give without swapping, as the kernel estimates it; else all it has. Overcommitted
 * allocations beyond it would end in the kernel's OOM killer. */
static uint64_t pat_available_bytes(void)
{
    unsigned long long kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
    if (file) fclose(file);
    if (kib) return (uint64_t)kib * 1024;
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

static ls_err pat_no_room(size_t len)
{
    return ls_fail(LS_ERR_NOMEM, "a pattern of %zu indices needs %.1f GiB, %.1f GiB are available", len,
                   (double)len * sizeof(int64_t) / 0x1p30, (double)pat_available_bytes() / 0x1p30);
}

ls_err pat_list_reserve(struct pat_list *l, size_t len)
{
    size_t bytes, capacity = l->capacity ? l->capacity : PAT_LIST_FIRST;
    if (len <= l->capacity) return LS_OK;
    if (l->limit && len > l->limit)
        return ls_fail(LS_ERR_RANGE, "a pattern of %zu indices is longer than the %zu allowed here", len,
                       l->limit);
    /* half as much again: twice would map more than the indices fill */
    while (capacity < len)
        capacity = capacity > SIZE_MAX / 2 ? len : capacity + capacity / 2;
    if (!ls_mul_size(capacity, sizeof(int64_t), &bytes) || bytes > pat_available_bytes())
        return pat_no_room(len);
    int64_t *data = realloc(l->v.data, bytes);
    if (!data) return pat_no_room(len);
    l->v.data = data;
    l->capacity = capacity;
    return LS_OK;
}

void pat_list_take(struct pat_list *l, struct pat_indices *out)
{
    int64_t *exact = l->v.len ? realloc(l->v.data, l->v.len * sizeof(int64_t)) : NULL;
    free(out->data);
    *out = (struct pat_indices){exact ? exact : l->v.data, l->v.len};
    memset(l, 0, sizeof(*l));
}

void pat_list_fini(struct pat_list *l)
{
    free(l->v.data);
    memset(l, 0, sizeof(*l));
}
