/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_stream.h"
#include "patterns/extract/pat_ext_arena.h"

#include <string.h>

/* A token is a varint, whose low bits tell its kind, and what follows:
 *   ...0   a distance (zigzag) that occurs once
 *   ..01   a run: the count; then the distance
 *   ..11   a jump: flags; then the address, then the range when it has one
 *   ..11   a repeat: its flag; then its period and tokens, then the place where it is from */
enum { STREAM_ONCE_BITS = 1, STREAM_KIND_BITS = 2, STREAM_RUN = 1, STREAM_JUMP = 3 };
enum { STREAM_BREAK = 1, STREAM_RANGE = 2, STREAM_REPEAT = 4 };
enum { STREAM_TOKEN_BYTES = 40, STREAM_FIRST_LOG2 = 7 };
/* Blocks grow up to this size, in long streams to a part of what there is. */
enum { STREAM_SMALL_LOG2 = 16, STREAM_PART = 4 };

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

/* Of the next block: large ones fill pages of their own, which go back to the system when the stream ends. */
static uint8_t stream_block_log2(const struct pat_ext_stream *s, const struct pat_ext_budget *b)
{
    if (!s->last) return STREAM_FIRST_LOG2;
    const uint8_t next = s->last->log2_bytes + 1;
    const bool is_part =
        UINT64_C(1) << next <= s->len_bytes / STREAM_PART && next <= pat_ext_arena_most(b->arena);
    return next <= STREAM_SMALL_LOG2 || is_part ? next : s->last->log2_bytes;
}

static bool stream_grow(struct pat_ext_stream *s, struct pat_ext_budget *b)
{
    const uint8_t log2_bytes = stream_block_log2(s, b);
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

void pat_ext_stream_give_before(struct pat_ext_stream *s, struct pat_ext_budget *b,
                                const struct pat_ext_block *until)
{
    while (s->first != until) {
        struct pat_ext_block *block = s->first;
        const uint64_t len_bytes = UINT64_C(1) << block->log2_bytes;
        s->first = block->next;
        s->len_bytes -= len_bytes;
        pat_ext_give(b, len_bytes);
        pat_ext_arena_give(b->arena, block, block->log2_bytes);
    }
}

struct pat_ext_place pat_ext_stream_end(const struct pat_ext_stream *s)
{
    return (struct pat_ext_place){s->last, s->last ? (size_t)(s->at - s->last->bytes) : 0};
}

bool pat_ext_stream_put_repeat(struct pat_ext_stream *s, struct pat_ext_budget *b,
                               const struct pat_ext_repeat *t)
{
    if (!stream_has_room(s, b)) return false;
    s->at = stream_put_varint(s->at, (uint64_t)STREAM_REPEAT << STREAM_KIND_BITS | STREAM_JUMP);
    s->at = stream_put_varint(s->at, t->period);
    s->at = stream_put_varint(s->at, t->tokens);
    memcpy(s->at, &t->from, sizeof(t->from));
    s->at += sizeof(t->from);
    return true;
}

struct pat_ext_reader pat_ext_stream_read(const struct pat_ext_stream *s)
{
    return pat_ext_stream_read_from(s, (struct pat_ext_place){s->first, 0});
}

struct pat_ext_reader pat_ext_stream_read_from(const struct pat_ext_stream *s, struct pat_ext_place from)
{
    return (struct pat_ext_reader){.place = from, .stream = s};
}

static uint64_t stream_get_varint(struct pat_ext_place *p)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = p->block->bytes[p->at++];
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return v;
    }
}

/* False: the end of the stream. Else p is where a token begins. */
static bool stream_has_more(const struct pat_ext_stream *s, struct pat_ext_place *p)
{
    while (p->block) {
        const size_t len_bytes =
            p->block == s->last ? (size_t)(s->at - p->block->bytes) : p->block->len_bytes;
        if (p->at < len_bytes) return true;
        p->block = p->block->next;
        p->at = 0;
    }
    return false;
}

static struct pat_ext_token stream_get_run(struct pat_ext_place *p, uint64_t head)
{
    struct pat_ext_token t = {.range = PAT_NONE, .count = 1};
    if ((head & 1) == 0) {
        t.distance = stream_unzigzag(head >> STREAM_ONCE_BITS);
    } else {
        t.count = head >> STREAM_KIND_BITS;
        t.distance = stream_unzigzag(stream_get_varint(p));
    }
    return t;
}

static struct pat_ext_token stream_get_jump(struct pat_ext_place *p, uint64_t flags)
{
    struct pat_ext_token t = {.kind = PAT_EXT_JUMP, .range = PAT_NONE, .count = 1};
    t.is_break = flags & STREAM_BREAK;
    t.addr = stream_get_varint(p);
    if (flags & STREAM_RANGE) t.range = (uint32_t)stream_get_varint(p);
    return t;
}

static void stream_begin_repeat(struct pat_ext_reader *r)
{
    r->repeat.period = stream_get_varint(&r->place);
    r->repeat.tokens = stream_get_varint(&r->place);
    memcpy(&r->repeat.from, &r->place.block->bytes[r->place.at], sizeof(r->repeat.from));
    r->place.at += sizeof(r->repeat.from);
    r->again = r->repeat.from;
    r->again_at = 0;
}

static void stream_next_again(struct pat_ext_reader *r, struct pat_ext_token *t)
{
    if (r->again_at == r->repeat.period) {
        r->again = r->repeat.from;
        r->again_at = 0;
    }
    stream_has_more(r->stream, &r->again); /* it has; it may be in the next block */
    *t = stream_get_run(&r->again, stream_get_varint(&r->again));
    r->again_at++;
    r->repeat.tokens--;
}

bool pat_ext_stream_next(struct pat_ext_reader *r, struct pat_ext_token *t)
{
    if (r->repeat.tokens) {
        stream_next_again(r, t);
        return true;
    }
    if (!stream_has_more(r->stream, &r->place)) return false;
    const uint64_t head = stream_get_varint(&r->place);
    if ((head & STREAM_JUMP) != STREAM_JUMP) {
        *t = stream_get_run(&r->place, head);
        return true;
    }
    if (head >> STREAM_KIND_BITS & STREAM_REPEAT) {
        stream_begin_repeat(r);
        stream_next_again(r, t);
        return true;
    }
    *t = stream_get_jump(&r->place, head >> STREAM_KIND_BITS);
    return true;
}

/* r goes into a repeat, if that is what comes next. */
static void stream_enter(struct pat_ext_reader *r)
{
    struct pat_ext_place ahead = r->place;
    if (r->repeat.tokens || !stream_has_more(r->stream, &ahead)) return;
    const uint64_t head = stream_get_varint(&ahead);
    if ((head & STREAM_JUMP) != STREAM_JUMP || !(head >> STREAM_KIND_BITS & STREAM_REPEAT)) return;
    r->place = ahead;
    stream_begin_repeat(r);
}

uint64_t pat_ext_stream_pass(struct pat_ext_reader *r, uint64_t state, uint64_t done, uint64_t all)
{
    stream_enter(r);
    if (!r->repeat.tokens || (r->again_at && r->again_at != r->repeat.period)) return 0;
    uint64_t passed = 0;
    if (r->again_at && state == r->state) {
        const uint64_t round = done - r->done, wanted = (all - done) / round;
        const uint64_t rounds =
            r->repeat.tokens / r->repeat.period < wanted ? r->repeat.tokens / r->repeat.period : wanted;
        r->repeat.tokens -= rounds * r->repeat.period;
        passed = rounds * round;
    }
    r->state = state;
    r->done = done + passed;
    return passed;
}
