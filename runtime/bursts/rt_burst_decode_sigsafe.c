/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_decode_sigsafe.h"

#include <string.h>

/* Tables by mnemonic: 0 is what most instructions have. */
#define TABLE(name) static const uint8_t name[ZYDIS_MNEMONIC_MAX_VALUE + 1]

TABLE(classes) = {
    [ZYDIS_MNEMONIC_SYSCALL] = RT_BURST_SYSCALL, [ZYDIS_MNEMONIC_SYSENTER] = RT_BURST_SYSCALL,
    [ZYDIS_MNEMONIC_INT] = RT_BURST_SYSCALL,     [ZYDIS_MNEMONIC_SYSRET] = RT_BURST_SYSCALL,
    [ZYDIS_MNEMONIC_INT3] = RT_BURST_FLAGS,      [ZYDIS_MNEMONIC_INT1] = RT_BURST_FLAGS,
    [ZYDIS_MNEMONIC_PUSHF] = RT_BURST_FLAGS,     [ZYDIS_MNEMONIC_PUSHFD] = RT_BURST_FLAGS,
    [ZYDIS_MNEMONIC_PUSHFQ] = RT_BURST_FLAGS,    [ZYDIS_MNEMONIC_POPF] = RT_BURST_FLAGS,
    [ZYDIS_MNEMONIC_POPFD] = RT_BURST_FLAGS,     [ZYDIS_MNEMONIC_POPFQ] = RT_BURST_FLAGS,
    [ZYDIS_MNEMONIC_IRET] = RT_BURST_FLAGS,      [ZYDIS_MNEMONIC_IRETD] = RT_BURST_FLAGS,
    [ZYDIS_MNEMONIC_IRETQ] = RT_BURST_FLAGS,     [ZYDIS_MNEMONIC_HLT] = RT_BURST_FLAGS,
    [ZYDIS_MNEMONIC_UIRET] = RT_BURST_FLAGS,     [ZYDIS_MNEMONIC_XBEGIN] = RT_BURST_TSX,
    [ZYDIS_MNEMONIC_XABORT] = RT_BURST_TSX,      [ZYDIS_MNEMONIC_XEND] = RT_BURST_TSX,
};

/* Operands that Zydis reports as reads but that load nothing. */
enum { DOES_NOTHING = 0x80 };
TABLE(not_loads) = {
    [ZYDIS_MNEMONIC_NOP] = DOES_NOTHING,
    [ZYDIS_MNEMONIC_CLFLUSH] = DOES_NOTHING,
    [ZYDIS_MNEMONIC_CLFLUSHOPT] = DOES_NOTHING,
    [ZYDIS_MNEMONIC_CLWB] = DOES_NOTHING,
    [ZYDIS_MNEMONIC_CLDEMOTE] = DOES_NOTHING,
    [ZYDIS_MNEMONIC_INVLPG] = DOES_NOTHING,
    [ZYDIS_MNEMONIC_PREFETCH] = RT_BURST_DOES_PREFETCH,
    [ZYDIS_MNEMONIC_PREFETCHNTA] = RT_BURST_DOES_PREFETCH,
    [ZYDIS_MNEMONIC_PREFETCHT0] = RT_BURST_DOES_PREFETCH,
    [ZYDIS_MNEMONIC_PREFETCHT1] = RT_BURST_DOES_PREFETCH,
    [ZYDIS_MNEMONIC_PREFETCHT2] = RT_BURST_DOES_PREFETCH,
    [ZYDIS_MNEMONIC_PREFETCHW] = RT_BURST_DOES_PREFETCH,
    [ZYDIS_MNEMONIC_PREFETCHWT1] = RT_BURST_DOES_PREFETCH,
};

