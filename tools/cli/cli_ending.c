/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_ending.h"

#include "common/ls_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* "P.v2" may be meant as a format, "run.before" and "spmv-1.5" are names. */
enum { CLI_ENDING_LETTERS_MAX = 4 };

#define CLI_ENDING_ROW(id, ends, what) [id] = {ends, what},
static const struct {
    const char *ends, *what;
} endings[CLI_ENDINGS] = {CLI_ENDING_LIST(CLI_ENDING_ROW)};
#undef CLI_ENDING_ROW

/* From the last dot of the name on; NULL: it has no end. */
static const char *ending_of(const char *path)
{
    const char *base = ls_base_name(path), *dot = strrchr(base, '.');
    return dot && dot > base && dot[1] ? dot : NULL;
}

bool cli_ending_is(const char *path, enum cli_ending kind)
{
    const char *end = ending_of(path);
    const size_t len = end ? strlen(end) : 0;
    for (const char *at = endings[kind].ends; end && at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strcspn(at, "|") == len && strncasecmp(at, end, len) == 0) return true;
    return false;
}

static bool ending_looks_like_a_format(const char *end)
{
    bool has_letter = false;
    size_t len = 0;
    for (const char *c = end + 1; *c; c++, len++) {
        if (!isalnum((unsigned char)*c)) return false;
        has_letter |= isalpha((unsigned char)*c) != 0;
    }
    return has_letter && len <= CLI_ENDING_LETTERS_MAX;
}

/* ".svg|.png|.html" as ".svg, .png or .html" */
static void ending_list(const char *ends, char *out, size_t room)
{
    size_t len = 0;
    for (const char *at = ends; *at && len + 8 < room; at++) {
        const bool is_last = *at == '|' && !strchr(at + 1, '|');
        if (*at != '|')
            out[len++] = *at;
        else
            len += (size_t)snprintf(out + len, room - len, "%s", is_last ? " or " : ", ");
    }
    out[len] = '\0';
}

ls_err cli_ending_check(const char *path, enum cli_ending kind, bool is_strict)
{
    const char *end = ending_of(path), *other = NULL;
    char list[160];
    if (!end || cli_ending_is(path, kind)) return LS_OK;
    for (int k = 0; k < CLI_ENDINGS && !other; k++)
        if (cli_ending_is(path, (enum cli_ending)k)) other = endings[k].what;
    if (!other && !(is_strict && ending_looks_like_a_format(end))) return LS_OK;
    ending_list(endings[kind].ends, list, sizeof(list));
    return ls_fail(LS_ERR_USAGE,
                   "%s: what is written here is %s, and %s %s%s; let the name end in %s, or without a dot",
                   path, endings[kind].what, end, other ? "is for " : "is no format that it could be",
                   other ? other : "", list);
}
