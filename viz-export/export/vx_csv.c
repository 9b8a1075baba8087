/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values (RFC 4180) of the tables in run.h5; a missing value is an empty field. */
#include "common/ls_put.h"
#include "viz-export/export/vx_exporters.h"
#include "viz-export/export/vx_nodes.h"
#include "viz-export/export/vx_tables.h"
#include "viz-export/vx_text.h"

#include <inttypes.h>
#include <string.h>

/* All ones is missing. */
static void vx_csv_u64_or_not(FILE *out, uint64_t number)
{
    if (number == UINT64_MAX)
        fputc(',', out);
    else
        vx_csv_u64(out, number);
}

static void vx_csv_u32_or_not(FILE *out, uint32_t number)
{
    vx_csv_u64_or_not(out, number == UINT32_MAX ? UINT64_MAX : number);
}

static void vx_csv_text(FILE *out, const char *text)
{
    fputc(',', out);
    ls_put_csv(out, text);
}

static void vx_csv_numbers(FILE *out, const struct an_row *r)
{
    const uint64_t counts[] = {r->samples, r->loads, r->stores, r->measured, r->bursts};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        vx_csv_u64(out, counts[i]);
    vx_csv_double(out, r->time_ns);
    vx_csv_double(out, r->stall_ns);
    vx_csv_double(out, r->median_cycles);
    vx_csv_double(out, r->p95_cycles);
    for (int l = 0; l < PROF_LEVEL_COUNT; l++)
        vx_csv_u64(out, r->levels[l]);
}

static ls_err vx_csv_nodes(const struct vx_source *s, FILE *out)
{
    const struct an_tables *t = s->tables;
    char path[VX_PATH_BYTES];
    fputs("id,parent,kind,label,path,base,end,elem_size_bytes,dims,born_ns,died_ns", out);
    for (int total = 1; total >= 0; total--) {
        const char *of = total ? "" : "self_";
        fprintf(out, ",%ssamples,%sloads,%sstores,%smeasured,%sbursts,%stime_ns,%sstall_ns", of, of, of, of,
                of, of, of);
        fprintf(out, ",%slatency_median_cycles,%slatency_p95_cycles", of, of);
        for (int l = 0; l < PROF_LEVEL_COUNT; l++)
            fprintf(out, ",%s%s", of, vx_level_name((uint8_t)l));
    }
    fputc('\n', out);
    for (uint32_t n = 0; n < t->nodes_len; n++) {
        const struct prof_node *node = &t->nodes[n];
        fprintf(out, "%" PRIu32, n);
        vx_csv_u32_or_not(out, node->parent);
        vx_csv_text(out, vx_kind_name(node->kind));
        vx_csv_text(out, node->label);
        vx_csv_text(out, vx_node_path(t, n, path));
        const uint64_t numbers[] = {node->base, node->end,     node->elem_size_bytes,
                                    node->dims, node->born_ns, node->died_ns};
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
            vx_csv_u64_or_not(out, numbers[i]);
        vx_csv_numbers(out, an_table_total(s->nodes, n));
        vx_csv_numbers(out, an_table_self(s->nodes, n));
        fputc('\n', out);
    }
    return LS_OK;
}

static ls_err vx_csv_threads(const struct vx_source *s, FILE *out)
{
    fputs("thread,process,tid,name,begin_ns,end_ns,cpu_ns,spent_ns\n", out);
    for (size_t i = 0; i < s->tables->threads_len; i++) {
        const struct prof_thread *t = &s->tables->threads[i];
        fprintf(out, "%zu,%" PRIu32 ",%" PRIu32, i, t->process, t->tid);
        vx_csv_text(out, t->name);
        const uint64_t numbers[] = {t->begin_ns, t->end_ns, t->cpu_ns, t->spent_ns};
        for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
            vx_csv_u64_or_not(out, numbers[n]);
        fputc('\n', out);
    }
    return LS_OK;
}

