/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of a job for a page: a heat map of ranks and data, ranks that differ from the others, and the machines. */
#include "viz-export/view/vx_view_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the heat map, which may each hold several ranks, and rows of the list of machines. */
enum { VX_RANK_COLUMNS = 1000, VX_MACHINES_MOST = 100 };

static size_t columns_of(const struct an_ranks *r)
{
    return r->len < VX_RANK_COLUMNS ? r->len : VX_RANK_COLUMNS;
}

static size_t column_begin(const struct an_ranks *r, size_t column)
{
    return r->len * column / columns_of(r);
}

/* Write the highest value of each column, and the rank that has it, so that no rank disappears among others. */
static ls_err put_metric(const struct an_ranks *r, const struct an_rank_metric *m, const char *kind,
                         struct ls_json *j)
{
    const size_t columns = columns_of(r);
    size_t *highest = calloc(columns + 1, sizeof(*highest));
    if (!highest) return ls_nomem("%zu ranks", r->len);
    for (size_t c = 0; c < columns; c++) {
        highest[c] = r->order[column_begin(r, c)];
        for (size_t i = column_begin(r, c); i < column_begin(r, c + 1); i++)
            if (m->values[r->order[i]] > m->values[highest[c]]) highest[c] = r->order[i];
    }
    ls_json_open(j, NULL, '{');
    ls_json_text(j, "name", m->name);
    ls_json_text(j, "kind", kind);
    ls_json_number(j, "medianNs", m->median);
    ls_json_open(j, "values", '[');
    for (size_t c = 0; c < columns; c++)
        ls_json_number(j, NULL, m->values[highest[c]]);
    ls_json_close(j, ']');
    ls_json_open(j, "ranks", '[');
    for (size_t c = 0; c < columns; c++)
        ls_json_number(j, NULL, r->rows[highest[c]].rank);
    ls_json_close(j, ']');
    ls_json_close(j, '}');
    free(highest);
    return LS_OK;
}

static ls_err put_metrics(const struct an_ranks *r, struct ls_json *j)
{
    ls_json_open(j, "metrics", '[');
    for (size_t d = 0; d < r->data_len; d++)
        LS_TRY(put_metric(r, &r->data[d], r->has_stall ? "stall" : "time", j));
    if (r->wait.sum > 0) LS_TRY(put_metric(r, &r->wait, "wait", j));
    LS_TRY(put_metric(r, &r->time, "time", j));
    ls_json_close(j, ']');
    return LS_OK;
}

/* Write the first rank of each column, which ranks it has and where they ran, and the last rank of all. Columns are in
 * the order of the machines. */
static void put_columns(const struct an_ranks *r, struct ls_json *j)
{
    ls_json_open(j, "firsts", '[');
    for (size_t c = 0; c < columns_of(r); c++)
        ls_json_number(j, NULL, r->rows[r->order[column_begin(r, c)]].rank);
    ls_json_close(j, ']');
    ls_json_open(j, "labels", '[');
    for (size_t c = 0; c < columns_of(r); c++) {
        const size_t begin = column_begin(r, c), len = column_begin(r, c + 1) - begin;
        const struct prof_rank *first = &r->rows[r->order[begin]],
                               *last = &r->rows[r->order[begin + len - 1]];
        const bool has_gaps = last->rank - first->rank + 1 != len,
                   is_one_host = strcmp(first->host, last->host) == 0;
        char ranks[64], text[640];
        if (len == 1)
            snprintf(ranks, sizeof(ranks), "rank %u", first->rank);
        else if (has_gaps)
            snprintf(ranks, sizeof(ranks), "%zu ranks, the first is %u", len, first->rank);
        else
            snprintf(ranks, sizeof(ranks), "ranks %u to %u", first->rank, last->rank);
        snprintf(text, sizeof(text), "%s (%s%s%s)", ranks, first->host, is_one_host ? "" : " to ",
                 is_one_host ? "" : last->host);
        ls_json_text(j, NULL, text);
    }
    ls_json_close(j, ']');
    ls_json_number(j, "last", r->rows[r->len - 1].rank);
}

static void put_outliers(const struct an_ranks *r, struct ls_json *j)
{
    struct an_outlier outliers[AN_OUTLIERS_MOST];
    const size_t len = an_ranks_outliers(r, outliers);
    ls_json_open(j, "outliers", '[');
    for (size_t i = 0; i < len; i++) {
        const struct an_rank_metric *m = outliers[i].metric;
        const struct prof_rank *rank = &r->rows[outliers[i].row];
        ls_json_open(j, NULL, '{');
        ls_json_number(j, "rank", rank->rank);
        ls_json_text(j, "host", rank->host);
        ls_json_text(j, "name", m->name);
        ls_json_bool(j, "isData", m != &r->time && m != &r->wait);
        ls_json_number(j, "ns", m->values[outliers[i].row]);
        ls_json_number(j, "medianNs", m->median);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
}

static ls_err put_machines(const struct an_ranks *r, struct ls_json *j)
{
    struct an_machine *machines;
    size_t len;
    const ls_err err = an_ranks_machines(r, &machines, &len);
    ls_json_number(j, "machinesLen", (double)len);
    ls_json_open(j, "machines", '[');
    for (size_t i = 0; err == LS_OK && i < len && i < VX_MACHINES_MOST; i++) {
        const struct an_machine *m = &machines[i];
        ls_json_open(j, NULL, '{');
        ls_json_text(j, "host", m->host);
        ls_json_number(j, "len", (double)m->len);
        ls_json_number(j, "first", m->first);
        ls_json_number(j, "last", m->last);
        ls_json_number(j, "timeNs", m->time_ns / (double)m->len);
        ls_json_number(j, "stallNs", m->stall_ns / (double)m->len);
        ls_json_number(j, "waitNs", m->wait_ns / (double)m->len);
        ls_json_number(j, "most", r->rows[m->most].rank);
        ls_json_number(j, "mostNs", (double)r->rows[m->most].time_ns);
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    free(machines);
    return err;
}

ls_err vx_view_ranks(const struct vx_view *v, struct ls_json *j)
{
    const struct an_ranks *r = v->ranks;
    if (r->len == 0) return LS_OK;
    ls_json_open(j, "ranks", '{');
    ls_json_number(j, "len", (double)r->len);
    ls_json_number(j, "jobLen", r->rows[0].ranks_len ? r->rows[0].ranks_len : (double)NAN);
    ls_json_bool(j, "hasStall", r->has_stall);
    put_columns(r, j);
    LS_TRY(put_metrics(r, j));
    put_outliers(r, j);
    LS_TRY(put_machines(r, j));
    ls_json_close(j, '}');
    return LS_OK;
}
