/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/write/pat_write.h"
#include "common/ls_text.h"
#include "patterns/write/pat_writers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PAT_ACCESSES_MAX = 1 << 20, PAT_NUMBER_BYTES = 24, PAT_END_BYTES = 64 };

static const struct pat_writer *const pat_writers[] = {
    &pat_writer_json,
    &pat_writer_spatter,
    &pat_writer_gs,
    &pat_writer_gem5,
};

const struct pat_writer *pat_writer_at(size_t i)
{
    return i < sizeof(pat_writers) / sizeof(pat_writers[0]) ? pat_writers[i] : NULL;
}

/* Length of path without the ending of its last component. */
static int pat_stem_len(const char *path)
{
    const char *base = ls_base_name(path), *dot = strrchr(base, '.');
    return dot && dot != base ? (int)(dot - path) : (int)strlen(path);
}

bool pat_write_path(const struct pat_writer *w, const char *path, size_t i, const struct pat_findings *f,
                    char out[PATH_MAX])
{
    const int stem = pat_stem_len(path);
    const size_t first = w->more ? 2 : 1, patterns_len = f ? f->len : 0;
    char end[PAT_END_BYTES];
    if (i == 0)
        snprintf(out, PATH_MAX, "%s", path);
    else if (i < first)
        snprintf(out, PATH_MAX, "%.*s%s", stem, path, w->more);
    else if (w->end_each && i - first < patterns_len) {
        w->end_each(f, i - first, end, sizeof(end));
        snprintf(out, PATH_MAX, "%.*s%s", stem, path, end);
    } else if (w->each && i - first < patterns_len)
        snprintf(out, PATH_MAX, "%.*s.%zu%s", stem, path, i - first, w->each);
    else
        return false;
    return true;
}

ls_err pat_write(const struct pat_writer *w, const struct pat_findings *f, const struct pat_write_options *o,
                 const char *path)
{
    ls_outputs *files;
    if (f->len == 0) return ls_fail(LS_ERR_ARG, "%s: there is no pattern to write", o->source);
    LS_TRY(ls_outputs_new(true, &files));
    ls_err err = w->write(f, o, path, files);
    if (err == LS_OK) err = ls_outputs_commit(files);
    ls_outputs_free(files);
    return err;
}

uint64_t pat_write_max(const struct pat_write_options *o)
{
    return o->accesses_max ? o->accesses_max : PAT_ACCESSES_MAX;
}

void pat_write_note(const struct pat_write_options *o, const char *format, ...)
{
    char text[400];
    if (!o->note) return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    o->note(o->user, text);
}

/* Print a list, followed by text, without printf, which would take longer than finding lists of a million. */
static const char *pat_write_number(int64_t number, char text[PAT_NUMBER_BYTES])
{
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    char *at = text + PAT_NUMBER_BYTES;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0) *--at = '-';
    return at;
}

void pat_write_indices(const struct pat_indices *p, FILE *out)
{
    char text[PAT_NUMBER_BYTES];
    for (size_t i = 0; i < p->len; i++) {
        if (i) putc_unlocked(',', out);
        const char *number = pat_write_number(p->data[i], text);
        fwrite(number, 1, (size_t)(text + sizeof(text) - number), out);
    }
}

static const char *pat_base_name(const char *path)
{
    return path ? ls_base_name(path) : "";
}

/* Write " in multiply (spmv.c:88)", or the known part of it. */
static void pat_code_text(const struct pat_found *r, char *out, size_t room)
{
    const char *module = pat_base_name(r->module), *file = pat_base_name(r->file);
    if (*r->function && *file && r->line)
        snprintf(out, room, " in %s (%s:%" PRIu32 ")", r->function, file, r->line);
    else if (*r->function)
        snprintf(out, room, " in %s", r->function);
    else if (*file && r->line)
        snprintf(out, room, " at %s:%" PRIu32, file, r->line);
    else if (*module)
        snprintf(out, room, " in %s+0x%" PRIx64, module, r->linked_ip);
    else
        snprintf(out, room, " at 0x%" PRIx64, r->ip);
}

void pat_where_text(const struct pat_found *r, char *out, size_t room)
{
    const bool is_load = r->op == PAT_OP_LOAD, is_update = r->config.operation == PAT_OPERATION_UPDATE;
    char code[512];
    pat_code_text(r, code, sizeof(code));
    snprintf(out, room, "%s%s%s%s%s%s",
             is_load     ? "gather"
             : is_update ? "update"
                         : "scatter",
             !*r->home              ? ""
             : is_load || is_update ? " of "
                                    : " to ",
             r->home, *r->index_home ? " through " : "", r->index_home, code);
}

void pat_origin_text(const struct pat_found *r, char *out, size_t room)
{
    pat_where_text(r, out, room);
    const size_t len = strlen(out);
    snprintf(out + len, room - len, "; %s, %s", pat_class_name(r->class), pat_form_name(r->form));
}
