/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/bursts/rt_burst_decode_sigsafe.h"

#include <string.h>

/* Kinds of instructions that do the same at any address (VEX: AVX-VNNI; AMX_TILE: includes computing
 * instructions). */
static const uint8_t movable[] = {
    ZYDIS_CATEGORY_ADOX_ADCX, ZYDIS_CATEGORY_AES,           ZYDIS_CATEGORY_AMX_TILE,
    ZYDIS_CATEGORY_AVX,       ZYDIS_CATEGORY_AVX2,          ZYDIS_CATEGORY_AVX2GATHER,
    ZYDIS_CATEGORY_AVX512,    ZYDIS_CATEGORY_AVX512_BITALG, ZYDIS_CATEGORY_AVX512_VBMI,
    ZYDIS_CATEGORY_BINARY,    ZYDIS_CATEGORY_BITBYTE,       ZYDIS_CATEGORY_BLEND,
    ZYDIS_CATEGORY_BMI1,      ZYDIS_CATEGORY_BMI2,          ZYDIS_CATEGORY_BROADCAST,
    ZYDIS_CATEGORY_CLDEMOTE,  ZYDIS_CATEGORY_CLFLUSHOPT,    ZYDIS_CATEGORY_CLWB,
    ZYDIS_CATEGORY_CLZERO,    ZYDIS_CATEGORY_CMOV,          ZYDIS_CATEGORY_COMPRESS,
    ZYDIS_CATEGORY_CONFLICT,  ZYDIS_CATEGORY_CONVERT,       ZYDIS_CATEGORY_DATAXFER,
    ZYDIS_CATEGORY_EXPAND,    ZYDIS_CATEGORY_FCMOV,         ZYDIS_CATEGORY_FLAGOP,
    ZYDIS_CATEGORY_FMA4,      ZYDIS_CATEGORY_FP16,          ZYDIS_CATEGORY_GATHER,
    ZYDIS_CATEGORY_GFNI,      ZYDIS_CATEGORY_IFMA,          ZYDIS_CATEGORY_KMASK,
    ZYDIS_CATEGORY_LOGICAL,   ZYDIS_CATEGORY_LOGICAL_FP,    ZYDIS_CATEGORY_LZCNT,
    ZYDIS_CATEGORY_MISC,      ZYDIS_CATEGORY_MMX,           ZYDIS_CATEGORY_MOVDIR,
    ZYDIS_CATEGORY_NOP,       ZYDIS_CATEGORY_PCLMULQDQ,     ZYDIS_CATEGORY_POP,
    ZYDIS_CATEGORY_PREFETCH,  ZYDIS_CATEGORY_PREFETCHWT1,   ZYDIS_CATEGORY_PUSH,
    ZYDIS_CATEGORY_RDPID,     ZYDIS_CATEGORY_RDRAND,        ZYDIS_CATEGORY_RDSEED,
    ZYDIS_CATEGORY_ROTATE,    ZYDIS_CATEGORY_SCATTER,       ZYDIS_CATEGORY_SEMAPHORE,
    ZYDIS_CATEGORY_SETCC,     ZYDIS_CATEGORY_SHA,           ZYDIS_CATEGORY_SHIFT,
    ZYDIS_CATEGORY_SSE,       ZYDIS_CATEGORY_STRINGOP,      ZYDIS_CATEGORY_STTNI,
    ZYDIS_CATEGORY_TBM,       ZYDIS_CATEGORY_VAES,          ZYDIS_CATEGORY_VBMI2,
    ZYDIS_CATEGORY_VEX,       ZYDIS_CATEGORY_VFMA,          ZYDIS_CATEGORY_VPCLMULQDQ,
    ZYDIS_CATEGORY_WIDENOP,   ZYDIS_CATEGORY_X87_ALU,       ZYDIS_CATEGORY_XOP,
    ZYDIS_CATEGORY_XSAVE,     ZYDIS_CATEGORY_XSAVEOPT,
};

/* Low registers that may replace rip: neither the stack's nor rax, which too many instructions use
 * implicitly. */
static const uint8_t scratch_choice[] = {3, 6, 7, 2, 1};

