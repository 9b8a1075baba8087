/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "spool/spool_dir.h"

#include "common/ls_owner.h"
#include "common/ls_vector.h"

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

/* An entry of the form <letter><number>.<number>. */
struct spool_entry {
    uint32_t first, second;
    char *path;
};
struct spool_entries {
    struct spool_entry *rows;
    size_t len, room;
};

static bool spool_parse_name(const char *name, char letter, struct spool_entry *out)
{
    int used = 0;
    if (name[0] != letter || name[1] < '0' || name[1] > '9') return false;
    return sscanf(name + 1, "%9u.%9u%n", &out->first, &out->second, &used) == 2 && name[1 + used] == '\0';
}

static int spool_compare_entries(const void *a, const void *b)
{
    const struct spool_entry *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->second > y->second) - (x->second < y->second);
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

static ls_err spool_list(const char *path, char letter, struct spool_entries *out)
{
    DIR *dir = opendir(path);
    if (!dir) return ls_fail_errno(errno, "cannot open spool directory %s", path);
    ls_err e = LS_OK;
    for (const struct dirent *d; e == LS_OK && (d = readdir(dir)) != NULL;) {
        struct spool_entry row;
        if (spool_parse_name(d->d_name, letter, &row)) e = spool_entries_add(out, row, path, d->d_name);
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

static ls_err spool_image_add_files(struct spool_image *image, const struct spool_entries *files)
{
    struct spool_source source;
    size_t shared = 0;
    while (shared < image->files_len &&
           !(spool_image_source(image->files[shared], &source) && spool_source_is_shared(&source)))
        shared++;
    if (shared < image->files_len) LS_TRY(spool_image_scan(image, &source));
    for (size_t i = 0; i < image->files_len; i++)
        if (i != shared && spool_image_source(image->files[i], &source))
            LS_TRY(
                spool_streams_add_own(&image->streams, &source, files->rows[i].first, files->rows[i].second));
    spool_streams_sort(&image->streams);
    return LS_OK;
}

static ls_err spool_image_fill(struct spool_image *image, struct spool_entry *entry)
{
    struct spool_entries files = {0};
    image->pid = entry->first;
    image->image = entry->second;
    image->path = entry->path;
    entry->path = NULL; /* handed over */
    ls_err e = spool_list(image->path, 't', &files);
    if (e == LS_OK && files.len > 0) image->files = calloc(files.len, sizeof(*image->files));
    if (e == LS_OK && files.len > 0 && !image->files) e = ls_nomem("the listing of %s", image->path);
    for (size_t i = 0; image->files && i < files.len; i++) {
        image->files[image->files_len++] = files.rows[i].path;
        files.rows[i].path = NULL; /* handed over */
    }
    if (e == LS_OK) e = spool_image_add_files(image, &files);
    spool_entries_fini(&files);
    return e;
}

static ls_err spool_dir_fill(spool_dir *d, struct spool_entries *entries)
{
    d->images = calloc(entries->len, sizeof(*d->images));
    if (!d->images) return ls_nomem("the listing of %zu processes", entries->len);
    for (size_t i = 0; i < entries->len; i++)
        LS_TRY(spool_image_fill(&d->images[d->images_len++], &entries->rows[i]));
    return LS_OK;
}

ls_err spool_dir_open(const char *path, spool_dir **out)
{
    struct spool_entries entries = {0};
    spool_dir *d = calloc(1, sizeof(*d));
    ls_err e = d ? spool_list(path, 'p', &entries) : ls_nomem("%s", path);
    if (e == LS_OK && entries.len == 0)
        e = ls_fail(LS_ERR_NOT_FOUND,
                    "%s: no recorded process in there (expected directories p<pid>.<image>); was the program "
                    "started with the preload, and is it dynamically linked?",
                    path);
    if (e == LS_OK) e = spool_dir_fill(d, &entries);
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
