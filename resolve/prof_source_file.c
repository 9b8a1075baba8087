/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_source_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROF_SOURCE_BYTES_MAX = 32 << 20 };

/* The file's bytes and a NUL; NULL: none. */
static char *source_read_all(int fd, size_t *out_len)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size > PROF_SOURCE_BYTES_MAX) return NULL;
    char *text = malloc((size_t)st.st_size + 1);
    size_t len = 0;
    while (text && len < (size_t)st.st_size) {
        const ssize_t got = read(fd, text + len, (size_t)st.st_size - len);
        if (got <= 0) break;
        len += (size_t)got;
    }
    if (text) text[len] = '\0';
    *out_len = len;
    return text;
}

static ls_err source_split_lines(struct prof_source_file *f, size_t len)
{
    for (size_t at = 0; at < len;) {
        LS_TRY(LS_VECTOR_ADD(&f->begins, (uint32_t)at));
        char *end = memchr(f->text + at, '\n', len - at);
        if (!end) break;
        *end = '\0';
        at = (size_t)(end - f->text) + 1;
        if (end > f->text && end[-1] == '\r') end[-1] = '\0';
    }
    return LS_OK;
}

struct prof_source_file prof_source_file_read(const char *path)
{
    struct prof_source_file f = {0};
    size_t len = 0;
    const int fd = path[0] == '/' ? ls_open_regular(path) : -1;
    if (fd < 0) return f;
    f.readers = ls_readers_of(fd);
    f.text = source_read_all(fd, &len);
    close(fd);
    if (f.text && source_split_lines(&f, len) != LS_OK) prof_source_file_fini(&f);
    return f;
}

void prof_source_file_fini(struct prof_source_file *f)
{
    free(f->text);
    free(f->begins.rows);
    *f = (struct prof_source_file){0};
}

const char *prof_source_file_line(const struct prof_source_file *f, uid_t author, uint32_t line)
{
    if (line == 0 || line > f->begins.len || !ls_readers_have(&f->readers, author)) return NULL;
    return f->text + f->begins.rows[line - 1];
}
