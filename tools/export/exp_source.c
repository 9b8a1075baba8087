/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/exp_source.h"

#include "ndm/ndm_mix.h"
#include "profile/prof_atlas.h"

#include <stdlib.h>

#define EXP_ALL_COLUMNS ((UINT64_C(1) << PROF_COL_COUNT) - 1)

ls_err exp_source_open(struct exp_source *e, const char *path)
{
    *e = (struct exp_source){0};
    LS_TRY(prof_open(path, &e->profile));
    an_tables_init(&e->tables, e->profile);
    e->source = (struct vx_source){.path = path, .run = prof_run_of(e->profile), .tables = &e->tables};
    LS_TRY(prof_atlas_list(e->profile, &e->atlas));
    e->source.atlas = &e->atlas;
    return LS_OK;
}

static ls_err exp_load_fields(struct exp_source *e, const struct exp_choice *choice)
{
    LS_TRY(vx_select(&e->atlas, choice->fields, choice->metrics, &e->selection));
    if (choice->steps) LS_TRY(vx_select_steps(&e->selection));
    for (size_t i = 0; i < e->selection.fields_len; i++) {
        struct prof_atlas_want want = {.field = e->selection.fields[i], .steps = choice->steps};
        for (int m = 0; m < NDM_METRICS_LEN; m++)
            if (e->selection.metrics[m]) want.metrics |= UINT32_C(1) << m | ndm_mix_needs((enum ndm_metric)m);
        LS_TRY(prof_atlas_load(e->profile, &e->atlas, &want));
    }
    e->source.selection = &e->selection;
    return LS_OK;
}

static ls_err exp_load_samples(struct exp_source *e, bool all)
{
    an_input_init(&e->in, e->source.run, e->tables.bursts, e->tables.bursts_len);
    LS_TRY(prof_load_samples(e->profile, all ? EXP_ALL_COLUMNS : AN_COST_COLUMNS, &e->in.samples));
    e->source.in = &e->in;
    LS_TRY(an_costs_init(&e->costs, &e->in));
    e->source.costs = &e->costs;
    return LS_OK;
}

static ls_err exp_load_tree(struct exp_source *e)
{
    e->parents = malloc((e->tables.nodes_len + 1) * sizeof(*e->parents));
    if (!e->parents) return ls_nomem("%zu nodes", e->tables.nodes_len);
    for (size_t n = 0; n < e->tables.nodes_len; n++)
        e->parents[n] = n == 0 ? AN_NO_GROUP : e->tables.nodes[n].parent;
    const struct an_grouping by = {.group_of_sample = e->in.samples.node,
                                   .parent = e->parents,
                                   .groups_len = (uint32_t)e->tables.nodes_len};
    LS_TRY(an_table_new(&e->in, &e->costs, &by, &e->nodes));
    e->source.nodes = e->nodes;
    return LS_OK;
}

static void exp_add_counter(struct vx_source *s, const char *name, const char *unit,
                            const struct prof_point *points, size_t len)
{
    if (len > 0) s->counters[s->counters_len++] = (struct vx_counter){name, unit, points, len};
}

static void exp_load_timeline(struct exp_source *e)
{
    struct vx_source *s = &e->source;
    size_t len;
    s->spans = prof_phase_spans(e->profile, &s->spans_len);
    const struct prof_point *points = prof_resident_bytes(e->profile, &len);
    exp_add_counter(s, "resident memory", "bytes", points, len);
    points = prof_minor_faults(e->profile, &len);
    exp_add_counter(s, "minor page faults", "faults", points, len);
    points = prof_major_faults(e->profile, &len);
    exp_add_counter(s, "major page faults", "faults", points, len);
}

ls_err exp_source_load(struct exp_source *e, const struct exp_choice *choice)
{
    if (choice->needs & VX_NEEDS_FIELDS) LS_TRY(exp_load_fields(e, choice));
    if (choice->needs & (VX_NEEDS_TREE | VX_NEEDS_SAMPLES))
        LS_TRY(exp_load_samples(e, (choice->needs & VX_NEEDS_SAMPLES) != 0));
    if (choice->needs & VX_NEEDS_TREE) LS_TRY(exp_load_tree(e));
    if (choice->needs & VX_NEEDS_TIMELINE) exp_load_timeline(e);
    return LS_OK;
}

void exp_source_fini(struct exp_source *e)
{
    vx_selection_fini(&e->selection);
    ndm_atlas_fini(&e->atlas);
    an_table_free(e->nodes);
    an_costs_fini(&e->costs);
    free(e->parents);
    prof_close(e->profile);
}
