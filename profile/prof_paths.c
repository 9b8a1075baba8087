/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_paths.h"

#include "profile/prof_frames.h"
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

static struct prof_path *prof_path_slot(const struct prof_paths *p, uint64_t hash)
{
    size_t at = (size_t)(hash >> 20) & (p->room - 1);
    while (p->slots[at].hash != 0 && p->slots[at].hash != hash)
        at = (at + 1) & (p->room - 1);
    return &p->slots[at];
}

static bool prof_paths_grow(struct prof_paths *p)
{
    struct prof_paths grown = {.room = p->room ? 2 * p->room : 256, .len = p->len};
    grown.slots = calloc(grown.room, sizeof(*grown.slots));
    if (!grown.slots) return false;
    for (size_t i = 0; i < p->room; i++)
        if (p->slots[i].hash != 0) *prof_path_slot(&grown, p->slots[i].hash) = p->slots[i];
    free(p->slots);
    *p = grown;
    return true;
}

struct prof_path *prof_paths_at(struct prof_paths *p, uint64_t hash)
{
    if (2 * p->len >= p->room && !prof_paths_grow(p)) return NULL;
    struct prof_path *slot = prof_path_slot(p, hash);
    if (slot->hash == 0) {
        *slot = (struct prof_path){.hash = hash, .frame = PROF_NO_FRAME};
        p->len++;
    }
    return slot;
}

struct prof_path *prof_paths_find(const struct prof_paths *p, uint64_t hash)
{
    struct prof_path *slot = p->room ? prof_path_slot(p, hash) : NULL;
    return slot && slot->hash == hash ? slot : NULL;
}

ls_err prof_paths_count(struct prof_paths *p, const struct spool_alloc *r)
{
    const uint64_t hash = prof_path_hash_of(r);
    if (hash == 0) return LS_OK;
    struct prof_path *path = prof_paths_at(p, hash);
    if (!path) return ls_fail(LS_ERR_NOMEM, "out of memory for %zu call paths", p->len);
    if (path->blocks < UINT32_MAX) path->blocks++;
    return LS_OK;
}

void prof_paths_fini(struct prof_paths *p)
{
    free(p->slots);
    *p = (struct prof_paths){0};
}
