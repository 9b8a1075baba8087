/* SPDX-License-Identifier: BSD-3-Clause */
/* Reverse Cuthill-McKee: rows in the reverse order of a breadth-first walk from a point at the rim,
 * neighbours with few edges first. */
#include "spmv.h"

#include <string.h>

static int32_t degree(const struct spmv_matrix *a, int32_t row)
{
    return a->first[row + 1] - a->first[row];
}

/* Few neighbours are sorted: by insertion. */
static void sort_by_degree(const struct spmv_matrix *a, int32_t *rows, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const int32_t row = rows[i];
        size_t at = i;
        for (; at > 0 && degree(a, rows[at - 1]) > degree(a, row); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

/* Breadth first from start through rows that are not in level yet (-1); found in this order. Returns how
 * many. */
static size_t walk(const struct spmv_matrix *a, int32_t start, int32_t *level, int32_t *order)
{
    size_t count = 1;
    order[0] = start;
    level[start] = 0;
    for (size_t done = 0; done < count; done++) {
        const size_t begin = count;
        for (int32_t k = a->first[order[done]]; k < a->first[order[done] + 1]; k++)
            if (level[a->column[k]] < 0) {
                level[a->column[k]] = level[order[done]] + 1;
                order[count++] = a->column[k];
            }
        sort_by_degree(a, order + begin, count - begin);
    }
    return count;
}

static void forget(const int32_t *order, size_t count, int32_t *level)
{
    for (size_t i = 0; i < count; i++)
        level[order[i]] = -1;
}

/* Find a row at the rim of the component of `start` (George and Liu 1979): repeat a walk from the last row of
 * the previous one, as long as walks get deeper. */
static int32_t at_the_rim(const struct spmv_matrix *a, int32_t start, int32_t *level, int32_t *order)
{
    for (int32_t depth = -1;;) {
        const size_t count = walk(a, start, level, order);
        const int32_t last = order[count - 1], reached = level[last];
        forget(order, count, level);
        if (reached <= depth) return start;
        depth = reached;
        start = last;
    }
}

void spmv_reverse_cuthill_mckee(const struct spmv_matrix *a, int32_t *order)
{
    int32_t *level = example_allocate(a->rows, sizeof(*level));
    memset(level, 0xff, a->rows * sizeof(*level)); /* -1 */
    size_t count = 0;
    for (size_t i = 0; i < a->rows; i++)
        if (level[i] < 0)
            count += walk(a, at_the_rim(a, (int32_t)i, level, order + count), level, order + count);
    free(level);
    for (size_t i = 0; i < a->rows / 2; i++) {
        const int32_t kept = order[i];
        order[i] = order[a->rows - 1 - i];
        order[a->rows - 1 - i] = kept;
    }
}

/* One row's entries by rising column: by insertion. */
static void sort_row(int32_t *column, double *value, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const int32_t c = column[i];
        const double v = value[i];
        size_t at = i;
        for (; at > 0 && column[at - 1] > c; at--) {
            column[at] = column[at - 1];
            value[at] = value[at - 1];
        }
        column[at] = c;
        value[at] = v;
    }
}

void spmv_renumber(const struct spmv_matrix *a, const int32_t *order, struct spmv_matrix *out)
{
    *out = (struct spmv_matrix){.rows = a->rows, .entries = a->entries};
    out->first = example_allocate(a->rows + 1, sizeof(*out->first));
    out->column = example_allocate(a->entries, sizeof(*out->column));
    out->value = example_allocate(a->entries, sizeof(*out->value));
    int32_t *number = example_allocate(a->rows, sizeof(*number)); /* the new one of each old one */
    for (size_t i = 0; i < a->rows; i++)
        number[order[i]] = (int32_t)i;
    for (size_t i = 0; i < a->rows; i++) {
        int32_t at = out->first[i];
        for (int32_t k = a->first[order[i]]; k < a->first[order[i] + 1]; k++, at++) {
            out->column[at] = number[a->column[k]];
            out->value[at] = a->value[k];
        }
        out->first[i + 1] = at;
        sort_row(out->column + out->first[i], out->value + out->first[i], (size_t)(at - out->first[i]));
    }
    free(number);
}
