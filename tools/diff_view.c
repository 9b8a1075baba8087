/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/diff_view.h"
#include "analyse/an_identity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A group of one run and the name it has in every run. */
struct diff_name {
    char *text;
    uint32_t side, group;
};

struct diff_names {
    struct diff_name *rows;
    size_t len, room;
};

static ls_err diff_no_memory(size_t len)
{
    return ls_fail(LS_ERR_NOMEM, "no memory to match %zu names", len);
}

static ls_err diff_name_add(struct diff_names *names, const char *text, uint32_t side, uint32_t group)
{
    if (names->len == names->room) {
        const size_t room = names->room ? 2 * names->room : 256;
        void *grown = realloc(names->rows, room * sizeof(*names->rows));
        if (!grown) return diff_no_memory(room);
        names->rows = grown;
        names->room = room;
    }
    char *copy = strdup(text);
    if (!copy) return diff_no_memory(names->len);
    names->rows[names->len++] = (struct diff_name){copy, side, group};
    return LS_OK;
}

/* Innermost groups that have samples of their own. */
static ls_err diff_collect_names(const struct rep_view *v, uint32_t side, struct diff_names *names)
{
    for (uint32_t g = 0; g < v->groups.groups_len; g++) {
        char text[AN_IDENTITY_BYTES];
        if (an_table_self(v->table, g)->samples == 0) continue;
        an_identity_of_group(&v->groups, &v->tables, g, text);
        LS_TRY(diff_name_add(names, text, side, g));
    }
    return LS_OK;
}

static int diff_compare_names(const void *a, const void *b)
{
    const struct diff_name *x = a, *y = b;
    const int c = strcmp(x->text, y->text);
    if (c) return c;
    return x->side != y->side ? (x->side > y->side) - (x->side < y->side)
                              : (x->group > y->group) - (x->group < y->group);
}

/* Equal names become one row; the first of them gives its text away. */
static ls_err diff_number_names(struct diff_view *v, struct diff_names *names, uint32_t *row_of_group[2])
{
    v->labels = calloc(names->len + 1, sizeof(*v->labels));
    if (!v->labels) return diff_no_memory(names->len);
    if (names->len) qsort(names->rows, names->len, sizeof(*names->rows), diff_compare_names);
    for (size_t i = 0; i < names->len; i++) {
        struct diff_name *n = &names->rows[i];
        if (v->labels_len == 0 || strcmp(v->labels[v->labels_len - 1], n->text) != 0) {
            v->labels[v->labels_len++] = n->text;
            n->text = NULL;
        }
        row_of_group[n->side][n->group] = v->labels_len - 1;
    }
    return LS_OK;
}

static ls_err diff_map_samples(struct diff_view *v, uint32_t side, const uint32_t *row_of_group)
{
    const struct rep_view *s = &v->sides[side];
    v->row_of_sample[side] = malloc((s->in.samples.len + 1) * sizeof(uint32_t));
    if (!v->row_of_sample[side]) return diff_no_memory(s->in.samples.len);
    for (uint64_t i = 0; i < s->in.samples.len; i++) {
        const uint32_t g = s->groups.group_of_sample[i];
        v->row_of_sample[side][i] = g == UINT32_MAX ? UINT32_MAX : row_of_group[g];
    }
    return LS_OK;
}

static ls_err diff_match_with(struct diff_view *v, struct diff_names *names, uint32_t *row_of_group[2])
{
    for (uint32_t side = 0; side < 2; side++)
        LS_TRY(diff_collect_names(&v->sides[side], side, names));
    LS_TRY(diff_number_names(v, names, row_of_group));
    for (uint32_t side = 0; side < 2; side++)
        LS_TRY(diff_map_samples(v, side, row_of_group[side]));
    return LS_OK;
}

static ls_err diff_match(struct diff_view *v)
{
    struct diff_names names = {0};
    uint32_t *row_of_group[2];
    for (int side = 0; side < 2; side++)
        row_of_group[side] = calloc(v->sides[side].groups.groups_len + 1u, sizeof(uint32_t));
    const ls_err err = row_of_group[0] && row_of_group[1] ? diff_match_with(v, &names, row_of_group)
                                                          : diff_no_memory(v->sides[0].groups.groups_len);
    for (size_t i = 0; i < names.len; i++)
        free(names.rows[i].text);
    free(names.rows);
    free(row_of_group[0]);
    free(row_of_group[1]);
    return err;
}