/* Gathers and scatters: bytes of an index element. */
TABLE(index_elements) = {
    [ZYDIS_MNEMONIC_VPGATHERDD] = 4,  [ZYDIS_MNEMONIC_VPGATHERDQ] = 4,  [ZYDIS_MNEMONIC_VGATHERDPS] = 4,
    [ZYDIS_MNEMONIC_VGATHERDPD] = 4,  [ZYDIS_MNEMONIC_VPSCATTERDD] = 4, [ZYDIS_MNEMONIC_VPSCATTERDQ] = 4,
    [ZYDIS_MNEMONIC_VSCATTERDPS] = 4, [ZYDIS_MNEMONIC_VSCATTERDPD] = 4, [ZYDIS_MNEMONIC_VPGATHERQD] = 8,
    [ZYDIS_MNEMONIC_VPGATHERQQ] = 8,  [ZYDIS_MNEMONIC_VGATHERQPS] = 8,  [ZYDIS_MNEMONIC_VGATHERQPD] = 8,
    [ZYDIS_MNEMONIC_VPSCATTERQD] = 8, [ZYDIS_MNEMONIC_VPSCATTERQQ] = 8, [ZYDIS_MNEMONIC_VSCATTERQPS] = 8,
    [ZYDIS_MNEMONIC_VSCATTERQPD] = 8,
};

/* Instructions whose memory operand has its own rule; the rest is PLAIN or known by its mask register. */
TABLE(kinds) = {
    [ZYDIS_MNEMONIC_ENTER] = RT_BURST_MEM_ENTER,
    [ZYDIS_MNEMONIC_BT] = RT_BURST_MEM_BIT,
    [ZYDIS_MNEMONIC_BTS] = RT_BURST_MEM_BIT,
    [ZYDIS_MNEMONIC_BTR] = RT_BURST_MEM_BIT,
    [ZYDIS_MNEMONIC_BTC] = RT_BURST_MEM_BIT,
    [ZYDIS_MNEMONIC_XLAT] = RT_BURST_MEM_XLAT,
    [ZYDIS_MNEMONIC_VMASKMOVPS] = RT_BURST_MEM_MASK_VEC,
    [ZYDIS_MNEMONIC_VMASKMOVPD] = RT_BURST_MEM_MASK_VEC,
    [ZYDIS_MNEMONIC_VPMASKMOVD] = RT_BURST_MEM_MASK_VEC,
    [ZYDIS_MNEMONIC_VPMASKMOVQ] = RT_BURST_MEM_MASK_VEC,
    [ZYDIS_MNEMONIC_MASKMOVDQU] = RT_BURST_MEM_MASK_VEC,
    [ZYDIS_MNEMONIC_VMASKMOVDQU] = RT_BURST_MEM_MASK_VEC,
    [ZYDIS_MNEMONIC_MASKMOVQ] = RT_BURST_MEM_MASK_MMX,
};
TABLE(packed) = {
    [ZYDIS_MNEMONIC_VPCOMPRESSB] = 1, [ZYDIS_MNEMONIC_VPCOMPRESSW] = 1, [ZYDIS_MNEMONIC_VPCOMPRESSD] = 1,
    [ZYDIS_MNEMONIC_VPCOMPRESSQ] = 1, [ZYDIS_MNEMONIC_VCOMPRESSPS] = 1, [ZYDIS_MNEMONIC_VCOMPRESSPD] = 1,
    [ZYDIS_MNEMONIC_VPEXPANDB] = 1,   [ZYDIS_MNEMONIC_VPEXPANDW] = 1,   [ZYDIS_MNEMONIC_VPEXPANDD] = 1,
    [ZYDIS_MNEMONIC_VPEXPANDQ] = 1,   [ZYDIS_MNEMONIC_VEXPANDPS] = 1,   [ZYDIS_MNEMONIC_VEXPANDPD] = 1,
};
TABLE(strings) = {
    [ZYDIS_MNEMONIC_MOVSB] = 1, [ZYDIS_MNEMONIC_MOVSW] = 1, [ZYDIS_MNEMONIC_MOVSD] = 1,
    [ZYDIS_MNEMONIC_MOVSQ] = 1, [ZYDIS_MNEMONIC_STOSB] = 1, [ZYDIS_MNEMONIC_STOSW] = 1,
    [ZYDIS_MNEMONIC_STOSD] = 1, [ZYDIS_MNEMONIC_STOSQ] = 1, [ZYDIS_MNEMONIC_LODSB] = 1,
    [ZYDIS_MNEMONIC_LODSW] = 1, [ZYDIS_MNEMONIC_LODSD] = 1, [ZYDIS_MNEMONIC_LODSQ] = 1,
    [ZYDIS_MNEMONIC_CMPSB] = 1, [ZYDIS_MNEMONIC_CMPSW] = 1, [ZYDIS_MNEMONIC_CMPSD] = 1,
    [ZYDIS_MNEMONIC_CMPSQ] = 1, [ZYDIS_MNEMONIC_SCASB] = 1, [ZYDIS_MNEMONIC_SCASW] = 1,
    [ZYDIS_MNEMONIC_SCASD] = 1, [ZYDIS_MNEMONIC_SCASQ] = 1,
};

