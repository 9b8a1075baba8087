/* SPDX-License-Identifier: BSD-3-Clause */
/* The Hungarian method (Kuhn, Naval Res. Logist. Q. 2, 1955) with shortest augmenting paths (Jonker and
 * Volgenant, Computing 38, 1987): O(n^3). Rows and columns are numbered from 1 here; column 0 belongs to the
 * row being placed. */
#include "patterns/compare/pat_compare.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct pat_assignment {
    const double *costs;
    size_t rows_len, columns_len; /* rows_len <= columns_len */
    bool turned;                  /* costs are by column and row */
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

/* Update the slack from column `from`, and return the unvisited column with the least slack. */
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

/* ---- items ---- */

/* Items of both sides that may be matched. */
struct pat_candidates {
    size_t *rows[2];
    size_t len[2];
};

struct pat_matching {
    struct pat_items *sides[2];
    size_t *partner; /* by item of a */
    double *distance;
    enum pat_matched *by;
    bool *taken; /* by item of b */
    struct pat_candidates candidates;
    double *costs;  /* room for all pairs */
    size_t *column; /* room for an assignment */
};

static ls_err pat_matching_init(struct pat_matching *m, struct pat_items *a, struct pat_items *b)
{
    *m = (struct pat_matching){.sides = {a, b}};
    /* one more, so that calloc never gets 0 */
    m->partner = calloc(a->len + 1, sizeof *m->partner);
    m->distance = calloc(a->len + 1, sizeof *m->distance);
    m->by = calloc(a->len + 1, sizeof *m->by);
    m->taken = calloc(b->len + 1, sizeof *m->taken);
    m->candidates.rows[0] = calloc(a->len + 1, sizeof(size_t));
    m->candidates.rows[1] = calloc(b->len + 1, sizeof(size_t));
    m->costs = calloc((a->len + 1) * (b->len + 1), sizeof *m->costs);
    m->column = calloc(a->len + 1, sizeof *m->column);
    for (size_t i = 0; m->partner && i < a->len; i++)
        m->partner[i] = PAT_UNASSIGNED;
    if (m->partner && m->distance && m->by && m->taken && m->candidates.rows[0] && m->candidates.rows[1] &&
        m->costs && m->column)
        return LS_OK;
    return ls_nomem("matching %zu patterns with %zu", a->len, b->len);
}

static void pat_matching_fini(struct pat_matching *m)
{
    free(m->partner);
    free(m->distance);
    free(m->by);
    free(m->taken);
    free(m->candidates.rows[0]);
    free(m->candidates.rows[1]);
    free(m->costs);
    free(m->column);
}

static bool pat_is_free(const struct pat_matching *m, int side, size_t row)
{
    return side == 0 ? m->partner[row] == PAT_UNASSIGNED : !m->taken[row];
}

/* Return the text that identifies a pattern. A pattern without a key is matched by distance. */
typedef const char *pat_calls(const struct pat_item *item);

static const char *pat_call_key(const struct pat_item *item)
{
    return item->key;
}

static const char *pat_call_name(const struct pat_item *item)
{
    return *item->key ? item->name : "";
}

/* Collect unmatched items of like's kind, and with the same text if `calls` is given. */
static void pat_collect(struct pat_matching *m, const struct pat_item *like, pat_calls *calls)
{
    for (int side = 0; side < 2; side++) {
        m->candidates.len[side] = 0;
        for (size_t i = 0; i < m->sides[side]->len; i++) {
            const struct pat_item *const item = &m->sides[side]->rows[i];
            if (!pat_is_free(m, side, i) || item->kind != like->kind) continue;
            if (calls && strcmp(calls(item), calls(like)) != 0) continue;
            m->candidates.rows[side][m->candidates.len[side]++] = i;
        }
    }
}

