/* SPDX-License-Identifier: BSD-3-Clause */
#include "spool/spool_packer_sigsafe.h"

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

static void put_number(struct spool_packer *p, uint64_t n)
{
    for (; n >= 0x80; n >>= 7)
        p->bytes[p->head.bytes_len++] = (uint8_t)(n | 0x80);
    p->bytes[p->head.bytes_len++] = (uint8_t)n;
}

static void put_signed(struct spool_packer *p, uint64_t to, uint64_t from)
{
    put_number(p, spool_pack_fold((int64_t)(to - from)));
}

static unsigned slot_of(const struct spool_pack *k, uint64_t ip)
{
    unsigned at = 0;
    while (at < SPOOL_PACK_SLOTS && (at >= k->new_ones || k->slots[at].ip != ip))
        at++;
    return at;
}

void spool_packer_add(struct spool_packer *p, uint16_t flags, const struct spool_access *r)
{
    if (p->head.bytes_len > SPOOL_PACKER_BYTES - SPOOL_PACK_MOST_BYTES) spool_packer_end(p);
    struct spool_pack *k = &p->pack;
    const bool is_timed = (flags & SPOOL_PACK_TIMES) == SPOOL_PACK_TIMES;
    const uint16_t rest = (uint16_t)(is_timed ? flags & ~SPOOL_PACK_TIMES : flags);
    unsigned at = slot_of(k, r->ip);
    const bool is_new = at == SPOOL_PACK_SLOTS;
    if (is_new) {
        at = k->new_ones++ % SPOOL_PACK_SLOTS;
        k->slots[at].ip = r->ip;
        k->slots[at].addr = k->addr;
    }
    const bool has_kind = is_new || k->slots[at].flags != rest || k->slots[at].size_bytes != r->size_bytes ||
                          k->slots[at].lane != r->lane;
    put_number(p, (is_new ? SPOOL_PACK_NEW : at) | (has_kind ? SPOOL_PACK_KIND : 0) |
                      (is_timed ? SPOOL_PACK_TIMED : 0));
    if (is_new) put_signed(p, r->ip, k->ip);
    if (is_new) k->ip = r->ip;
    if (has_kind) {
        put_number(p, k->slots[at].flags = rest);
        put_number(p, k->slots[at].size_bytes = r->size_bytes);
        put_number(p, k->slots[at].lane = r->lane);
    }
    put_signed(p, r->addr, k->slots[at].addr);
    put_signed(p, r->position, k->position);
    k->addr = k->slots[at].addr = r->addr;
    k->position = r->position;
    if (is_timed) put_number(p, r->latency_cycles);
    if (is_timed) put_number(p, r->drain_cycles);
    p->head.accesses_len++;
}
