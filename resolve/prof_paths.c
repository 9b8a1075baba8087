/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_paths.h"

#include "resolve/prof_frames.h"
#include "spool/spool_path.h"
#include "spool/spool_record.h"

#include <stdbool.h>
#include <stdlib.h>

uint64_t prof_path_hash_of(const struct spool_alloc *r)
{
    const uint64_t *frames = (const uint64_t *)(const void *)SPOOL_REC_TAIL(r);
    if (r->frames_len == 0) return 0;
    return r->rec.flags & SPOOL_ALLOC_KNOWN_PATH ? frames[0] : spool_path_hash(frames, r->frames_len);
}

struct prof_path *prof_paths_at(struct prof_paths *p, uint64_t hash)
{
    const struct prof_path path = {.frame = PROF_NO_FRAME};
    struct prof_path *found = prof_paths_find(p, hash);
    if (found) return found;
    if (LS_VECTOR_ADD(&p->rows, path) != LS_OK) return NULL;
    return ls_index_put(&p->by_hash, hash, (uint32_t)p->rows.len - 1) == LS_OK
               ? &p->rows.rows[p->rows.len - 1]
               : NULL;
}

struct prof_path *prof_paths_find(const struct prof_paths *p, uint64_t hash)
{
    const uint32_t row = ls_index_find(&p->by_hash, hash);
    return row < p->rows.len ? &p->rows.rows[row] : NULL;
}

ls_err prof_paths_count(struct prof_paths *p, const struct spool_alloc *r)
{
    const uint64_t hash = prof_path_hash_of(r);
    if (hash == 0) return LS_OK;
    struct prof_path *path = prof_paths_at(p, hash);
    if (!path) return ls_nomem("%zu call paths", p->rows.len);
    if (path->blocks < UINT32_MAX) path->blocks++;
    return LS_OK;
}

void prof_paths_fini(struct prof_paths *p)
{
    free(p->rows.rows);
    ls_index_fini(&p->by_hash);
    *p = (struct prof_paths){0};
}
