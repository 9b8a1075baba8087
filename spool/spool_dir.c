/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "spool/spool_dir.h"

#include "common/ls_owner.h"
#include "common/ls_sorted.h"
#include "common/ls_vector.h"
#include "spool/spool_record.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct spool_dir {
    struct spool_image *images;
    size_t images_len;
};

struct spool_entry {
    struct spool_name name;
    char *path;
};
struct spool_entries {
    struct spool_entry *rows;
    size_t len, room;
};

static uint64_t spool_image_key(const struct spool_name *n)
{
    return (uint64_t)n->pid << 32 | n->image;
}

static uint64_t spool_stream_key(const struct spool_name *n)
{
    return (uint64_t)n->tid << 32 | n->stream;
}

static int spool_compare_entries(const void *a, const void *b)
{
    const struct spool_entry *x = a, *y = b;
    const uint64_t images[] = {spool_image_key(&x->name), spool_image_key(&y->name)};
    const uint64_t streams[] = {spool_stream_key(&x->name), spool_stream_key(&y->name)};
    const int by_image = ls_compare_u64(&images[0], &images[1]);
    return by_image ? by_image : ls_compare_u64(&streams[0], &streams[1]);
}

static void spool_entries_fini(struct spool_entries *e)
{
    for (size_t i = 0; i < e->len; i++)
        free(e->rows[i].path);
    free(e->rows);
    *e = (struct spool_entries){0};
}

static ls_err spool_entries_add(struct spool_entries *list, struct spool_entry row, const char *dir,
                                const char *name)
{
    LS_TRY(LS_GROW(list->rows, list->room, list->len + 1));
    if (asprintf(&row.path, "%s/%s", dir, name) < 0) return ls_nomem("the listing of %s", dir);
    list->rows[list->len++] = row;
    return LS_OK;
}

static ls_err spool_list(const char *path, struct spool_entries *out)
{
    DIR *dir = opendir(path);
    if (!dir) return ls_fail_errno(errno, "cannot open spool directory %s", path);
    ls_err e = LS_OK;
    for (const struct dirent *d; e == LS_OK && (d = readdir(dir)) != NULL;) {
        struct spool_entry row;
        if (spool_file_name_parse(d->d_name, &row.name)) e = spool_entries_add(out, row, path, d->d_name);
    }
    closedir(dir);
    if (out->len > 0) qsort(out->rows, out->len, sizeof(*out->rows), spool_compare_entries);
    return e;
}

/* A process that is killed while it creates its file leaves a file without a header, because the header is
 * written first; such a file contains no data. An unreadable file is kept: its reader reports the reason. */
static bool spool_file_has_begun(const char *path)
{
    uint64_t magic = 0;
    const int fd = ls_open_regular(path);
    if (fd < 0) return true;
    const ssize_t got = read(fd, &magic, sizeof(magic));
    close(fd);
    return got < 0 || (got > 0 && magic != 0);
}

/* The file at path, if it has a header; an unreadable file has a path and no length. */
static bool spool_image_source(const char *path, struct spool_source *out)
{
    if (!spool_file_has_begun(path)) return false;
    if (spool_source_of_file(path, out) != LS_OK) *out = (struct spool_source){.path = path};
    return true;
}

static ls_err spool_image_scan(struct spool_image *image, const struct spool_source *shared)
{
    struct spool_file_header h;
    const ls_err e = spool_source_header(shared, SPOOL_SHARED_CHUNK_BYTES, &h);
    if (e == LS_OK) return spool_streams_scan(shared, &image->streams);
    return spool_streams_add_own(&image->streams, shared, 0, 0); /* its reader reports the error */
}

/* rows: its files, in order. */
static ls_err spool_image_add_files(struct spool_image *image, const struct spool_entry *rows)
{
    struct spool_source source;
    size_t shared = 0;
    while (shared < image->files_len &&
           !(spool_image_source(image->files[shared], &source) && spool_source_is_shared(&source)))
        shared++;
    if (shared < image->files_len) LS_TRY(spool_image_scan(image, &source));
    for (size_t i = 0; i < image->files_len; i++)
        if (i != shared && spool_image_source(image->files[i], &source))
            LS_TRY(spool_streams_add_own(&image->streams, &source, rows[i].name.tid, rows[i].name.stream));
    spool_streams_sort(&image->streams);
    return LS_OK;
}

/* rows: its len files, in order; their paths are handed over. */
static ls_err spool_image_fill(struct spool_image *image, const char *dir, struct spool_entry *rows,
                               size_t len)
{
    image->pid = rows[0].name.pid;
    image->image = rows[0].name.image;
    if (asprintf(&image->path, "%s/p%u.%u", dir, image->pid, image->image) < 0) image->path = NULL;
    image->files = calloc(len, sizeof(*image->files));
    if (!image->path || !image->files) return ls_nomem("the listing of %s", dir);
    for (size_t i = 0; i < len; i++) {
        image->files[image->files_len++] = rows[i].path;
        rows[i].path = NULL;
    }
    return spool_image_add_files(image, rows);
}

static ls_err spool_dir_fill(spool_dir *d, const char *path, struct spool_entries *entries)
{
    d->images = calloc(entries->len, sizeof(*d->images)); /* at most */
    if (!d->images) return ls_nomem("the listing of %zu files", entries->len);
    for (size_t i = 0, len; i < entries->len; i += len) {
        const uint64_t key = spool_image_key(&entries->rows[i].name);
        len = 1;
        while (i + len < entries->len && spool_image_key(&entries->rows[i + len].name) == key)
            len++;
        LS_TRY(spool_image_fill(&d->images[d->images_len++], path, &entries->rows[i], len));
    }
    return LS_OK;
}

ls_err spool_dir_open(const char *path, spool_dir **out)
{
    struct spool_entries entries = {0};
    spool_dir *d = calloc(1, sizeof(*d));
    ls_err e = d ? spool_list(path, &entries) : ls_nomem("%s", path);
    if (e == LS_OK && entries.len == 0)
        e = ls_fail(
            LS_ERR_NOT_FOUND,
            "%s: no recorded process in there (expected files p<pid>.<image>.t<tid>.<n>); was the program "
            "started with the preload, and is it dynamically linked?",
            path);
    if (e == LS_OK) e = spool_dir_fill(d, path, &entries);
    spool_entries_fini(&entries);
    if (e == LS_OK)
        *out = d;
    else
        spool_dir_free(d);
    return e;
}

void spool_dir_free(spool_dir *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->images_len; i++) {
        for (size_t f = 0; f < d->images[i].files_len; f++)
            free(d->images[i].files[f]);
        free(d->images[i].files);
        spool_streams_fini(&d->images[i].streams);
        free(d->images[i].path);
    }
    free(d->images);
    free(d);
}

const struct spool_image *spool_dir_images(const spool_dir *d, size_t *out_len)
{
    *out_len = d->images_len;
    return d->images;
}
