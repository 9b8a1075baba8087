/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/ptd_input.h"
#include "patterns/pat_json.h"
#include "tools/cli_message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTD_NAME_BYTES = 32 };

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
        if (!items->rows[i].name) return ls_fail(LS_ERR_NOMEM, "no memory for the names of patterns");
    }
    return LS_OK;
}

ls_err ptd_input_read(const char *path, struct ptd_input *out)
{
    const struct pat_json_options o = {.note = ptd_note};
    *out = (struct ptd_input){.path = path};
    LS_TRY(pat_json_read_file(path, &o, &out->suite));
    LS_TRY(pat_items_of_suite(&out->suite, &out->items));
    if (out->items.len == 0) return ls_fail(LS_ERR_FORMAT, "%s has no patterns to compare", path);
    return ptd_name_items(&out->items);
}

void ptd_input_fini(struct ptd_input *in)
{
    pat_items_fini(&in->items);
    pat_suite_fini(&in->suite);
}
