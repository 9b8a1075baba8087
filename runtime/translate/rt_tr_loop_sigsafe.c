/* SPDX-License-Identifier: BSD-3-Clause */
/* The least time of a loop that is one block, with all of its data in L1: the longest chain of instructions from one
 * iteration to the next, or what its stores, loads and divisions occupy. What it takes longer, it waits. */
#include "runtime/translate/rt_tr_internal.h"

enum {
    LOADS_A_CYCLE = 3,
    SETTLED = 8,
    ITERATIONS = 24,
    MILLI = 1000,
    VECTOR_BIT = 16,
    MASK_BIT = 48,
    FLAGS_BIT = 63
};
#define FLAGS (UINT64_C(1) << FLAGS_BIT)

/* The part of an instruction that matters for the time. Registers as bits: 16 general ones, 32 of vectors, 8 of masks,
 * the flags. */
struct timing {
    uint64_t reads, address, writes;
    uint32_t latency;  /* from its registers to its result, in thousandths of a core cycle */
    uint32_t occupied; /* cycles of a unit that is not pipelined */
    bool loads, stores;
    bool is_known; /* the latency is this processor's */
    bool is_step;  /* adds a constant to its result */
    bool is_sum;   /* it adds floating-point numbers */
};

enum how { ONE_CYCLE, NO_CYCLE, STEP, SUM, MEASURED, UNKNOWN };