/* Zydis gives their operand no length: it is the tile's. */
TABLE(tiles) = {
    [ZYDIS_MNEMONIC_TILELOADD] = 1,
    [ZYDIS_MNEMONIC_TILELOADDT1] = 1,
    [ZYDIS_MNEMONIC_TILESTORED] = 1,
};

static bool within(ZydisRegister r, ZydisRegister first, ZydisRegister last)
{
    return r >= first && r <= last;
}

static uint8_t address_register(ZydisRegister r)
{
    if (within(r, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15)) return (uint8_t)(r - ZYDIS_REGISTER_RAX);
    if (within(r, ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D)) return (uint8_t)(r - ZYDIS_REGISTER_EAX);
    if (r == ZYDIS_REGISTER_RIP || r == ZYDIS_REGISTER_EIP) return RT_BURST_REG_RIP;
    return RT_BURST_REG_NONE;
}

static uint8_t general_register(ZydisRegister r)
{
    return within(r, ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W) ? (uint8_t)(r - ZYDIS_REGISTER_AX)
                                                             : address_register(r);
}

static uint8_t vector_register(ZydisRegister r)
{
    if (within(r, ZYDIS_REGISTER_XMM0, ZYDIS_REGISTER_XMM31)) return (uint8_t)(r - ZYDIS_REGISTER_XMM0);
    if (within(r, ZYDIS_REGISTER_YMM0, ZYDIS_REGISTER_YMM31)) return (uint8_t)(r - ZYDIS_REGISTER_YMM0);
    if (within(r, ZYDIS_REGISTER_ZMM0, ZYDIS_REGISTER_ZMM31)) return (uint8_t)(r - ZYDIS_REGISTER_ZMM0);
    if (within(r, ZYDIS_REGISTER_MM0, ZYDIS_REGISTER_MM7)) return (uint8_t)(r - ZYDIS_REGISTER_MM0);
    return RT_BURST_REG_NONE;
}

static uint8_t segment_of(ZydisRegister r)
{
    if (r == ZYDIS_REGISTER_FS) return RT_BURST_SEG_FS;
    return r == ZYDIS_REGISTER_GS ? RT_BURST_SEG_GS : RT_BURST_SEG_FLAT;
}

static uint8_t does_of(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
    const uint8_t known = not_loads[in->mnemonic];
    if (known) return known & (uint8_t)~DOES_NOTHING;
    uint8_t does = 0;
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_READ) does |= RT_BURST_DOES_LOAD;
    if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) does |= RT_BURST_DOES_STORE;
    return does;
}

static bool is_stack_operand(const ZydisDecodedOperand *op)
{
    return op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && op->mem.base == ZYDIS_REGISTER_RSP;
}

/* The vector register that masks a VEX or SSE instruction: vvvv of the VEX forms, the second source of
 * maskmov. */
static uint8_t vector_mask(const struct rt_burst_scratch *s)
{
    const bool vex_mask = s->insn.mnemonic != ZYDIS_MNEMONIC_MASKMOVDQU &&
                          s->insn.mnemonic != ZYDIS_MNEMONIC_VMASKMOVDQU &&
                          s->insn.mnemonic != ZYDIS_MNEMONIC_MASKMOVQ;
    const ZydisOperandEncoding wanted =
        vex_mask ? ZYDIS_OPERAND_ENCODING_NDSNDD : ZYDIS_OPERAND_ENCODING_MODRM_RM;
    for (unsigned i = 0; i < s->insn.operand_count; i++) {
        const ZydisDecodedOperand *op = &s->operands[i];
        if (op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->encoding == wanted)
            return vector_register(op->reg.value);
    }
    return RT_BURST_REG_NONE;
}

