/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/charts/vx_results_h5.h"

#include <stdlib.h>
#include <string.h>

#define VX_COLUMN(type, member) {#member, PROF_##type, offsetof(struct vx_result, member)},
const struct vx_column vx_columns[] = {VX_RESULT_COLUMNS(VX_COLUMN)};
const size_t vx_columns_len = sizeof(vx_columns) / sizeof(vx_columns[0]);

const struct vx_attribute vx_attributes[] = {
    {"host", offsetof(struct vx_results, host)},         {"cpu", offsetof(struct vx_results, cpu)},
    {"topology", offsetof(struct vx_results, topology)}, {"command", offsetof(struct vx_results, command)},
    {"version", offsetof(struct vx_results, version)},   {"study", offsetof(struct vx_results, study)},
};
const size_t vx_attributes_len = sizeof(vx_attributes) / sizeof(vx_attributes[0]);

void vx_results_fini(struct vx_results *r)
{
    for (size_t c = 0; c < vx_columns_len; c++)
        for (size_t i = 0; vx_columns[c].type == PROF_TEXT && r->rows && i < r->len; i++)
            free(*(char **)((char *)&r->rows[i] + vx_columns[c].offset));
    for (size_t a = 0; a < vx_attributes_len; a++)
        free(*(char **)((char *)r + vx_attributes[a].offset));
    free(r->rows);
    memset(r, 0, sizeof(*r));
}