static bool is_movable(const ZydisDecodedInstruction *in)
{
    switch (in->mnemonic) {
    case ZYDIS_MNEMONIC_ENDBR64: /* at the start of each function */
    case ZYDIS_MNEMONIC_RDSSPD:  /* where there are slots, there is no shadow stack to read */
    case ZYDIS_MNEMONIC_RDSSPQ:
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
        return true;
    case ZYDIS_MNEMONIC_UD0: /* their SIGILL belongs to the program's ip */
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
        return false;
    default:
        return memchr(movable, (int)in->meta.category, sizeof movable) != NULL;
    }
}

static bool between(ZydisRegister r, ZydisRegister first, ZydisRegister last)
{
    return r >= first && r <= last;
}

/* Bit of the general register that r is, or is a part of. */
static uint32_t register_bit(ZydisRegister r)
{
    if (between(r, ZYDIS_REGISTER_AL, ZYDIS_REGISTER_BL)) return 1u << (r - ZYDIS_REGISTER_AL);
    if (between(r, ZYDIS_REGISTER_AH, ZYDIS_REGISTER_BH)) return 1u << (r - ZYDIS_REGISTER_AH);
    if (between(r, ZYDIS_REGISTER_SPL, ZYDIS_REGISTER_R15B)) return 1u << (r - ZYDIS_REGISTER_SPL + 4);
    if (between(r, ZYDIS_REGISTER_AX, ZYDIS_REGISTER_R15W)) return 1u << (r - ZYDIS_REGISTER_AX);
    if (between(r, ZYDIS_REGISTER_EAX, ZYDIS_REGISTER_R15D)) return 1u << (r - ZYDIS_REGISTER_EAX);
    if (between(r, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15)) return 1u << (r - ZYDIS_REGISTER_RAX);
    return 0;
}

static uint32_t registers_used(const struct rt_burst_scratch *s)
{
    uint32_t used = 0;
    for (unsigned i = 0; i < s->insn.operand_count; i++) {
        const ZydisDecodedOperand *op = &s->operands[i];
        if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) used |= register_bit(op->reg.value);
        if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
            used |= register_bit(op->mem.base) | register_bit(op->mem.index);
    }
    return used;
}

static const ZydisDecodedOperand *rip_operand(const struct rt_burst_scratch *s)
{
    for (unsigned i = 0; i < s->insn.operand_count; i++) {
        const ZydisDecodedOperand *op = &s->operands[i];
        const bool by_rip = op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
                            (op->mem.base == ZYDIS_REGISTER_RIP || op->mem.base == ZYDIS_REGISTER_EIP);
        if (by_rip) return op;
    }
    return NULL;
}

/* Is the rewritten code the same instruction with the scratch register for rip? Decode it to find out. */
static bool rewritten_well(const struct rt_burst_zydis *z, struct rt_burst_scratch *s,
                           const struct rt_burst_plan *p, uint8_t choice)
{
    const ZydisMnemonic wanted = s->insn.mnemonic;
    const ZyanStatus status = z->decode_full(&z->decoder, p->slot_code, p->len_bytes, &s->insn, s->operands);
    if (ZYAN_FAILED(status) || s->insn.mnemonic != wanted || s->insn.length != p->len_bytes) return false;
    for (unsigned i = 0; i < s->insn.operand_count; i++) {
        const ZydisDecodedOperand *op = &s->operands[i];
        if (op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
            op->mem.base == (ZydisRegister)(ZYDIS_REGISTER_RAX + choice))
            return op->mem.disp.value == 0 && op->mem.index == ZYDIS_REGISTER_NONE;
    }
    return false;
}

static bool has_segment_base(const struct rt_burst_scratch *s)
{
    return s->insn.attributes & (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS);
}

/* Replace [rip + disp32] by [scratch + 0 as disp32], which has the same length. */
void rt_burst_replace_rip(const struct rt_burst_zydis *z, struct rt_burst_scratch *s, struct rt_burst_plan *p)
{
    enum { REG_FIELD = 0x38, MOD_DISP32 = 0x80, DISP_BYTES = 4 };
    const uint32_t used = registers_used(s);
    const uint8_t modrm = s->insn.raw.modrm.offset, disp = s->insn.raw.disp.offset;
    p->flow = RT_BURST_FLOW_NONE;
    if (!modrm || disp + DISP_BYTES > p->len_bytes) return;
    for (unsigned i = 0; i < sizeof scratch_choice; i++) {
        if (used >> scratch_choice[i] & 1) continue;
        p->slot_code[modrm] = (uint8_t)((p->slot_code[modrm] & REG_FIELD) | MOD_DISP32 | scratch_choice[i]);
        memset(p->slot_code + disp, 0, DISP_BYTES);
        if (!rewritten_well(z, s, p, scratch_choice[i])) return;
        p->scratch = scratch_choice[i];
        p->flow = RT_BURST_FLOW_COPY;
        return;
    }
}

