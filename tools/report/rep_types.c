/* SPDX-License-Identifier: BSD-3-Clause */
/* The type whose members cost most, as the next thing to look at. */
#include "run_h5/prof_tables.h"
#include "tools/report/rep_print.h"

#include <stdlib.h>
#include <string.h>

#define REP_TYPE_SHARE 0.2 /* least share of the stall (of the time, where nothing stalls) */

bool rep_has_members(const struct rep_view *v, uint32_t type, uint32_t first)
{
    const struct prof_type_row *row = &v->tables.types[type];
    uint32_t direct = 0;
    if (row->kind != PROF_TYPE_STRUCT && row->kind != PROF_TYPE_CLASS) return false;
    if (strncmp(row->name, "std::", 5) == 0 || strncmp(row->name, "__gnu_cxx::", 11) == 0) return false;
    for (size_t m = first; m < v->tables.members_len && v->tables.members[m].type == type; m++)
        direct += v->tables.members[m].parent == first;
    return direct > 1;
}

/* Add up the costs of the samples by type; return the sum over all samples. */
static double rep_sum_types(const struct rep_view *v, double *of_type)
{
    const struct prof_samples *s = &v->in.samples;
    const float *costs = v->costs.stall_total_ns > 0 ? v->costs.stall_ns : v->costs.time_ns;
    double all = 0;
    for (uint64_t i = 0; i < s->len; i++) {
        if (v->keep.samples && !v->keep.samples[i]) continue;
        all += (double)costs[i];
        if (s->member[i] < v->tables.members_len)
            of_type[v->tables.members[s->member[i]].type] += (double)costs[i];
    }
    return all;
}

enum rep_types_next rep_costliest_type(const struct rep_view *v, const char **out)
{
    const struct an_tables *t = &v->tables;
    double *of_type = calloc(t->types_len + 1, sizeof(*of_type));
    uint32_t best = UINT32_MAX;
    double structs = 0;
    *out = NULL;
    if (!of_type || !v->in.samples.member || !v->costs.time_ns || t->types_len == 0) {
        free(of_type);
        return REP_TYPES_NONE;
    }
    const double all = rep_sum_types(v, of_type);
    for (uint32_t m = 0; m < t->members_len; m++) {
        const uint32_t type = t->members[m].type;
        if ((m > 0 && t->members[m - 1].type == type) || !rep_has_members(v, type, m)) continue;
        structs += of_type[type];
        if (best == UINT32_MAX || of_type[type] > of_type[best]) best = type;
    }
    const bool one = best != UINT32_MAX && of_type[best] >= REP_TYPE_SHARE * all && all > 0;
    const bool several = structs >= REP_TYPE_SHARE * all && all > 0;
    if (one) *out = t->types[best].name;
    free(of_type);
    return one ? REP_TYPES_ONE : several ? REP_TYPES_SEVERAL : REP_TYPES_NONE;
}
