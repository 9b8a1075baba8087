/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_list.h"
#include "common/ls_checked.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAT_LIST_FIRST = 64 };

/* The memory this machine has; overcommitted allocations beyond it would end in the kernel's OOM killer. */
static uint64_t pat_machine_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

static ls_err pat_no_room(size_t len)
{
    return ls_fail(LS_ERR_NOMEM, "a pattern of %zu indices needs %.1f GiB, this machine has %.1f GiB", len,
                   (double)len * sizeof(int64_t) / 0x1p30, (double)pat_machine_bytes() / 0x1p30);
}

ls_err pat_list_reserve(struct pat_list *l, size_t len)
{
    size_t bytes, capacity = l->capacity ? l->capacity : PAT_LIST_FIRST;
    if (len <= l->capacity) return LS_OK;
    /* half as much again: twice would map more than the indices fill */
    while (capacity < len)
        capacity = capacity > SIZE_MAX / 2 ? len : capacity + capacity / 2;
    if (!ls_mul_size(capacity, sizeof(int64_t), &bytes) || bytes > pat_machine_bytes())
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