static uint8_t flow_by_operand(const ZydisDecodedOperand *op, uint8_t relative)
{
    if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return relative;
    const bool by_register = op->type == ZYDIS_OPERAND_TYPE_REGISTER;
    if (relative == RT_BURST_FLOW_CALL) return by_register ? RT_BURST_FLOW_CALL_REG : RT_BURST_FLOW_CALL_MEM;
    return by_register ? RT_BURST_FLOW_JUMP_REG : RT_BURST_FLOW_JUMP_MEM;
}

/* AMD's processors cut the target of such a branch to 16 bits, Intel's ignore the prefix (AMD64 Architecture
 * Programmer's Manual vol. 3, 1.2.2; Intel SDM vol. 2, RET). REX.W overrides it. */
static bool is_narrow_branch(const ZydisDecodedInstruction *in)
{
    return in->operand_width != 64 || (in->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE && !in->raw.rex.W);
}

/* Branches by rcx. */
static void plan_count_branch(ZydisMnemonic m, struct rt_burst_plan *p)
{
    if (m == ZYDIS_MNEMONIC_JRCXZ) p->flow = RT_BURST_FLOW_JRCXZ;
    if (m == ZYDIS_MNEMONIC_LOOP || m == ZYDIS_MNEMONIC_LOOPE || m == ZYDIS_MNEMONIC_LOOPNE)
        p->flow = RT_BURST_FLOW_LOOP;
    if (m == ZYDIS_MNEMONIC_LOOPE) p->flow_code = RT_BURST_REPEAT_WHILE_ZERO;
    if (m == ZYDIS_MNEMONIC_LOOPNE) p->flow_code = RT_BURST_REPEAT_UNTIL_ZERO;
}

static void plan_branch(const struct rt_burst_scratch *s, struct rt_burst_plan *p)
{
    const ZydisDecodedInstruction *in = &s->insn;
    const ZydisDecodedOperand *op = &s->operands[0];
    const bool near =
        in->meta.branch_type == ZYDIS_BRANCH_TYPE_NEAR || in->meta.branch_type == ZYDIS_BRANCH_TYPE_SHORT;
    if (!near || is_narrow_branch(in)) return;
    if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) p->displacement = op->imm.value.s;
    if (in->mnemonic == ZYDIS_MNEMONIC_RET) {
        p->flow = RT_BURST_FLOW_RET; /* without an immediate the first operand is the hidden rip */
        return;
    }
    if (in->meta.category == ZYDIS_CATEGORY_CALL) {
        p->flow = flow_by_operand(op, RT_BURST_FLOW_CALL);
    } else if (in->mnemonic == ZYDIS_MNEMONIC_JMP) {
        p->flow = flow_by_operand(op, RT_BURST_FLOW_JUMP);
    } else if (in->meta.category == ZYDIS_CATEGORY_COND_BR &&
               (in->opcode & 0xf0) == (in->opcode_map ? 0x80 : 0x70)) {
        p->flow = RT_BURST_FLOW_JCC;
        p->flow_code = in->opcode & 0xf;
    } else if (in->address_width == 64) {
        plan_count_branch(in->mnemonic, p);
    }
    if (op->type != ZYDIS_OPERAND_TYPE_REGISTER) return;
    if (between(op->reg.value, ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15))
        p->flow_code = (uint8_t)(op->reg.value - ZYDIS_REGISTER_RAX);
    else
        p->flow = RT_BURST_FLOW_NONE;
}

/* Replace any division by one by the scratch register, which gets the checked divisor: no other thread can
 * change it afterwards. */
