/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of GS Patterns: full sequences as JSON, a table of source lines, raw indices, and its listing
 * (create_metrics_file of its gs_patterns_core.cpp). GS Patterns writes all raw indices to one file, where
 * only the last pattern's remain; here each pattern has its own. */
#include "patterns/write/pat_writers.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PAT_GS_SHOWN = 39, PAT_GS_PER_LINE = 13, PAT_GS_FAR = 513, PAT_GS_BINS = 2 * PAT_GS_FAR + 1 };

static void pat_gs_source_line(const struct pat_found *r, FILE *out)
{
    if (*r->file)
        fprintf(out, "%s:%" PRIu32, r->file, r->line);
    else if (*r->function)
        fputs(r->function, out);
    else
        fputs("??:0", out);
}

static ls_err pat_gs_raw(const struct pat_indices *p, const char *path, ls_outputs *files)
{
    FILE *out;
    LS_TRY(ls_outputs_open(files, path, &out));
    fwrite(p->data, sizeof(*p->data), p->len, out); /* the host is little-endian (configure) */
    return ls_outputs_close(files, out);
}

/* Shared by all patterns of one call. */
struct pat_gs_job {
    const struct pat_findings *found;
    const struct pat_write_options *options;
    const char *path;
    ls_outputs *files;
    FILE *json, *text;
};

static ls_err pat_gs_pattern(const struct pat_gs_job *job, size_t i)
{
    const struct pat_found *r = &job->found->rows[i];
    char raw[PATH_MAX];
    struct pat_indices flat;
    LS_TRY(pat_whole(r, pat_write_max(job->options), &flat));
    fprintf(job->json, "%s {\"kernel\":\"%s\", \"pattern\":[", i ? ",\n" : "",
            r->op == PAT_OP_LOAD ? "Gather" : "Scatter");
    pat_write_indices(&flat, job->json);
    fputs("], \"count\":1}", job->json);
    pat_gs_source_line(r, job->text);
    fprintf(job->text, ",%c,%zu,%6.3f\n", r->op == PAT_OP_LOAD ? 'G' : 'S', flat.len, 100 * r->access_share);
    pat_write_path(&pat_writer_gs, job->path, 2 + i, job->found->len, raw);
    const ls_err err = pat_gs_raw(&flat, raw, job->files);
    free(flat.data);
    return err;
}

static ls_err pat_gs_write(const struct pat_findings *f, const struct pat_write_options *o, const char *path,
                           ls_outputs *files)
{
    char text[PATH_MAX];
    struct pat_gs_job job = {.found = f, .options = o, .path = path, .files = files};
    pat_write_path(&pat_writer_gs, path, 1, f->len, text);
    LS_TRY(ls_outputs_open(files, path, &job.json));
    LS_TRY(ls_outputs_open(files, text, &job.text));
    pat_whole_note(f, o);
    fputs("[ ", job.json);
    fputs("#sourceline, g/s, indices, percentage of g/s in trace\n", job.text);
    for (size_t i = 0; i < f->len; i++)
        LS_TRY(pat_gs_pattern(&job, i));
    fputs(" ]", job.json);
    return LS_OK;
}

static void pat_gs_print_indices(const struct pat_indices *p, FILE *out)
{
    size_t printed = 0;
    for (size_t j = 0; j < p->len; j++) {
        if (j == PAT_GS_SHOWN && p->len > 2 * (size_t)PAT_GS_SHOWN) {
            fputs("...\n", out);
            j = p->len - PAT_GS_SHOWN;
        }
        fprintf(out, "%10" PRId64 " ", p->data[j]);
        if (++printed % PAT_GS_PER_LINE == 0) fputc('\n', out);
    }
    fputc('\n', out);
}

static void pat_gs_print_histogram(const struct pat_indices *p, FILE *out)
{
    uint64_t bins[PAT_GS_BINS] = {0};
    for (size_t j = 1; j < p->len; j++) {
        const int64_t d = p->data[j] - p->data[j - 1];
        bins[d <= -PAT_GS_FAR ? 0 : d >= PAT_GS_FAR ? PAT_GS_BINS - 1 : d + PAT_GS_FAR]++;
    }
    fputs("DIST HISTOGRAM --\n", out);
    for (int b = 0; b < PAT_GS_BINS; b++) {
        if (bins[b] == 0) continue;
        if (b == 0)
            fprintf(out, "%6s: %" PRIu64 "\n", "< -512", bins[b]);
        else if (b == PAT_GS_BINS - 1)
            fprintf(out, "%6s: %" PRIu64 "\n", ">  512", bins[b]);
        else
            fprintf(out, "%6d: %" PRIu64 "\n", b - PAT_GS_FAR, bins[b]);
    }
}

static void pat_gs_print(const struct pat_findings *f, FILE *out)
{
    static const char rule[] =
        "***************************************************************************************\n";
    const struct pat_write_options o = {.source = ""};
    for (size_t i = 0; i < f->len; i++) {
        const struct pat_found *r = &f->rows[i];
        const bool is_load = r->op == PAT_OP_LOAD;
        struct pat_indices flat;
        if (pat_whole(r, pat_write_max(&o), &flat) != LS_OK) continue;
        fprintf(out, "%s%cIADDR    -- 0x%" PRIx64 "\nSRCLINE   -- ", rule, is_load ? 'G' : 'S', r->ip);
        pat_gs_source_line(r, out);
        fprintf(out, "\n%s %% -- %6.3f%% (512-bit chunks)\nNDISTS  -- %zu\n", is_load ? "GATHER" : "SCATTER",
                100 * r->access_share, flat.len);
        pat_gs_print_indices(&flat, out);
        pat_gs_print_histogram(&flat, out);
        fprintf(out, "%s\n", rule);
        free(flat.data);
    }
}

const struct pat_writer pat_writer_gs = {
    .name = "gs-patterns",
    .text = "the files of GS Patterns: .json, .txt and a .sbin a pattern",
    .end = ".json",
    .more = ".txt",
    .each = ".sbin",
    .write = pat_gs_write,
    .print = pat_gs_print,
};
