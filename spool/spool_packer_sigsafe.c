/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_packer_sigsafe.h"

#include <string.h>

enum { STACKS_BETWEEN_FIRST = 64 };

void spool_packer_begin(struct spool_packer *p, struct spool_writer *w, uint64_t tsc_cycles,
                        uint32_t instructions)
{
    p->w = w;
    p->head = (struct spool_accesses){.tsc_cycles = tsc_cycles, .instructions = instructions};
    p->pack = (struct spool_pack){0};
}

void spool_packer_end(struct spool_packer *p)
{
    const struct spool_text bytes = {p->bytes, p->head.bytes_len};
    if (p->head.accesses_len) spool_put(p->w, SPOOL_WHAT(ACCESSES, 0, p->head), &p->head, &bytes, 1);
    spool_packer_begin(p, p->w, p->head.tsc_cycles, p->head.instructions);
}

/* Return the number of bytes. */
static uint32_t number_at(uint8_t *at, uint64_t n)
{
    uint32_t len = 0;
    for (; n >= 0x80; n >>= 7)
        at[len++] = (uint8_t)(n | 0x80);
    at[len++] = (uint8_t)n;
    return len;
}

static uint32_t signed_at(uint8_t *at, uint64_t to, uint64_t from)
{
    return number_at(at, spool_pack_fold((int64_t)(to - from)));
}

static void put_number(struct spool_packer *p, uint64_t n)
{
    p->head.bytes_len += number_at(p->bytes + p->head.bytes_len, n);
}

static void put_signed(struct spool_packer *p, uint64_t to, uint64_t from)
{
    p->head.bytes_len += signed_at(p->bytes + p->head.bytes_len, to, from);
}

static void put_from_anchor(struct spool_packer *p, uint64_t addr)
{
    enum { LOW_BITS = (1 << SPOOL_PACK_TAG_SHIFT) - 1 };
    const unsigned anchor = spool_pack_anchor(&p->pack, addr);
    const uint64_t n = spool_pack_fold((int64_t)(addr - p->pack.anchors[anchor]));
    const uint64_t rest = n >> SPOOL_PACK_TAG_SHIFT;
    p->bytes[p->head.bytes_len++] =
        (uint8_t)((n & LOW_BITS) | anchor << SPOOL_PACK_TAG_SHIFT | (rest ? 0x80 : 0));
    if (rest) put_number(p, rest);
    spool_pack_move_anchor(&p->pack, addr);
}

static unsigned slot_of(const struct spool_pack *k, uint64_t ip)
{
    unsigned at = 0;
    while (at < SPOOL_PACK_SLOTS && (at >= k->new_ones || k->slots[at].ip != ip))
        at++;
    return at;
}

static void put_kind(struct spool_packer *p, struct spool_pack_kind kind)
{
    struct spool_pack *k = &p->pack;
    unsigned at = 0;
    while (at < SPOOL_PACK_KINDS && (at >= k->new_kinds || !spool_pack_is_kind(k->kinds[at], kind)))
        at++;
    put_number(p, at);
    if (at < SPOOL_PACK_KINDS) return;
    k->kinds[k->new_kinds++ % SPOOL_PACK_KINDS] = kind;
    put_number(p, kind.flags);
    put_number(p, kind.size_bytes);
    put_number(p, kind.lane);
}

void spool_packer_add(struct spool_packer *p, uint16_t flags, const struct spool_access *r)
{
    if (p->head.bytes_len > SPOOL_PACKER_BYTES - SPOOL_PACK_MOST_BYTES) spool_packer_end(p);
    struct spool_pack *k = &p->pack;
    const bool is_timed = (flags & SPOOL_PACK_TIMES) == SPOOL_PACK_TIMES;
    const struct spool_pack_kind kind = {(uint16_t)(is_timed ? flags & ~SPOOL_PACK_TIMES : flags),
                                         r->size_bytes, r->lane};
    unsigned at = slot_of(k, r->ip);
    const bool is_new = at == SPOOL_PACK_SLOTS;
    if (is_new) {
        at = k->new_ones++ % SPOOL_PACK_SLOTS;
        k->slots[at].ip = r->ip;
        k->slots[at].kind = k->kind;
        k->slots[at].site = k->slots[at].site_units = 0;
    }
    const bool has_site = k->slots[at].site != r->site || k->slots[at].site_units != r->site_units;
    const bool has_kind = !spool_pack_is_kind(k->slots[at].kind, kind);
    const bool is_next = r->position == (uint64_t)k->position + 1;
    p->bytes[p->head.bytes_len++] =
        (uint8_t)((is_new ? SPOOL_PACK_NEW : at) | (has_kind ? SPOOL_PACK_KIND : 0) |
                  (is_timed ? SPOOL_PACK_TIMED : 0) | (has_site ? SPOOL_PACK_SITE : 0) |
                  (is_next ? SPOOL_PACK_NEXT : 0));
    if (is_new) put_signed(p, r->ip, k->ip);
    if (is_new) k->ip = r->ip;
    if (has_kind) put_kind(p, kind);
    k->kind = k->slots[at].kind = kind;
    if (is_new)
        put_from_anchor(p, r->addr);
    else
        put_signed(p, r->addr, k->slots[at].addr);
    if (!is_next) put_signed(p, r->position, k->position);
    k->slots[at].addr = r->addr;
    k->position = r->position;
    if (is_timed) put_number(p, r->latency_cycles);
    if (is_timed) put_number(p, r->drain_cycles);
    if (has_site) put_number(p, k->slots[at].site = r->site);
    if (has_site) put_number(p, k->slots[at].site_units = r->site_units);
    p->head.accesses_len++;
}

