/* SPDX-License-Identifier: BSD-3-Clause */
/* The Hungarian method (Kuhn, Naval Res. Logist. Q. 2, 1955) with shortest augmenting paths (Jonker and
 * Volgenant, Computing 38, 1987): O(n^3). Rows and columns count from 1 here; 0 is the row being placed. */
#include "patterns/compare/pat_compare_assign.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct pat_assignment {
    const double *costs;
    size_t rows_len, columns_len; /* rows_len <= columns_len */
    bool turned;                  /* costs are of columns and rows */
    double *row_price, *column_price, *slack;
    size_t *row_of, *before; /* by column */
    bool *visited;
};

static double pat_assign_cost(const struct pat_assignment *a, size_t row, size_t column)
{
    const size_t at =
        a->turned ? (column - 1) * a->rows_len + (row - 1) : (row - 1) * a->columns_len + (column - 1);
    return a->costs[at] - a->row_price[row] - a->column_price[column];
}

static void pat_assign_begin(struct pat_assignment *a, size_t row)
{
    a->row_of[0] = row;
    for (size_t c = 0; c <= a->columns_len; c++) {
        a->slack[c] = INFINITY;
        a->visited[c] = false;
    }
}

/* The column with the least slack that has not been visited, seen from `from` too. */
static size_t pat_assign_nearest(struct pat_assignment *a, size_t from)
{
    size_t nearest = 0;
    for (size_t c = 1; c <= a->columns_len; c++) {
        if (a->visited[c]) continue;
        const double cost = pat_assign_cost(a, a->row_of[from], c);
        if (cost < a->slack[c]) {
            a->slack[c] = cost;
            a->before[c] = from;
        }
        if (nearest == 0 || a->slack[c] < a->slack[nearest]) nearest = c;
    }
    return nearest;
}

static void pat_assign_reprice(struct pat_assignment *a, double step)
{
    for (size_t c = 0; c <= a->columns_len; c++) {
        if (a->visited[c]) {
            a->row_price[a->row_of[c]] += step;
            a->column_price[c] -= step;
        } else {
            a->slack[c] -= step;
        }
    }
}

static void pat_assign_row(struct pat_assignment *a, size_t row)
{
    size_t at = 0;
    pat_assign_begin(a, row);
    while (a->row_of[at] != 0) {
        a->visited[at] = true;
        const size_t next = pat_assign_nearest(a, at);
        pat_assign_reprice(a, a->slack[next]);
        at = next;
    }
    for (; at != 0; at = a->before[at])
        a->row_of[at] = a->row_of[a->before[at]];
}

static bool pat_assign_alloc(struct pat_assignment *a)
{
    a->row_price = calloc(a->rows_len + 1, sizeof *a->row_price);
    a->column_price = calloc(a->columns_len + 1, sizeof *a->column_price);
    a->slack = calloc(a->columns_len + 1, sizeof *a->slack);
    a->row_of = calloc(a->columns_len + 1, sizeof *a->row_of);
    a->before = calloc(a->columns_len + 1, sizeof *a->before);
    a->visited = calloc(a->columns_len + 1, sizeof *a->visited);
    return a->row_price && a->column_price && a->slack && a->row_of && a->before && a->visited;
}

static void pat_assign_free(struct pat_assignment *a)
{
    free(a->row_price);
    free(a->column_price);
    free(a->slack);
    free(a->row_of);
    free(a->before);
    free(a->visited);
}

static void pat_assign_result(const struct pat_assignment *a, size_t rows_len, size_t *out)
{
    for (size_t r = 0; r < rows_len; r++)
        out[r] = PAT_UNASSIGNED;
    for (size_t c = 1; c <= a->columns_len; c++) {
        if (a->row_of[c] == 0) continue;
        if (a->turned)
            out[c - 1] = a->row_of[c] - 1;
        else
            out[a->row_of[c] - 1] = c - 1;
    }
}

ls_err pat_assign(const double *costs, size_t rows_len, size_t columns_len, size_t *out)
{
    struct pat_assignment a = {.costs = costs, .turned = rows_len > columns_len};
    a.rows_len = a.turned ? columns_len : rows_len;
    a.columns_len = a.turned ? rows_len : columns_len;
    ls_err err = LS_OK;
    if (pat_assign_alloc(&a)) {
        for (size_t r = 1; r <= a.rows_len; r++)
            pat_assign_row(&a, r);
        pat_assign_result(&a, rows_len, out);
    } else {
        err = ls_nomem("matching %zu patterns with %zu", rows_len, columns_len);
    }
    pat_assign_free(&a);
    return err;
}
