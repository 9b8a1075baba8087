/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compare/pat_compare_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Items of both that may go together. */
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
    /* one more: empty sides are none to calloc */
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

/* What a pattern is called. Without a key nothing in it says what it is: distance has to. */
typedef const char *pat_calls(const struct pat_item *item);

static const char *pat_call_key(const struct pat_item *item)
{
    return item->key;
}

static const char *pat_call_name(const struct pat_item *item)
{
    return *item->key ? item->name : "";
}

/* Free items of like's kind, and called the same where that is asked for. */
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
            /* what is too far costs more than any number of pairs that are near: it is dropped later */
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
    /* of two files one may not tell what its patterns were found as */
    if (err == LS_OK && !o->ignore_keys) err = pat_match_called(&m, pat_call_name);
    if (err == LS_OK) err = pat_match_rest(&m, o->within);
    if (err == LS_OK) err = pat_match_rows(&m, out, out_len);
    pat_matching_fini(&m);
    return err;
}
