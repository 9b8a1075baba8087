/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of GS Patterns: full sequences as JSON, a table of source lines, raw indices, and its listing
 * (create_metrics_file of its gs_patterns_core.cpp), as its versions 1 and 2 write them. Version 1 writes all
 * raw indices to one file, where only the last pattern's remain; here each pattern has its own. */
#include "patterns/write/pat_writers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PAT_GS_FAR = 513, PAT_GS_BINS = 2 * PAT_GS_FAR + 1 };

static char pat_gs_letter(const struct pat_found *r)
{
    return r->op == PAT_OP_LOAD ? 'G' : 'S';
}

static void pat_gs_source_line(const struct pat_found *r, FILE *out)
{
    if (*r->file)
        fprintf(out, "%s:%" PRIu32, r->file, r->line);
    else if (*r->function)
        fputs(r->function, out);
    else
        fputs("??:0", out);
}

static void pat_gs1_line(const struct pat_found *r, size_t indices, FILE *out)
{
    pat_gs_source_line(r, out);
    fprintf(out, ",%c,%zu,%6.3f\n", pat_gs_letter(r), indices, 100 * r->access_share);
}

/* Patterns that were found in another mode have no share of windows. */
static double pat_gs2_percent(const struct pat_found *r)
{
    return 100 * (r->window_share > 0 ? r->window_share : r->access_share);
}

static void pat_gs2_line(const struct pat_found *r, size_t indices, FILE *out)
{
    fprintf(out, "0x%" PRIx64 ",", r->ip);
    pat_gs_source_line(r, out);
    fprintf(out, ",%" PRIu64 ",%c,%zu,%6.3f\n", r->elem_size_bytes, pat_gs_letter(r), indices,
            pat_gs2_percent(r));
}

static bool pat_gs2_same_name(const struct pat_found *a, const struct pat_found *b)
{
    return a->op == b->op && a->rank == b->rank && a->elem_size_bytes == b->elem_size_bytes;
}

/* ".g.000.08B.sbin": kind, rank, size of an access. Version 2 takes all threads of an instruction together;
 * where they are apart, the second one's file ends in ".1.sbin". */
static void pat_gs2_end(const struct pat_findings *f, size_t i, char *out, size_t room)
{
    const struct pat_found *r = &f->rows[i];
    size_t before = 0;
    for (size_t k = 0; k < i; k++)
        before += pat_gs2_same_name(&f->rows[k], r);
    const int len = snprintf(out, room, ".%c.%03" PRIu32 ".%02" PRIu64 "B", r->op == PAT_OP_LOAD ? 'g' : 's',
                             r->rank, r->elem_size_bytes);
    if (before)
        snprintf(out + len, room - (size_t)len, ".%zu.sbin", before);
    else
        snprintf(out + len, room - (size_t)len, ".sbin");
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
    const struct pat_writer *writer;
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
    if (job->writer == &pat_writer_gs2)
        pat_gs2_line(r, flat.len, job->text);
    else
        pat_gs1_line(r, flat.len, job->text);
    pat_write_path(job->writer, job->path, 2 + i, job->found, raw);
    const ls_err err = pat_gs_raw(&flat, raw, job->files);
    free(flat.data);
    return err;
}

static ls_err pat_gs_write(const struct pat_gs_job *given, const char *head)
{
    char text[PATH_MAX];
    struct pat_gs_job job = *given;
    const struct pat_findings *f = job.found;
    pat_write_path(job.writer, job.path, 1, f, text);
    LS_TRY(ls_outputs_open(job.files, job.path, &job.json));
    LS_TRY(ls_outputs_open(job.files, text, &job.text));
    pat_whole_note(f, job.options);
    fputs("[ ", job.json);
    fprintf(job.text, "%s\n", head);
    for (size_t i = 0; i < f->len; i++)
        LS_TRY(pat_gs_pattern(&job, i));
    fputs(" ]", job.json);
    return LS_OK;
}

static ls_err pat_gs1_write(const struct pat_findings *f, const struct pat_write_options *o, const char *path,
                            ls_outputs *files)
{
    const struct pat_gs_job job = {&pat_writer_gs, f, o, path, files, NULL, NULL};
    return pat_gs_write(&job, "#sourceline, g/s, indices, percentage of g/s in trace");
}

static ls_err pat_gs2_write(const struct pat_findings *f, const struct pat_write_options *o, const char *path,
                            ls_outputs *files)
{
    const struct pat_gs_job job = {&pat_writer_gs2, f, o, path, files, NULL, NULL};
    return pat_gs_write(&job, "#iaddr, sourceline, type size bytes, g/s, nindices, final percentage of g/s");
}

/* ---- the listing ---- */

/* Number of indices that are printed at both ends, and in a line. */
struct pat_gs_layout {
    size_t shown, per_line;
};

static void pat_gs_print_indices(const struct pat_indices *p, struct pat_gs_layout layout, FILE *out)
{
    size_t printed = 0;
    for (size_t j = 0; j < p->len; j++) {
        if (j == layout.shown && p->len > 2 * layout.shown) {
            fputs("...\n", out);
            j = p->len - layout.shown;
        }
        fprintf(out, "%10" PRId64 " ", p->data[j]);
        if (++printed % layout.per_line == 0) fputc('\n', out);
    }
    fputc('\n', out);
}

