/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_source.h"
#include "common/ls_text.h"
#include "patterns/source/pat_input.h"
#include "patterns/source/pat_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Formats in the order in which they are tried: first the ones with a magic, last the guessed ones. */
static const struct pat_source_format *const formats[] = {
    &pat_source_trace,    &pat_source_run_h5,      &pat_source_nvbit, &pat_source_lackey,
    &pat_source_memtrace, &pat_source_perf_script, &pat_source_gem5,  &pat_source_drmemtrace};

enum { FORMATS = sizeof(formats) / sizeof(formats[0]), HEAD_BYTES = 4096 };

struct pat_source {
    const struct pat_source_format *row;
    void *self;
    bool has_ended;
};

const struct pat_source_format *pat_source_format_at(size_t i)
{
    return i < FORMATS ? formats[i] : NULL;
}

/* The names, for a text that asks for one. */
static void list_names(char *out, size_t room)
{
    size_t len = 0;
    *out = '\0';
    for (size_t i = 0; i < FORMATS && len < room; i++)
        len += (size_t)snprintf(out + len, room - len, "%s%s", i ? ", " : "", formats[i]->name);
}

static ls_err find_by_name(const char *name, const struct pat_source_format **out)
{
    char names[256];
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0) {
            *out = formats[i];
            return LS_OK;
        }
    list_names(names, sizeof(names));
    return ls_fail(LS_ERR_USAGE, "there is no format '%s'; there are %s", name, names);
}

static ls_err read_head(const char *path, uint8_t head[HEAD_BYTES], size_t *len)
{
    pat_input *in;
    size_t got = 1;
    *len = 0;
    LS_TRY(pat_input_open(path, &in));
    ls_err err = LS_OK;
    for (; err == LS_OK && got > 0 && *len < HEAD_BYTES; *len += got)
        if ((err = pat_input_read(in, head + *len, HEAD_BYTES - *len, &got)) != LS_OK) break;
    pat_input_free(in);
    if (err == LS_ERR_TRUNCATED && *len > 0) err = LS_OK; /* the format's own reader reports the position */
    return err;
}

/* True for pipes: bytes read to recognise the format would be lost. */
static bool is_read_once(const char *path)
{
    struct stat st;
    return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && S_ISFIFO(st.st_mode));
}

ls_err pat_source_recognise(const char *path, const struct pat_source_format **out)
{
    uint8_t head[HEAD_BYTES];
    char names[256];
    size_t len;
    if (is_read_once(path))
        return ls_fail(LS_ERR_ARG, "the format of %s cannot be recognised: name it (--format %s)",
                       strcmp(path, "-") == 0 ? "standard input" : "a pipe", PAT_SOURCE_NAMES);
    LS_TRY(read_head(path, head, &len));
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->recognise(head, len, path)) {
            *out = formats[i];
            return LS_OK;
        }
    if (ls_is_lfs_pointer(head, len)) return ls_fail(LS_ERR_FORMAT, LS_LFS_POINTER, path);
    if (len > 0 && head[0] == '[')
        return ls_fail(LS_ERR_FORMAT,
                       "%s holds no accesses; if these are patterns already, loadstone patterns show and "
                       "loadstone replay take them",
                       path);
    list_names(names, sizeof(names));
    return ls_fail(LS_ERR_FORMAT, "%s: unknown format (known: %s); name it with --format", path, names);
}

ls_err pat_source_open(const char *path, const struct pat_source_options *o, pat_source **out)
{
    static const struct pat_source_options none;
    const struct pat_source_format *row;
    void *self;
    if (!o) o = &none;
    LS_TRY(o->format ? find_by_name(o->format, &row) : pat_source_recognise(path, &row));
    LS_TRY(row->open(path, o, &self));
    return pat_source_adopt(row, self, out);
}

ls_err pat_source_adopt(const struct pat_source_format *row, void *self, pat_source **out)
{
    pat_source *s = calloc(1, sizeof(*s));
    if (!s) {
        row->close(self);
        return ls_nomem("reading accesses");
    }
    s->row = row;
    s->self = self;
    *out = s;
    return LS_OK;
}

ls_err pat_source_next(pat_source *s, struct pat_batch *b)
{
    memset(b, 0, sizeof(*b));
    if (s->has_ended) return LS_OK;
    LS_TRY(s->row->next(s->self, b));
    s->has_ended = b->events_len == 0 && b->accesses_len == 0;
    return LS_OK;
}

const struct pat_source_format *pat_source_row(const pat_source *s)
{
    return s->row;
}

const struct pat_tables *pat_source_tables(const pat_source *s)
{
    return s->row->tables(s->self);
}

struct pat_source_counts pat_source_counts(const pat_source *s)
{
    return s->row->counts(s->self);
}

void pat_source_close(pat_source *s)
{
    if (!s) return;
    s->row->close(s->self);
    free(s);
}
