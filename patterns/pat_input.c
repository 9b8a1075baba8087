/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_input.h"
#include "common/ls_span.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PAT_INPUT_BUFFER = 1 << 18 };

struct pat_input {
    char *name;
    gzFile file; /* NULL: from memory */
    struct ls_cursor bytes;
};

static ls_err pat_input_new(const char *name, pat_input **out)
{
    pat_input *in = calloc(1, sizeof(*in));
    if (in) in->name = strdup(name);
    if (!in || !in->name) {
        free(in);
        return ls_fail(LS_ERR_NOMEM, "no memory to read %s", name);
    }
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
        return ls_fail(LS_ERR_FORMAT, "%s is a directory; expected a pattern file", path);
    }
    *out = fd;
    return LS_OK;
}

ls_err pat_input_open(const char *path, pat_input **out)
{
    int fd = -1;
    pat_input *in = NULL;
    LS_TRY(pat_input_fd(path, &fd));
    const ls_err err = pat_input_new(strcmp(path, "-") == 0 ? "standard input" : path, &in);
    if (err != LS_OK) {
        close(fd);
        return err;
    }
    in->file = gzdopen(fd, "rb"); /* passes through what is not packed */
    if (!in->file) {
        close(fd);
        pat_input_free(in);
        return ls_fail(LS_ERR_NOMEM, "no memory to read %s", path);
    }
    gzbuffer(in->file, PAT_INPUT_BUFFER);
    *out = in;
    return LS_OK;
}

ls_err pat_input_open_bytes(const void *data, size_t len_bytes, const char *name, pat_input **out)
{
    pat_input *in = NULL;
    LS_TRY(pat_input_new(name, &in));
    in->bytes = ls_cursor_over(data, len_bytes);
    *out = in;
    return LS_OK;
}

static ls_err pat_input_fail(pat_input *in)
{
    int code;
    const char *why = gzerror(in->file, &code);
    if (code == Z_BUF_ERROR) return ls_fail(LS_ERR_TRUNCATED, "%s: the gzip data ends too early", in->name);
    if (code == Z_ERRNO) return ls_fail_errno(errno, "%s cannot be read", in->name);
    return ls_fail(LS_ERR_FORMAT, "%s: damaged gzip data (%s)", in->name, why);
}

static ls_err pat_input_read_file(pat_input *in, void *buffer, size_t room, size_t *out_len)
{
    const unsigned wanted = room > 1u << 30 ? 1u << 30 : (unsigned)room;
    const int got = gzread(in->file, buffer, wanted);
    if (got < 0) return pat_input_fail(in);
    int code;
    gzerror(in->file, &code);
    if ((unsigned)got < wanted && code == Z_BUF_ERROR) return pat_input_fail(in); /* the end of a cut file */
    *out_len = (size_t)got;
    return LS_OK;
}

ls_err pat_input_read(pat_input *in, void *buffer, size_t room, size_t *out_len)
{
    if (in->file) return pat_input_read_file(in, buffer, room, out_len);
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
    if (in->file) gzclose_r(in->file);
    free(in->name);
    free(in);
}
