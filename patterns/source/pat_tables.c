/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/source/pat_tables.h"
#include "common/ls_text.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 16 };

/* Make room for one more row. The room follows from the length: 16, then the next power of two. */
static ls_err grow(void **rows, size_t len, size_t row_bytes)
{
    if (len >= PAT_NONE) return ls_fail(LS_ERR_RANGE, "a table of the accesses has more than 2^32 rows");
    if (len > 0 && (len < ROOM_FIRST || (len & (len - 1)))) return LS_OK;
    void *grown = realloc(*rows, (len ? 2 * len : ROOM_FIRST) * row_bytes);
    if (!grown) return ls_nomem("%zu rows of what accesses refer to", len);
    *rows = grown;
    return LS_OK;
}
#define GROW(rows, len) grow((void **)&(rows), (len), sizeof(*(rows)))

static ls_err copy_text(const char *text, char **out)
{
    *out = strdup(text);
    return *out ? LS_OK : ls_nomem("a name of %zu bytes", strlen(text));
}

static ls_err copy_name(const char *text, char **out)
{
    LS_TRY(copy_text(text, out));
    ls_text_clean(*out, strlen(*out), ""); /* cleaned, because it is printed on terminals */
    return LS_OK;
}

ls_err pat_tables_add_site(struct pat_tables *t, const struct pat_site *row, uint32_t *out)
{
    LS_TRY(GROW(t->sites, t->sites_len));
    *out = (uint32_t)t->sites_len;
    t->sites[t->sites_len++] = *row;
    return LS_OK;
}

ls_err pat_tables_add_module(struct pat_tables *t, const struct pat_module *row, uint32_t *out)
{
    struct pat_module copy = *row;
    LS_TRY(GROW(t->modules, t->modules_len));
    LS_TRY(copy_text(row->path ? row->path : "", &copy.path));
    *out = (uint32_t)t->modules_len;
    t->modules[t->modules_len++] = copy;
    return LS_OK;
}

ls_err pat_tables_add_home(struct pat_tables *t, const struct pat_home *row, uint32_t *out)
{
    struct pat_home copy = *row;
    LS_TRY(GROW(t->homes, t->homes_len));
    if (row->label) LS_TRY(copy_name(row->label, &copy.label));
    *out = (uint32_t)t->homes_len;
    t->homes[t->homes_len++] = copy;
    return LS_OK;
}

ls_err pat_tables_add_range(struct pat_tables *t, const struct pat_range *row, uint32_t *out)
{
    LS_TRY(GROW(t->ranges, t->ranges_len));
    *out = (uint32_t)t->ranges_len;
    t->ranges[t->ranges_len++] = *row;
    return LS_OK;
}

ls_err pat_tables_add_thread(struct pat_tables *t, const char *label, uint32_t *out)
{
    struct pat_thread row;
    LS_TRY(GROW(t->threads, t->threads_len));
    LS_TRY(copy_name(label, &row.label));
    *out = (uint32_t)t->threads_len;
    t->threads[t->threads_len++] = row;
    return LS_OK;
}

ls_err pat_tables_add_phase(struct pat_tables *t, const char *name, uint32_t *out)
{
    char *copy;
    LS_TRY(GROW(t->phases, t->phases_len));
    LS_TRY(copy_name(name, &copy));
    *out = (uint32_t)t->phases_len;
    t->phases[t->phases_len++] = copy;
    return LS_OK;
}

ls_err pat_tables_add_line(struct pat_tables *t, const char *line, uint32_t *out)
{
    char *copy;
    LS_TRY(GROW(t->lines, t->lines_len));
    LS_TRY(copy_name(line, &copy));
    *out = (uint32_t)t->lines_len;
    t->lines[t->lines_len++] = copy;
    return LS_OK;
}

ls_err pat_tables_set_label(struct pat_tables *t, uint32_t home, const char *label)
{
    char *copy;
    LS_TRY(copy_name(label, &copy));
    free(t->homes[home].label);
    t->homes[home].label = copy;
    return LS_OK;
}

void pat_tables_fini(struct pat_tables *t)
{
    for (size_t i = 0; i < t->modules_len; i++)
        free(t->modules[i].path);
    for (size_t i = 0; i < t->homes_len; i++)
        free(t->homes[i].label);
    for (size_t i = 0; i < t->threads_len; i++)
        free(t->threads[i].label);
    for (size_t i = 0; i < t->phases_len; i++)
        free(t->phases[i]);
    for (size_t i = 0; i < t->lines_len; i++)
        free(t->lines[i]);
    free(t->sites);
    free(t->modules);
    free(t->homes);
    free(t->ranges);
    free(t->threads);
    free(t->phases);
    free(t->lines);
    memset(t, 0, sizeof(*t));
}
