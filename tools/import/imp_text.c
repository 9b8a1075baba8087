/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/imp_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ls_err imp_text_open(const char *path, struct imp_text *out)
{
    memset(out, 0, sizeof(*out));
    out->path = path;
    LS_TRY(pat_lines_init(&out->lines, path));
    out->lines.last_may_lack_end = true;
    return LS_OK;
}

void imp_text_close(struct imp_text *t)
{
    pat_lines_fini(&t->lines);
    memset(t, 0, sizeof(*t));
}

ls_err imp_text_rewind(struct imp_text *t)
{
    const char *path = t->path;
    imp_text_close(t);
    return imp_text_open(path, t);
}

ls_err imp_text_next(struct imp_text *t)
{
    return pat_lines_next(&t->lines, &t->line);
}

/* The field at line, unquoted in place; the rest of the line, NULL when this was the last one. */
static char *text_cut(char *line)
{
    if (*line != '"') {
        char *comma = strchr(line, ',');
        if (comma) *comma = '\0';
        return comma ? comma + 1 : NULL;
    }
    char *to = line, *from = line + 1;
    for (; *from && !(*from == '"' && from[1] != '"'); from++) {
        if (*from == '"') from++;
        *to++ = *from;
    }
    char *comma = *from ? strchr(from, ',') : NULL;
    *to = '\0';
    return comma ? comma + 1 : NULL;
}

size_t imp_text_fields(char *line, char *fields[], size_t fields_max)
{
    size_t len = 0;
    for (char *next = line; next; len++) {
        char *field = next;
        next = text_cut(field);
        if (len < fields_max) fields[len] = field;
    }
    return len;
}

ls_err imp_text_bad(const struct imp_text *t, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return ls_fail(LS_ERR_FORMAT, "%s:%llu: %s", t->path, (unsigned long long)t->lines.number, text);
}
