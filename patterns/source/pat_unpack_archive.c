/* SPDX-License-Identifier: BSD-3-Clause */
/* Zip archives, zstd and lz4 by libarchive. A seekable zip archive is read by its directory; from a pipe it
 * is read forward, where libarchive skips bytes outside members. */
#include "patterns/source/pat_unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct unarchive {
    struct archive *archive;
    struct pat_file *file;
    const char *name;
    bool is_between, has_ended; /* members */
    bool by_directory;
    ls_err err; /* error from reading the file */
};

static const struct {
    const char *name;
    int filter; /* 0: the members of an archive */
} unarchive_forms[] = {[PAT_PACKING_ZIP] = {"zip", 0},
                       [PAT_PACKING_ZSTD] = {"zstd", ARCHIVE_FILTER_ZSTD},
                       [PAT_PACKING_LZ4] = {"lz4", ARCHIVE_FILTER_LZ4}};

/* ---- input of libarchive ---- */

static la_ssize_t unarchive_block(struct archive *a, void *user, const void **out)
{
    struct unarchive *u = user;
    struct pat_file *f = u->file;
    if (f->left == 0) u->err = pat_file_read(f);
    if (u->err != LS_OK) {
        archive_set_error(a, EIO, "reading failed");
        return -1;
    }
    const size_t len = f->left;
    *out = f->at;
    f->at += len;
    f->left = 0;
    return (la_ssize_t)len;
}

static la_int64_t unarchive_seek(struct archive *a, void *user, la_int64_t offset, int whence)
{
    struct pat_file *f = ((struct unarchive *)user)->file;
    const off_t at = lseek(f->fd, offset, whence);
    if (at < 0) {
        archive_set_error(a, errno, "seeking failed");
        return ARCHIVE_FATAL;
    }
    f->left = 0;
    f->has_ended = false;
    f->end_bytes = (uint64_t)at;
    return at;
}

/* ---- unpacking ---- */

static void unarchive_close(void *self)
{
    struct unarchive *u = self;
    archive_read_free(u->archive);
    free(u);
}

static int unarchive_start(struct unarchive *u, int filter)
{
    struct archive *a = u->archive;
    const off_t end = lseek(u->file->fd, 0, SEEK_CUR); /* position, if the file is seekable */
    const bool has_members = u->file->at[2] == 3; /* PK, 3, 4; libarchive does not find an empty directory */
    int code = ARCHIVE_OK;
    u->by_directory = filter == 0 && has_members && end >= 0 && (uint64_t)end == u->file->end_bytes;
    if (filter != 0) {
        code = archive_read_set_format(a, ARCHIVE_FORMAT_RAW);
        if (code == ARCHIVE_OK) code = archive_read_append_filter(a, filter);
    } else if (u->by_directory) {
        code = archive_read_support_format_zip_seekable(a);
        archive_read_set_seek_callback(a, unarchive_seek);
    } else {
        code = archive_read_support_format_zip_streamable(a);
    }
    return code == ARCHIVE_OK ? archive_read_open(a, u, NULL, unarchive_block, NULL) : code;
}

static ls_err unarchive_fail(struct unarchive *u, int code)
{
    struct pat_file *f = u->file;
    struct archive *a = u->archive;
    const char *text = archive_error_string(a);
    if (u->err != LS_OK) return u->err;
    if (archive_errno(a) == ENOMEM) return ls_nomem("unpacking %s data", u->name);
    /* an archive that is cut has no directory, so it is not recognised */
    const bool is_cut = u->by_directory ? archive_format(a) == 0 : f->has_ended;
    if (is_cut) return LS_ERR_TRUNCATED;
    const la_int64_t used = archive_filter_bytes(a, -1);
    if (used > 0 && (uint64_t)used <= f->end_bytes) f->left = f->end_bytes - (uint64_t)used;
    return ls_fail(code == ARCHIVE_FAILED ? LS_ERR_UNSUPPORTED : LS_ERR_FORMAT, "%s %s data (%s)",
                   code == ARCHIVE_FAILED ? "unknown" : "damaged", u->name, text ? text : "libarchive");
}

static ls_err unarchive_open(struct pat_file *f, enum pat_packing packing, void **out)
{
    struct unarchive *u = calloc(1, sizeof(*u));
    if (u) u->archive = archive_read_new();
    if (!u || !u->archive) {
        free(u);
        return ls_nomem("unpacking %s data", unarchive_forms[packing].name);
    }
    u->file = f;
    u->name = unarchive_forms[packing].name;
    u->is_between = true;
    const int code = unarchive_start(u, unarchive_forms[packing].filter);
    const ls_err err = code == ARCHIVE_OK ? LS_OK : unarchive_fail(u, code);
    if (err != LS_OK)
        unarchive_close(u);
    else
        *out = u;
    return err;
}

static ls_err unarchive_read(void *self, void *out, size_t room, size_t *out_len)
{
    struct unarchive *u = self;
    struct archive_entry *entry;
    la_ssize_t got = 0;
    *out_len = 0;
    while (got == 0 && !u->has_ended) {
        const int code = u->is_between ? archive_read_next_header(u->archive, &entry) : ARCHIVE_OK;
        u->has_ended = code == ARCHIVE_EOF;
        if (u->has_ended) return LS_OK;
        if (code != ARCHIVE_OK) return unarchive_fail(u, code);
        got = archive_read_data(u->archive, out, room);
        if (got < 0) return unarchive_fail(u, (int)got);
        u->is_between = got == 0;
    }
    *out_len = (size_t)got;
    return LS_OK;
}

const struct pat_unpacking pat_unpacking_archive = {
    .open = unarchive_open, .read = unarchive_read, .close = unarchive_close};
