/* SPDX-License-Identifier: BSD-3-Clause */
/* The least time of a loop that is one block, with all of its data in L1: the longest chain of instructions from one
 * iteration to the next, or what its stores, loads and divisions occupy. What it takes longer, it waits. */
#include "runtime/translate/rt_tr_internal.h"

enum {
    L1_CYCLES = 4,
    LOADS_A_CYCLE = 3,
    SETTLED = 8,
    ITERATIONS = 24,
    MILLI = 1000,
    VECTOR_BIT = 16,
    MASK_BIT = 48,
    FLAGS_BIT = 63
};

/* What of an instruction matters for the time. Registers as bits: 16 general ones, 32 of vectors, 8 of masks, the
 * flags. */
struct timing {
    uint64_t reads, address, writes;
    uint8_t latency_cycles;  /* from its registers to its result */
    uint8_t occupies_cycles; /* of a unit that is not pipelined */
    bool loads, stores;
};

#define SCALAR_AND_PACKED(name, type)     \
    case ZYDIS_MNEMONIC_##name##S##type:  \
    case ZYDIS_MNEMONIC_##name##P##type:  \
    case ZYDIS_MNEMONIC_V##name##S##type: \
    case ZYDIS_MNEMONIC_V##name##P##type

/* Additions, divisions of doubles and loads from L1 were measured on an AMD processor of family 25. The others are
 * usual values, rounded down: where a processor is slower, its loops seem to wait for the rest, and where it is faster,
 * they seem to wait too little. */
static void set_cycles(struct timing *t, const ZydisDecodedInstruction *in)
{
    t->latency_cycles = 1;
    switch (in->mnemonic) {
    case ZYDIS_MNEMONIC_MOV: /* renamed, or a load */
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_VMOVAPS:
    case ZYDIS_MNEMONIC_VMOVAPD:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_VMOVSD:
        t->latency_cycles = 0;
        break;
    case ZYDIS_MNEMONIC_IMUL:
    case ZYDIS_MNEMONIC_MUL:
    case ZYDIS_MNEMONIC_MULX:
        SCALAR_AND_PACKED(ADD, S)
            : SCALAR_AND_PACKED(ADD, D)
            : SCALAR_AND_PACKED(SUB, S)
            : SCALAR_AND_PACKED(SUB, D)
            : SCALAR_AND_PACKED(MUL, S) : SCALAR_AND_PACKED(MUL, D) : t->latency_cycles = 3;
        break;
        SCALAR_AND_PACKED(DIV, S) : t->latency_cycles = 10;
        t->occupies_cycles = 3;
        break;
        SCALAR_AND_PACKED(DIV, D) : t->latency_cycles = 13;
        t->occupies_cycles = 4;
        break;
        SCALAR_AND_PACKED(SQRT, S) : t->latency_cycles = 12;
        t->occupies_cycles = 3;
        break;
        SCALAR_AND_PACKED(SQRT, D) : t->latency_cycles = 13;
        t->occupies_cycles = 4;
        break;
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV:
        t->latency_cycles = 10;
        t->occupies_cycles = 6;
        break;
    default:
        if (in->meta.category == ZYDIS_CATEGORY_VFMA) t->latency_cycles = 4;
        if (in->meta.category == ZYDIS_CATEGORY_CONVERT) t->latency_cycles = 3;
    }
}

static bool between(ZydisRegister r, ZydisRegister first, ZydisRegister last)
{
    return r >= first && r <= last;
}

