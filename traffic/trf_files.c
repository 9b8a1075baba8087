/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters that are files with a number: kept open, read at each interval. */
#include "traffic/trf_source.h"

#include "common/ls_quantity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_PATH_BYTES = 512, FILES_TEXT_BYTES = 64 };

/* A file stays open, and is opened again after an error: it may have come back. */
struct files_file {
    char path[FILES_PATH_BYTES];
    int fd; /* -1: not open */
};

struct trf_files {
    LS_VECTOR(struct files_file) files;
    LS_VECTOR(size_t) ends; /* by counter: the number of its files and of those before */
};

ls_err trf_files_new(struct trf_opened *o)
{
    o->state = calloc(1, sizeof(struct trf_files));
    return o->state ? LS_OK : ls_nomem("counters");
}

ls_err trf_files_counter(struct trf_opened *o, const struct trf_counter *c, const char *name)
{
    struct trf_files *f = o->state;
    LS_TRY(trf_opened_add(o, c, name));
    return LS_VECTOR_ADD(&f->ends, f->files.len);
}

ls_err trf_files_path(struct trf_opened *o, const char *path)
{
    struct trf_files *f = o->state;
    struct files_file file = {.fd = -1};
    if ((size_t)snprintf(file.path, sizeof(file.path), "%s", path) >= sizeof(file.path))
        return ls_fail(LS_ERR_RANGE, "%.80s...: the path is too long", path);
    LS_TRY(LS_VECTOR_ADD(&f->files, file));
    f->ends.rows[f->ends.len - 1]++;
    return LS_OK;
}

static enum ls_gap files_gap(int error)
{
    switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
        return LS_GAP_GONE;
    case EACCES:
    case EPERM:
        return LS_GAP_DENIED;
    default:
        return LS_GAP_UNREADABLE;
    }
}

/* A text that is no number: resctrl has "Unavailable" and "Unassigned" (Documentation/filesystems/resctrl.rst
 * of Linux); an empty file is one whose device is gone. */
static enum ls_gap files_number(char *text, uint64_t *out)
{
    text[strcspn(text, "\n ")] = '\0';
    if (!*text) return LS_GAP_GONE;
    if (ls_parse_u64(text, out) == LS_OK) return LS_GAP_NONE;
    return strcmp(text, "Unassigned") == 0 || strcmp(text, "Unavailable") == 0 ? LS_GAP_UNASSIGNED
                                                                               : LS_GAP_UNREADABLE;
}

static enum ls_gap files_read_one(struct files_file *f, uint64_t *out)
{
    char text[FILES_TEXT_BYTES];
    if (f->fd < 0) f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0) return files_gap(errno);
    const ssize_t got = pread(f->fd, text, sizeof(text) - 1, 0);
    enum ls_gap gap = got < 0 ? files_gap(errno) : LS_GAP_NONE;
    if (got >= 0) {
        text[got] = '\0';
        gap = files_number(text, out);
    }
    if (gap != LS_GAP_NONE && gap != LS_GAP_UNASSIGNED) {
        close(f->fd);
        f->fd = -1;
    }
    return gap;
}

void trf_files_read(void *state, struct trf_reading *out)
{
    struct trf_files *f = state;
    for (size_t c = 0, i = 0; c < f->ends.len; c++)
        for (; i < f->ends.rows[c]; i++) {
            uint64_t value = 0;
            const enum ls_gap gap = files_read_one(&f->files.rows[i], &value);
            if (gap != LS_GAP_NONE) out[c].gap = gap;
            out[c].count += value;
        }
}

static void files_remove(struct trf_opened *o, size_t c)
{
    struct trf_files *f = o->state;
    const size_t begin = c ? f->ends.rows[c - 1] : 0, end = f->ends.rows[c];
    for (size_t i = begin; i < end; i++)
        if (f->files.rows[i].fd >= 0) close(f->files.rows[i].fd);
    memmove(&f->files.rows[begin], &f->files.rows[end], (f->files.len - end) * sizeof(f->files.rows[0]));
    f->files.len -= end - begin;
    for (size_t i = c + 1; i < f->ends.len; i++)
        f->ends.rows[i - 1] = f->ends.rows[i] - (end - begin);
    memmove(&o->counters.rows[c], &o->counters.rows[c + 1],
            (o->counters.len - c - 1) * sizeof(o->counters.rows[0]));
    f->ends.len--;
    o->counters.len--;
}

ls_err trf_files_try(struct trf_opened *o, const char *remedy)
{
    struct trf_files *f = o->state;
    char denied[FILES_PATH_BYTES] = "";
    if (f->ends.len == 0) return LS_OK;
    struct trf_reading *readings = calloc(f->ends.len, sizeof(*readings));
    if (!readings) return ls_nomem("counters");
    trf_files_read(f, readings);
    for (size_t c = f->ends.len; c-- > 0;)
        if (readings[c].gap == LS_GAP_DENIED) {
            memcpy(denied, f->files.rows[c ? f->ends.rows[c - 1] : 0].path, sizeof(denied));
            files_remove(o, c);
        }
    free(readings);
    if (f->ends.len == 0) return ls_fail(LS_ERR_PERMISSION, "%s may not be read: %s", denied, remedy);
    return LS_OK;
}

void trf_files_close(void *state)
{
    struct trf_files *f = state;
    if (!f) return;
    for (size_t i = 0; i < f->files.len; i++)
        if (f->files.rows[i].fd >= 0) close(f->files.rows[i].fd);
    free(f->files.rows);
    free(f->ends.rows);
    free(f);
}
