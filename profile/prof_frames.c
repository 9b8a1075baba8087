/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile/prof_frames.h"

#include <stdbool.h>
#include <stdlib.h>

static size_t prof_frame_hash(const struct prof_frame *row)
{
    const uint64_t k = UINT64_C(0x9e3779b97f4a7c15); /* the golden ratio */
    uint64_t h = (row->ip ^ ((uint64_t)row->parent << 32) ^ row->process) * k;
    h = (h ^ h >> 29) * k;
    return (size_t)(h ^ h >> 32);
}

static bool prof_frame_is_same(const struct prof_frame *a, const struct prof_frame *b)
{
    return a->ip == b->ip && a->parent == b->parent && a->process == b->process;
}

/* Where row is, or would be put. */
static uint32_t *prof_frame_slot(const struct prof_frames *f, const struct prof_frame *row)
{
    size_t at = prof_frame_hash(row) & (f->slots_room - 1);
    while (f->slots[at] != 0 && !prof_frame_is_same(&f->rows.rows[f->slots[at] - 1], row))
        at = (at + 1) & (f->slots_room - 1);
    return &f->slots[at];
}

static ls_err prof_frames_grow(struct prof_frames *f)
{
    const size_t room = f->slots_room ? 2 * f->slots_room : 1024;
    uint32_t *slots = calloc(room, sizeof(*slots));
    if (!slots) return ls_fail(LS_ERR_NOMEM, "out of memory for %zu frames", room);
    free(f->slots);
    f->slots = slots;
    f->slots_room = room;
    for (size_t i = 0; i < f->rows.len; i++)
        *prof_frame_slot(f, &f->rows.rows[i]) = (uint32_t)i + 1;
    return LS_OK;
}

static ls_err prof_frame_intern(struct prof_frames *f, struct prof_frame row, uint32_t *out)
{
    if (2 * f->rows.len >= f->slots_room) LS_TRY(prof_frames_grow(f));
    uint32_t *slot = prof_frame_slot(f, &row);
    if (*slot == 0) {
        if (f->rows.len >= UINT32_MAX - 1) return ls_fail(LS_ERR_RANGE, "too many frames in call paths");
        LS_TRY(LS_VECTOR_ROOM(&f->rows));
        f->rows.rows[f->rows.len++] = row;
        *slot = (uint32_t)f->rows.len;
    }
    *out = *slot - 1;
    return LS_OK;
}

ls_err prof_frames_intern(struct prof_frames *f, uint32_t process, const uint64_t *ips, size_t len,
                          uint32_t *out)
{
    uint32_t row = PROF_NO_FRAME;
    for (size_t i = len < PROF_PATH_FRAMES_MAX ? len : PROF_PATH_FRAMES_MAX; i-- > 0;)
        LS_TRY(prof_frame_intern(
            f, (struct prof_frame){.parent = row, .process = process, .ip = ips[i], .line = UINT32_MAX},
            &row));
    *out = row;
    return LS_OK;
}

size_t prof_frames_of_returns(const uint64_t *addresses, size_t len, size_t exact, uint64_t *ips)
{
    if (len > PROF_PATH_FRAMES_MAX) len = PROF_PATH_FRAMES_MAX;
    for (size_t i = 0; i < len; i++)
        ips[i] = addresses[i] - (i >= exact && addresses[i] != 0);
    return len;
}

ls_err prof_frames_add_ips(const struct prof_frames *f, size_t first, struct prof_ip_set *ips)
{
    for (size_t i = first; i < f->rows.len; i++)
        LS_TRY(prof_ip_add(ips, f->rows.rows[i].ip));
    return LS_OK;
}

void prof_frames_set_lines(struct prof_frames *f, size_t first, const prof_line_list *lines)
{
    for (size_t i = first; i < f->rows.len; i++)
        f->rows.rows[i].line = prof_lines_find(lines, f->rows.rows[i].process, f->rows.rows[i].ip);
}

void prof_frames_fini(struct prof_frames *f)
{
    free(f->rows.rows);
    free(f->slots);
    *f = (struct prof_frames){0};
}
