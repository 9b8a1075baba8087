/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_stream.h"

#include <string.h>

/* A number takes 1 to 9 bytes: its length is 1 plus the number of zeros at the low end of the first byte; the
 * bits above hold the number, 7 for each byte. If there are 9 bytes, the first one is 0, and the others hold
 * the number. So only the first byte determines the length: a branch for each byte would be mispredicted with
 * random distances. A token is a number, whose low bits give its kind, and the data of that kind:
 *   ...0   a distance (zigzag) that occurs once
 *   ..01   a run: the count; then the distance
 *   ..11   a jump: flags; then the address, then the range when it has one
 *   ..11   a repeat: its flag; then its period and tokens, then the position that it starts from */
enum { STREAM_ONCE_BITS = 1, STREAM_KIND_BITS = 2, STREAM_RUN = 1, STREAM_JUMP = 3 };
enum { STREAM_BREAK = 1, STREAM_RANGE = 2, STREAM_REPEAT = 4 };
enum { STREAM_TOKEN_BYTES = 40, STREAM_FIRST_LOG2 = 7 };
/* Blocks grow up to this size; in long streams, up to a part of the stream's size. */
enum { STREAM_SMALL_LOG2 = 16, STREAM_PART = 4 };

static uint64_t stream_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static int64_t stream_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ -(v & 1));
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low end of a number is its first byte");

static inline void stream_store(uint8_t *at, uint64_t word)
{
    memcpy(at, &word, sizeof(word));
}

static inline uint64_t stream_load(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    return word;
}

/* Write a number; up to 9 bytes at `at` are overwritten. It takes a byte per 7 bits: (9 bits + 64) / 64 is
 * bits / 7 rounded up, for 1 to 56 (as in protobuf's VarintSize64). */
static inline uint8_t *stream_put_number(uint8_t *at, uint64_t v)
{
    const unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1), len_bytes = (bits * 9 + 64) / 64;
    if (bits > 56) {
        *at = 0;
        stream_store(at + 1, v);
        return at + 9;
    }
    stream_store(at, (v << 1 | 1) << (len_bytes - 1));
    return at + len_bytes;
}

/* Return the size of the next block: large ones fill whole pages, which are returned to the system with the
 * stream. */
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

static inline bool stream_make_room(struct pat_ext_stream *s, struct pat_ext_budget *b)
{
    return s->end - s->at >= STREAM_TOKEN_BYTES || stream_grow(s, b);
}

static inline uint8_t *stream_put_run(uint8_t *at, int64_t distance, uint64_t count)
{
    if (count == 1 && pat_ext_magnitude(distance) < UINT64_C(1) << 61)
        return stream_put_number(at, stream_zigzag(distance) << STREAM_ONCE_BITS);
    at = stream_put_number(at, count << STREAM_KIND_BITS | STREAM_RUN);
    return stream_put_number(at, stream_zigzag(distance));
}

size_t pat_ext_stream_put_runs(struct pat_ext_stream *s, struct pat_ext_budget *b, struct pat_ext_runs runs)
{
    for (size_t i = 0; i < runs.len; i++) {
        if (!stream_make_room(s, b)) return i;
        s->at = stream_put_run(s->at, runs.data[i].distance, runs.data[i].len);
    }
    return runs.len;
}

