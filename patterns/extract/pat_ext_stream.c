/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_stream.h"
#include "patterns/extract/pat_ext_arena.h"

/* A token is a varint, whose low bits tell its kind, and what follows:
 *   ...0   a distance (zigzag) that occurs once
 *   ..01   a run: the count; then the distance
 *   ..11   a jump: flags; then the address, then the range when it has one */
enum { STREAM_ONCE_BITS = 1, STREAM_KIND_BITS = 2, STREAM_RUN = 1, STREAM_JUMP = 3 };
enum { STREAM_BREAK = 1, STREAM_RANGE = 2 };
enum { STREAM_TOKEN_BYTES = 32, STREAM_FIRST_LOG2 = 7, STREAM_LAST_LOG2 = 16 };

static uint64_t stream_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static int64_t stream_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ -(v & 1));
}

static uint8_t *stream_put_varint(uint8_t *at, uint64_t v)
{
    while (v >= 0x80) {
        *at++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *at++ = (uint8_t)v;
    return at;
}

static bool stream_grow(struct pat_ext_stream *s, struct pat_ext_budget *b)
{
    uint8_t log2_bytes = STREAM_FIRST_LOG2;
    if (s->last) log2_bytes = s->last->log2_bytes + (s->last->log2_bytes < STREAM_LAST_LOG2);
    const uint64_t len_bytes = UINT64_C(1) << log2_bytes;
    if (!pat_ext_take(b, len_bytes)) return false;
    struct pat_ext_block *block = pat_ext_arena_take(b->arena, log2_bytes);
    if (!block) {
        pat_ext_give(b, len_bytes);
        return false;
    }
    *block = (struct pat_ext_block){.log2_bytes = log2_bytes};
    if (s->last) {
        s->last->len_bytes = (uint32_t)(s->at - s->last->bytes);
        s->last->next = block;
    } else {
        s->first = block;
    }
    s->last = block;
    s->at = block->bytes;
    s->end = (uint8_t *)block + len_bytes;
    s->len_bytes += len_bytes;
    return true;
}

static inline bool stream_has_room(struct pat_ext_stream *s, struct pat_ext_budget *b)
{
    return s->end - s->at >= STREAM_TOKEN_BYTES || stream_grow(s, b);
}

bool pat_ext_stream_put_distance(struct pat_ext_stream *s, struct pat_ext_budget *b, int64_t distance)
{
    if (!stream_has_room(s, b)) return false;
    s->at = stream_put_varint(s->at, stream_zigzag(distance) << STREAM_ONCE_BITS);
    return true;
}

bool pat_ext_stream_put(struct pat_ext_stream *s, struct pat_ext_budget *b, const struct pat_ext_token *t)
{
    if (!stream_has_room(s, b)) return false;
    uint8_t *at = s->at;
    if (t->kind == PAT_EXT_RUN) {
        at = stream_put_varint(at, t->count << STREAM_KIND_BITS | STREAM_RUN);
        at = stream_put_varint(at, stream_zigzag(t->distance));
    } else {
        const uint64_t flags = (t->is_break ? STREAM_BREAK : 0u) | (t->range != PAT_NONE ? STREAM_RANGE : 0u);
        at = stream_put_varint(at, flags << STREAM_KIND_BITS | STREAM_JUMP);
        at = stream_put_varint(at, t->addr);
        if (t->range != PAT_NONE) at = stream_put_varint(at, t->range);
    }
    s->at = at;
    return true;
}

void pat_ext_stream_fini(struct pat_ext_stream *s, struct pat_ext_budget *b)
{
    for (struct pat_ext_block *block = s->first, *next; block; block = next) {
        next = block->next;
        pat_ext_arena_give(b->arena, block, block->log2_bytes);
    }
    pat_ext_give(b, s->len_bytes);
    *s = (struct pat_ext_stream){0};
}

struct pat_ext_reader pat_ext_stream_read(const struct pat_ext_stream *s)
{
    return (struct pat_ext_reader){s->first, 0, s};
}

static uint64_t stream_get_varint(struct pat_ext_reader *r)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = r->block->bytes[r->at++];
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return v;
    }
}

static bool stream_has_more(struct pat_ext_reader *r)
{
    while (r->block) {
        const size_t len_bytes =
            r->block == r->stream->last ? (size_t)(r->stream->at - r->block->bytes) : r->block->len_bytes;
        if (r->at < len_bytes) return true;
        r->block = r->block->next;
        r->at = 0;
    }
    return false;
}

bool pat_ext_stream_next(struct pat_ext_reader *r, struct pat_ext_token *t)
{
    if (!stream_has_more(r)) return false;
    const uint64_t head = stream_get_varint(r);
    *t = (struct pat_ext_token){.range = PAT_NONE, .count = 1};
    if ((head & 1) == 0) {
        t->distance = stream_unzigzag(head >> STREAM_ONCE_BITS);
        return true;
    }
    const uint64_t rest = head >> STREAM_KIND_BITS;
    if ((head & STREAM_JUMP) == STREAM_RUN) {
        t->count = rest;
        t->distance = stream_unzigzag(stream_get_varint(r));
        return true;
    }
    t->kind = PAT_EXT_JUMP;
    t->is_break = rest & STREAM_BREAK;
    t->addr = stream_get_varint(r);
    if (rest & STREAM_RANGE) t->range = (uint32_t)stream_get_varint(r);
    return true;
}
