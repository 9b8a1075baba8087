/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of a burst in few bytes: the state that writer and reader both keep of earlier accesses.
 *
 * An access is
 *   a byte      bits 0 to 3: slot of its instruction among the last ones, SPOOL_PACK_NEW: a new one;
 *               SPOOL_PACK_KIND: kind follows; SPOOL_PACK_TIMED: latency and drain follow, and both flags are set;
 *               SPOOL_PACK_SITE: site and site_units follow, otherwise they are as in the last access of this
 *               instruction, of a new one 0; SPOOL_PACK_NEXT: its position is the next one, and does not follow
 *   new one     signed: distance from the last new instruction
 *   kind        number of a kind of this record, SPOOL_PACK_KINDS: a new one, whose flags (without SPOOL_PACK_TIMES),
 *               size_bytes and lane follow, and which replaces the oldest; when it is left out, it is that of the last access of
 *               this instruction, of a new one that of the last of all
 *   signed      distance of the address from the last one of this instruction. New one: signed and tagged: distance from an anchor,
 *               whose number is the tag. Then the anchor that is nearest to the address becomes it, or the oldest one if that is
 *               SPOOL_PACK_FAR bytes away: so there is an anchor in each of the regions that the program uses
 *   signed      distance of the position from the last one
 *   timed       latency_cycles, drain_cycles
 *   site        site, site_units
 * Numbers have 7 bits a byte, the lowest first, the top bit set in all but the last; signed ones are 2 n or -2 n - 1. The first
 * byte of a tagged number has only the lowest 5 bits of it, and above them 2 bits of the tag.
 * tsc_delta is not stored: it follows from position.
 *
 * A stack is
 *   3 bytes     a bit for each register that differs from the last stack's
 *   8 bytes     a bit for each word of 8 bytes that differs from the last one at an address with the same remainder
 *               by SPOOL_PACK_WORDS words
 *   signed      distance of each of these from the other, registers first
 * At first all of them are 0.
 *
 * A site is
 *   number      length of the block
 *   number      frames, at most SPOOL_PACK_FRAMES
 *   number      outermost frames that the last site has, too, and that do not follow
 *   signed      distance of each other frame, from the outermost inwards, from the one that the same caller called when it was
 *               in this place the last time. Callers share a number of slots; where the slot is 0, distance from the
 *               caller. The outermost frame has the caller 0.
 *
 * Thread: any.  Signal: safe. */
#ifndef SPOOL_PACK_H
#define SPOOL_PACK_H

#include "spool/spool_format.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SPOOL_PACK_SLOTS = 15,
    SPOOL_PACK_NEW = 15,
    SPOOL_PACK_KIND = 0x10,
    SPOOL_PACK_TIMED = 0x20,
    SPOOL_PACK_SITE = 0x40,
    SPOOL_PACK_NEXT = 0x80,
    SPOOL_PACK_KINDS = 8,
    SPOOL_PACK_ANCHORS = 4,
    SPOOL_PACK_TAG_SHIFT = 5,
    SPOOL_PACK_MOST_BYTES = 64, /* per access */
};
#define SPOOL_PACK_FAR (UINT64_C(1) << 36)
#define SPOOL_PACK_TIMES (SPOOL_ACCESS_LATENCY_VALID | SPOOL_ACCESS_DRAIN_VALID)

struct spool_pack_kind {
    uint16_t flags, size_bytes, lane;
};
struct spool_pack {
    struct {
        uint64_t ip, addr;
        struct spool_pack_kind kind;
        uint16_t site, site_units;
    } slots[SPOOL_PACK_SLOTS];
    struct spool_pack_kind kinds[SPOOL_PACK_KINDS], kind; /* kind: of the last access */
    uint64_t ip, anchors[SPOOL_PACK_ANCHORS];
    uint32_t position;
    uint32_t new_ones, new_kinds, new_anchors; /* so far */
};

static inline uint64_t spool_pack_distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Return the anchor that is nearest to addr. */
static inline unsigned spool_pack_anchor(const struct spool_pack *k, uint64_t addr)
{
    unsigned nearest = 0;
    for (unsigned i = 1; i < SPOOL_PACK_ANCHORS; i++)
        if (spool_pack_distance(k->anchors[i], addr) < spool_pack_distance(k->anchors[nearest], addr))
            nearest = i;
    return nearest;
}

static inline void spool_pack_move_anchor(struct spool_pack *k, uint64_t addr)
{
    unsigned at = spool_pack_anchor(k, addr);
    if (spool_pack_distance(k->anchors[at], addr) >= SPOOL_PACK_FAR)
        at = k->new_anchors++ % SPOOL_PACK_ANCHORS;
    k->anchors[at] = addr;
}

enum {
    SPOOL_PACK_WORDS = 128, /* twice the size of a recorded stack, because the stack pointer moves */
    SPOOL_PACK_REG_MASK_BYTES = 3,
    SPOOL_PACK_WORD_MASK_BYTES = SPOOL_STACK_LEAF_BYTES / 8 / 8,
    SPOOL_PACK_MASK_BYTES = SPOOL_PACK_REG_MASK_BYTES + SPOOL_PACK_WORD_MASK_BYTES,
    SPOOL_PACK_STACK_MOST_BYTES = SPOOL_PACK_MASK_BYTES + 10 * (SPOOL_REGS + SPOOL_STACK_LEAF_BYTES / 8),
};

struct spool_stack_pack {
    uint64_t regs[SPOOL_REGS];
    uint64_t words[SPOOL_PACK_WORDS];
    uint32_t sequence; /* number of the next record */
};

/* Return the slot of the word at addr. */
static inline uint64_t *spool_pack_word(struct spool_stack_pack *k, uint64_t addr)
{
    return &k->words[addr / 8 % SPOOL_PACK_WORDS];
}

enum {
    SPOOL_PACK_FRAMES = 64,
    SPOOL_PACK_CALLERS = 64,
    SPOOL_PACK_SITE_MOST_BYTES = 10 * (3 + SPOOL_PACK_FRAMES),
};

struct spool_site_pack {
    uint64_t frames[SPOOL_PACK_FRAMES]; /* the last site's, outermost first */
    uint32_t frames_len;
    uint32_t sequence; /* number of the next record */
    uint64_t called[SPOOL_PACK_CALLERS];
};

/* Return the slot of the frame that caller called last. The upper bits of the product depend on all bits of the address. */
static inline uint64_t *spool_pack_called(struct spool_site_pack *k, uint64_t caller)
{
    return &k->called[(caller * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (SPOOL_PACK_CALLERS - 1)];
}

static inline bool spool_pack_is_kind(struct spool_pack_kind a, struct spool_pack_kind b)
{
    return a.flags == b.flags && a.size_bytes == b.size_bytes && a.lane == b.lane;
}

static inline uint64_t spool_pack_fold(int64_t n)
{
    return (uint64_t)n << 1 ^ (uint64_t)(n >> 63);
}

static inline int64_t spool_pack_unfold(uint64_t n)
{
    return (int64_t)(n >> 1 ^ (~(n & 1) + 1));
}

static inline uint32_t spool_pack_tsc_delta(uint64_t tsc_cycles, uint32_t instructions, uint32_t position)
{
    if (!instructions) return 0;
    const double delta = (double)tsc_cycles * position / instructions;
    return delta < UINT32_MAX ? (uint32_t)delta : UINT32_MAX;
}

#endif
