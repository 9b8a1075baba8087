/* SPDX-License-Identifier: BSD-3-Clause */
/* Sort and search arrays.
 *
 *     size_t end;
 *     LS_COUNT_FIRST(end, rows_len, i, rows[i].base <= address);
 *     if (end > 0 && address < rows[end - 1].end) return &rows[end - 1];
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_SORTED_H
#define LS_SORTED_H

#include <stdint.h>

/* Compare two uint64_t for qsort: the smaller one comes first. */
static inline int ls_compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Set `count` (a size_t) to the number of the first of `len` rows for which the condition holds: it holds for rows 0 to
 * count - 1 and for no other. The condition uses `row` as the number of a row. */
#define LS_COUNT_FIRST(count, len, row, ...)                    \
    do {                                                        \
        size_t ls_to = (len);                                   \
        (count) = 0;                                            \
        while ((count) < ls_to) {                               \
            const size_t row = (count) + (ls_to - (count)) / 2; \
            if (__VA_ARGS__)                                    \
                (count) = row + 1;                              \
            else                                                \
                ls_to = row;                                    \
        }                                                       \
    } while (0)

#endif
