/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_input.h"
#include "common/ls_span.h"
#include "patterns/source/pat_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUT_BUFFER = 1 << 18, INPUT_MAGIC = 4 };

struct pat_input {
    char *name;
    struct ls_cursor bytes; /* from memory: file.fd is -1 */
    struct pat_file file;
    const struct pat_unpacker *unpacker; /* NULL: the file is not packed */
    void *unpacking;
    uint64_t unpacked_bytes;
};

static ls_err input_new(const char *name, pat_input **out)
{
    pat_input *in = calloc(1, sizeof(*in));
    if (in) in->name = strdup(name);
    if (!in || !in->name) {
        free(in);
        return ls_nomem("reading %s", name);
    }
    in->file = (struct pat_file){.name = in->name, .fd = -1};
    *out = in;
    return LS_OK;
}

static ls_err input_fd(const char *path, int *out)
{
    struct stat st;
    const int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return ls_fail_errno(errno, "%s cannot be read", path);
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        close(fd);
        return ls_fail(LS_ERR_FORMAT, "%s is a directory; expected a file", path);
    }
    *out = fd;
    return LS_OK;
}

ls_err pat_file_read(struct pat_file *f)
{
    ssize_t got;
    memmove(f->buffer, f->at, f->left);
    f->at = f->buffer;
    do
        got = read(f->fd, f->buffer + f->left, INPUT_BUFFER - f->left);
    while (got < 0 && errno == EINTR);
    if (got < 0) return ls_fail_errno(errno, "%s cannot be read", f->name);
    f->left += (size_t)got;
    f->end_bytes += (uint64_t)got;
    f->has_ended = got == 0;
    return LS_OK;
}

/* Report the reason of a failure to unpack, with the position in the packed and in the unpacked data. */
static ls_err input_fail(const struct pat_input *in, ls_err err)
{
    char why[256];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    if (err == LS_ERR_TRUNCATED) snprintf(why, sizeof(why), "the %s data ends too early", in->unpacker->name);
    switch (err) {
    case LS_ERR_FORMAT:
    case LS_ERR_TRUNCATED:
        return ls_fail(err, "%s: %s, at byte %llu of the file, after %llu unpacked bytes", in->name, why,
                       (unsigned long long)(in->file.end_bytes - in->file.left),
                       (unsigned long long)in->unpacked_bytes);
    case LS_ERR_NOMEM:
    case LS_ERR_UNSUPPORTED:
        return ls_fail(err, "%s: %s", in->name, why);
    default: /* a read error, whose message names the file */
        return err;
    }
}

/* Decide by its first bytes whether the file is packed. */
static ls_err input_begin(struct pat_input *in)
{
    while (in->file.left < INPUT_MAGIC && !in->file.has_ended)
        LS_TRY(pat_file_read(&in->file));
    const struct pat_unpacker *u = pat_unpacker_of(in->file.at, in->file.left);
    if (!u) return LS_OK;
    if (!u->methods)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "%s: packed by %s, which this build lacks: install libarchive-dev and configure again, "
            "or unpack it",
            in->name, u->name);
    in->unpacker = u;
    const ls_err err = u->methods->open(&in->file, u->packing, &in->unpacking);
    return err == LS_OK ? LS_OK : input_fail(in, err);
}

ls_err pat_input_open(const char *path, pat_input **out)
{
    int fd = -1;
    pat_input *in = NULL;
    if (!*path) return ls_fail(LS_ERR_ARG, "the name of the file is missing");
    LS_TRY(input_fd(path, &fd));
    ls_err err = input_new(strcmp(path, "-") == 0 ? "standard input" : path, &in);
    if (err != LS_OK) {
        close(fd);
        return err;
    }
    in->file.fd = fd;
    in->file.at = in->file.buffer = malloc(INPUT_BUFFER);
    err = in->file.buffer ? input_begin(in) : ls_nomem("reading %s", path);
    if (err != LS_OK)
        pat_input_free(in);
    else
        *out = in;
    return err;
}

ls_err pat_input_open_bytes(const void *data, size_t len_bytes, const char *name, pat_input **out)
{
    pat_input *in = NULL;
    LS_TRY(input_new(name, &in));
    in->bytes = ls_cursor_over(data, len_bytes);
    *out = in;
    return LS_OK;
}

static ls_err input_read_file(struct pat_input *in, void *buffer, size_t room, size_t *out_len)
{
    struct pat_file *f = &in->file;
    if (in->unpacker) {
        const ls_err err = in->unpacker->methods->read(in->unpacking, buffer, room, out_len);
        if (err != LS_OK) return input_fail(in, err);
        in->unpacked_bytes += *out_len;
        return LS_OK;
    }
    if (f->left == 0 && !f->has_ended) LS_TRY(pat_file_read(f));
    *out_len = f->left < room ? f->left : room;
    memcpy(buffer, f->at, *out_len);
    f->at += *out_len;
    f->left -= *out_len;
    return LS_OK;
}

ls_err pat_input_read(pat_input *in, void *buffer, size_t room, size_t *out_len)
{
    if (in->file.fd >= 0) return input_read_file(in, buffer, room, out_len);
    const size_t left = ls_cursor_left(&in->bytes);
    *out_len = left < room ? left : room;
    ls_cursor_read(&in->bytes, buffer, *out_len);
    return LS_OK;
}

const char *pat_input_name(const pat_input *in)
{
    return in->name;
}

void pat_input_free(pat_input *in)
{
    if (!in) return;
    if (in->unpacking) in->unpacker->methods->close(in->unpacking);
    if (in->file.fd >= 0) close(in->file.fd);
    free(in->file.buffer);
    free(in->name);
    free(in);
}

/* ---- records ---- */

enum { RECORDS_ROOM = 1 << 18 };

ls_err pat_records_init(struct pat_records *r, const char *path)
{
    memset(r, 0, sizeof(*r));
    LS_TRY(pat_input_open(path, &r->input));
    r->at = r->buffer = malloc(RECORDS_ROOM);
    return r->buffer ? LS_OK : ls_nomem("reading %s", path);
}

void pat_records_fini(struct pat_records *r)
{
    pat_input_free(r->input);
    free(r->buffer);
    memset(r, 0, sizeof(*r));
}

ls_err pat_records_fill(struct pat_records *r, size_t len_bytes, bool *is_end)
{
    size_t got = 1;
    if (r->left) memmove(r->buffer, r->at, r->left);
    r->at = r->buffer;
    while (r->left < len_bytes && got > 0) {
        LS_TRY(pat_input_read(r->input, r->buffer + r->left, RECORDS_ROOM - r->left, &got));
        r->left += got;
    }
    *is_end = r->left == 0;
    if (r->left == 0 || r->left >= len_bytes) return LS_OK;
    return ls_fail(LS_ERR_TRUNCATED, "%s ends at byte %llu, inside a record of %zu bytes",
                   pat_input_name(r->input), (unsigned long long)(r->at_bytes + r->left), len_bytes);
}