static void plan_gather(const struct rt_burst_scratch *s, const ZydisDecodedOperand *op,
                        struct rt_burst_mem *m)
{
    m->index = vector_register(op->mem.index);
    m->index_elem_bytes = index_elements[s->insn.mnemonic];
    m->elem_bytes = (uint8_t)(op->size / 8);
    const unsigned widest_bytes = m->index_elem_bytes > m->elem_bytes ? m->index_elem_bytes : m->elem_bytes;
    m->lanes = m->index_elem_bytes ? (uint8_t)(s->insn.avx.vector_length / 8 / widest_bytes) : 0;
    const bool by_k = s->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
    m->kind = by_k ? RT_BURST_MEM_GATHER_K : RT_BURST_MEM_GATHER_VEC;
    m->mask = by_k ? (uint8_t)(s->insn.avx.mask.reg - ZYDIS_REGISTER_K0) : vector_mask(s);
}

static void plan_mask_k(const struct rt_burst_scratch *s, struct rt_burst_mem *m)
{
    m->mask = (uint8_t)(s->insn.avx.mask.reg - ZYDIS_REGISTER_K0);
    m->kind = RT_BURST_MEM_MASK_K;
    if (packed[s->insn.mnemonic]) m->kind = RT_BURST_MEM_PACKED_K;
    if (s->insn.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID) m->kind = RT_BURST_MEM_ANY_K;
}

static bool has_k_mask(const ZydisDecodedInstruction *in)
{
    return within(in->avx.mask.reg, ZYDIS_REGISTER_K1, ZYDIS_REGISTER_K7);
}

static void plan_stack(const ZydisDecodedInstruction *in, struct rt_burst_mem *m)
{
    if (in->mnemonic == ZYDIS_MNEMONIC_ENTER) {
        m->kind = RT_BURST_MEM_ENTER;
        m->nesting = (uint8_t)(in->raw.imm[1].value.u & 31);
    } else if (m->does & RT_BURST_DOES_STORE) {
        m->kind = RT_BURST_MEM_PUSH;
    }
}

static void plan_special(const struct rt_burst_scratch *s, struct rt_burst_mem *m)
{
    m->kind = kinds[s->insn.mnemonic];
    if (m->kind == RT_BURST_MEM_MASK_VEC || m->kind == RT_BURST_MEM_MASK_MMX) {
        const bool bytes = s->insn.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
                           s->insn.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU || m->kind == RT_BURST_MEM_MASK_MMX;
        if (bytes) m->elem_bytes = 1;
        m->lanes = (uint8_t)(m->size_bytes / m->elem_bytes);
        m->mask = vector_mask(s);
    }
    if (m->kind == RT_BURST_MEM_BIT) {
        const ZydisDecodedOperand *offset = &s->operands[1];
        const bool by_register = offset->type == ZYDIS_OPERAND_TYPE_REGISTER;
        m->bit_reg = by_register ? general_register(offset->reg.value) : RT_BURST_REG_NONE;
        if (!by_register) m->kind = RT_BURST_MEM_PLAIN;
    }
    if (strings[s->insn.mnemonic] && s->operands[0].visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
        const ZydisInstructionAttributes repeats =
            ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
        m->kind = RT_BURST_MEM_STRING;
        m->repeated = (s->insn.attributes & repeats) != 0;
    }
}

static bool is_tile_access(const struct rt_burst_scratch *s)
{
    return tiles[s->insn.mnemonic];
}

static void plan_tile(const struct rt_burst_scratch *s, struct rt_burst_mem *m)
{
    m->kind = RT_BURST_MEM_TILE;
    for (unsigned i = 0; i < s->insn.operand_count; i++) {
        const ZydisDecodedOperand *op = &s->operands[i];
        if (op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
            within(op->reg.value, ZYDIS_REGISTER_TMM0, ZYDIS_REGISTER_TMM7))
            m->tile = (uint8_t)(op->reg.value - ZYDIS_REGISTER_TMM0);
    }
}

static bool is_memory_access(const struct rt_burst_scratch *s, const ZydisDecodedOperand *op)
{
    const bool real = op->mem.type == ZYDIS_MEMOP_TYPE_MEM || op->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    return op->type == ZYDIS_OPERAND_TYPE_MEMORY && real && (op->size >= 8 || is_tile_access(s));
}

