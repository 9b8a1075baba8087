/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine code, written byte by byte.
 *
 * Thread: one writer.  Signal: safe. */
#ifndef RT_TR_EMIT_H
#define RT_TR_EMIT_H
#include "runtime/translate/rt_tr_internal.h"

#include <string.h>

enum { RAX, RCX, RDX, RSP = 4 };

/* Bytes are written at at, and run at at - delta. */
struct emit {
    uint8_t *at;
    int64_t delta;
};

static inline void put1(struct emit *e, unsigned v)
{
    *e->at++ = (uint8_t)v;
}

static inline void put4(struct emit *e, uint32_t v)
{
    memcpy(e->at, &v, sizeof v);
    e->at += sizeof v;
}

static inline void put_bytes(struct emit *e, const void *bytes, size_t len_bytes)
{
    memcpy(e->at, bytes, len_bytes);
    e->at += len_bytes;
}

static inline uint64_t runs_at(const struct emit *e)
{
    return (uint64_t)(uintptr_t)e->at - (uint64_t)e->delta;
}

static inline bool reaches(uint64_t from, uint64_t to)
{
    const int64_t distance = (int64_t)(to - from);
    return distance == (int32_t)distance;
}

/* mov between a register and the context */
static inline void context_move(struct emit *e, unsigned opcode, unsigned reg, unsigned offset)
{
    put1(e, 0x65);
    put1(e, 0x48 | (reg >> 3) << 2);
    put1(e, opcode);
    put1(e, 0x04 | (reg & 7) << 3);
    put1(e, 0x25);
    put4(e, offset);
}

static inline void save(struct emit *e, unsigned reg, unsigned offset)
{
    context_move(e, 0x89, reg, offset);
}

static inline void load(struct emit *e, unsigned reg, unsigned offset)
{
    context_move(e, 0x8b, reg, offset);
}

/* So that the 4 bytes that begin ahead bytes from here can be replaced by one store. */
static inline void align_patch(struct emit *e, unsigned ahead)
{
    static const uint8_t nops[4][4] = {{0}, {0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x00}};
    const unsigned missing = (unsigned)(-(runs_at(e) + ahead) & 3);
    put_bytes(e, nops[missing], missing);
}

static inline unsigned counter_of(const struct rt_tr_block *b)
{
    return RT_TR_O_COUNTS + 8u * b->counter;
}

/* Return the amount to add to the counter for n instructions, and for the operations that the translation adds to them. */
static inline uint32_t counted_as(int n, unsigned added)
{
    return ((uint32_t)n << RT_TR_COUNT_BIT) + added;
}

/* lea n(rcx), rcx on the counter, rcx saved in SPILL1 */
static inline void count(struct emit *e, const struct rt_tr_block *b, uint32_t n)
{
    save(e, RCX, RT_TR_O_SPILL1);
    load(e, RCX, counter_of(b));
    put1(e, 0x48);
    put1(e, 0x8d);
    put1(e, 0x89);
    put4(e, n);
    save(e, RCX, counter_of(b));
}

#endif