static ls_err pat_price(struct pat_matching *m, double within)
{
    const struct pat_candidates *const c = &m->candidates;
    for (size_t i = 0; i < c->len[0]; i++) {
        for (size_t k = 0; k < c->len[1]; k++) {
            double *const cost = &m->costs[i * c->len[1] + k];
            LS_TRY(pat_item_distance(&m->sides[0]->rows[c->rows[0][i]], &m->sides[1]->rows[c->rows[1][k]],
                                     cost));
            /* a pair that is too far apart costs more than any number of near pairs; it is dropped later */
            if (*cost > within) *cost += (double)(c->len[0] + c->len[1]);
        }
    }
    return LS_OK;
}

static ls_err pat_match_candidates(struct pat_matching *m, double within, enum pat_matched by)
{
    const struct pat_candidates *const c = &m->candidates;
    if (c->len[0] == 0 || c->len[1] == 0) return LS_OK;
    LS_TRY(pat_price(m, within));
    LS_TRY(pat_assign(m->costs, c->len[0], c->len[1], m->column));
    for (size_t i = 0; i < c->len[0]; i++) {
        const size_t k = m->column[i], row = c->rows[0][i];
        if (k == PAT_UNASSIGNED || m->costs[i * c->len[1] + k] > within) continue;
        m->partner[row] = c->rows[1][k];
        m->distance[row] = m->costs[i * c->len[1] + k];
        m->by[row] = by;
        m->taken[c->rows[1][k]] = true;
    }
    return LS_OK;
}

static ls_err pat_match_called(struct pat_matching *m, pat_calls *calls)
{
    for (size_t i = 0; i < m->sides[0]->len; i++) {
        const struct pat_item *const item = &m->sides[0]->rows[i];
        if (*calls(item) == '\0' || !pat_is_free(m, 0, i)) continue;
        pat_collect(m, item, calls);
        LS_TRY(pat_match_candidates(m, 1, PAT_MATCHED_KEY));
    }
    return LS_OK;
}

static ls_err pat_match_rest(struct pat_matching *m, double within)
{
    for (enum pat_kind kind = PAT_KIND_READS; kind <= PAT_KIND_BOTH; kind++) {
        pat_collect(m, &(struct pat_item){.kind = kind}, NULL);
        LS_TRY(pat_match_candidates(m, within, PAT_MATCHED_DISTANCE));
    }
    return LS_OK;
}

static ls_err pat_match_rows(const struct pat_matching *m, struct pat_match **out, size_t *out_len)
{
    const size_t a_len = m->sides[0]->len, b_len = m->sides[1]->len;
    struct pat_match *const rows = calloc(a_len + b_len + 1, sizeof *rows);
    size_t n = 0;
    if (!rows) return ls_nomem("%zu matches", a_len + b_len);
    for (size_t i = 0; i < a_len; i++) {
        const bool has = m->partner[i] != PAT_UNASSIGNED;
        rows[n++] = (struct pat_match){i, m->partner[i], has ? m->by[i] : PAT_MATCHED_NONE,
                                       has ? m->distance[i] : NAN};
    }
    for (size_t k = 0; k < b_len; k++)
        if (!m->taken[k]) rows[n++] = (struct pat_match){PAT_UNASSIGNED, k, PAT_MATCHED_NONE, NAN};
    *out = rows;
    *out_len = n;
    return LS_OK;
}

ls_err pat_items_match(struct pat_items *a, struct pat_items *b, const struct pat_match_options *o,
                       struct pat_match **out, size_t *out_len)
{
    struct pat_matching m;
    ls_err err = pat_matching_init(&m, a, b);
    if (err == LS_OK && !o->ignore_keys) err = pat_match_called(&m, pat_call_key);
    /* one of the two files may lack the recorded origins of its patterns */
    if (err == LS_OK && !o->ignore_keys) err = pat_match_called(&m, pat_call_name);
    if (err == LS_OK) err = pat_match_rest(&m, o->within);
    if (err == LS_OK) err = pat_match_rows(&m, out, out_len);
    pat_matching_fini(&m);
    return err;
}
