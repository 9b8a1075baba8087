/* SPDX-License-Identifier: BSD-3-Clause */
#include "resolve/prof_frames.h"

#include <stdbool.h>
#include <stdlib.h>

static uint64_t prof_frame_key(const struct prof_frame *row)
{
    return ls_index_key(row->ip, (uint64_t)row->parent << 32 | row->process);
}

static bool prof_frame_is_same(const struct prof_frame *a, const struct prof_frame *b)
{
    return a->ip == b->ip && a->parent == b->parent && a->process == b->process;
}

static ls_err prof_frame_intern(struct prof_frames *f, struct prof_frame row, uint32_t *out)
{
    const uint64_t key = prof_frame_key(&row);
    for (size_t step = 0; ls_index_next(&f->by_frame, key, &step, out);)
        if (prof_frame_is_same(&f->rows.rows[*out], &row)) return LS_OK;
    if (f->rows.len >= UINT32_MAX - 1) return ls_fail(LS_ERR_RANGE, "too many frames in call paths");
    *out = (uint32_t)f->rows.len;
    LS_TRY(LS_VECTOR_ADD(&f->rows, row));
    return ls_index_put(&f->by_frame, key, *out);
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
    ls_index_fini(&f->by_frame);
    *f = (struct prof_frames){0};
}
