/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/compact/pat_measure_moved.h"
#include "common/ls_checked.h"
#include "smrtree/smr_array.h"

#include <stdlib.h>

enum {
    MOVED_PAGE = 4096,
    MOVED_LEAST = 64,    /* accesses: PAT_SPATIAL_WINDOW and more */
    MOVED_MOST = 1 << 23 /* indices */
};

/* The greatest common divisor of this and a page. */
static uint64_t moved_common(uint64_t bytes)
{
    const uint64_t power = bytes & -bytes;
    return power < MOVED_PAGE ? power : MOVED_PAGE;
}

/* Bytes from the first to behind the last that a round touches, as far as 2^64 goes. */
static uint64_t moved_extent(const struct pat_stream *s)
{
    const int64_t *data = s->pieces.sequence->data;
    int64_t low = data[0], high = data[0];
    for (size_t i = 1; i < s->fold.period; i++) {
        if (data[i] < low) low = data[i];
        if (data[i] > high) high = data[i];
    }
    const __int128 bytes = ((__int128)high - low) * s->elem_size_bytes + s->access_size_bytes;
    return bytes > (__int128)UINT64_MAX ? UINT64_MAX : (uint64_t)bytes;
}

/* Rounds that are one; 0: too many. */
static size_t moved_rounds(const struct pat_stream *s)
{
    const uint64_t shift = s->fold.shift < 0 ? -(uint64_t)s->fold.shift : (uint64_t)s->fold.shift;
    const uint64_t most = MOVED_MOST / 2 / s->fold.period, extent = moved_extent(s);
    uint64_t step_bytes, reach_bytes;
    if (!ls_mul_u64(shift, s->elem_size_bytes, &step_bytes) || !ls_add_u64(extent, MOVED_PAGE, &reach_bytes))
        return 0;
    /* rounds - 1 steps and a reach must be less than twice as many steps as rounds */
    const uint64_t aligned = MOVED_PAGE / moved_common(step_bytes), apart = reach_bytes / step_bytes,
                   least = MOVED_LEAST / s->fold.period + 1, wanted = apart > least ? apart : least;
    if (wanted > most || aligned > most) return 0;
    const uint64_t rounds = (wanted + aligned - 1) / aligned * aligned;
    return rounds <= most ? (size_t)rounds : 0;
}

/* Two of the rounds together, where there are as many; else all, or as many as are allowed. */
static size_t moved_len(const struct pat_stream *s, size_t rounds)
{
    const size_t all = s->fold.len;
    if (rounds && 2 * rounds * s->fold.period <= all) return 2 * rounds * s->fold.period;
    return all < MOVED_MOST ? all : MOVED_MOST;
}

size_t pat_moved_len(const struct pat_stream *s)
{
    return moved_len(s, moved_rounds(s));
}

ls_err pat_moved_of(const struct pat_stream *s, struct pat_moved *out)
{
    const size_t rounds = moved_rounds(s), len = moved_len(s, rounds), round = rounds * s->fold.period;
    *out = (struct pat_moved){.stream = *s, .indices = {smr_array_alloc(len * sizeof(int64_t)), len}};
    if (!out->indices.data) return ls_nomem("the measures of %zu accesses", len);
    for (size_t i = 0; i < len; i++)
        out->indices.data[i] = pat_fold_index(&s->fold, s->pieces.sequence->data, i);
    const bool is_folded = round && 2 * round == len && len < s->fold.len;
    out->is_part = !is_folded && len < s->fold.len;
    out->stream.pieces = (struct pat_pieces){.sequence = &out->indices};
    out->stream.fold = (struct pat_fold){0};
    if (is_folded)
        out->stream.fold = (struct pat_fold){round, s->fold.len, (int64_t)((uint64_t)s->fold.shift * rounds)};
    return LS_OK;
}
