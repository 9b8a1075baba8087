/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_unpack.h"

#include "spool/spool_record.h"

#include <string.h>

void spool_unpack_begin(struct spool_unpack *u, const struct spool_accesses *rec)
{
    u->head = *rec;
    u->pack = (struct spool_pack){0};
    u->bytes = ls_cursor_over(SPOOL_REC_TAIL(rec), rec->bytes_len);
}

static bool take_number(struct ls_cursor *bytes, uint64_t *out)
{
    uint8_t byte = 0x80;
    *out = 0;
    for (unsigned shift = 0; byte & 0x80; shift += 7) {
        if (shift > 63 || !ls_cursor_read(bytes, &byte, 1)) return false;
        *out |= (uint64_t)(byte & 0x7f) << shift;
    }
    return true;
}

/* *value was the last one. */
static bool take_signed(struct ls_cursor *bytes, uint64_t *value)
{
    uint64_t n;
    if (!take_number(bytes, &n)) return false;
    *value += (uint64_t)spool_pack_unfold(n);
    return true;
}

/* A tagged number, whose tag is the anchor. */
static bool take_from_anchor(struct spool_unpack *u, uint64_t *addr)
{
    enum { LOW_BITS = (1 << SPOOL_PACK_TAG_SHIFT) - 1 };
    uint8_t first;
    uint64_t rest = 0;
    if (!ls_cursor_read(&u->bytes, &first, 1)) return false;
    if (first & 0x80 && (!take_number(&u->bytes, &rest) || rest >> (64 - SPOOL_PACK_TAG_SHIFT))) return false;
    const uint64_t n = rest << SPOOL_PACK_TAG_SHIFT | (first & LOW_BITS);
    const unsigned anchor = first >> SPOOL_PACK_TAG_SHIFT & (SPOOL_PACK_ANCHORS - 1);
    *addr = u->pack.anchors[anchor] + (uint64_t)spool_pack_unfold(n);
    spool_pack_move_anchor(&u->pack, *addr);
    return true;
}

static bool take_position(struct spool_unpack *u, uint8_t head, uint64_t *position)
{
    if (!(head & SPOOL_PACK_NEXT)) return take_signed(&u->bytes, position);
    *position += 1;
    return true;
}

static bool take_kind(struct spool_unpack *u, struct spool_pack_kind *out)
{
    struct spool_pack *k = &u->pack;
    uint64_t at, flags, size_bytes, lane;
    if (!take_number(&u->bytes, &at)) return false;
    if (at < SPOOL_PACK_KINDS) {
        *out = k->kinds[at];
        return at < k->new_kinds;
    }
    if (at > SPOOL_PACK_KINDS || !take_number(&u->bytes, &flags) || !take_number(&u->bytes, &size_bytes) ||
        !take_number(&u->bytes, &lane))
        return false;
    *out = (struct spool_pack_kind){(uint16_t)flags, (uint16_t)size_bytes, (uint16_t)lane};
    k->kinds[k->new_kinds++ % SPOOL_PACK_KINDS] = *out;
    return flags <= UINT16_MAX && size_bytes <= UINT16_MAX && lane <= UINT16_MAX;
}

static bool take_site(struct spool_unpack *u, unsigned at)
{
    uint64_t site, units;
    if (!take_number(&u->bytes, &site) || !take_number(&u->bytes, &units)) return false;
    u->pack.slots[at].site = (uint16_t)site;
    u->pack.slots[at].site_units = (uint16_t)units;
    return site <= SPOOL_SITE_OTHERS && units <= UINT16_MAX;
}

/* The slot of the instruction, or SPOOL_PACK_SLOTS: damaged. */
static unsigned take_slot(struct spool_unpack *u, unsigned slot)
{
    struct spool_pack *k = &u->pack;
    if (slot != SPOOL_PACK_NEW) return slot < k->new_ones ? slot : SPOOL_PACK_SLOTS;
    if (!take_signed(&u->bytes, &k->ip)) return SPOOL_PACK_SLOTS;
    const unsigned at = k->new_ones++ % SPOOL_PACK_SLOTS;
    k->slots[at].ip = k->ip;
    k->slots[at].kind = k->kind;
    k->slots[at].site = k->slots[at].site_units = 0;
    return at;
}

