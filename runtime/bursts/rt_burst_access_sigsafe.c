/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_access_sigsafe.h"

#include "spool/spool_format.h"

#include <string.h>
#include <ucontext.h>

/* Register numbers of machine code to places in gregs. */
static const uint8_t greg_of[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
enum { NUMBER_RAX = 0, NUMBER_RCX = 1, NUMBER_RSP = 4, NUMBER_RBP = 5, STACK_SLOT_BYTES = 8 };

struct access_list {
    struct rt_burst_access *items;
    unsigned count;
};

int rt_burst_greg_of(unsigned number)
{
    return greg_of[number & 15];
}

static uint64_t greg(const struct rt_burst_regs *r, unsigned number)
{
    return (uint64_t)r->gregs[greg_of[number & 15]];
}

static uint64_t truncate(uint64_t v, unsigned width_bytes)
{
    return width_bytes == 4 ? (uint32_t)v : v;
}

static uint64_t segment_base(const struct rt_burst_mem *m, const struct rt_burst_regs *r)
{
    if (m->segment == RT_BURST_SEG_FS) return r->fs_base;
    return m->segment == RT_BURST_SEG_GS ? r->gs_base : 0;
}

static uint64_t base_value(const struct rt_burst_plan *p, const struct rt_burst_mem *m,
                           const struct rt_burst_regs *r)
{
    if (m->base == RT_BURST_REG_NONE) return 0;
    if (m->base == RT_BURST_REG_RIP) return p->ip + p->len_bytes;
    return greg(r, m->base);
}

/* Address without the segment base, index included when it is a general register. */
static uint64_t offset_of(const struct rt_burst_plan *p, const struct rt_burst_mem *m,
                          const struct rt_burst_regs *r)
{
    uint64_t a = base_value(p, m, r) + (uint64_t)m->disp;
    if (m->index != RT_BURST_REG_NONE) a += greg(r, m->index) * m->scale;
    return truncate(a, m->addr_width_bytes);
}

static void add_one(struct access_list *l, uint64_t addr, uint16_t size_bytes, uint16_t lane, uint8_t op)
{
    if (l->count < RT_BURST_ACCESS_MAX)
        l->items[l->count++] =
            (struct rt_burst_access){.addr = addr, .size_bytes = size_bytes, .lane = lane, .op = op};
}

static void add(struct access_list *l, const struct rt_burst_mem *m, uint64_t addr, uint16_t size_bytes,
                uint16_t lane)
{
    if (m->does & RT_BURST_DOES_LOAD) add_one(l, addr, size_bytes, lane, SPOOL_OP_LOAD);
    if (m->does & RT_BURST_DOES_STORE) add_one(l, addr, size_bytes, lane, SPOOL_OP_STORE);
    if (m->does & RT_BURST_DOES_PREFETCH) add_one(l, addr, size_bytes, lane, SPOOL_OP_PREFETCH);
}

/* Lanes in [0, lanes) whose element in a vector has its sign bit set. */
static uint64_t sign_bits(const uint8_t *vector, unsigned lanes, unsigned elem_bytes)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < lanes; i++)
        bits |= (uint64_t)(vector[i * elem_bytes + elem_bytes - 1] >> 7) << i;
    return bits;
}

static uint64_t vector_mask_bits(const struct rt_burst_mem *m, const struct rt_burst_regs *r)
{
    uint8_t vector[64];
    if (m->mask == RT_BURST_REG_NONE || m->lanes * m->elem_bytes > (int)sizeof vector) return 0;
    rt_burst_xstate_vector(&r->xstate, m->mask, vector);
    return sign_bits(vector, m->lanes, m->elem_bytes);
}

static uint64_t mmx_mask_bits(const struct rt_burst_mem *m, const struct rt_burst_regs *r)
{
    const uint64_t v = rt_burst_xstate_mmx(&r->xstate, m->mask);
    return sign_bits((const uint8_t *)&v, 8, 1);
}

