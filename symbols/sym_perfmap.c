/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_perfmap.h"

#include "common/ls_sorted.h"
#include "common/ls_vector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sym_perfmap_row {
    uint64_t base, end;
    const char *name;
    uint32_t order; /* position among the lines */
};

struct sym_perfmap {
    struct sym_perfmap_row *rows; /* sorted by base */
    size_t len, room;
    char *text; /* names end with NUL here */
    uint64_t longest_bytes;
};

/* The last line that begins before an address may not contain it: examine at most this many lines. */
enum { SYM_PERFMAP_BACK = 256 };

/* Parse 1 to 16 hexadecimal digits, with or without 0x, and a blank. *at moves past it. */
static bool sym_take_hex(const char **at, const char *end, uint64_t *out)
{
    const char *p = *at;
    if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) p += 2;
    const char *first = p;
    for (*out = 0; p < end && p - first <= 16; p++) {
        const char c = *p;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) break;
        *out = *out << 4 | (uint64_t)digit;
    }
    if (p == first || p - first > 16 || p == end || *p != ' ') return false;
    *at = p + 1;
    return true;
}

static ls_err sym_perfmap_add(sym_perfmap *m, struct sym_perfmap_row row)
{
    LS_TRY(LS_GROW(m->rows, m->room, m->len + 1));
    row.order = (uint32_t)m->len;
    if (row.end - row.base > m->longest_bytes) m->longest_bytes = row.end - row.base;
    m->rows[m->len++] = row;
    return LS_OK;
}

static ls_err sym_perfmap_line(sym_perfmap *m, const char *line, char *end)
{
    struct sym_perfmap_row row;
    uint64_t len_bytes;
    const char *at = line;
    *end = '\0';
    if (!sym_take_hex(&at, end, &row.base) || !sym_take_hex(&at, end, &len_bytes) || at == end) return LS_OK;
    if (len_bytes == 0 || __builtin_add_overflow(row.base, len_bytes, &row.end)) return LS_OK;
    row.name = at;
    return sym_perfmap_add(m, row);
}

static int sym_compare_rows(const void *a, const void *b)
{
    const struct sym_perfmap_row *x = a, *y = b;
    if (x->base != y->base) return x->base < y->base ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static ls_err sym_perfmap_fill(sym_perfmap *m, size_t len_bytes)
{
    for (char *at = m->text, *end = m->text + len_bytes; at < end;) {
        char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) break; /* incomplete, because the program was writing it */
        LS_TRY(sym_perfmap_line(m, at, stop));
        at = stop + 1;
    }
    if (m->len > 0) qsort(m->rows, m->len, sizeof(*m->rows), sym_compare_rows);
    return LS_OK;
}

/* Take ownership of text, which has len_bytes and one more byte. */
static ls_err sym_perfmap_take(char *text, size_t len_bytes, sym_perfmap **out)
{
    sym_perfmap *m = calloc(1, sizeof(*m));
    if (!m) {
        free(text);
        return ls_nomem("a map of generated code");
    }
    m->text = text;
    const ls_err e = sym_perfmap_fill(m, len_bytes);
    if (e == LS_OK)
        *out = m;
    else
        sym_perfmap_free(m);
    return e;
}

ls_err sym_perfmap_parse(const char *text, size_t len_bytes, sym_perfmap **out)
{
    char *copy = malloc(len_bytes + 1);
    if (!copy) return ls_nomem("a map of generated code");
    if (len_bytes > 0) memcpy(copy, text, len_bytes);
    return sym_perfmap_take(copy, len_bytes, out);
}

/* Read, not mapped: a program that still runs may truncate the file. */
static ls_err sym_perfmap_read_all(int fd, const char *path, char *text, size_t room, size_t *out_len)
{
    *out_len = 0;
    while (*out_len < room) {
        const ssize_t got = read(fd, text + *out_len, room - *out_len);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return ls_fail_errno(errno, "%s", path);
        if (got == 0) break;
        *out_len += (size_t)got;
    }
    return LS_OK;
}

static ls_err sym_perfmap_read(int fd, const char *path, int64_t not_before_s, sym_perfmap **out)
{
    struct stat st;
    size_t len;
    if (fstat(fd, &st) != 0) return ls_fail_errno(errno, "%s", path);
    if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0) || st.st_mtime < not_before_s)
        return ls_fail(LS_ERR_NOT_FOUND, "%s: not written by the program", path);
    char *text = malloc((size_t)st.st_size + 1);
    if (!text) return ls_nomem("%s", path);
    const ls_err e = sym_perfmap_read_all(fd, path, text, (size_t)st.st_size, &len);
    if (e == LS_OK) return sym_perfmap_take(text, len, out);
    free(text);
    return e;
}

ls_err sym_perfmap_open(const char *path, int64_t not_before_s, sym_perfmap **out)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return ls_fail(LS_ERR_NOT_FOUND, "%s: cannot be opened", path);
    const ls_err e = sym_perfmap_read(fd, path, not_before_s, out);
    close(fd);
    return e;
}

void sym_perfmap_free(sym_perfmap *m)
{
    if (!m) return;
    free(m->rows);
    free(m->text);
    free(m);
}

const char *sym_perfmap_find(const sym_perfmap *m, uint64_t ip)
{
    size_t from; /* rows before from begin at or before ip */
    const struct sym_perfmap_row *best = NULL;
    LS_COUNT_FIRST(from, m->len, i, m->rows[i].base <= ip);
    for (size_t i = from; i-- > 0 && from - i <= SYM_PERFMAP_BACK && ip - m->rows[i].base < m->longest_bytes;)
        if (ip < m->rows[i].end && (!best || m->rows[i].order > best->order)) best = &m->rows[i];
    return best ? best->name : NULL;
}

size_t sym_perfmap_len(const sym_perfmap *m)
{
    return m->len;
}
