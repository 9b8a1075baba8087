/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_site_names.h"

#include <ctype.h>
#include <string.h>

bool prof_is_rust(const char *path)
{
    const size_t len = strlen(path);
    return len > 3 && strcmp(path + len - 3, ".rs") == 0;
}

static const char *rust_skip(const char *text, const char *word)
{
    const size_t len = strlen(word);
    return strncmp(text, word, len) == 0 ? text + len + strspn(text + len, " \t") : NULL;
}

/* `let mut table: Vec<f32> = ...` is table. */
static bool rust_let(const char *line, char *out)
{
    const char *name = rust_skip(line + strspn(line, " \t"), "let ");
    size_t len = 0;
    if (!name) return false;
    if (rust_skip(name, "mut ")) name = rust_skip(name, "mut ");
    while (isalnum((unsigned char)name[len]) || name[len] == '_')
        len++;
    const char after = name[len + strspn(name + len, " \t")];
    if (len == 0 || len >= PROF_LABEL_BYTES || (after != ':' && after != '=')) return false;
    memcpy(out, name, len);
    out[len] = '\0';
    return true;
}

/* Does the statement of the next line begin there? */
static bool rust_ends(const char *line)
{
    size_t len = strlen(line);
    while (len > 0 && isspace((unsigned char)line[len - 1]))
        len--;
    return len == 0 || strchr(";{}", line[len - 1]);
}

bool prof_rust_binding(const char *const *lines, size_t len, char out[PROF_LABEL_BYTES])
{
    for (size_t i = len; i-- > 0;) {
        if (rust_let(lines[i], out)) return true;
        if (i > 0 && rust_ends(lines[i - 1])) break;
    }
    return false;
}
