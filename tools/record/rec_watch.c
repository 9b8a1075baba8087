/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/record/rec_watch.h"

#include "common/ls_env.h"
#include "symbols/sym_files.h"
#include "tools/cli/cli_message.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watch_request {
    char name[256];
    uint64_t index;
};

static ls_err watch_read(const char *text, struct watch_request *out)
{
    const char *open = strrchr(text, '[');
    char *end = NULL;
    errno = 0;
    if (open) out->index = strtoull(open + 1, &end, 0);
    if (!open || open == text || end == open + 1 || strcmp(end, "]") != 0 || errno ||
        (size_t)(open - text) >= sizeof(out->name))
        return ls_fail(
            LS_ERR_USAGE,
            "--watch %s: name an element as NAME[INDEX], such as 'A[17]': a registered range, or a "
            "global or static variable of the program",
            text);
    snprintf(out->name, sizeof(out->name), "%.*s", (int)(open - text), text);
    return LS_OK;
}

/* A variable of one value is its only element. */
static uint64_t watch_elem_bytes(const struct sym_thing *t)
{
    return t->elem_size_bytes ? t->elem_size_bytes : t->end - t->base;
}

static bool watch_has_index(const struct sym_thing *t, uint64_t index)
{
    const uint64_t each = watch_elem_bytes(t);
    return each && index < (t->end - t->base) / each;
}

/* Find the first variable of that name that has the element, otherwise the first of that name. Thread-local
 * variables are left out, because they have no single address. */
static bool watch_find(sym_files *files, sym_file *f, const struct watch_request *w, struct sym_thing *out)
{
    const size_t len = sym_file_variables_len(files, f);
    bool found = false;
    for (uint32_t row = 0; row < len; row++) {
        const struct sym_thing t = sym_file_variable(f, row);
        if (strcmp(t.name, w->name) != 0 || sym_file_find_variable(files, f, t.base).row == SYM_NONE)
            continue;
        if (!found || (watch_has_index(&t, w->index) && !watch_has_index(out, w->index))) *out = t;
        found = true;
    }
    return found;
}

static void watch_tell_runtime(const sym_file *f, const char *path, const struct sym_thing *t)
{
    char text[PATH_MAX + 80];
    snprintf(text, sizeof(text), "%" PRIx64 " %" PRIu64 " %d %s", t->base, watch_elem_bytes(t),
             sym_file_is_fixed(f), path);
    setenv(ls_env_rows[LS_ENV_WATCH_AT].variable, text, 1);
}

ls_err rec_watch_prepare(const char *watch, const char *program)
{
    struct watch_request w;
    struct sym_thing t = {.row = SYM_NONE};
    char path[PATH_MAX];
    sym_files *files;
    sym_file *f;
    LS_TRY(watch_read(watch, &w));
    unsetenv(ls_env_rows[LS_ENV_WATCH_AT].variable);
    if (!realpath(program, path) || sym_files_new((struct sym_limits){0}, &files) != LS_OK) return LS_OK;
    if (sym_files_get(files, path, &f) == LS_OK && watch_find(files, f, &w, &t)) {
        if (watch_has_index(&t, w.index))
            watch_tell_runtime(f, path, &t);
        else
            cli_note("--watch %s: the variable %s of %s has %" PRIu64 " bytes in elements of %" PRIu64
                     ": not that one; a range of this name is waited for",
                     watch, t.name, path, t.end - t.base, watch_elem_bytes(&t));
    }
    sym_files_free(files);
    return LS_OK;
}
