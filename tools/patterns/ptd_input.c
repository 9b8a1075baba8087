/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/patterns/ptd_input.h"
#include "patterns/compare/pat_compare_found.h"
#include "patterns/pat_json.h"
#include "tools/cli/cli_message.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTD_NAME_BYTES = 32, PTD_PEEK_BYTES = 256 };

static void ptd_note(void *user, const char *text)
{
    (void)user;
    cli_warn("%s", text);
}

/* "config 3": what has no name is still to be told from the others. */
static ls_err ptd_name_items(struct pat_items *items)
{
    for (size_t i = 0; i < items->len; i++) {
        char name[PTD_NAME_BYTES];
        if (*items->rows[i].name) continue;
        snprintf(name, sizeof(name), "config %zu", i);
        free(items->rows[i].name);
        items->rows[i].name = strdup(name);
        if (!items->rows[i].name) return ls_nomem("the names of patterns");
    }
    return LS_OK;
}

ls_err ptd_is_pattern_file(const char *path, bool *out)
{
    char bytes[PTD_PEEK_BYTES];
    pat_input *in;
    size_t len = 0, i = 0;
    LS_TRY(pat_input_open(path, &in));
    const ls_err err = pat_input_read(in, bytes, sizeof(bytes), &len);
    while (i < len && isspace((unsigned char)bytes[i]))
        i++;
    *out = err == LS_OK && i < len && bytes[i] == '[';
    pat_input_free(in);
    return err;
}

static ls_err ptd_read_patterns(const char *path, struct ptd_input *out)
{
    const struct pat_json_options o = {.note = ptd_note};
    LS_TRY(pat_json_read_file(path, &o, &out->suite));
    LS_TRY(pat_items_of_suite(&out->suite, &out->items));
    return ptd_name_items(&out->items);
}

static ls_err ptd_extract_patterns(const char *path, const struct ptn_settings *s, struct ptd_input *out)
{
    struct ptn_settings all = *s;
    all.extract.fold_min = 0; /* distances between patterns are made of every access */
    LS_TRY(ptn_read(path, &all, &out->found));
    return pat_items_add_findings(&out->found.findings, &out->found.sequences, &out->items);
}

ls_err ptd_input_read(const char *path, const struct ptn_settings *s, struct ptd_input *out)
{
    bool is_pattern_file;
    *out = (struct ptd_input){.path = path};
    LS_TRY(ptd_is_pattern_file(path, &is_pattern_file));
    LS_TRY(is_pattern_file ? ptd_read_patterns(path, out) : ptd_extract_patterns(path, s, out));
    if (out->items.len > 0) return LS_OK;
    return ls_fail(LS_ERR_FORMAT,
                   "%s: no pattern passed the filters; --trivial and --min-accesses 1 keep more", path);
}

void ptd_input_fini(struct ptd_input *in)
{
    pat_items_fini(&in->items);
    pat_suite_fini(&in->suite);
    ptn_found_fini(&in->found);
}
