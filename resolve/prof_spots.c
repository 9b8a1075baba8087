/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_spots.h"

#include <stdlib.h>

static int prof_compare_bursts(const struct prof_spot_key *a, const struct prof_spot_key *b)
{
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (a->tid != b->tid) return a->tid < b->tid ? -1 : 1;
    return (a->burst_ns > b->burst_ns) - (a->burst_ns < b->burst_ns);
}

static int prof_compare_spots(const void *a, const void *b)
{
    const struct prof_spot *x = a, *y = b;
    const int burst = prof_compare_bursts(&x->burst, &y->burst);
    return burst ? burst : (x->access > y->access) - (x->access < y->access);
}

void prof_spots_sort(prof_spot_list *l)
{
    if (l->len > 1) qsort(l->rows, l->len, sizeof(*l->rows), prof_compare_spots);
}

const struct prof_spot *prof_spots_of(const prof_spot_list *l, const struct prof_spot_key *burst,
                                      size_t *out_len)
{
    size_t lo = 0, hi = l->len, end;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (prof_compare_bursts(&l->rows[mid].burst, burst) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (end = lo; end < l->len && prof_compare_bursts(&l->rows[end].burst, burst) == 0;)
        end++;
    *out_len = end - lo;
    return end > lo ? &l->rows[lo] : NULL;
}