static uint64_t k_mask_bits(const struct rt_burst_mem *m, const struct rt_burst_regs *r)
{
    const uint64_t k = rt_burst_xstate_k(&r->xstate, m->mask);
    return m->lanes < 64 ? k & ((UINT64_C(1) << m->lanes) - 1) : k;
}

/* Write one record for each run of neighbouring lanes. */
static void add_runs(struct access_list *l, const struct rt_burst_mem *m, uint64_t addr, uint64_t bits)
{
    for (unsigned lane = 0; bits >> lane;) {
        lane += (unsigned)__builtin_ctzll(bits >> lane);
        const uint64_t from_here = ~(bits >> lane);
        const unsigned run = from_here ? (unsigned)__builtin_ctzll(from_here) : 64;
        add(l, m, addr + (uint64_t)lane * m->elem_bytes, (uint16_t)(run * m->elem_bytes), (uint16_t)lane);
        lane += run;
        if (lane >= 64) break;
    }
}

static void add_packed(struct access_list *l, const struct rt_burst_mem *m, uint64_t addr, uint64_t bits)
{
    const unsigned elements = (unsigned)__builtin_popcountll(bits);
    if (elements) add(l, m, addr, (uint16_t)(elements * m->elem_bytes), 0);
}

static int64_t index_element(const uint8_t *vector, unsigned lane, unsigned elem_bytes)
{
    int32_t narrow;
    int64_t wide;
    if (elem_bytes == sizeof narrow) {
        memcpy(&narrow, vector + lane * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, vector + lane * sizeof wide, sizeof wide);
    return wide;
}

static void add_gather(struct access_list *l, const struct rt_burst_plan *p, const struct rt_burst_mem *m,
                       const struct rt_burst_regs *r)
{
    if (m->index == RT_BURST_REG_NONE || m->lanes * m->index_elem_bytes > 64) return;
    uint8_t indices[64];
    rt_burst_xstate_vector(&r->xstate, m->index, indices);
    const uint64_t bits = m->kind == RT_BURST_MEM_GATHER_K ? k_mask_bits(m, r) : vector_mask_bits(m, r);
    const uint64_t base = base_value(p, m, r) + (uint64_t)m->disp;
    for (unsigned lane = 0; lane < m->lanes; lane++) {
        if (!(bits >> lane & 1)) continue;
        const uint64_t scaled = (uint64_t)index_element(indices, lane, m->index_elem_bytes) * m->scale;
        add(l, m, segment_base(m, r) + truncate(base + scaled, m->addr_width_bytes), m->elem_bytes,
            (uint16_t)lane);
    }
}

/* Intel SDM vol. 2B, TILELOADD: rows from start_row on (not 0 after an interruption), the index register
 * times scale apart. */
static void add_tile(struct access_list *l, const struct rt_burst_plan *p, const struct rt_burst_mem *m,
                     const struct rt_burst_regs *r)
{
    const struct rt_burst_tile tile = rt_burst_xstate_tile(&r->xstate, m->tile);
    const uint64_t base = base_value(p, m, r) + (uint64_t)m->disp;
    const uint64_t stride_bytes = m->index == RT_BURST_REG_NONE ? 0 : greg(r, m->index) * m->scale;
    for (unsigned row = tile.first_row; row < tile.rows; row++)
        add(l, m, segment_base(m, r) + truncate(base + row * stride_bytes, m->addr_width_bytes),
            tile.row_bytes, (uint16_t)row);
}

/* Intel SDM vol. 2A, ENTER: push rbp; copy nesting - 1 frame pointers; push the new one. */
static void add_enter(struct access_list *l, const struct rt_burst_mem *m, const struct rt_burst_regs *r)
{
    uint64_t top = greg(r, NUMBER_RSP);
    uint64_t frame = greg(r, NUMBER_RBP);
    add_one(l, top -= STACK_SLOT_BYTES, STACK_SLOT_BYTES, 0, SPOOL_OP_STORE);
    for (unsigned i = 1; i < m->nesting; i++) {
        add_one(l, frame -= STACK_SLOT_BYTES, STACK_SLOT_BYTES, 0, SPOOL_OP_LOAD);
        add_one(l, top -= STACK_SLOT_BYTES, STACK_SLOT_BYTES, 0, SPOOL_OP_STORE);
    }
    if (m->nesting) add_one(l, top - STACK_SLOT_BYTES, STACK_SLOT_BYTES, 0, SPOOL_OP_STORE);
}

/* bt with a register counts bits from the operand in both directions (Intel SDM vol. 2A, BT). */
static uint64_t bit_reach(const struct rt_burst_mem *m, const struct rt_burst_regs *r)
{
    int64_t bit = (int64_t)greg(r, m->bit_reg);
    if (m->size_bytes == 2) bit = (int16_t)bit;
    if (m->size_bytes == 4) bit = (int32_t)bit;
    const int64_t operand_bits = m->size_bytes * 8;
    const int64_t operands = bit >= 0 ? bit / operand_bits : -((-bit + operand_bits - 1) / operand_bits);
    return (uint64_t)(operands * m->size_bytes);
}

static bool string_is_over(const struct rt_burst_mem *m, const struct rt_burst_regs *r)
{
    return m->repeated && truncate(greg(r, NUMBER_RCX), m->addr_width_bytes) == 0;
}

static void add_mem(struct access_list *l, const struct rt_burst_plan *p, const struct rt_burst_mem *m,
                    const struct rt_burst_regs *r)
{
    const uint64_t addr = segment_base(m, r) + offset_of(p, m, r);
    switch (m->kind) {
    case RT_BURST_MEM_PLAIN:
        add(l, m, addr, m->size_bytes, 0);
        break;
    case RT_BURST_MEM_PUSH:
        add(l, m, addr - m->size_bytes, m->size_bytes, 0);
        break;
    case RT_BURST_MEM_POP_DEST:
        add(l, m, addr + m->size_bytes, m->size_bytes, 0);
        break;
    case RT_BURST_MEM_ENTER:
        add_enter(l, m, r);
        break;
    case RT_BURST_MEM_BIT:
        add(l, m, addr + bit_reach(m, r), m->size_bytes, 0);
        break;
    case RT_BURST_MEM_XLAT:
        add(l, m, addr + (greg(r, NUMBER_RAX) & 0xff), m->size_bytes, 0);
        break;
    case RT_BURST_MEM_STRING:
        if (!string_is_over(m, r)) add(l, m, addr, m->size_bytes, 0);
        break;
    case RT_BURST_MEM_MASK_K:
        add_runs(l, m, addr, k_mask_bits(m, r));
        break;
    case RT_BURST_MEM_MASK_VEC:
        add_runs(l, m, addr, vector_mask_bits(m, r));
        break;
    case RT_BURST_MEM_MASK_MMX:
        add_runs(l, m, addr, mmx_mask_bits(m, r));
        break;
    case RT_BURST_MEM_PACKED_K:
        add_packed(l, m, addr, k_mask_bits(m, r));
        break;
    case RT_BURST_MEM_ANY_K:
        if (rt_burst_xstate_k(&r->xstate, m->mask)) add(l, m, addr, m->size_bytes, 0);
        break;
    case RT_BURST_MEM_GATHER_K:
    case RT_BURST_MEM_GATHER_VEC:
        add_gather(l, p, m, r);
        break;
    case RT_BURST_MEM_TILE:
        add_tile(l, p, m, r);
        break;
    }
}

unsigned rt_burst_accesses(const struct rt_burst_plan *p, const struct rt_burst_regs *regs,
                           struct rt_burst_access out[RT_BURST_ACCESS_MAX])
{
    struct access_list l = {.items = out};
    for (unsigned i = 0; i < p->mem_count; i++)
        add_mem(&l, p, &p->mem[i], regs);
    return l.count;
}