static void plan_division(const struct rt_burst_scratch *s, struct rt_burst_plan *p)
{
    enum {
        OPERAND_SIZE = 0x66,
        REX_W = 0x48,
        BYTE = 0xf6,
        WIDE = 0xf7,
        DIV = 6,
        IDIV = 7,
        BY_REGISTER = 0xc0
    };
    const ZydisDecodedOperand *op = &s->operands[0];
    const bool is_signed = s->insn.mnemonic == ZYDIS_MNEMONIC_IDIV;
    struct rt_burst_divisor *d = &p->divisor;
    *d = (struct rt_burst_divisor){
        .len_bytes = s->insn.operand_width / 8, .reg = RT_BURST_REG_NONE, .is_signed = is_signed};
    if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) {
        d->reg = (uint8_t)__builtin_ctz(register_bit(op->reg.value));
        d->shift = between(op->reg.value, ZYDIS_REGISTER_AH, ZYDIS_REGISTER_BH) ? 8 : 0;
    }
    p->flow = RT_BURST_FLOW_DIVIDE;
    p->scratch = scratch_choice[0];
    uint8_t *code = p->slot_code;
    if (d->len_bytes == 2) *code++ = OPERAND_SIZE;
    if (d->len_bytes == 8) *code++ = REX_W;
    *code++ = d->len_bytes == 1 ? BYTE : WIDE;
    *code++ = (uint8_t)(BY_REGISTER | (is_signed ? IDIV : DIV) << 3 | p->scratch);
    p->slot_len_bytes = (uint8_t)(code - p->slot_code);
}

static bool compares(ZydisMnemonic m)
{
    switch (m) {
    case ZYDIS_MNEMONIC_CMPSB:
    case ZYDIS_MNEMONIC_CMPSW:
    case ZYDIS_MNEMONIC_CMPSD:
    case ZYDIS_MNEMONIC_CMPSQ:
    case ZYDIS_MNEMONIC_SCASB:
    case ZYDIS_MNEMONIC_SCASW:
    case ZYDIS_MNEMONIC_SCASD:
    case ZYDIS_MNEMONIC_SCASQ:
        return true;
    default:
        return false;
    }
}

/* Execute one iteration at a time, as with the trap flag: the same instruction without its repeat prefix. */
static void plan_repeat(const struct rt_burst_scratch *s, struct rt_burst_plan *p)
{
    enum { REPNE = 0xf2, REP = 0xf3 };
    const ZydisDecodedInstruction *in = &s->insn;
    if (in->meta.category != ZYDIS_CATEGORY_STRINGOP || in->address_width != 64) return;
    p->flow = RT_BURST_FLOW_REPEAT;
    p->flow_code = RT_BURST_REPEAT_ALL;
    if (compares(in->mnemonic))
        p->flow_code =
            in->attributes & ZYDIS_ATTRIB_HAS_REPE ? RT_BURST_REPEAT_WHILE_ZERO : RT_BURST_REPEAT_UNTIL_ZERO;
    p->slot_len_bytes = 0;
    for (unsigned i = 0; i < p->len_bytes; i++) {
        const bool repeats = i < in->raw.prefix_count && (p->code[i] == REPNE || p->code[i] == REP);
        if (!repeats) p->slot_code[p->slot_len_bytes++] = p->code[i];
    }
}

void rt_burst_plan_flow(const struct rt_burst_scratch *s, struct rt_burst_plan *p)
{
    p->flow = RT_BURST_FLOW_NONE;
    p->scratch = RT_BURST_REG_NONE;
    p->displacement = p->rip_disp = 0;
    p->flow_code = 0;
    p->is_rip_relative = false;
    memcpy(p->slot_code, p->code, sizeof p->slot_code);
    p->slot_len_bytes = p->len_bytes;
    if (s->insn.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE) return plan_branch(s, p);
    if (s->insn.mnemonic == ZYDIS_MNEMONIC_DIV || s->insn.mnemonic == ZYDIS_MNEMONIC_IDIV)
        return plan_division(s, p);
    if (s->insn.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        return plan_repeat(s, p);
    if (!is_movable(&s->insn)) return;
    p->flow = RT_BURST_FLOW_COPY;
    const ZydisDecodedOperand *by_rip = rip_operand(s);
    if (!by_rip) return;
    p->rip_disp = by_rip->mem.disp.value;
    p->is_rip_relative = true;
    if (has_segment_base(s))
        p->flow = RT_BURST_FLOW_NONE; /* the address that replaces rip includes it already */
}
