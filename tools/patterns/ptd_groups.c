/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/patterns/ptd_groups.h"

#include <math.h>
#include <stdlib.h>

static bool ptd_has_cost(const struct ptd_groups *g, size_t input)
{
    for (size_t i = 0; i < g->items.len; i++)
        if (g->items.rows[i].input == input && !isnan(g->items.rows[i].share)) return true;
    return false;
}

/* Shares are relative to a file's cost: average them so that each file counts alike. */
static void ptd_share_among_files(struct ptd_groups *g)
{
    size_t files = 0;
    for (size_t i = 0; i < g->inputs_len; i++)
        files += ptd_has_cost(g, i);
    for (size_t i = 0; files && i < g->clusters.groups_len; i++)
        g->clusters.groups[i].share /= (double)files;
}

ls_err ptd_groups_make(char *const *paths, size_t paths_len, const struct ptd_group_options *o,
                       struct ptd_groups *out)
{
    *out = (struct ptd_groups){.within = o->within, .inputs = calloc(paths_len, sizeof *out->inputs)};
    if (!out->inputs) return ls_nomem("%zu files of patterns", paths_len);
    for (size_t i = 0; i < paths_len; i++) {
        out->inputs_len++;
        LS_TRY(ptd_input_read(paths[i], &o->settings, &out->inputs[i]));
        LS_TRY(pat_items_move(&out->inputs[i].items, &out->items, (uint32_t)i));
    }
    LS_TRY(pat_cluster(&out->items, o->within, &out->clusters));
    ptd_share_among_files(out);
    return LS_OK;
}

void ptd_groups_fini(struct ptd_groups *g)
{
    pat_clusters_fini(&g->clusters);
    pat_items_fini(&g->items);
    for (size_t i = 0; i < g->inputs_len; i++)
        ptd_input_fini(&g->inputs[i]);
    free(g->inputs);
}