static void plan_operand(const struct rt_burst_scratch *s, const ZydisDecodedOperand *op,
                         struct rt_burst_mem *m)
{
    *m = (struct rt_burst_mem){
        .disp = op->mem.disp.value,
        .does = does_of(&s->insn, op),
        .segment = segment_of(op->mem.segment),
        .base = address_register(op->mem.base),
        .index = address_register(op->mem.index),
        .scale = op->mem.scale,
        .addr_width_bytes = s->insn.address_width / 8,
        .size_bytes = op->size / 8,
        .elem_bytes = (uint8_t)(op->element_size / 8),
        .lanes = (uint8_t)op->element_count,
        .mask = RT_BURST_REG_NONE,
        .bit_reg = RT_BURST_REG_NONE,
    };
    if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
        plan_gather(s, op, m);
    else if (is_tile_access(s))
        plan_tile(s, m);
    else if (is_stack_operand(op))
        plan_stack(&s->insn, m);
    else if (has_k_mask(&s->insn))
        plan_mask_k(s, m);
    else
        plan_special(s, m);
    if (s->insn.mnemonic == ZYDIS_MNEMONIC_POP && !is_stack_operand(op) && op->mem.base == ZYDIS_REGISTER_RSP)
        m->kind = RT_BURST_MEM_POP_DEST;
}

static bool loads_stack_segment(const struct rt_burst_scratch *s)
{
    const bool moves = s->insn.mnemonic == ZYDIS_MNEMONIC_MOV || s->insn.mnemonic == ZYDIS_MNEMONIC_POP;
    return moves && s->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
           s->operands[0].reg.value == ZYDIS_REGISTER_SS;
}

/* xchg with memory locks without the prefix (Intel SDM vol. 2, XCHG). */
static bool is_locked(const struct rt_burst_scratch *s)
{
    return (s->insn.attributes & ZYDIS_ATTRIB_HAS_LOCK) || s->insn.mnemonic == ZYDIS_MNEMONIC_XCHG;
}

static void plan_from(const struct rt_burst_scratch *s, struct rt_burst_plan *out)
{
    out->len_bytes = s->insn.length;
    out->mnemonic = (uint16_t)s->insn.mnemonic;
    out->klass = classes[s->insn.mnemonic];
    if (loads_stack_segment(s))
        out->klass = RT_BURST_FLAGS; /* the trap after it is delayed by one instruction */
    out->mem_count = 0;
    for (unsigned i = 0; i < s->insn.operand_count && out->mem_count < RT_BURST_MEM_MAX; i++) {
        if (!is_memory_access(s, &s->operands[i])) continue;
        struct rt_burst_mem *m = &out->mem[out->mem_count];
        plan_operand(s, &s->operands[i], m);
        if (m->does) out->mem_count++;
    }
    out->is_locked = out->mem_count && is_locked(s);
}

enum rt_burst_decoded rt_burst_decode(const struct rt_burst_zydis *z, struct rt_burst_scratch *scratch,
                                      struct rt_burst_plan *out, const uint8_t *code, size_t len_bytes,
                                      uint64_t ip)
{
    const ZyanStatus status = z->decode_full(&z->decoder, code, len_bytes, &scratch->insn, scratch->operands);
    if (status == ZYDIS_STATUS_NO_MORE_DATA) return RT_BURST_NEEDS_MORE;
    if (ZYAN_FAILED(status)) return RT_BURST_UNDECODABLE;
    out->ip = ip;
    memset(out->code, 0, sizeof out->code);
    memcpy(out->code, code, scratch->insn.length);
    plan_from(scratch, out);
    rt_burst_plan_flow(scratch, out);
    return RT_BURST_DECODED;
}

enum rt_burst_decoded rt_burst_decode_slot(const struct rt_burst_zydis *z, struct rt_burst_scratch *scratch,
                                           struct rt_burst_plan *out, const uint8_t *code, size_t len_bytes,
                                           uint64_t ip)
{
    const enum rt_burst_decoded d = rt_burst_decode(z, scratch, out, code, len_bytes, ip);
    const bool moves = d == RT_BURST_DECODED && out->flow == RT_BURST_FLOW_COPY && out->is_rip_relative;
    if (moves) rt_burst_replace_rip(z, scratch, out);
    return d;
}
