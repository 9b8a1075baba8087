/* SPDX-License-Identifier: BSD-3-Clause */
/* MemAxes (github.com/LLNL/MemAxes): samples as CSV, and the machine as the XML that it draws beside them.
 * Its reader splits at every comma and takes numbers only, so names have none and loads without a measured
 * latency are left out. */
#include "viz-export/vx_memaxes.h"

#include "viz-export/vx_exporters.h"
#include "viz-export/vx_nodes.h"
#include "viz-export/vx_text.h"

#include <inttypes.h>

/* What PEBS writes as data source (Intel SDM 3B, "Data Source Encoding for Load Latency Record"): L1 hit, L2
 * hit, L3 hit without snoop, local memory. 0 is an unknown source. */
static const unsigned vx_pebs_source[PROF_LEVEL_COUNT] = {0x1, 0x3, 0x4, 0xa};

static void vx_put_name(FILE *out, const char *text, const char *otherwise)
{
    if (!*text) text = otherwise;
    for (; *text; text++)
        fputc(*text == ',' || *text == '"' || (unsigned char)*text < ' ' ? ' ' : *text, out);
}

static void vx_put_sample(const struct an_tables *t, const struct prof_samples *s, uint64_t i, FILE *out)
{
    const struct prof_line *line = vx_line_of(t, s->thread[i], s->ip[i], s->time_ns[i]);
    const unsigned source = s->level[i] < PROF_LEVEL_COUNT ? vx_pebs_source[s->level[i]] : 0;
    vx_put_name(out, vx_node_label(t, s->node[i]), "??");
    fputc(',', out);
    vx_put_name(out, line ? ls_outputs_base(line->file) : "", "??");
    fprintf(out, ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",%" PRId32 ",%x,%" PRIu32 ",%u,%" PRIu64 ",0,0,0,0\n",
            line ? line->line : 0, s->time_ns[i], s->phase[i] == UINT32_MAX ? 0 : s->phase[i] + 1,
            s->latency_cycles[i], source, s->cpu[i], s->numa[i] == UINT8_MAX ? 0u : s->numa[i],
            s->element[i] == UINT64_MAX ? 0 : s->element[i]);
}

static ls_err vx_memaxes_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    const struct prof_samples *samples = &s->in->samples;
    char hardware[PATH_MAX];
    FILE *out, *xml;
    LS_TRY(ls_outputs_sibling(r->path, ".hardware.xml", hardware));
    LS_TRY(ls_outputs_open(files, r->path, &out));
    LS_TRY(ls_outputs_open(files, hardware, &xml));
    fputs("variable,source,line,time,iter,latency,dataSource,cpu,node,index,map3D,xidx,yidx,zidx\n", out);
    for (uint64_t i = 0; i < samples->len; i++)
        if (an_is_measured(samples, i) && samples->cpu[i] != UINT32_MAX)
            vx_put_sample(s->tables, samples, i, out);
    return vx_memaxes_hardware(s, xml);
}

const struct vx_exporter vx_exporter_memaxes = {
    .name = "memaxes",
    .ends = ".memaxes.csv",
    .words = "MemAxes: loads with a latency as CSV, the machine as XML beside it",
    .needs = VX_NEEDS_SAMPLES,
    .write = vx_memaxes_export};
