/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double outlier_times = 2;    /* as much as the median, or half of it */
static const double outlier_share = 0.02; /* part of a rank's usual time */
/* Distance from the median, in median distances of all ranks. Among thousands of ranks that differ by chance of sampling
 * only, some are at 8. */
static const double outlier_distance = 12;

static double value_of(const struct an_ranks *r, const struct prof_rank_datum *d)
{
    return (double)(r->has_stall ? d->stall_ns : d->time_ns);
}

static ls_err sum_nodes(void *user, const struct prof_rank_datum *rows, uint64_t len)
{
    struct an_ranks *r = user;
    for (uint64_t i = 0; i < len; i++)
        if (rows[i].node < r->nodes_len) r->by_node[rows[i].node] += value_of(r, &rows[i]);
    return LS_OK;
}

static ls_err fill_data(void *user, const struct prof_rank_datum *rows, uint64_t len)
{
    struct an_ranks *r = user;
    for (uint64_t i = 0; i < len; i++)
        for (size_t d = 0; d < r->data_len; d++)
            if (r->data[d].node == rows[i].node) r->data[d].values[rows[i].rank] += value_of(r, &rows[i]);
    return LS_OK;
}

static int compare_values(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static ls_err median_of(struct an_rank_metric *m, size_t len)
{
    double *sorted = malloc((len + 1) * sizeof(*sorted));
    if (!sorted) return ls_nomem("%zu ranks", len);
    m->sum = 0;
    for (size_t i = 0; i < len; i++)
        m->sum += sorted[i] = m->values[i];
    qsort(sorted, len, sizeof(*sorted), compare_values);
    m->median = len ? (sorted[(len - 1) / 2] + sorted[len / 2]) / 2 : 0;
    for (size_t i = 0; i < len; i++)
        sorted[i] = fabs(m->values[i] - m->median);
    qsort(sorted, len, sizeof(*sorted), compare_values);
    m->distance = len ? sorted[(len - 1) / 2] : 0;
    free(sorted);
    return LS_OK;
}

static ls_err metric_init(struct an_rank_metric *m, const char *name, size_t len)
{
    m->name = name;
    m->values = calloc(len + 1, sizeof(*m->values));
    return m->values ? LS_OK : ls_nomem("%zu ranks", len);
}

/* The data that ranks wait for most; the root holds accesses outside of all data. */
static ls_err choose_data(struct an_ranks *r)
{
    while (r->data_len < AN_RANK_DATA_MOST) {
        uint32_t best = 0;
        for (uint32_t n = 1; n < r->nodes_len; n++)
            if (r->by_node[n] > (best ? r->by_node[best] : 0)) best = n;
        if (best == 0) break;
        struct an_rank_metric *m = &r->data[r->data_len++];
        LS_TRY(metric_init(m, r->nodes[best].label, r->len));
        m->node = best;
        r->by_node[best] = 0;
    }
    LS_TRY(prof_each_rank_data(r->profile, fill_data, r));
    for (size_t d = 0; d < r->data_len; d++)
        LS_TRY(median_of(&r->data[d], r->len));
    return LS_OK;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct prof_rank *x = *(const struct prof_rank *const *)a, *y = *(const struct prof_rank *const *)b;
    const int c = strcmp(x->host, y->host);
    return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

/* The ranks by host, then by number.  Owns: free(*out).  Errors: LS_ERR_NOMEM. */
static ls_err sort_by_host(const struct an_ranks *r, const struct prof_rank ***out)
{
    *out = calloc(r->len + 1, sizeof(**out));
    if (!*out) return ls_nomem("%zu ranks", r->len);
    for (size_t i = 0; i < r->len; i++)
        (*out)[i] = &r->rows[i];
    qsort(*out, r->len, sizeof(**out), compare_hosts);
    return LS_OK;
}

struct placed {
    uint32_t first, row; /* lowest row of the machine; row of the rank */
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->row > y->row) - (x->row < y->row);
}

static ls_err place_by_machine(struct an_ranks *r)
{
    const struct prof_rank **sorted = NULL;
    struct placed *placed = calloc(r->len + 1, sizeof(*placed));
    r->order = calloc(r->len + 1, sizeof(*r->order));
    ls_err e = placed && r->order ? sort_by_host(r, &sorted) : ls_nomem("%zu ranks", r->len);
    for (size_t i = 0; e == LS_OK && i < r->len; i++) {
        const bool is_new = i == 0 || strcmp(sorted[i]->host, sorted[i - 1]->host) != 0;
        placed[i].row = sorted[i]->id;
        placed[i].first = is_new ? sorted[i]->id : placed[i - 1].first;
    }
    if (e == LS_OK) qsort(placed, r->len, sizeof(*placed), compare_placed);
    for (size_t i = 0; e == LS_OK && i < r->len; i++)
        r->order[i] = placed[i].row;
    free(sorted);
    free(placed);
    return e;
}

ls_err an_ranks_init(struct an_ranks *r, prof_profile *profile)
{
    *r = (struct an_ranks){.profile = profile};
    r->rows = prof_ranks(r->profile, &r->len);
    r->nodes = prof_nodes(r->profile, &r->nodes_len);
    if (r->len == 0) return LS_OK;
    LS_TRY(place_by_machine(r));
    LS_TRY(metric_init(&r->time, "CPU time", r->len));
    LS_TRY(metric_init(&r->wait, "MPI", r->len));
    r->by_node = calloc(r->nodes_len + 1, sizeof(*r->by_node));
    if (!r->by_node) return ls_nomem("%zu nodes", r->nodes_len);
    for (size_t i = 0; i < r->len; i++) {
        r->time.values[i] = (double)r->rows[i].time_ns;
        r->wait.values[i] = (double)r->rows[i].mpi_wait_ns;
        r->has_stall |= r->rows[i].stall_ns > 0;
    }
    LS_TRY(median_of(&r->time, r->len));
    LS_TRY(median_of(&r->wait, r->len));
    r->usual_ns = r->time.median;
    LS_TRY(prof_each_rank_data(r->profile, sum_nodes, r));
    return choose_data(r);
}

void an_ranks_fini(struct an_ranks *r)
{
    for (size_t d = 0; d < r->data_len; d++)
        free(r->data[d].values);
    free(r->order);
    free(r->time.values);
    free(r->wait.values);
    free(r->by_node);
}

/* ---- outliers ---- */

/* Keep the largest, sorted. */
static size_t outlier_add(struct an_outlier *to, size_t len, struct an_outlier o)
{
    size_t at = len;
    while (at > 0 && to[at - 1].excess_ns < o.excess_ns)
        at--;
    if (at == AN_OUTLIERS_MOST) return len;
    if (len < AN_OUTLIERS_MOST) len++;
    memmove(&to[at + 1], &to[at], (len - at - 1) * sizeof(*to));
    to[at] = o;
    return len;
}

static size_t outliers_of(const struct an_ranks *r, const struct an_rank_metric *m, bool also_less,
                          struct an_outlier *to, size_t len)
{
    for (uint32_t i = 0; i < r->len; i++) {
        const double excess_ns = m->values[i] - m->median;
        const bool is_more = m->values[i] >= outlier_times * m->median;
        const bool is_less = also_less && m->values[i] * outlier_times <= m->median;
        if (fabs(excess_ns) < outlier_distance * m->distance) continue;
        if ((is_more || is_less) && fabs(excess_ns) >= outlier_share * r->usual_ns)
            len = outlier_add(to, len, (struct an_outlier){i, m, fabs(excess_ns)});
    }
    return len;
}

size_t an_ranks_outliers(const struct an_ranks *r, struct an_outlier to[AN_OUTLIERS_MOST])
{
    size_t len = 0;
    for (size_t d = 0; d < r->data_len; d++)
        len = outliers_of(r, &r->data[d], false, to, len);
    len = outliers_of(r, &r->time, false, to, len);
    return outliers_of(r, &r->wait, true, to, len);
}

/* ---- machines ---- */

static int compare_machines(const void *a, const void *b)
{
    const struct an_machine *x = a, *y = b;
    const double s = x->time_ns / (double)x->len, t = y->time_ns / (double)y->len;
    return s != t ? (s < t) - (s > t) : strcmp(x->host, y->host);
}

ls_err an_ranks_machines(const struct an_ranks *r, struct an_machine **out, size_t *out_len)
{
    const struct prof_rank **sorted;
    struct an_machine *m = calloc(r->len + 1, sizeof(*m));
    *out = m;
    *out_len = 0;
    if (!m) return ls_nomem("%zu ranks", r->len);
    LS_TRY(sort_by_host(r, &sorted));
    for (size_t i = 0; i < r->len; i++) {
        const struct prof_rank *rank = sorted[i];
        if (i == 0 || strcmp(rank->host, sorted[i - 1]->host) != 0)
            m[(*out_len)++] = (struct an_machine){.host = rank->host, .first = rank->rank, .most = rank->id};
        struct an_machine *at = &m[*out_len - 1];
        at->len++;
        at->last = rank->rank;
        at->time_ns += (double)rank->time_ns;
        at->stall_ns += (double)rank->stall_ns;
        at->wait_ns += (double)rank->mpi_wait_ns;
        if (rank->time_ns > r->rows[at->most].time_ns) at->most = rank->id;
    }
    free(sorted);
    qsort(m, *out_len, sizeof(*m), compare_machines);
    return LS_OK;
}
