/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/patterns/ptn_groups.h"

#include <math.h>
#include <stdlib.h>

static bool ptn_has_cost(const struct ptn_groups *g, size_t input)
{
    for (size_t i = 0; i < g->items.len; i++)
        if (g->items.rows[i].input == input && !isnan(g->items.rows[i].share)) return true;
    return false;
}

/* Shares are relative to a file's cost: average them so that each file counts alike. */
static void ptn_share_among_files(struct ptn_groups *g)
{
    size_t files = 0;
    for (size_t i = 0; i < g->inputs_len; i++)
        files += ptn_has_cost(g, i);
    for (size_t i = 0; files && i < g->clusters.groups_len; i++)
        g->clusters.groups[i].share /= (double)files;
}

ls_err ptn_groups_make(char *const *paths, size_t paths_len, const struct ptn_group_options *o,
                       struct ptn_groups *out)
{
    *out = (struct ptn_groups){.within = o->within, .inputs = calloc(paths_len, sizeof *out->inputs)};
    if (!out->inputs) return ls_nomem("%zu files of patterns", paths_len);
    for (size_t i = 0; i < paths_len; i++) {
        out->inputs_len++;
        LS_TRY(ptn_input_read(paths[i], &o->settings, &out->inputs[i]));
        LS_TRY(pat_items_move(&out->inputs[i].items, &out->items, (uint32_t)i));
    }
    LS_TRY(pat_cluster(&out->items, o->within, &out->clusters));
    ptn_share_among_files(out);
    return LS_OK;
}

void ptn_groups_fini(struct ptn_groups *g)
{
    pat_clusters_fini(&g->clusters);
    pat_items_fini(&g->items);
    for (size_t i = 0; i < g->inputs_len; i++)
        ptn_input_fini(&g->inputs[i]);
    free(g->inputs);
}
