/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure_map.h"

#include <stdlib.h>

enum { PAT_MAP_FIRST = 256 };

/* The row of key, or the unused one where it belongs. */
static struct pat_map_row *pat_map_slot(const struct pat_map *m, uint64_t key)
{
    size_t at = (size_t)ls_random_mix(key) & (m->room - 1);
    while (m->rows[at].is_used && m->rows[at].key != key)
        at = (at + 1) & (m->room - 1);
    return &m->rows[at];
}

static ls_err pat_map_grow(struct pat_map *m)
{
    struct pat_map grown = {.room = m->room ? 2 * m->room : PAT_MAP_FIRST, .len = m->len};
    grown.rows = calloc(grown.room, sizeof(*grown.rows));
    if (!grown.rows) return ls_fail(LS_ERR_NOMEM, "no memory for the measures of %zu lines", m->len);
    for (size_t i = 0; i < m->room; i++)
        if (m->rows[i].is_used) *pat_map_slot(&grown, m->rows[i].key) = m->rows[i];
    free(m->rows);
    *m = grown;
    return LS_OK;
}

ls_err pat_map_at(struct pat_map *m, uint64_t key, uint64_t **out)
{
    if (2 * (m->len + 1) > m->room) LS_TRY(pat_map_grow(m));
    struct pat_map_row *row = pat_map_slot(m, key);
    if (!row->is_used) {
        *row = (struct pat_map_row){.key = key, .is_used = true};
        m->len++;
    }
    *out = &row->value;
    return LS_OK;
}

struct pat_map_row *pat_map_find(const struct pat_map *m, uint64_t key)
{
    if (m->room == 0) return NULL;
    struct pat_map_row *row = pat_map_slot(m, key);
    return row->is_used ? row : NULL;
}

void pat_map_fini(struct pat_map *m)
{
    free(m->rows);
    *m = (struct pat_map){0};
}
