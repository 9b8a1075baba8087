/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_distances.h"

#include <stdlib.h>

static int pat_by_distance(const void *a, const void *b)
{
    const struct pat_distance *x = a, *y = b;
    return (x->distance > y->distance) - (x->distance < y->distance);
}

static int pat_by_count(const void *a, const void *b)
{
    const struct pat_distance *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : pat_by_distance(a, b);
}

/* Neighbours that are equal become one; returns how many are left. */
static size_t pat_merge(struct pat_distance *d, size_t len)
{
    size_t kept = 0;
    for (size_t i = 0; i < len; i++)
        if (kept && d[kept - 1].distance == d[i].distance)
            d[kept - 1].count++;
        else
            d[kept++] = d[i];
    return kept;
}

ls_err pat_distances(const struct pat_indices *p, struct pat_distance **out, size_t *out_len)
{
    *out = NULL;
    *out_len = 0;
    if (p->len < 2) return LS_OK;
    struct pat_distance *d = malloc((p->len - 1) * sizeof(*d));
    if (!d) return ls_nomem("the distances of %zu indices", p->len);
    for (size_t i = 0; i + 1 < p->len; i++)
        d[i] = (struct pat_distance){p->data[i + 1] - p->data[i], 1};
    qsort(d, p->len - 1, sizeof(*d), pat_by_distance);
    const size_t len = pat_merge(d, p->len - 1);
    qsort(d, len, sizeof(*d), pat_by_count);
    *out = d;
    *out_len = len;
    return LS_OK;
}