bool spool_unpack_next(struct spool_unpack *u, struct spool_access *out)
{
    struct spool_pack *k = &u->pack;
    uint8_t head;
    uint64_t position = k->position, latency = 0, drain = 0;
    if (!ls_cursor_read(&u->bytes, &head, 1)) return false;
    const unsigned at = take_slot(u, head & 0xf);
    if (at == SPOOL_PACK_SLOTS || (head & SPOOL_PACK_KIND && !take_kind(u, &k->slots[at].kind))) return false;
    const bool is_new = (head & 0xf) == SPOOL_PACK_NEW;
    uint64_t *const addr = &k->slots[at].addr;
    if (!(is_new ? take_from_anchor(u, addr) : take_signed(&u->bytes, addr))) return false;
    if (!take_position(u, head, &position) || position > UINT32_MAX) return false;
    const bool is_timed = head & SPOOL_PACK_TIMED;
    if (is_timed && (!take_number(&u->bytes, &latency) || !take_number(&u->bytes, &drain))) return false;
    if ((head & SPOOL_PACK_SITE) && !take_site(u, at)) return false;
    k->kind = k->slots[at].kind;
    k->position = (uint32_t)position;
    u->head.accesses_len--;
    *out = (struct spool_access){
        .rec = {.type = SPOOL_REC_ACCESS,
                .flags = (uint16_t)(k->kind.flags | (is_timed ? SPOOL_PACK_TIMES : 0)),
                .len_bytes = sizeof(*out)},
        .ip = k->slots[at].ip,
        .addr = *addr,
        .tsc_delta = spool_pack_tsc_delta(u->head.tsc_cycles, u->head.instructions, k->position),
        .latency_cycles = (uint32_t)latency,
        .position = k->position,
        .size_bytes = k->kind.size_bytes,
        .lane = k->kind.lane,
        .drain_cycles = (uint32_t)drain,
        .site = k->slots[at].site,
        .site_units = k->slots[at].site_units};
    return latency <= UINT32_MAX && drain <= UINT32_MAX;
}

static bool take_stack(struct spool_stack_pack *last, const struct spool_stack_diff *rec,
                       struct spool_whole_stack *out)
{
    uint8_t mask[SPOOL_PACK_MASK_BYTES];
    struct ls_cursor bytes = ls_cursor_over(SPOOL_REC_TAIL(rec), rec->bytes_len);
    if (!ls_cursor_read(&bytes, mask, sizeof(mask))) return false;
    for (unsigned i = 0; i < SPOOL_REGS; i++) {
        if (mask[i / 8] >> i % 8 & 1 && !take_signed(&bytes, &last->regs[i])) return false;
        out->head.regs[i] = last->regs[i];
    }
    for (unsigned i = 0; i * 8 < rec->stack_len_bytes; i++) {
        uint64_t *word = spool_pack_word(last, last->regs[SPOOL_REG_RSP] + i * 8);
        if (mask[SPOOL_PACK_REG_MASK_BYTES + i / 8] >> i % 8 & 1 && !take_signed(&bytes, word)) return false;
        memcpy(out->bytes + i * 8, word, 8);
    }
    return true;
}

enum spool_unpacked spool_unpack_stack(struct spool_stack_pack *last, const struct spool_stack_diff *rec,
                                       struct spool_whole_stack *out)
{
    if (rec->rec.flags & SPOOL_STACK_FIRST) *last = (struct spool_stack_pack){0};
    if (rec->sequence != last->sequence) return SPOOL_UNPACKED_MISSING;
    last->sequence++;
    out->head = (struct spool_stack){
        .rec = {.type = SPOOL_REC_STACK,
                .len_bytes = (uint32_t)(sizeof(out->head) + (rec->stack_len_bytes + 7) / 8 * 8)},
        .time_ns = rec->time_ns,
        .bytes_len = rec->stack_len_bytes};
    return take_stack(last, rec, out) ? SPOOL_UNPACKED : SPOOL_UNPACKED_DAMAGED;
}

static bool take_site_path(struct spool_site_pack *last, const struct spool_site_diff *rec,
                           struct spool_whole_site *out)
{
    struct ls_cursor bytes = ls_cursor_over(SPOOL_REC_TAIL(rec), rec->bytes_len);
    uint64_t len_bytes, frames_len, kept;
    if (!take_number(&bytes, &len_bytes) || !take_number(&bytes, &frames_len) || !take_number(&bytes, &kept))
        return false;
    if (frames_len > SPOOL_PACK_FRAMES || kept > frames_len || kept > last->frames_len) return false;
    uint64_t caller = kept ? last->frames[kept - 1] : 0;
    for (uint64_t i = kept; i < frames_len; i++) {
        uint64_t *called = spool_pack_called(last, caller);
        uint64_t frame = *called ? *called : caller;
        if (!take_signed(&bytes, &frame)) return false;
        caller = *called = last->frames[i] = frame;
    }
    last->frames_len = (uint32_t)frames_len;
    for (uint64_t i = 0; i < frames_len; i++)
        out->frames[i] = last->frames[frames_len - 1 - i];
    out->head.len_bytes = len_bytes;
    out->head.frames_len = last->frames_len;
    out->head.rec.len_bytes = (uint32_t)(sizeof(out->head) + frames_len * sizeof(out->frames[0]));
    return true;
}

enum spool_unpacked spool_unpack_site(struct spool_site_pack *last, const struct spool_site_diff *rec,
                                      struct spool_whole_site *out)
{
    if (rec->rec.flags & SPOOL_SITE_FIRST) *last = (struct spool_site_pack){0};
    if (rec->sequence != (uint16_t)last->sequence) return SPOOL_UNPACKED_MISSING;
    last->sequence++;
    out->head =
        (struct spool_site){.rec = {.type = SPOOL_REC_SITE}, .time_ns = rec->time_ns, .site = rec->site};
    return take_site_path(last, rec, out) ? SPOOL_UNPACKED : SPOOL_UNPACKED_DAMAGED;
}