static ls_err vx_csv_bursts(const struct vx_source *s, FILE *out)
{
    fputs(
        "burst,thread,cpu,time_ns,weight_ns,spent_ns,ip,instructions,first_sample,samples_len,function,file,line\n",
        out);
    for (size_t i = 0; i < s->tables->bursts_len; i++) {
        const struct prof_burst *b = &s->tables->bursts[i];
        const struct prof_line *line = vx_line_of(s->tables, b->thread, b->ip, b->time_ns);
        fprintf(out, "%zu", i);
        vx_csv_u32_or_not(out, b->thread);
        vx_csv_u32_or_not(out, b->cpu);
        const uint64_t numbers[] = {b->time_ns,      b->weight_ns,    b->spent_ns,   b->ip,
                                    b->instructions, b->first_sample, b->samples_len};
        for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
            vx_csv_u64_or_not(out, numbers[n]);
        vx_csv_text(out, line ? line->function : "");
        vx_csv_text(out, line ? line->file : "");
        vx_csv_u32_or_not(out, line && line->line ? line->line : UINT32_MAX);
        fputc('\n', out);
    }
    return LS_OK;
}

static ls_err vx_csv_lines(const struct vx_source *s, FILE *out)
{
    fputs("process,ip,module,function,file,line,symbol\n", out);
    for (size_t i = 0; i < s->tables->lines_len; i++) {
        const struct prof_line *l = &s->tables->lines[i];
        fprintf(out, "%" PRIu32 ",%" PRIu64, l->process, l->ip);
        vx_csv_text(out, l->module);
        vx_csv_text(out, l->function);
        vx_csv_text(out, l->file);
        vx_csv_u32_or_not(out, l->line ? l->line : UINT32_MAX);
        vx_csv_text(out, l->symbol);
        fputc('\n', out);
    }
    return LS_OK;
}

static ls_err vx_csv_phases(const struct vx_source *s, FILE *out)
{
    fputs("phase,name,thread,begin_ns,end_ns\n", out);
    for (size_t i = 0; i < s->spans_len; i++) {
        const struct prof_phase_span *span = &s->spans[i];
        fprintf(out, "%" PRIu32, span->phase);
        vx_csv_text(out, vx_phase_name(s->tables, span->phase));
        vx_csv_u32_or_not(out, span->thread);
        vx_csv_u64_or_not(out, span->begin_ns);
        vx_csv_u64_or_not(out, span->end_ns);
        fputc('\n', out);
    }
    return LS_OK;
}

const struct vx_csv_table vx_csv_tables[] = {
    {"samples", "sampled accesses, with names of data, code and phases", VX_NEEDS_SAMPLES, vx_csv_samples},
    {"fields", "values on the natural domain, a row a cell or point", VX_NEEDS_FIELDS, vx_csv_fields},
    {"nodes", "the semantic tree with the numbers of each node", VX_NEEDS_TREE, vx_csv_nodes},
    {"lines", "sampled instructions: function, file, line", VX_NEEDS_TIMELINE, vx_csv_lines},
    {"bursts", "bursts of samples", VX_NEEDS_TIMELINE, vx_csv_bursts},
    {"threads", "threads", VX_NEEDS_TIMELINE, vx_csv_threads},
    {"phases", "each time a thread was in a phase", VX_NEEDS_TIMELINE, vx_csv_phases},
    {0},
};

ls_err vx_csv_table_of(const char *name, const struct vx_csv_table **out)
{
    char names[256] = "";
    *out = &vx_csv_tables[0];
    if (!name) return LS_OK;
    for (const struct vx_csv_table *t = vx_csv_tables; t->name; t++) {
        *out = t;
        if (strcmp(t->name, name) == 0) return LS_OK;
        strcat(strcat(names, *names ? ", " : ""), t->name);
    }
    return ls_fail(LS_ERR_USAGE, "--table: there is no '%s'; there are %s", name, names);
}

static ls_err vx_csv_export(const struct vx_source *s, const struct vx_request *r, ls_outputs *files)
{
    const struct vx_csv_table *table = NULL;
    FILE *out;
    LS_TRY(vx_csv_table_of(r->table, &table));
    LS_TRY(ls_outputs_open(files, r->path, &out));
    return table->write(s, out);
}

const struct vx_exporter vx_exporter_csv = {.name = "csv",
                                            .ends = ".csv",
                                            .words =
                                                "comma-separated values: a table (pandas, R, spreadsheets)",
                                            .needs = VX_NEEDS_SAMPLES,
                                            .one_file = true,
                                            .has_steps = true,
                                            .write = vx_csv_export};
