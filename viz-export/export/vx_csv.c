/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated values (RFC 4180) of the tables in run.h5; a missing value is an empty field. */
#include "common/ls_put.h"
#include "common/ls_series.h"
#include "run_h5/prof_tables.h"
#include "viz-export/export/vx_export.h"
#include "viz-export/vx_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- fields ---- */

/* Fields as CSV: a row for each cell or point (and step) with its position, a column for each metric. */

struct vx_rows {
    const struct vx_source *s;
    const struct vx_array *arrays;
    size_t arrays_len;
    enum ndm_centering centering;
    uint32_t step;
};

static void vx_put_place(const struct ndm_geometry *g, enum ndm_centering centering, uint64_t i, FILE *out)
{
    double at[NDM_AXES_MAX];
    ndm_geometry_position(g, centering, i, at);
    for (uint32_t d = 0; d < (g->kind == NDM_GRID ? g->dims : NDM_AXES_MAX); d++)
        vx_csv_double(out, at[d]);
}

static void vx_put_row(const struct vx_rows *r, uint64_t i, FILE *out)
{
    const struct vx_selection *chosen = r->s->selection;
    if (r->step != VX_WHOLE_RUN) {
        fprintf(out, "%" PRIu32 ",", r->step);
        ls_put_csv(out, vx_step_label(chosen, r->step));
        vx_csv_double(out, vx_step_begin_s(chosen, r->step));
        fputc(',', out);
    }
    fprintf(out, "%" PRIu64, i);
    vx_put_place(chosen->geometry, r->centering, i, out);
    for (size_t k = 0; k < r->arrays_len; k++)
        vx_csv_double(out, r->arrays[k].values[i]);
    fputc('\n', out);
}

static void vx_put_head(const struct vx_rows *r, FILE *out)
{
    static const char *const mesh_axes[] = {"x", "y", "z"};
    const struct ndm_geometry *g = r->s->selection->geometry;
    if (r->step != VX_WHOLE_RUN) fputs("step,step_label,step_begin_s,", out);
    fputs(r->centering == NDM_CELLS ? "cell" : "point", out);
    for (uint32_t d = 0; d < (g->kind == NDM_GRID ? g->dims : NDM_AXES_MAX); d++) {
        fputc(',', out);
        ls_put_csv(out, g->kind == NDM_GRID ? g->axes[d] : mesh_axes[d]);
    }
    for (size_t k = 0; k < r->arrays_len; k++) {
        fputc(',', out);
        ls_put_csv(out, r->arrays[k].name);
    }
    fputc('\n', out);
}

static ls_err vx_one_centering(const struct vx_selection *s, enum ndm_centering *out)
{
    *out = s->atlas->fields[s->fields[0]].centering;
    for (size_t i = 1; i < s->fields_len; i++)
        if (s->atlas->fields[s->fields[i]].centering != *out)
            return ls_fail(LS_ERR_USAGE,
                           "fields %s and %s lie on cells and on points, "
                           "which one table cannot hold: choose with --field",
                           s->atlas->fields[s->fields[0]].name, s->atlas->fields[s->fields[i]].name);
    return LS_OK;
}

static ls_err vx_put_step(struct vx_rows *r, bool with_head, FILE *out)
{
    struct vx_array *arrays = NULL;
    LS_TRY(vx_arrays_of(r->s->selection, r->step, &arrays, &r->arrays_len));
    r->arrays = arrays;
    if (with_head) vx_put_head(r, out);
    for (uint64_t i = 0; r->arrays_len > 0 && i < arrays[0].len; i++)
        vx_put_row(r, i, out);
    vx_arrays_free(arrays, r->arrays_len);
    return LS_OK;
}

static ls_err vx_csv_fields(const struct vx_source *s, FILE *out)
{
    struct vx_rows r = {.s = s, .step = VX_WHOLE_RUN};
    LS_TRY(vx_one_centering(s->selection, &r.centering));
    if (s->selection->steps_len == 0) return vx_put_step(&r, true, out);
    for (r.step = 0; r.step < s->selection->steps_len; r.step++)
        LS_TRY(vx_put_step(&r, r.step == 0, out));
    return LS_OK;
}

/* ---- samples ---- */

/* /samples as comma-separated values: its columns under their names, then the names of the referenced
 * objects. */

/* Write the digits of a number before end. There are millions of samples, and printf would take most of the
 * time. */