#define SCALARS_AND_PACKED(name, type, how, kind)                                             \
    {ZYDIS_MNEMONIC_##name##S##type, how, kind}, {ZYDIS_MNEMONIC_##name##P##type, how, kind}, \
        {ZYDIS_MNEMONIC_V##name##S##type, how, kind},                                         \
    {                                                                                         \
        ZYDIS_MNEMONIC_V##name##P##type, how, kind                                            \
    }
#define BOTH_TYPES(name, how, kind) \
    SCALARS_AND_PACKED(name, S, how, kind), SCALARS_AND_PACKED(name, D, how, kind)
#define VECTOR(name, how)              \
    {ZYDIS_MNEMONIC_##name, how, 0},   \
    {                                  \
        ZYDIS_MNEMONIC_V##name, how, 0 \
    }
#define PACKED(name, how) VECTOR(name##PS, how), VECTOR(name##PD, how)

/* Instructions with known times. */
static const struct {
    uint16_t mnemonic;
    uint8_t how;
    uint8_t kind; /* enum rt_tr_kind */
} known[] = {
    {ZYDIS_MNEMONIC_MOV, NO_CYCLE, 0}, /* renamed, or a load */
    {ZYDIS_MNEMONIC_MOVZX, NO_CYCLE, 0},
    {ZYDIS_MNEMONIC_MOVSXD, NO_CYCLE, 0},
    {ZYDIS_MNEMONIC_NOP, NO_CYCLE, 0},
    {ZYDIS_MNEMONIC_ENDBR64, NO_CYCLE, 0},
    {ZYDIS_MNEMONIC_VMOVDQU32, NO_CYCLE, 0},
    {ZYDIS_MNEMONIC_VMOVDQU64, NO_CYCLE, 0},
    {ZYDIS_MNEMONIC_VMOVDQA32, NO_CYCLE, 0},
    {ZYDIS_MNEMONIC_VMOVDQA64, NO_CYCLE, 0},
    {ZYDIS_MNEMONIC_VBROADCASTSS, NO_CYCLE, 0},
    {ZYDIS_MNEMONIC_VBROADCASTSD, NO_CYCLE, 0},
    VECTOR(MOVSS, NO_CYCLE),
    VECTOR(MOVSD, NO_CYCLE),
    VECTOR(MOVDQA, NO_CYCLE),
    VECTOR(MOVDQU, NO_CYCLE),
    PACKED(MOVA, NO_CYCLE),
    PACKED(MOVU, NO_CYCLE),
    {ZYDIS_MNEMONIC_ADD, STEP, 0},
    {ZYDIS_MNEMONIC_SUB, STEP, 0},
    {ZYDIS_MNEMONIC_INC, STEP, 0},
    {ZYDIS_MNEMONIC_DEC, STEP, 0},
    {ZYDIS_MNEMONIC_LEA, STEP, 0},
    {ZYDIS_MNEMONIC_AND, ONE_CYCLE, 0},
    {ZYDIS_MNEMONIC_OR, ONE_CYCLE, 0},
    {ZYDIS_MNEMONIC_XOR, ONE_CYCLE, 0},
    {ZYDIS_MNEMONIC_NEG, ONE_CYCLE, 0},
    {ZYDIS_MNEMONIC_NOT, ONE_CYCLE, 0},
    {ZYDIS_MNEMONIC_CMP, ONE_CYCLE, 0},
    {ZYDIS_MNEMONIC_TEST, ONE_CYCLE, 0},
    {ZYDIS_MNEMONIC_SHL, ONE_CYCLE, 0},
    {ZYDIS_MNEMONIC_SHR, ONE_CYCLE, 0},
    {ZYDIS_MNEMONIC_SAR, ONE_CYCLE, 0},
    VECTOR(PADDB, ONE_CYCLE),
    VECTOR(PADDW, ONE_CYCLE),
    VECTOR(PADDD, ONE_CYCLE),
    VECTOR(PADDQ, ONE_CYCLE),
    VECTOR(PSUBD, ONE_CYCLE),
    VECTOR(PSUBQ, ONE_CYCLE),
    VECTOR(PAND, ONE_CYCLE),
    VECTOR(POR, ONE_CYCLE),
    VECTOR(PXOR, ONE_CYCLE),
    VECTOR(PUNPCKLDQ, ONE_CYCLE),
    VECTOR(PUNPCKLQDQ, ONE_CYCLE),
    VECTOR(PUNPCKHQDQ, ONE_CYCLE),
    PACKED(AND, ONE_CYCLE),
    PACKED(OR, ONE_CYCLE),
    PACKED(XOR, ONE_CYCLE),
    PACKED(UNPCKL, ONE_CYCLE),
    PACKED(UNPCKH, ONE_CYCLE),
    PACKED(SHUF, ONE_CYCLE),
    {ZYDIS_MNEMONIC_IMUL, MEASURED, RT_TR_MUL_INTEGER},
    BOTH_TYPES(ADD, SUM, RT_TR_ADD_FP),
    BOTH_TYPES(SUB, SUM, RT_TR_ADD_FP),
    BOTH_TYPES(MUL, MEASURED, RT_TR_MUL_FP),
    SCALARS_AND_PACKED(DIV, S, MEASURED, RT_TR_DIV_SINGLE),
    SCALARS_AND_PACKED(DIV, D, MEASURED, RT_TR_DIV_DOUBLE),
    SCALARS_AND_PACKED(SQRT, S, MEASURED, RT_TR_SQRT_SINGLE),
    SCALARS_AND_PACKED(SQRT, D, MEASURED, RT_TR_SQRT_DOUBLE),
};

static void set_how(struct timing *t, enum how how, enum rt_tr_kind kind)
{
    t->is_known = how != UNKNOWN;
    t->is_step = how == STEP;
    t->is_sum = how == SUM;
    t->latency = how == NO_CYCLE ? 0 : MILLI;
    if (how != SUM && how != MEASURED) return;
    t->latency = rt_tr_process.times.latency[kind];
    t->occupied = rt_tr_process.times.occupied[kind];
}

/* An instruction that is in no table counts as one cycle: a loop with it can take longer than is known here. */
static void set_latency(struct timing *t, const ZydisDecodedInstruction *in)
{
    enum { DIVISION_CYCLES = 10, DIVISION_OCCUPIES = 6 };
    set_how(t, UNKNOWN, 0);
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].mnemonic == in->mnemonic) set_how(t, known[i].how, known[i].kind);
    switch (in->meta.category) {
    case ZYDIS_CATEGORY_VFMA:
        set_how(t, MEASURED, RT_TR_FMA);
        break;
    case ZYDIS_CATEGORY_CONVERT:
        set_how(t, MEASURED, RT_TR_CONVERT);
        break;
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
        set_how(t, ONE_CYCLE, 0);
        break;
    default:
        break;
    }
    if (in->mnemonic == ZYDIS_MNEMONIC_DIV || in->mnemonic == ZYDIS_MNEMONIC_IDIV) {
        t->latency = DIVISION_CYCLES * MILLI; /* depends on the numbers */
        t->occupied = DIVISION_OCCUPIES * MILLI;
    }
    if (in->attributes &
        (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        t->is_known = false;
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
    if (s->insn.cpu_flags->tested) t->reads |= FLAGS;
    if (s->insn.cpu_flags->modified) t->writes |= FLAGS;
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
    const uint32_t load = rt_tr_process.times.latency[RT_TR_LOAD_L1];
    uint32_t ready[64], settled = 0, last = 0;
    uint64_t sums = 0; /* registers that hold one */
    for (unsigned i = 0; i < 64; i++)
        ready[i] = 0;
    for (unsigned n = 0; n < ITERATIONS; n++) {
        if (n == SETTLED) settled = last;
        for (unsigned i = 0; i < len; i++) {
            uint32_t begin = latest(ready, t[i].reads);
            const uint32_t address = latest(ready, t[i].address) + (t[i].loads ? load : 0);
            if (address > begin) begin = address;
            const bool follows_sum = t[i].is_sum && latest(ready, t[i].reads & sums) == begin;
            const uint32_t end = begin + (follows_sum ? rt_tr_process.times.sum_after_sum : t[i].latency);
            sums = t[i].is_sum ? sums | t[i].writes : sums & ~t[i].writes;
            for (uint64_t w = t[i].writes; w; w &= w - 1)
                ready[__builtin_ctzll(w)] = end;
            if (t[i].writes && end > last) last = end;
        }
    }
    return (last - settled) / (ITERATIONS - SETTLED);
}

/* Registers that constants alone are added to: the loop walks by them. */
static uint64_t walking_registers(const struct timing *t, unsigned len)
{
    uint64_t steps = 0, others = 0;
    for (unsigned i = 0; i < len; i++) {
        const bool is_step =
            t[i].is_step && !t[i].loads && (t[i].reads | t[i].address) == (t[i].writes & ~FLAGS);
        *(is_step ? &steps : &others) |= t[i].writes;
    }
    return steps & ~others & ~FLAGS;
}

static bool is_one_place(const struct rt_burst_mem *a, const struct rt_burst_mem *b)
{
    return a->base == b->base && a->index == b->index && a->scale == b->scale && a->disp == b->disp;
}

/* The register as a bit of timing.address; 0: none that the loop can change. */
static uint64_t bit_of_number(uint8_t number)
{
    return number < 16 ? UINT64_C(1) << number : 0;
}

/* May what one iteration stores to a be what it, or a later one, loads from b? Two different registers are taken to
 * point to two arrays. */
static bool may_forward(const struct rt_burst_mem *a, const struct rt_burst_mem *b, uint64_t written,
                        uint64_t walking)
{
    if (!rt_tr_is_plain(a) || !rt_tr_is_plain(b)) return true;
    if (a->base != b->base || a->index != b->index) return false;
    const uint64_t changing = (bit_of_number(a->base) | bit_of_number(a->index)) & written;
    return !is_one_place(a, b) || changing == 0 || changing & ~walking;
}

static bool forwards(const struct rt_tr_trace *t, const struct rt_burst_mem *store, uint64_t written,
                     uint64_t walking)
{
    for (unsigned i = 0; i < t->decoded; i++) {
        const struct rt_burst_plan *p = &t->insns[i].plan;
        for (unsigned k = 0; k < p->mem_count; k++)
            if (p->mem[k].does & RT_BURST_DOES_LOAD && may_forward(store, &p->mem[k], written, walking))
                return true;
    }
    return false;
}

/* Is all the time that the loop takes beyond its least time spent waiting for data? */
static bool rest_waits(const struct rt_tr_trace *t, const struct timing *timings)
{
    const uint64_t walking = walking_registers(timings, t->decoded);
    uint64_t written = 0;
    for (unsigned i = 0; i < t->decoded; i++) {
        if (!timings[i].is_known) return false;
        written |= timings[i].writes;
    }
    for (unsigned i = 0; i < t->decoded; i++) {
        const struct rt_burst_plan *p = &t->insns[i].plan;
        for (unsigned k = 0; k < p->mem_count; k++)
            if (p->mem[k].does & RT_BURST_DOES_STORE && forwards(t, &p->mem[k], written, walking))
                return false;
    }
    return true;
}

/* Do processors join the instruction with a conditional branch that follows? Intel's do, AMD's from Zen 3 on; before, only cmp
 * and test. Not with an operand in memory and a constant. */
static bool joins_branch(const struct rt_burst_scratch *s, const struct rt_burst_plan *p)
{
    switch (s->insn.mnemonic) {
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC:
        break;
    default:
        return false;
    }
    const bool stores = p->mem_count && p->mem[0].does & RT_BURST_DOES_STORE;
    return !stores && !(p->mem_count && s->insn.raw.imm[0].size);
}

uint32_t rt_tr_loop_least(const struct rt_tr_trace *t, bool *out_rest_waits, unsigned *out_joined)
{
    const struct rt_burst_zydis *z = rt_tr_process.options.zydis;
    struct timing timings[RT_TR_BLOCK_MOST];
    struct rt_burst_scratch s;
    uint32_t loads = 0, stores = 0, occupied = 0;
    *out_rest_waits = false;
    *out_joined = 0;
    if (!t->is_loop) return 0;
    for (unsigned i = 0; i < t->decoded; i++) {
        const struct rt_burst_plan *p = &t->insns[i].plan;
        struct timing *now = &timings[i];
        *now = (struct timing){0};
        if (ZYAN_FAILED(z->decode_full(&z->decoder, p->code, p->len_bytes, &s.insn, s.operands))) return 0;
        set_latency(now, &s.insn);
        set_operands(now, &s);
        loads += now->loads;
        stores += now->stores;
        occupied += now->occupied;
        const bool is_branch_next = i + 1 < t->decoded && t->insns[i + 1].plan.flow == RT_BURST_FLOW_JCC;
        *out_joined += is_branch_next && joins_branch(&s, p);
    }
    uint32_t least = chain_millicycles(timings, t->decoded);
    const uint32_t bounds[] = {MILLI, stores * MILLI, loads * MILLI / LOADS_A_CYCLE, occupied};
    for (unsigned i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        if (bounds[i] > least) least = bounds[i];
    *out_rest_waits = rest_waits(t, timings);
    return least / t->decoded;
}
