/* SPDX-License-Identifier: BSD-3-Clause */
/* Innermost groups, one a line, as comma-separated values (RFC 4180). */
#include "config.h"

#include "common/ls_put.h"
#include "run_h5/prof_tables.h"
#include "tools/report/rep_print.h"

#include <math.h>
#include <stdlib.h>

/* Missing is empty. */
static void rep_csv_double(double number, FILE *out)
{
    fputc(',', out);
    if (isfinite(number)) fprintf(out, "%.9g", number);
}

static void rep_csv_share(const struct an_interval *i, FILE *out)
{
    rep_csv_double(i->share, out);
    rep_csv_double(i->low, out);
    rep_csv_double(i->high, out);
}

static void rep_csv_head(const struct rep_view *v, FILE *out)
{
    for (size_t i = 0; i < v->by.len; i++)
        fprintf(out, "%s%s", i ? "," : "", v->by.dimensions[i]->name);
    fputs(",samples,loads,stores,measured,bursts,time_ns,time_share,time_low,time_high,stall_ns,stall_share,"
          "stall_low,stall_high,latency_median_cycles,latency_p95_cycles",
          out);
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        fprintf(out, ",%s", prof_level_names[l]);
    fputc('\n', out);
}

static void rep_csv_row(const struct rep_view *v, uint32_t group, FILE *out)
{
    const struct an_row *r = an_table_self(v->table, group);
    const bool has_stall = an_has_stall(&v->costs) && (r->measured > 0 || r->stall_ns > 0);
    const struct an_interval time = an_bootstrap_share_self(v->bootstrap, v->table, group, AN_TIME),
                             none = {NAN, NAN, NAN},
                             stall = has_stall
                                         ? an_bootstrap_share_self(v->bootstrap, v->table, group, AN_STALL)
                                         : none;
    char path[AN_LABEL_BYTES];
    for (uint32_t d = 0; d < v->by.len; d++) {
        if (d) fputc(',', out);
        ls_put_csv(out, an_combination_path(&v->groups, &v->tables, group, d, path));
    }
    const uint64_t counts[] = {r->samples, r->loads, r->stores, r->measured, r->bursts};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        fprintf(out, ",%llu", (unsigned long long)counts[i]);
    rep_csv_double(r->time_ns, out);
    rep_csv_share(&time, out);
    rep_csv_double(has_stall ? r->stall_ns : NAN, out);
    rep_csv_share(&stall, out);
    rep_csv_double(r->median_cycles, out);
    rep_csv_double(r->p95_cycles, out);
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        fprintf(out, ",%llu", (unsigned long long)r->levels[l]);
    fputc('\n', out);
}

static int rep_compare_self(const void *a, const void *b, void *user)
{
    const an_table *t = user;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const double p = an_table_self(t, x)->time_ns, q = an_table_self(t, y)->time_ns;
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

ls_err rep_print_csv(const struct rep_view *v, FILE *out)
{
    uint32_t *groups = malloc((v->groups.groups_len + 1u) * sizeof(*groups));
    if (!groups) return ls_nomem("%u rows", v->groups.groups_len);
    size_t len = 0;
    const double samples = rep_samples(v);
    for (uint32_t g = 0; g < v->groups.groups_len; g++) {
        const struct an_row *r = an_table_self(v->table, g);
        const bool is_large = rep_is_by_samples(v, r)
                                  ? (double)r->samples >= v->options.min_share * samples
                                  : r->time_ns >= v->options.min_share * v->costs.weight_ns;
        if (rep_is_seen(r) && is_large) groups[len++] = g;
    }
    qsort_r(groups, len, sizeof(*groups), rep_compare_self, v->table);
    rep_csv_head(v, out);
    for (size_t i = 0; i < len && i < v->options.limit; i++)
        rep_csv_row(v, groups[i], out);
    free(groups);
    return LS_OK;
}