/* Return the number of bytes. */
static uint32_t pack_stack(struct spool_stack_pack *k, const struct spool_stack *s, const uint8_t *stack,
                           uint8_t *out)
{
    uint32_t len = SPOOL_PACK_MASK_BYTES;
    memset(out, 0, SPOOL_PACK_MASK_BYTES);
    for (unsigned i = 0; i < SPOOL_REGS; i++) {
        if (s->regs[i] == k->regs[i]) continue;
        out[i / 8] |= (uint8_t)(1 << i % 8);
        len += signed_at(out + len, s->regs[i], k->regs[i]);
        k->regs[i] = s->regs[i];
    }
    for (unsigned i = 0; i * 8 < s->bytes_len; i++) {
        const uint32_t left = s->bytes_len - i * 8;
        uint64_t word = 0, *last = spool_pack_word(k, s->regs[SPOOL_REG_RSP] + i * 8);
        memcpy(&word, stack + i * 8, left < 8 ? left : 8);
        if (word == *last) continue;
        out[SPOOL_PACK_REG_MASK_BYTES + i / 8] |= (uint8_t)(1 << i % 8);
        len += signed_at(out + len, word, *last);
        *last = word;
    }
    return len;
}

bool spool_packer_put_stack(struct spool_stack_packer *p, struct spool_writer *w, const struct spool_stack *s,
                            const void *bytes)
{
    uint8_t packed[SPOOL_PACK_STACK_MOST_BYTES];
    const bool is_first = p->left == 0 || p->tid != w->tid || p->stream != w->stream;
    if (is_first)
        *p = (struct spool_stack_packer){.tid = w->tid, .stream = w->stream, .left = STACKS_BETWEEN_FIRST};
    const struct spool_stack_diff r = {.time_ns = s->time_ns,
                                       .sequence = p->last.sequence++,
                                       .bytes_len = pack_stack(&p->last, s, bytes, packed),
                                       .stack_len_bytes = s->bytes_len};
    const struct spool_text text = {packed, r.bytes_len};
    p->left--;
    if (spool_put(w, SPOOL_WHAT(STACK_DIFF, is_first ? SPOOL_STACK_FIRST : 0, r), &r, &text, 1)) return true;
    p->left = 0;
    return false;
}

/* Return the number of bytes. */
static uint32_t pack_site(struct spool_site_pack *k, const struct spool_site *s, const uint64_t *frames,
                          uint8_t *out)
{
    const uint32_t frames_len = s->frames_len;
    uint32_t kept = 0;
    while (kept < frames_len && kept < k->frames_len && k->frames[kept] == frames[frames_len - 1 - kept])
        kept++;
    uint32_t len = number_at(out, s->len_bytes);
    len += number_at(out + len, frames_len);
    len += number_at(out + len, kept);
    uint64_t caller = kept ? k->frames[kept - 1] : 0;
    for (uint32_t i = kept; i < frames_len; i++) {
        uint64_t *called = spool_pack_called(k, caller);
        k->frames[i] = frames[frames_len - 1 - i];
        len += signed_at(out + len, k->frames[i], *called ? *called : caller);
        caller = *called = k->frames[i];
    }
    k->frames_len = frames_len;
    return len;
}

/* No memset, which the program may own: a thread sanitizer's version does not see why one thread uses the memory of an
 * ended one. */
static void forget_sites(struct spool_site_pack *k)
{
    for (unsigned i = 0; i < SPOOL_PACK_CALLERS; i++)
        __atomic_store_n(&k->called[i], 0, __ATOMIC_RELAXED);
    k->frames_len = k->sequence = 0;
}

bool spool_packer_put_site(struct spool_site_packer *p, struct spool_writer *w, uint32_t stream,
                           const struct spool_site *s, const uint64_t *frames)
{
    if (s->frames_len > SPOOL_PACK_FRAMES) return spool_put_site(w, *s, frames);
    const bool is_first = p->stream != stream;
    if (is_first) forget_sites(&p->last);
    p->stream = stream;
    const struct spool_site_diff r = {.time_ns = s->time_ns,
                                      .site = s->site,
                                      .sequence = (uint16_t)p->last.sequence++,
                                      .bytes_len = (uint16_t)pack_site(&p->last, s, frames, p->bytes)};
    const struct spool_text text = {p->bytes, r.bytes_len};
    if (spool_put(w, SPOOL_WHAT(SITE_DIFF, is_first ? SPOOL_SITE_FIRST : 0, r), &r, &text, 1)) return true;
    p->stream = 0; /* the next one does not build on it */
    return false;
}
