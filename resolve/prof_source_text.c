/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "resolve/prof_source_text.h"

#include "common/ls_vector.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROF_SOURCE_BYTES_MAX = 4 << 20, PROF_SOURCE_FILES_MAX = 4096 };

struct prof_text_file {
    char *path;
    char *text; /* line ends are NULs; NULL: could not be read */
    LS_VECTOR(uint32_t) begins;
};

struct prof_source_text {
    LS_VECTOR(struct prof_text_file) files;
    size_t last; /* asked for */
};

prof_source_text *prof_source_text_new(void)
{
    return calloc(1, sizeof(prof_source_text));
}

void prof_source_text_free(prof_source_text *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->files.len; i++) {
        free(s->files.rows[i].path);
        free(s->files.rows[i].text);
        free(s->files.rows[i].begins.rows);
    }
    free(s->files.rows);
    free(s);
}

/* Read a source file and append a NUL; NULL when there is nothing to read. A device or a pipe may block or
 * act, so it is not opened. */
static char *prof_read_source(const char *path, size_t *out_len)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > PROF_SOURCE_BYTES_MAX) return NULL;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = fd >= 0 ? malloc((size_t)st.st_size + 1) : NULL;
    size_t len = 0;
    for (ssize_t got = 1; text && got > 0 && len<(size_t)st.st_size; len += got> 0 ? (size_t)got : 0)
        got = read(fd, text + len, (size_t)st.st_size - len);
    if (fd >= 0) close(fd);
    if (text) text[len] = '\0';
    *out_len = len;
    return text;
}

static bool prof_split_lines(struct prof_text_file *f, size_t len)
{
    for (size_t at = 0; at < len;) {
        if (LS_VECTOR_ROOM(&f->begins) != LS_OK) return false;
        f->begins.rows[f->begins.len++] = (uint32_t)at;
        char *end = memchr(f->text + at, '\n', len - at);
        if (!end) break;
        *end = '\0';
        at = (size_t)(end - f->text) + 1;
    }
    return true;
}

static struct prof_text_file *prof_text_open(prof_source_text *s, const char *path)
{
    size_t len = 0;
    if (s->files.len >= PROF_SOURCE_FILES_MAX || LS_VECTOR_ROOM(&s->files) != LS_OK) return NULL;
    struct prof_text_file f = {.path = strdup(path), .text = prof_read_source(path, &len)};
    if (!f.path || (f.text && !prof_split_lines(&f, len))) {
        free(f.path);
        free(f.text);
        free(f.begins.rows);
        return NULL;
    }
    s->last = s->files.len++;
    s->files.rows[s->last] = f;
    return &s->files.rows[s->last];
}

/* Callers ask file by file: the last one is nearly always right. */
static struct prof_text_file *prof_text_file_of(prof_source_text *s, const char *path)
{
    if (s->last < s->files.len && strcmp(s->files.rows[s->last].path, path) == 0)
        return &s->files.rows[s->last];
    for (size_t i = 0; i < s->files.len; i++)
        if (strcmp(s->files.rows[i].path, path) == 0) {
            s->last = i;
            return &s->files.rows[i];
        }
    return prof_text_open(s, path);
}

const char *prof_source_line(prof_source_text *s, const char *path, uint32_t line)
{
    const struct prof_text_file *f = path[0] == '/' ? prof_text_file_of(s, path) : NULL;
    if (!f || !f->text || line == 0 || line > f->begins.len) return "";
    return f->text + f->begins.rows[line - 1];
}
