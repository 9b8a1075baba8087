/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure_map.h"
#include "smrtree/smr_array.h"

#include <stdlib.h>
#include <string.h>

enum { PAT_MAP_FIRST = 256 };

/* The row of a mixed key, or the unused one where it belongs. */
static struct pat_map_row *pat_map_slot(const struct pat_map *m, uint64_t mixed)
{
    if (mixed == 0) return &m->rows[m->room];
    size_t at = (size_t)mixed & (m->room - 1);
    while (m->rows[at].mixed && m->rows[at].mixed != mixed)
        at = (at + 1) & (m->room - 1);
    return &m->rows[at];
}

static ls_err pat_map_grow(struct pat_map *m)
{
    struct pat_map grown = {
        .room = m->room ? 2 * m->room : PAT_MAP_FIRST, .len = m->len, .has_zero = m->has_zero};
    const size_t len_bytes = (grown.room + 1) * sizeof(*grown.rows);
    grown.rows = smr_array_alloc(len_bytes);
    if (!grown.rows) return ls_nomem("the measures of %zu lines", m->len);
    memset(grown.rows, 0, len_bytes);
    if (m->has_zero) grown.rows[grown.room] = m->rows[m->room];
    for (size_t i = 0; i < m->room; i++)
        if (m->rows[i].mixed) *pat_map_slot(&grown, m->rows[i].mixed) = m->rows[i];
    free(m->rows);
    *m = grown;
    return LS_OK;
}

static bool pat_map_has(const struct pat_map *m, const struct pat_map_row *row)
{
    return row->mixed || (m->has_zero && row == &m->rows[m->room]);
}

ls_err pat_map_at(struct pat_map *m, uint64_t key, uint64_t **out)
{
    if (2 * (m->len + 1) > m->room) LS_TRY(pat_map_grow(m));
    const uint64_t mixed = ls_random_mix(key);
    struct pat_map_row *row = pat_map_slot(m, mixed);
    if (!pat_map_has(m, row)) {
        *row = (struct pat_map_row){.mixed = mixed};
        m->has_zero |= mixed == 0;
        m->len++;
    }
    *out = &row->value;
    return LS_OK;
}

struct pat_map_row *pat_map_find(const struct pat_map *m, uint64_t key)
{
    if (m->room == 0) return NULL;
    struct pat_map_row *row = pat_map_slot(m, ls_random_mix(key));
    return pat_map_has(m, row) ? row : NULL;
}

const struct pat_map_row *pat_map_next(const struct pat_map *m, size_t *at)
{
    while (m->rows && *at <= m->room) {
        const struct pat_map_row *row = &m->rows[(*at)++];
        if (pat_map_has(m, row)) return row;
    }
    return NULL;
}

uint64_t pat_map_key(const struct pat_map_row *row)
{
    return ls_random_unmix(row->mixed);
}

void pat_map_fini(struct pat_map *m)
{
    free(m->rows);
    *m = (struct pat_map){0};
}
