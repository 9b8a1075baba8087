/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "resolve/prof_sources.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct prof_wanted {
    const char *file;
    uint32_t line;
};

static int prof_compare_wanted(const void *a, const void *b)
{
    const struct prof_wanted *x = a, *y = b;
    const int by_file = x->file == y->file ? 0 : strcmp(x->file, y->file);
    return by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

/* Sorted; the caller frees it. */
static struct prof_wanted *prof_wanted_lines(const prof_line_list *lines, size_t *out_len)
{
    struct prof_wanted *wanted = malloc((lines->len + 1) * sizeof(*wanted));
    *out_len = 0;
    for (size_t i = 0; wanted && i < lines->len; i++)
        if (lines->rows[i].line > 0 && lines->rows[i].file[0] == '/')
            wanted[(*out_len)++] = (struct prof_wanted){lines->rows[i].file, lines->rows[i].line};
    if (wanted) qsort(wanted, *out_len, sizeof(*wanted), prof_compare_wanted);
    return wanted;
}

static FILE *prof_open_source(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
}

/* Is line near one of the sorted wanted lines from *at on? Moves *at past wanted lines that are before it. */
static bool prof_is_near(const struct prof_wanted *wanted, size_t len, size_t *at, uint32_t line)
{
    while (*at < len && wanted[*at].line + PROF_SOURCE_CONTEXT_LINES < line)
        ++*at;
    return *at < len && line + PROF_SOURCE_CONTEXT_LINES >= wanted[*at].line;
}

/* The wanted lines are all of one file. */
static ls_err prof_collect_file(const struct prof_wanted *wanted, size_t len, prof_names *names,
                                prof_source_list *out)
{
    FILE *file = prof_open_source(wanted[0].file);
    char *text = NULL;
    size_t room = 0, at = 0;
    ls_err e = LS_OK;
    ssize_t got;
    for (uint32_t line = 1; file && e == LS_OK && at < len && (got = getline(&text, &room, file)) >= 0;
         line++) {
        if (!prof_is_near(wanted, len, &at, line) || out->len >= PROF_SOURCE_LINES_MAX) continue;
        while (got > 0 && (text[got - 1] == '\n' || text[got - 1] == '\r'))
            got--;
        e = LS_VECTOR_ROOM(out);
        if (e == LS_OK)
            out->rows[out->len++] =
                (struct prof_source){wanted[0].file, line, prof_name(names, text, (size_t)got)};
    }
    free(text);
    if (file) fclose(file);
    return e;
}

ls_err prof_sources_collect(const prof_line_list *lines, prof_names *names, prof_source_list *out)
{
    size_t len;
    struct prof_wanted *wanted = prof_wanted_lines(lines, &len);
    if (!wanted) return ls_nomem("source lines");
    ls_err e = LS_OK;
    for (size_t from = 0, to; e == LS_OK && from < len; from = to) {
        for (to = from + 1; to < len && wanted[to].file == wanted[from].file; to++)
            ;
        e = prof_collect_file(wanted + from, to - from, names, out);
    }
    free(wanted);
    return e;
}