static double diff_sort_value(const struct diff_row *r, enum diff_sort sort)
{
    const struct an_change *t = &r->change.time_ns;
    return sort == DIFF_SORT_TIME ? fmax(t->a, t->b) : fabs(t->b - t->a);
}

static int diff_compare_rows(const void *a, const void *b, void *user)
{
    const struct diff_row *x = a, *y = b;
    const enum diff_sort sort = *(const enum diff_sort *)user;
    if (sort == DIFF_SORT_LABEL) return strcmp(x->label, y->label);
    const double p = diff_sort_value(x, sort), q = diff_sort_value(y, sort);
    return p != q ? (p < q) - (p > q) : strcmp(x->label, y->label);
}

static bool diff_is_shown(const struct diff_view *v, const struct an_difference *d)
{
    return d->share.a >= v->options.min_share || d->share.b >= v->options.min_share;
}

static ls_err diff_make_rows(struct diff_view *v)
{
    v->rows = calloc(v->labels_len + 1u, sizeof(*v->rows));
    if (!v->rows) return diff_no_memory(v->labels_len);
    for (uint32_t i = 0; i < v->labels_len; i++) {
        const struct diff_row row = {v->labels[i], an_diff_row(v->diff, i)};
        if (diff_is_shown(v, &row.change))
            v->rows[v->rows_len++] = row;
        else
            v->hidden++;
    }
    qsort_r(v->rows, v->rows_len, sizeof(*v->rows), diff_compare_rows, &v->options.sort);
    if (v->rows_len > v->options.limit) {
        v->hidden += v->rows_len - v->options.limit;
        v->rows_len = v->options.limit;
    }
    for (size_t i = 0; i < v->rows_len; i++)
        LS_TRY(an_diff_median(v->diff, &v->rows[i].change));
    return LS_OK;
}

static ls_err diff_compute(struct diff_view *v)
{
    LS_TRY(diff_match(v));
    const struct an_diff_side sides[2] = {{&v->sides[0].in, &v->sides[0].costs, v->row_of_sample[0]},
                                          {&v->sides[1].in, &v->sides[1].costs, v->row_of_sample[1]}};
    LS_TRY(an_diff_new(sides, v->labels_len, &v->diff));
    return diff_make_rows(v);
}

ls_err diff_view_init(struct diff_view *v, const struct diff_options *options)
{
    memset(v, 0, sizeof(*v));
    v->options = *options;
    for (int side = 0; side < 2; side++) {
        const struct rep_options o = {.path = options->paths[side],
                                      .by = options->by,
                                      .where = options->where,
                                      .where_len = options->where_len,
                                      .where_may_miss = true};
        LS_TRY(rep_view_init(&v->sides[side], &o));
    }
    return diff_compute(v);
}

void diff_view_fini(struct diff_view *v)
{
    free(v->rows);
    an_diff_free(v->diff);
    for (uint32_t i = 0; i < v->labels_len; i++)
        free(v->labels[i]);
    free(v->labels);
    for (int side = 0; side < 2; side++) {
        free(v->row_of_sample[side]);
        rep_view_fini(&v->sides[side]);
    }
}

enum diff_verdict diff_verdict_of(const struct an_difference *d)
{
    if (isnan(d->time_ns.low)) return DIFF_TOO_FEW;
    if (!an_change_is_significant(&d->time_ns)) return DIFF_SAME;
    if (d->bursts[0] == 0) return DIFF_NEW;
    if (d->bursts[1] == 0) return DIFF_GONE;
    return d->time_ns.low > 0 ? DIFF_MORE : DIFF_LESS;
}

size_t diff_regressions(const struct diff_view *v, double share)
{
    size_t n = 0;
    const double limit_ns = share * v->sides[0].costs.attributed_ns;
    for (uint32_t i = 0; i < v->labels_len; i++) {
        const struct an_difference d = an_diff_row(v->diff, i);
        n += d.time_ns.low > 0 && d.time_ns.b - d.time_ns.a > limit_ns;
    }
    return n;
}