bool pat_ext_stream_put(struct pat_ext_stream *s, struct pat_ext_budget *b, const struct pat_ext_token *t)
{
    if (!stream_make_room(s, b)) return false;
    uint8_t *at = s->at;
    if (t->kind == PAT_EXT_RUN) {
        at = stream_put_run(at, t->distance, t->count);
    } else {
        const uint64_t flags = (t->is_break ? STREAM_BREAK : 0u) | (t->range != PAT_NONE ? STREAM_RANGE : 0u);
        at = stream_put_number(at, flags << STREAM_KIND_BITS | STREAM_JUMP);
        at = stream_put_number(at, t->addr);
        if (t->range != PAT_NONE) at = stream_put_number(at, t->range);
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

struct pat_ext_position pat_ext_stream_end(const struct pat_ext_stream *s)
{
    return (struct pat_ext_position){s->last, s->last ? (size_t)(s->at - s->last->bytes) : 0};
}

bool pat_ext_stream_put_repeat(struct pat_ext_stream *s, struct pat_ext_budget *b,
                               const struct pat_ext_repeat *t)
{
    if (!stream_make_room(s, b)) return false;
    s->at = stream_put_number(s->at, (uint64_t)STREAM_REPEAT << STREAM_KIND_BITS | STREAM_JUMP);
    s->at = stream_put_number(s->at, t->period);
    s->at = stream_put_number(s->at, t->tokens);
    memcpy(s->at, &t->from, sizeof(t->from));
    s->at += sizeof(t->from);
    return true;
}

struct pat_ext_reader pat_ext_stream_read(const struct pat_ext_stream *s)
{
    return pat_ext_stream_read_from(s, (struct pat_ext_position){s->first, 0});
}

struct pat_ext_reader pat_ext_stream_read_from(const struct pat_ext_stream *s, struct pat_ext_position from)
{
    return (struct pat_ext_reader){.position = from, .stream = s};
}

/* Read a number. Up to 9 bytes at *at are read: every block has that many bytes after the start of its last
 * number. */
static inline uint64_t stream_get_number(const uint8_t **at)
{
    const uint8_t *from = *at;
    const uint64_t v = stream_load(from);
    if (!(v & 0xff)) {
        *at = from + 9;
        return stream_load(from + 1);
    }
    const unsigned len_bytes = (unsigned)__builtin_ctzll(v) + 1;
    *at = from + len_bytes;
    return v << (64 - 8 * len_bytes) >> (64 - 7 * len_bytes);
}

static uint64_t stream_next_number(struct pat_ext_position *p)
{
    const uint8_t *at = &p->block->bytes[p->at];
    const uint64_t v = stream_get_number(&at);
    p->at = (size_t)(at - p->block->bytes);
    return v;
}

static size_t stream_block_bytes(const struct pat_ext_stream *s, const struct pat_ext_block *block)
{
    return block == s->last ? (size_t)(s->at - block->bytes) : block->len_bytes;
}

/* Move p to where the next token begins. Return false at the end of the stream. */
static bool stream_seek_token(const struct pat_ext_stream *s, struct pat_ext_position *p)
{
    while (p->block) {
        if (p->at < stream_block_bytes(s, p->block)) return true;
        p->block = p->block->next;
        p->at = 0;
    }
    return false;
}

static struct pat_ext_token stream_get_run(struct pat_ext_position *p, uint64_t head)
{
    struct pat_ext_token t = {.range = PAT_NONE, .count = 1};
    if ((head & 1) == 0) {
        t.distance = stream_unzigzag(head >> STREAM_ONCE_BITS);
    } else {
        t.count = head >> STREAM_KIND_BITS;
        t.distance = stream_unzigzag(stream_next_number(p));
    }
    return t;
}

static struct pat_ext_token stream_get_jump(struct pat_ext_position *p, uint64_t flags)
{
    struct pat_ext_token t = {.kind = PAT_EXT_JUMP, .range = PAT_NONE, .count = 1};
    t.is_break = flags & STREAM_BREAK;
    t.addr = stream_next_number(p);
    if (flags & STREAM_RANGE) t.range = (uint32_t)stream_next_number(p);
    return t;
}

size_t pat_ext_stream_singles(struct pat_ext_reader *r, int64_t *distances, size_t len)
{
    if (r->repeat.tokens || !stream_seek_token(r->stream, &r->position)) return 0;
    const struct pat_ext_block *block = r->position.block;
    const uint8_t *at = &block->bytes[r->position.at];
    const uint8_t *end = &block->bytes[stream_block_bytes(r->stream, block)];
    size_t n = 0;
    while (n < len && at < end) {
        const uint8_t *next = at;
        const uint64_t head = stream_get_number(&next);
        if (head & 1) break;
        distances[n++] = stream_unzigzag(head >> STREAM_ONCE_BITS);
        at = next;
    }
    r->position.at = (size_t)(at - block->bytes);
    return n;
}

static void stream_begin_repeat(struct pat_ext_reader *r)
{
    r->repeat.period = stream_next_number(&r->position);
    r->repeat.tokens = stream_next_number(&r->position);
    memcpy(&r->repeat.from, &r->position.block->bytes[r->position.at], sizeof(r->repeat.from));
    r->position.at += sizeof(r->repeat.from);
    r->again = r->repeat.from;
    r->again_at = 0;
}

static void stream_next_again(struct pat_ext_reader *r, struct pat_ext_token *t)
{
    if (r->again_at == r->repeat.period) {
        r->again = r->repeat.from;
        r->again_at = 0;
    }
    stream_seek_token(r->stream, &r->again); /* there is one, possibly in the next block */
    *t = stream_get_run(&r->again, stream_next_number(&r->again));
    r->again_at++;
    r->repeat.tokens--;
}

bool pat_ext_stream_next(struct pat_ext_reader *r, struct pat_ext_token *t)
{
    if (r->repeat.tokens) {
        stream_next_again(r, t);
        return true;
    }
    if (!stream_seek_token(r->stream, &r->position)) return false;
    const uint64_t head = stream_next_number(&r->position);
    if ((head & STREAM_JUMP) != STREAM_JUMP) {
        *t = stream_get_run(&r->position, head);
        return true;
    }
    if (head >> STREAM_KIND_BITS & STREAM_REPEAT) {
        stream_begin_repeat(r);
        stream_next_again(r, t);
        return true;
    }
    *t = stream_get_jump(&r->position, head >> STREAM_KIND_BITS);
    return true;
}

/* Enter a repeat if it is the next token. */
static void stream_enter(struct pat_ext_reader *r)
{
    struct pat_ext_position ahead = r->position;
    if (r->repeat.tokens || !stream_seek_token(r->stream, &ahead)) return;
    const uint64_t head = stream_next_number(&ahead);
    if ((head & STREAM_JUMP) != STREAM_JUMP || !(head >> STREAM_KIND_BITS & STREAM_REPEAT)) return;
    r->position = ahead;
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
