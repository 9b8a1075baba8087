/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_lines.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_FIRST = 1 << 17 };

ls_err pat_lines_init(struct pat_lines *l, const char *path)
{
    memset(l, 0, sizeof(*l));
    LS_TRY(pat_input_open(path, &l->input));
    l->buffer = l->at = malloc(LINES_FIRST);
    l->room = LINES_FIRST;
    return l->buffer ? LS_OK : ls_nomem("reading %s", path);
}

void pat_lines_fini(struct pat_lines *l)
{
    pat_input_free(l->input);
    free(l->buffer);
    memset(l, 0, sizeof(*l));
}

/* Read more bytes after the remaining ones. */
static ls_err fill(struct pat_lines *l)
{
    size_t got;
    if (l->left) memmove(l->buffer, l->at, l->left);
    l->at = l->buffer;
    if (l->left == l->room) {
        char *grown = l->room < PAT_LINE_MAX ? realloc(l->buffer, 2 * l->room) : NULL;
        if (!grown)
            return ls_fail(LS_ERR_FORMAT, "%s:%llu: the line is longer than %zu bytes",
                           pat_input_name(l->input), (unsigned long long)l->number + 1, l->room);
        l->buffer = l->at = grown;
        l->room *= 2;
    }
    LS_TRY(pat_input_read(l->input, l->buffer + l->left, l->room - l->left, &got));
    l->left += got;
    l->has_ended = got == 0;
    return LS_OK;
}

/* Return the remaining bytes as a line. */
static ls_err last_line(struct pat_lines *l, char **out)
{
    if (l->at + l->left == l->buffer + l->room) LS_TRY(fill(l)); /* room for the NUL */
    *out = l->at;
    l->at[l->left] = '\0';
    l->at += l->left;
    l->at_bytes += l->left;
    l->left = 0;
    l->number++;
    return LS_OK;
}

ls_err pat_lines_next(struct pat_lines *l, char **out)
{
    size_t searched = 0;
    char *end;
    while (!(end = memchr(l->at + searched, '\n', l->left - searched)) && !l->has_ended) {
        searched = l->left;
        LS_TRY(fill(l));
    }
    *out = NULL;
    if (!end && l->left && l->last_may_lack_end) return last_line(l, out);
    if (!end && l->left)
        return ls_fail(LS_ERR_TRUNCATED, "%s:%llu: the text ends inside this line, at byte %llu",
                       pat_input_name(l->input), (unsigned long long)l->number + 1,
                       (unsigned long long)(l->at_bytes + l->left));
    if (!end) return LS_OK;
    const size_t len = (size_t)(end - l->at) + 1;
    *out = l->at;
    *end = '\0';
    if (end > l->at && end[-1] == '\r') end[-1] = '\0';
    l->at += len;
    l->left -= len;
    l->at_bytes += len;
    l->number++;
    return LS_OK;
}

static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool pat_scan_hex(const char **p, uint64_t *out)
{
    const char *at = *p;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && hex_digit(at[2]) >= 0) at += 2;
    uint64_t value = 0;
    const char *first = at;
    for (int digit; (digit = hex_digit(*at)) >= 0; at++) {
        if (value >> 60) return false;
        value = value << 4 | (uint64_t)digit;
    }
    *p = at;
    *out = value;
    return at != first;
}

bool pat_scan_decimal(const char **p, uint64_t *out)
{
    const char *at = *p;
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return false;
    const bool is_number = at != *p;
    *p = at;
    *out = value;
    return is_number;
}