static const char *vx_digits(uint64_t number, bool negative, char *end)
{
    do {
        *--end = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    if (negative) *--end = '-';
    return end;
}

static void vx_put_number(FILE *out, int64_t small, uint64_t large, bool is_signed)
{
    char text[24];
    const bool negative = is_signed && small < 0;
    const char *begin = vx_digits(negative ? 0 - (uint64_t)small : large, negative, text + sizeof(text));
    fwrite(begin, 1, (size_t)(text + sizeof(text) - begin), out);
}

static void vx_csv_head(FILE *out)
{
#define VX_HEAD(name, type, fill, meaning, text) fputs(PROF_COL_##name == 0 ? #name : "," #name, out);
    PROF_SAMPLE_COLUMNS(VX_HEAD)
#undef VX_HEAD
    fputs(",data,level_name,function,file,line,phase_name,thread_name\n", out);
}

/* latency_valid is a flag whose fill value 0 is a valid value. */
static void vx_csv_columns(const struct prof_samples *s, uint64_t i, FILE *out)
{
#define VX_CELL(name, type, fill, meaning, text)                                 \
    if (PROF_COL_##name > 0) fputc(',', out);                                    \
    if (PROF_COL_##name == PROF_COL_latency_valid || s->name[i] != (type)(fill)) \
        vx_put_number(out, (int64_t)s->name[i], (uint64_t)s->name[i], (type)-1 < (type)1);
    PROF_SAMPLE_COLUMNS(VX_CELL)
#undef VX_CELL
}

static void vx_csv_names(const struct an_tables *t, const struct prof_samples *s, uint64_t i, FILE *out)
{
    char path[VX_PATH_BYTES];
    const struct prof_line *line = vx_line_of(t, s->thread[i], s->ip[i], s->time_ns[i]);
    const char *const texts[] = {vx_node_path(t, s->node[i], path), vx_level_name(s->level[i]),
                                 line ? line->function : "", line ? line->file : ""};
    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
        fputc(',', out);
        ls_put_csv(out, texts[k]);
    }
    fputc(',', out);
    if (line && line->line) vx_put_number(out, 0, line->line, false);
    fputc(',', out);
    ls_put_csv(out, vx_phase_name(t, s->phase[i]));
    fputc(',', out);
    ls_put_csv(out, s->thread[i] < t->threads_len ? t->threads[s->thread[i]].name : "");
    fputc('\n', out);
}

struct vx_csv_of_samples {
    const struct an_tables *tables;
    FILE *out;
};

static ls_err vx_csv_part(void *user, const struct prof_samples *part)
{
    const struct vx_csv_of_samples *csv = user;
    for (uint64_t i = 0; i < part->len; i++) {
        vx_csv_columns(part, i, csv->out);
        vx_csv_names(csv->tables, part, i, csv->out);
    }
    return LS_OK;
}

static ls_err vx_csv_samples(const struct vx_source *s, FILE *out)
{
    struct vx_csv_of_samples csv = {s->tables, out};
    vx_csv_head(out);
    return prof_each_part(s->profile, PROF_MASK_ALL, vx_csv_part, &csv);
}

/* ---- tables ---- */

/* A number of all ones is missing. */
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

/* Amounts are per interval; a row in a gap has no value. */
static ls_err vx_csv_series(const struct vx_source *s, FILE *out)
{
    fputs("source,series,scope,unit,is_level,begin_ns,end_ns,value,gap\n", out);
    for (size_t i = 0; i < s->readings_len; i++) {
        const struct prof_reading *r = &s->readings[i];
        const struct prof_counter *c = &s->machine[r->counter];
        fputs(c->source, out);
        vx_csv_text(out, c->name);
        vx_csv_text(out, c->scope);
        vx_csv_text(out, c->unit);
        vx_csv_u32_or_not(out, c->is_level);
        vx_csv_u64_or_not(out, r->begin_ns);
        vx_csv_u64_or_not(out, r->end_ns);
        fputc(',', out);
        if (isfinite(r->value)) fprintf(out, "%.17g", r->value);
        vx_csv_text(out, r->gap != LS_GAP_NONE && r->gap < LS_GAPS_LEN ? prof_gap_names[r->gap] : "");
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
    {"series", "counters of the machine (record --series), a row an interval", VX_NEEDS_TIMELINE,
     vx_csv_series},
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
