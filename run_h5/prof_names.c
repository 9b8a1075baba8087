/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_names.h"
#include "common/ls_hash.h"
#include "common/ls_index.h"
#include "common/ls_text.h"
#include "common/ls_vector.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct prof_names {
    LS_VECTOR(char *) texts;
    struct ls_index by_text; /* rows of texts by the hash of the text */
};

prof_names *prof_names_new(void)
{
    return calloc(1, sizeof(prof_names));
}

void prof_names_free(prof_names *n)
{
    if (!n) return;
    for (size_t i = 0; i < n->texts.len; i++)
        free(n->texts.rows[i]);
    free(n->texts.rows);
    ls_index_fini(&n->by_text);
    free(n);
}

/* Take ownership of text. */
static const char *prof_name_keep(prof_names *n, char *text, size_t len)
{
    const uint64_t key = ls_hash_bytes(LS_HASH_BEGIN, text, len);
    uint32_t row;
    for (size_t step = 0; ls_index_next(&n->by_text, key, &step, &row);)
        if (strcmp(n->texts.rows[row], text) == 0) {
            free(text);
            return n->texts.rows[row];
        }
    if (LS_VECTOR_ADD(&n->texts, text) != LS_OK) {
        free(text);
        return "";
    }
    ls_index_put(&n->by_text, key,
                 (uint32_t)n->texts.len - 1); /* if the index has no memory, the name may be stored twice */
    return text;
}

/* Control characters except these are replaced; NULL: none are replaced. */
static const char *prof_name_add(prof_names *n, const char *text, size_t len, const char *kept)
{
    char *copy = len > 0 ? malloc(len + 1) : NULL;
    if (!copy) return "";
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (kept) ls_text_clean(copy, len, kept);
    return prof_name_keep(n, copy, len);
}

const char *prof_name(prof_names *n, const char *text, size_t len)
{
    return prof_name_add(n, text, len, "");
}

const char *prof_name_path(prof_names *n, const char *path, size_t len)
{
    return prof_name_add(n, path, len, NULL);
}

const char *prof_name_line(prof_names *n, const char *text, size_t len)
{
    return prof_name_add(n, text, len, "\t");
}

const char *prof_name_of(prof_names *n, const char *text)
{
    return text ? prof_name(n, text, strlen(text)) : "";
}

const char *prof_name_printf(prof_names *n, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int len = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (len < 0) return "";
    return prof_name(n, text, (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1);
}
