/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/patterns/ptn_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PTN_RESAMPLING_SEED = 1 };

#define PTN_VERDICT_TEXT(id, text) [id] = text,
static const char *const ptn_verdicts[PTN_VERDICTS] = {PTN_VERDICT_LIST(PTN_VERDICT_TEXT)};
#undef PTN_VERDICT_TEXT

const char *ptn_verdict_text(enum ptn_verdict v)
{
    return ptn_verdicts[v];
}

enum pat_term ptn_main_term(const struct pat_distance_terms *d)
{
    size_t most = 0;
    for (size_t t = 1; t < PAT_TERM_COUNT; t++)
        if (pat_terms[t].weight * d->terms[t] > pat_terms[most].weight * d->terms[most]) most = t;
    return (enum pat_term)most;
}

static enum ptn_verdict ptn_verdict_of(const struct pat_item_comparison *c)
{
    const struct pat_comparison *const t = &c->total;
    if (c->same) return PTN_SAME;
    if (t->distance.total == 0) return PTN_ALIKE;
    if (isnan(t->p_value)) return PTN_TOO_SHORT;
    return t->p_value < PTN_SIGNIFICANCE ? PTN_DIFFERS : PTN_ALIKE;
}

static ls_err ptn_row_make(const struct ptn_diff *d, const struct pat_match *m, struct ptn_pair *row)
{
    *row = (struct ptn_pair){.match = *m};
    if (m->a != PAT_UNASSIGNED) row->a = &d->sides[0].items.rows[m->a];
    if (m->b != PAT_UNASSIGNED) row->b = &d->sides[1].items.rows[m->b];
    if (row->a && row->b) {
        LS_TRY(pat_item_compare(row->a, row->b, PTN_RESAMPLING_SEED, &row->comparison));
        row->verdict = ptn_verdict_of(&row->comparison);
    } else {
        row->verdict = row->a ? PTN_ONLY_A : PTN_ONLY_B;
    }
    return LS_OK;
}

static double ptn_row_distance(const struct ptn_pair *r)
{
    return r->a && r->b ? r->comparison.total.distance.total : -1;
}

static int ptn_row_compare(const void *a, const void *b)
{
    const struct ptn_pair *x = a, *y = b;
    const double dx = ptn_row_distance(x), dy = ptn_row_distance(y);
    if (dx != dy) return dx > dy ? -1 : 1;
    if (x->match.a != y->match.a) return x->match.a < y->match.a ? -1 : 1;
    return x->match.b < y->match.b ? -1 : x->match.b > y->match.b;
}

/* Do not join instructions, because pairs are found by their names; but join them as pattern files do if one
 * input is a pattern file. */
static ls_err ptn_settings_for(char *const paths[2], const struct ptn_options *o, struct ptn_settings *out)
{
    bool has_patterns = false;
    for (size_t i = 0; i < 2 && !has_patterns; i++)
        LS_TRY(ptn_is_pattern_file(paths[i], &has_patterns));
    *out = o->settings;
    if (!has_patterns) out->compact.no_join = true;
    return LS_OK;
}

ls_err ptn_diff_make(char *const paths[2], const struct ptn_options *o, struct ptn_diff *out)
{
    struct pat_match *matches = NULL;
    size_t len = 0;
    struct ptn_settings settings;
    memset(out, 0, sizeof(*out));
    LS_TRY(ptn_settings_for(paths, o, &settings));
    for (size_t i = 0; i < 2; i++)
        LS_TRY(ptn_input_read(paths[i], &settings, &out->sides[i]));
    LS_TRY(pat_items_match(&out->sides[0].items, &out->sides[1].items, &o->match, &matches, &len));
    ls_err err = LS_OK;
    out->rows = calloc(len, sizeof *out->rows);
    if (!out->rows) err = ls_nomem("comparing %zu patterns", len);
    for (; err == LS_OK && out->rows_len < len; out->rows_len++)
        err = ptn_row_make(out, &matches[out->rows_len], &out->rows[out->rows_len]);
    if (err == LS_OK) qsort(out->rows, len, sizeof *out->rows, ptn_row_compare);
    free(matches);
    return err;
}

void ptn_diff_fini(struct ptn_diff *d)
{
    free(d->rows);
    ptn_input_fini(&d->sides[0]);
    ptn_input_fini(&d->sides[1]);
}