/* By distance from -512 to 512; the first and the last bin hold the farther ones. */
static void pat_gs_count(const struct pat_indices *p, uint64_t bins[PAT_GS_BINS])
{
    memset(bins, 0, PAT_GS_BINS * sizeof(*bins));
    for (size_t j = 1; j < p->len; j++) {
        const int64_t d = p->data[j] - p->data[j - 1];
        bins[d <= -PAT_GS_FAR ? 0 : d >= PAT_GS_FAR ? PAT_GS_BINS - 1 : d + PAT_GS_FAR]++;
    }
}

static void pat_gs1_histogram(const uint64_t bins[PAT_GS_BINS], FILE *out)
{
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

/* Four bins. Version 2 itself leaves distances 0 and 512 out of them. */
static void pat_gs2_histogram(const uint64_t bins[PAT_GS_BINS], FILE *out)
{
    uint64_t back = 0, ahead = 0;
    for (int b = 1; b < PAT_GS_BINS - 1; b++)
        *(b < PAT_GS_FAR ? &back : &ahead) += bins[b];
    fprintf(out,
            "( -inf,  -513]: %" PRIu64 "\n[ -512,     0): %" PRIu64 "\n[    0,   512]: %" PRIu64
            "\n[  513,   inf): %" PRIu64 "\n",
            bins[0], back, ahead, bins[PAT_GS_BINS - 1]);
}

static const char pat_gs_rule[] =
    "***************************************************************************************\n";

static void pat_gs1_print_one(const struct pat_found *r, const struct pat_indices *flat, FILE *out)
{
    uint64_t bins[PAT_GS_BINS];
    fputs(pat_gs_rule, out);
    fprintf(out, "%cIADDR    -- 0x%" PRIx64 "\nSRCLINE   -- ", pat_gs_letter(r), r->ip);
    pat_gs_source_line(r, out);
    fprintf(out, "\n%s %% -- %6.3f%% (512-bit chunks)\nNDISTS  -- %zu\n",
            r->op == PAT_OP_LOAD ? "GATHER" : "SCATTER", 100 * r->access_share, flat->len);
    pat_gs_print_indices(flat, (struct pat_gs_layout){39, 13}, out);
    fputs("DIST HISTOGRAM --\n", out);
    pat_gs_count(flat, bins);
    pat_gs1_histogram(bins, out);
    fprintf(out, "%s\n", pat_gs_rule);
}

/* Version 2 prints "GATHER %" for scatters as well. */
static void pat_gs2_print_one(const struct pat_found *r, const struct pat_indices *flat, FILE *out)
{
    uint64_t bins[PAT_GS_BINS];
    fprintf(out, "%cIADDR    -- 0x%" PRIx64 "\nSRCLINE   -- ", pat_gs_letter(r), r->ip);
    pat_gs_source_line(r, out);
    fprintf(out, "\nGATHER %% -- %6.3f%% ( 512-bit chunks)\nDTYPE      -- %" PRIu64 " bytes\n",
            pat_gs2_percent(r), r->elem_size_bytes);
    fprintf(out, "NINDICES   -- %zu\nINDICES:\n", flat->len);
    pat_gs_print_indices(flat, (struct pat_gs_layout){50, 10}, out);
    fputs("DIST HISTOGRAM --\n", out);
    pat_gs_count(flat, bins);
    pat_gs2_histogram(bins, out);
    fprintf(out, "%s\n", pat_gs_rule);
}

/* Print the lines before pattern i: a head before the first gather and the first scatter, and the name of its file of
 * indices. */
static void pat_gs2_print_head(const struct pat_findings *f, size_t i, const char *path, FILE *out)
{
    char name[PATH_MAX];
    const bool is_first = i == 0 || f->rows[i].op != f->rows[i - 1].op;
    if (is_first)
        fprintf(out, "%s\n%s%s%sS\n", i ? "" : "\n", pat_gs_rule, pat_gs_rule,
                f->rows[i].op == PAT_OP_LOAD ? "GATHER" : "SCATTER");
    else
        fputs(pat_gs_rule, out);
    pat_write_path(&pat_writer_gs2, path, 2 + i, f, name);
    fprintf(out, "%s%s\n", pat_gs_rule, name);
}

static void pat_gs_print(const struct pat_findings *f, const struct pat_write_options *o, const char *path,
                         bool is_2, FILE *out)
{
    for (size_t i = 0; i < f->len; i++) {
        struct pat_indices flat;
        if (pat_whole(&f->rows[i], pat_write_max(o), &flat) != LS_OK) continue;
        if (is_2) pat_gs2_print_head(f, i, path, out);
        (is_2 ? pat_gs2_print_one : pat_gs1_print_one)(&f->rows[i], &flat, out);
        free(flat.data);
    }
}

static void pat_gs1_print(const struct pat_findings *f, const struct pat_write_options *o, const char *path,
                          FILE *out)
{
    pat_gs_print(f, o, path, false, out);
}

static void pat_gs2_print(const struct pat_findings *f, const struct pat_write_options *o, const char *path,
                          FILE *out)
{
    pat_gs_print(f, o, path, true, out);
}

const struct pat_writer pat_writer_gs = {
    .name = "gs-patterns",
    .text = "the files of GS Patterns: .json, .txt and a .sbin a pattern",
    .end = ".json",
    .more = ".txt",
    .by_kind = true,
    .each = ".sbin",
    .write = pat_gs1_write,
    .print = pat_gs1_print,
};

const struct pat_writer pat_writer_gs2 = {
    .name = "gs-patterns",
    .text = "the files of GS Patterns 2: .json, .txt and a .sbin a pattern",
    .end = ".json",
    .more = ".txt",
    .by_kind = true,
    .each = ".sbin",
    .end_each = pat_gs2_end,
    .write = pat_gs2_write,
    .print = pat_gs2_print,
};
