/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/export/vx_nodes.h"

#include <stdio.h>
#include <string.h>

#define VX_KIND_NAME(name, text, precise) [PROF_NODE_##name] = (text),
static const char *const vx_kind_names[] = {PROF_NODE_KINDS(VX_KIND_NAME)};
#undef VX_KIND_NAME

static const char *const vx_level_names[PROF_LEVEL_COUNT] = {"L1", "L2", "L3", "DRAM"};

const char *vx_kind_name(uint32_t kind)
{
    return kind < PROF_NODE_KIND_COUNT ? vx_kind_names[kind] : "";
}

const char *vx_level_name(uint8_t level)
{
    return level < PROF_LEVEL_COUNT ? vx_level_names[level] : "";
}

const char *vx_node_path(const struct an_tables *t, uint32_t node, char out[VX_PATH_BYTES])
{
    size_t at = VX_PATH_BYTES - 1; /* filled from its end, since parents are found last */
    out[at] = '\0';
    for (uint32_t n = node; n < t->nodes_len && n != 0; n = t->nodes[n].parent) {
        const char *label = t->nodes[n].label;
        const size_t len = strlen(label), slash = out[at] != '\0';
        if (len + slash > at) break;
        if (slash) out[--at] = '/';
        at -= len;
        memcpy(out + at, label, len);
        if (t->nodes[n].parent >= n) break; /* parents come first */
    }
    return out + at;
}

const char *vx_node_label(const struct an_tables *t, uint32_t node)
{
    return node < t->nodes_len ? t->nodes[node].label : "";
}

const char *vx_phase_name(const struct an_tables *t, uint32_t phase)
{
    return phase < t->phases_len ? t->phases[phase].name : "";
}

const struct prof_line *vx_line_of(const struct an_tables *t, uint32_t thread, uint64_t ip, uint64_t time_ns)
{
    uint32_t row = an_tables_line(t, an_tables_process(t, thread), ip);
    if (row >= t->lines_len) return NULL;
    row = an_tables_line_then(t, row, time_ns);
    return row < t->lines_len ? &t->lines[row] : NULL;
}
