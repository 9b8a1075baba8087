/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_function.h"

#include "common/ls_text.h"

#include <string.h>

/* Return true if function is name, or name followed by template arguments or parameters; a function without a
 * name is called "?" in reports. */
static bool an_is_called(const char *function, const char *name)
{
    if (!*function) return strcmp(name, "?") == 0;
    const size_t len = strlen(name);
    return len > 0 && strncmp(function, name, len) == 0 && strchr("(<", function[len]); /* also at its end */
}

/* Does the path end with this file name? */
static bool an_is_file(const char *path, const char *name, size_t name_len)
{
    const char *base = ls_base_name(path);
    return strlen(base) == name_len && memcmp(base, name, name_len) == 0;
}

/* Find the single colon that is not part of "::". */
static const char *an_lone_colon(const char *name)
{
    for (const char *c = strchr(name, ':'); c; c = strchr(c, ':')) {
        if (c[1] != ':') return c;
        c += 2;
    }
    return NULL;
}

/* Return the name without namespaces and classes: the part after the last "::" outside of template arguments
 * and parameters. */
static const char *an_unqualified(const char *function)
{
    const char *last = function;
    int depth = 0;
    for (const char *c = function; *c && !(depth == 0 && *c == '('); c++) {
        depth += *c == '<' ? 1 : *c == '>' && depth > 0 ? -1 : 0;
        if (depth == 0 && c[0] == ':' && c[1] == ':') last = c + 2;
    }
    return last;
}

bool an_function_is_named(const struct an_tables *t, uint32_t row, const char *name, bool unqualified)
{
    const struct prof_line *l = &t->lines[row];
    const char *function = unqualified ? an_unqualified(l->function) : l->function;
    if (an_is_called(function, name)) return true;
    const char *colon = an_lone_colon(name);
    if (!colon || !an_is_called(function, colon + 1)) return false;
    const size_t len = (size_t)(colon - name);
    return an_is_file(l->module, name, len) || an_is_file(l->file, name, len);
}

bool an_function_has_file(const struct an_tables *t, const char *name)
{
    const char *colon = an_lone_colon(name);
    for (size_t i = 0; colon && i < t->lines_len; i++)
        if (an_is_file(t->lines[i].file, name, (size_t)(colon - name))) return true;
    return false;
}
