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

enum { PAT_INPUT_BUFFER = 1 << 18, PAT_INPUT_MAGIC = 4 };

struct pat_input {
    char *name;
    int fd; /* -1: from memory */
    struct ls_cursor bytes;
    /* of a file: what was read and not used yet */
    uint8_t *buffer;
    const uint8_t *at;
    size_t left;
    bool has_ended; /* the file, not what is unpacked from it */
    const struct pat_unpacker *unpacker;
    void *unpacking;
    bool may_end;
    uint64_t read_bytes, unpacked_bytes; /* of the file, in all */
};

static ls_err pat_input_new(const char *name, pat_input **out)
{
    pat_input *in = calloc(1, sizeof(*in));
    if (in) in->name = strdup(name);
    if (!in || !in->name) {
        free(in);
        return ls_nomem("reading %s", name);
    }
    in->fd = -1;
    *out = in;
    return LS_OK;
}

static ls_err pat_input_fd(const char *path, int *out)
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

static ls_err pat_input_fill(pat_input *in)
{
    ssize_t got;
    memmove(in->buffer, in->at, in->left);
    in->at = in->buffer;
    do
        got = read(in->fd, in->buffer + in->left, PAT_INPUT_BUFFER - in->left);
    while (got < 0 && errno == EINTR);
    if (got < 0) return ls_fail_errno(errno, "%s cannot be read", in->name);
    in->left += (size_t)got;
    in->read_bytes += (uint64_t)got;
    in->has_ended = got == 0;
    return LS_OK;
}

/* The last error again, with the file's name in front. */
static ls_err pat_input_named(const pat_input *in, ls_err err)
{
    char why[256];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(err, "%s: %s", in->name, why);
}

/* Where the unpacking is: of what is packed, and of what came out. */
static ls_err pat_input_placed(const pat_input *in, ls_err err, const char *why)
{
    char copy[256];
    snprintf(copy, sizeof(copy), "%s", why);
    return ls_fail(err, "%s: %s, at byte %llu of the file, behind %llu unpacked bytes", in->name, copy,
                   (unsigned long long)(in->read_bytes - in->left), (unsigned long long)in->unpacked_bytes);
}

/* By its first bytes: is it packed? */
static ls_err pat_input_begin(pat_input *in)
{
    while (in->left < PAT_INPUT_MAGIC && !in->has_ended)
        LS_TRY(pat_input_fill(in));
    const struct pat_unpacker *u = pat_unpacker_of(in->at, in->left);
    const ls_err err = u ? u->open(&in->unpacking) : LS_OK;
    if (err != LS_OK) return pat_input_named(in, err);
    in->unpacker = u;
    return LS_OK;
}

ls_err pat_input_open(const char *path, pat_input **out)
{
    int fd = -1;
    pat_input *in = NULL;
    LS_TRY(pat_input_fd(path, &fd));
    ls_err err = pat_input_new(strcmp(path, "-") == 0 ? "standard input" : path, &in);
    if (err != LS_OK) {
        close(fd);
        return err;
    }
    in->fd = fd;
    in->at = in->buffer = malloc(PAT_INPUT_BUFFER);
    err = in->buffer ? pat_input_begin(in) : ls_nomem("reading %s", path);
    if (err != LS_OK)
        pat_input_free(in);
    else
        *out = in;
    return err;
}

ls_err pat_input_open_bytes(const void *data, size_t len_bytes, const char *name, pat_input **out)
{
    pat_input *in = NULL;
    LS_TRY(pat_input_new(name, &in));
    in->bytes = ls_cursor_over(data, len_bytes);
    *out = in;
    return LS_OK;
}

static ls_err pat_input_unpack(pat_input *in, void *buffer, size_t room, size_t *out_len)
{
    struct pat_flow f = {.out = buffer, .out_len = room, .may_end = in->may_end};
    char why[64];
    for (bool is_last = false; f.out_len == room && !is_last;) {
        if (in->left == 0 && !in->has_ended) LS_TRY(pat_input_fill(in));
        is_last = in->left == 0;
        f.in = in->at;
        f.in_len = in->left;
        const ls_err err = in->unpacker->step(in->unpacking, &f);
        in->at += in->left - f.in_len;
        in->left = f.in_len;
        in->may_end = f.may_end;
        if (err == LS_ERR_FORMAT) return pat_input_placed(in, err, ls_last_error());
        if (err != LS_OK) return pat_input_named(in, err);
    }
    *out_len = room - f.out_len;
    in->unpacked_bytes += *out_len;
    if (*out_len > 0 || room == 0 || in->may_end) return LS_OK;
    snprintf(why, sizeof(why), "the %s data ends too early", in->unpacker->name);
    return pat_input_placed(in, LS_ERR_TRUNCATED, why);
}

static ls_err pat_input_read_file(pat_input *in, void *buffer, size_t room, size_t *out_len)
{
    if (in->unpacker) return pat_input_unpack(in, buffer, room, out_len);
    if (in->left == 0 && !in->has_ended) LS_TRY(pat_input_fill(in));
    *out_len = in->left < room ? in->left : room;
    memcpy(buffer, in->at, *out_len);
    in->at += *out_len;
    in->left -= *out_len;
    return LS_OK;
}

ls_err pat_input_read(pat_input *in, void *buffer, size_t room, size_t *out_len)
{
    if (in->fd >= 0) return pat_input_read_file(in, buffer, room, out_len);
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
    if (in->unpacker) in->unpacker->close(in->unpacking);
    if (in->fd >= 0) close(in->fd);
    free(in->buffer);
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
