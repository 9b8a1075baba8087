/* SPDX-License-Identifier: BSD-3-Clause */
/* MemAxes (github.com/LLNL/MemAxes): samples as CSV, and the machine as the XML that it draws beside them.
 * Its reader splits at every comma and takes numbers only, so names have none and loads without a measured
 * latency are left out. */
#include "viz-export/export/vx_memaxes.h"

#include "common/ls_access.h"
#include "common/ls_text.h"
#include "viz-export/export/vx_exporters.h"
#include "viz-export/export/vx_nodes.h"
#include "viz-export/vx_text.h"

#include <inttypes.h>

/* Data sources as PEBS encodes them (Intel SDM 3B, "Data Source Encoding for Load Latency Record"; the same
 * table tools/import/imp_memaxes.c reads): where only the level is known L1 hit, L2 hit, L3 hit without
 * snoop, local memory. 0 is an unknown source. */
static const unsigned vx_pebs_of_level[PROF_LEVEL_COUNT] = {0x1, 0x3, 0x4, 0xa};

/* Numbers of the column snoop (profile/prof_schema.h). */
enum { VX_SNOOP_NONE, VX_SNOOP_HIT, VX_SNOOP_HITM, VX_SNOOP_MISS, VX_SNOOPS };

/* By the data source that the hardware reported and the snoop result; last column: snoop result unknown. 0:
 * no code for the combination. */
static const unsigned char vx_pebs_of_source[LS_SOURCE_COUNT][VX_SNOOPS + 1] = {
    [LS_SOURCE_L1] = {0x1, 0x1, 0x1, 0x1, 0x1},           [LS_SOURCE_LFB] = {0x2, 0x2, 0x2, 0x2, 0x2},
    [LS_SOURCE_L2] = {0x3, 0x3, 0x3, 0x3, 0x3},           [LS_SOURCE_L3] = {0x4, 0x6, 0x7, 0x5, 0x4},
    [LS_SOURCE_L4] = {0x4, 0x6, 0x7, 0x5, 0x4},           [LS_SOURCE_PEER_CACHE] = {0x6, 0x6, 0x7, 0x5, 0x6},
    [LS_SOURCE_REMOTE_CACHE] = {0x8, 0x8, 0x9, 0x8, 0x8}, [LS_SOURCE_DRAM] = {0xc, 0xa, 0xa, 0xa, 0xa},
    [LS_SOURCE_REMOTE_DRAM] = {0xd, 0xb, 0xb, 0xb, 0xd},  [LS_SOURCE_PMEM] = {0xa, 0xa, 0xa, 0xa, 0xa},
    [LS_SOURCE_CXL] = {0xa, 0xa, 0xa, 0xa, 0xa},          [LS_SOURCE_IO] = {0xe, 0xe, 0xe, 0xe, 0xe},
    [LS_SOURCE_UNCACHED] = {0xf, 0xf, 0xf, 0xf, 0xf},
};

static unsigned vx_pebs_source(const struct prof_samples *s, uint64_t i)
{
    const unsigned snoop = s->snoop[i] < VX_SNOOPS ? s->snoop[i] : VX_SNOOPS;
    if (s->source[i] < LS_SOURCE_COUNT) return vx_pebs_of_source[s->source[i]][snoop];
    return s->level[i] < PROF_LEVEL_COUNT ? vx_pebs_of_level[s->level[i]] : 0;
}

/* Return the one grid that its 3-D view can show: the one with the most samples. NULL: there is none. */
static const struct ndm_geometry *vx_one_grid(const struct ndm_atlas *a)
{
    const struct ndm_geometry *best = NULL;
    uint64_t most = 0;
    for (uint32_t d = 0; d < a->domains_len; d++) {
        uint64_t mapped = 0;
        for (uint32_t i = 0; i < a->fields_len; i++)
            if (a->fields[i].domain == d && a->fields[i].node != UINT32_MAX)
                mapped += a->fields[i].mapped_len;
        if (a->domains[d].kind != NDM_GRID || mapped <= most) continue;
        best = &a->domains[d];
        most = mapped;
    }
    return best;
}

/* "1,x,y,z" of a sample in a cell of the grid. */
static void vx_put_cell(const struct ndm_atlas *a, const struct ndm_geometry *grid,
                        const struct prof_samples *s, uint64_t i, FILE *out)
{
    const uint32_t field = s->field[i];
    uint64_t cell = s->value[i];
    if (!grid || field >= a->fields_len || &a->domains[a->fields[field].domain] != grid ||
        cell >= grid->cells_len) {
        fputs(",0,0,0,0\n", out);
        return;
    }
    fputs(",1", out);
    for (int axis = 0; axis < NDM_AXES_MAX; axis++) {
        fprintf(out, ",%" PRIu64, cell % grid->extents[axis]);
        cell /= grid->extents[axis];
    }
    fputc('\n', out);
}

static void vx_put_name(FILE *out, const char *text, const char *otherwise)
{
    if (!*text) text = otherwise;
    for (; *text; text++)
        fputc(*text == ',' || *text == '"' || (unsigned char)*text < ' ' ? ' ' : *text, out);
}

/* Ends before the cell. */
static void vx_put_sample(const struct an_tables *t, const struct prof_samples *s, uint64_t i, FILE *out)
{
    const struct prof_line *line = vx_line_of(t, s->thread[i], s->ip[i], s->time_ns[i]);
    vx_put_name(out, vx_node_label(t, s->node[i]), "??");
    fputc(',', out);
    vx_put_name(out, line ? ls_base_name(line->file) : "", "??");
    fprintf(out, ",%" PRIu32 ",%" PRIx64 ",%" PRIu32 ",%" PRId32 ",%x,%" PRIu32 ",%u,%" PRIu64,
            line ? line->line : 0, s->time_ns[i], s->phase[i] == UINT32_MAX ? 0 : s->phase[i] + 1,
            s->latency_cycles[i], vx_pebs_source(s, i), s->cpu[i], s->numa[i] == UINT8_MAX ? 0u : s->numa[i],
            s->element[i] == UINT64_MAX ? 0 : s->element[i]);
}

static ls_err vx_memaxes_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    const struct prof_samples *samples = &s->in->samples;
    const struct ndm_geometry *grid = vx_one_grid(s->atlas);
    char hardware[PATH_MAX];
    FILE *out, *xml;
    LS_TRY(ls_outputs_sibling(r->path, ".hardware.xml", hardware));
    LS_TRY(ls_outputs_open(files, r->path, &out));
    LS_TRY(ls_outputs_open(files, hardware, &xml));
    fputs("variable,source,line,time,iter,latency,dataSource,cpu,node,index,map3D,xidx,yidx,zidx\n", out);
    for (uint64_t i = 0; i < samples->len; i++)
        if (an_is_measured(samples, i) && samples->cpu[i] != UINT32_MAX) {
            vx_put_sample(s->tables, samples, i, out);
            vx_put_cell(s->atlas, grid, samples, i, out);
        }
    return vx_memaxes_hardware(s, xml);
}

const struct vx_exporter vx_exporter_memaxes = {
    .name = "memaxes",
    .ends = ".memaxes.csv",
    .words = "MemAxes: loads with a latency as CSV, the machine as XML beside it",
    .needs = VX_NEEDS_SAMPLES,
    .write = vx_memaxes_export};