static uint64_t bit_of(ZydisRegister r)
{
    static const struct {
        uint16_t first, last;
        uint8_t bit;
    } kinds[] = {
        {ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15, 0},
        {ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D, 0},
        {ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W, 0},
        {ZYDIS_REGISTER_SPL, ZYDIS_REGISTER_R15B, 4},
        {ZYDIS_REGISTER_AL, ZYDIS_REGISTER_BL, 0},
        {ZYDIS_REGISTER_AH, ZYDIS_REGISTER_BH, 0},
        {ZYDIS_REGISTER_XMM0, ZYDIS_REGISTER_XMM31, VECTOR_BIT},
        {ZYDIS_REGISTER_YMM0, ZYDIS_REGISTER_YMM31, VECTOR_BIT},
        {ZYDIS_REGISTER_ZMM0, ZYDIS_REGISTER_ZMM31, VECTOR_BIT},
        {ZYDIS_REGISTER_K0, ZYDIS_REGISTER_K7, MASK_BIT},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (between(r, kinds[i].first, kinds[i].last))
            return UINT64_C(1) << (kinds[i].bit + (r - kinds[i].first));
    return 0;
}

/* Does it give 0 whatever its registers hold? */
static bool is_zeroing(const struct rt_burst_scratch *s)
{
    const unsigned last = s->insn.operand_count_visible - 1u;
    switch (s->insn.mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_VXORPS:
    case ZYDIS_MNEMONIC_VXORPD:
        return s->operands[last].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               s->operands[last - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
               s->operands[last].reg.value == s->operands[last - 1].reg.value;
    default:
        return false;
    }
}

static void set_operands(struct timing *t, const struct rt_burst_scratch *s)
{
    for (unsigned i = 0; i < s->insn.operand_count; i++) {
        const ZydisDecodedOperand *op = &s->operands[i];
        const bool reads = op->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
        const bool writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
        if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            if (reads) t->reads |= bit_of(op->reg.value);
            if (writes) t->writes |= bit_of(op->reg.value);
        } else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
            t->address |= bit_of(op->mem.base) | bit_of(op->mem.index);
            t->loads |= reads && op->mem.type == ZYDIS_MEMOP_TYPE_MEM;
            t->stores |= writes && op->mem.type == ZYDIS_MEMOP_TYPE_MEM;
        }
    }
    if (is_zeroing(s)) t->reads = 0;
    if (!s->insn.cpu_flags) return;
    if (s->insn.cpu_flags->tested) t->reads |= UINT64_C(1) << FLAGS_BIT;
    if (s->insn.cpu_flags->modified) t->writes |= UINT64_C(1) << FLAGS_BIT;
}

static uint32_t latest(const uint32_t *ready, uint64_t registers)
{
    uint32_t most = 0;
    for (; registers; registers &= registers - 1) {
        const uint32_t at = ready[__builtin_ctzll(registers)];
        if (at > most) most = at;
    }
    return most;
}

/* Thousandths of a cycle that an iteration takes when each instruction begins as soon as its registers are known. */
static uint32_t chain_millicycles(const struct timing *t, unsigned len)
{
    uint32_t ready[64], settled = 0, last = 0;
    for (unsigned i = 0; i < 64; i++)
        ready[i] = 0;
    for (unsigned n = 0; n < ITERATIONS; n++) {
        if (n == SETTLED) settled = last;
        for (unsigned i = 0; i < len; i++) {
            uint32_t begin = latest(ready, t[i].reads);
            const uint32_t address = latest(ready, t[i].address) + (t[i].loads ? L1_CYCLES : 0);
            if (address > begin) begin = address;
            const uint32_t end = begin + t[i].latency_cycles;
            for (uint64_t w = t[i].writes; w; w &= w - 1)
                ready[__builtin_ctzll(w)] = end;
            if (t[i].writes && end > last) last = end;
        }
    }
    return (last - settled) * MILLI / (ITERATIONS - SETTLED);
}

uint32_t rt_tr_loop_least(const struct rt_tr_trace *t)
{
    const struct rt_burst_zydis *z = rt_tr_process.options.zydis;
    struct timing timings[RT_TR_BLOCK_MOST];
    struct rt_burst_scratch s;
    unsigned loads = 0, stores = 0, occupied = 0;
    if (!t->is_loop) return 0;
    for (unsigned i = 0; i < t->decoded; i++) {
        const struct rt_burst_plan *p = &t->insns[i].plan;
        struct timing *now = &timings[i];
        *now = (struct timing){0};
        if (ZYAN_FAILED(z->decode_full(&z->decoder, p->code, p->len_bytes, &s.insn, s.operands))) return 0;
        set_cycles(now, &s.insn);
        set_operands(now, &s);
        loads += now->loads;
        stores += now->stores;
        occupied += now->occupies_cycles;
    }
    uint32_t least = chain_millicycles(timings, t->decoded);
    const uint32_t bounds[] = {MILLI, stores * MILLI, loads * MILLI / LOADS_A_CYCLE, occupied * MILLI};
    for (unsigned i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        if (bounds[i] > least) least = bounds[i];
    return least / t->decoded;
}
