/* SPDX-License-Identifier: BSD-3-Clause */
/* /samples as comma-separated values: its columns under their names, then the names of the referenced
 * objects. */
#include "common/ls_put.h"
#include "viz-export/export/vx_nodes.h"
#include "viz-export/export/vx_tables.h"
#include "viz-export/vx_text.h"

#include <inttypes.h>

/* Digits of a number before end; samples are millions, and printf takes most of the time. */
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
#define VX_HEAD(name, type, fill, text) fputs(PROF_COL_##name == 0 ? #name : "," #name, out);
    PROF_SAMPLE_COLUMNS(VX_HEAD)
#undef VX_HEAD
    fputs(",data,level_name,function,file,line,phase_name,thread_name\n", out);
}

/* latency_valid is a flag: its fill value, 0, is an answer. */
static void vx_csv_columns(const struct prof_samples *s, uint64_t i, FILE *out)
{
#define VX_CELL(name, type, fill, text)                                          \
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

ls_err vx_csv_samples(const struct vx_source *s, FILE *out)
{
    const struct prof_samples *samples = &s->in->samples;
    vx_csv_head(out);
    for (uint64_t i = 0; i < samples->len; i++) {
        vx_csv_columns(samples, i, out);
        vx_csv_names(s->tables, samples, i, out);
    }
    return LS_OK;
}
