/* SPDX-License-Identifier: BSD-3-Clause */
/* Decode the most frequent instructions without Zydis, whose tables the program evicts from the caches between two bursts:
 * an instruction takes half a microsecond then, and decoding was most of a translation. All others are left to Zydis.
 * tests/translate/test_tr_common.c compares both. Intel SDM vol. 2, appendix A (opcode maps). */
#include "runtime/translate/rt_tr_internal.h"

#include <string.h>

enum { LOAD = RT_BURST_DOES_LOAD, STORE = RT_BURST_DOES_STORE, UPDATE = LOAD | STORE };
enum { CF = RT_TR_CF, PF = RT_TR_PF, AF = RT_TR_AF, ZF = RT_TR_ZF, SF = RT_TR_SF, OF = RT_TR_OF };
enum { OPERAND_SIZE = 0x66, SEGMENT_FS = 0x64, REPEAT = 0xf3, REPEAT_NOT = 0xf2, ESCAPE = 0x0f };
enum { STACK_BYTES = 8, RIP_FIELD = 5, SIB_FIELD = 4, NO_BASE_FIELD = 5, NUMBER_RSP = 4, BY_REGISTER = 0xc0 };

/* Bytes of an immediate. */
enum imm { IMM_NONE, IMM_1, IMM_Z /* 2 or 4 */, IMM_V /* 2, 4 or 8 */, IMM_4 };

struct form {
    bool has_modrm;
    uint8_t does;       /* to the operand in memory, if there is one */
    uint8_t size_bytes; /* its length; 0: the operand size */
    uint8_t imm;
    uint8_t flags_read, flags_written;
    bool may_fault; /* also without an operand in memory */
    uint8_t flow;
    uint8_t stack; /* LOAD: the word at the stack pointer; STORE: the word below it */
    bool is_shift; /* which flags it overwrites depends on the immediate */
    bool names;    /* the immediate, or the address that lea computes, may be of a restartable sequence */
};

struct input {
    const uint8_t *at;
    uint8_t rex, prefix; /* OPERAND_SIZE, REPEAT, REPEAT_NOT, or 0 */
    bool has_fs;
    uint8_t operand_bytes;
    uint8_t opcode;
    uint8_t field; /* reg of the byte ModRM, which follows the opcode */
};

/* Flags that a condition reads, by its number / 2. */
static const uint8_t condition_flags[] = {OF, CF, ZF, CF | ZF, SF, PF, SF | OF, SF | OF | ZF};

static uint8_t read_by_condition(uint8_t opcode)
{
    return condition_flags[opcode >> 1 & 7];
}

/* Even opcodes are of bytes, odd ones of the operand size. */
static uint8_t size_of(const struct input *in)
{
    return in->opcode & 1 ? 0 : 1;
}

/* add, or, adc, sbb, and, sub, xor, cmp */
static void set_arithmetic(struct form *f, unsigned operation)
{
    enum { ADC = 2, SBB = 3, CMP = 7 };
    if (f->does == UPDATE && operation == CMP) f->does = LOAD;
    f->flags_written = operation == SBB ? RT_TR_ALL_FLAGS & ~AF : RT_TR_ALL_FLAGS;
    f->flags_read = operation == ADC || operation == SBB ? CF : 0;
}

/* 0x00 to 0x3f. */
static bool arithmetic_form(const struct input *in, struct form *f)
{
    static const struct form forms[] = {{.has_modrm = true, .does = UPDATE, .size_bytes = 1},
                                        {.has_modrm = true, .does = UPDATE},
                                        {.has_modrm = true, .does = LOAD, .size_bytes = 1},
                                        {.has_modrm = true, .does = LOAD},
                                        {.imm = IMM_1},
                                        {.imm = IMM_Z}};
    if ((in->opcode & 7) >= sizeof forms / sizeof forms[0]) return false;
    *f = forms[in->opcode & 7];
    set_arithmetic(f, in->opcode >> 3);
    return true;
}

/* Shifts by a constant, which leave the flags if it is 0. */
static bool shift_form(const struct input *in, struct form *f)
{
    enum { SHL = 4, SHR = 5, SAR = 7 };
    const bool by_one = in->opcode >= 0xd0;
    if (in->field != SHL && in->field != SHR && in->field != SAR) return false;
    *f = (struct form){.has_modrm = true,
                       .does = UPDATE,
                       .size_bytes = size_of(in),
                       .imm = by_one ? IMM_NONE : IMM_1,
                       .is_shift = true};
    return true;
}

static bool group_form(const struct input *in, struct form *f)
{
    enum { TEST = 0, NOT = 2, NEG = 3, INC = 0, DEC = 1, CALL = 2, JMP = 4 };
    const uint8_t size_bytes = size_of(in);
    *f = (struct form){.has_modrm = true, .does = UPDATE, .size_bytes = size_bytes};
    switch (in->opcode) {
    case 0x80:
    case 0x81:
    case 0x83:
        f->imm = in->opcode == 0x81 ? IMM_Z : IMM_1;
        set_arithmetic(f, in->field);
        return true;
    case 0xc6:
    case 0xc7:
        f->does = STORE;
        f->imm = size_bytes ? IMM_1 : IMM_Z;
        f->names = !size_bytes;
        return in->field == 0;
    case 0xf6:
    case 0xf7:
        if (in->field == TEST) {
            f->does = LOAD;
            f->imm = size_bytes ? IMM_1 : IMM_Z;
        }
        f->flags_written = in->field == NOT ? 0 : RT_TR_ALL_FLAGS;
        return in->field == TEST || in->field == NOT || in->field == NEG;
    default: /* 0xfe, 0xff */
        f->flags_written = RT_TR_ALL_FLAGS & ~CF;
        if (in->field == INC || in->field == DEC) return true;
        if (size_bytes || in->prefix || (in->field != CALL && in->field != JMP)) return false;
        *f = (struct form){.has_modrm = true,
                           .does = LOAD,
                           .size_bytes = STACK_BYTES,
                           .may_fault = true,
                           .flow = in->field == CALL ? RT_BURST_FLOW_CALL_REG : RT_BURST_FLOW_JUMP_REG,
                           .stack = in->field == CALL ? STORE : 0};
        return true;
    }
}

static bool branch_form(const struct input *in, struct form *f)
{
    *f = (struct form){.may_fault = true};
    switch (in->opcode) {
    case 0xc3:
        f->flow = RT_BURST_FLOW_RET;
        f->stack = LOAD;
        break;
    case 0xe8:
        f->flow = RT_BURST_FLOW_CALL;
        f->stack = STORE;
        f->imm = IMM_4;
        break;
    case 0xe9:
    case 0xeb:
        f->flow = RT_BURST_FLOW_JUMP;
        f->imm = in->opcode == 0xe9 ? IMM_4 : IMM_1;
        break;
    default: /* 0x70 to 0x7f */
        f->flow = RT_BURST_FLOW_JCC;
        f->flags_read = read_by_condition(in->opcode);
        f->imm = IMM_1;
    }
    return !in->prefix;
}

/* Opcodes of one byte. */
static bool short_form(const struct input *in, struct form *f)
{
    if (in->opcode < 0x40) return arithmetic_form(in, f);
    switch (in->opcode) {
    case 0x50 ... 0x5f:
        *f = (struct form){.stack = in->opcode < 0x58 ? STORE : LOAD};
        return !in->prefix;
    case 0x63: /* movsxd */
        *f = (struct form){.has_modrm = true, .does = LOAD, .size_bytes = 4};
        return !in->prefix;
    case 0x69: /* imul */
    case 0x6b:
        *f = (struct form){.has_modrm = true,
                           .does = LOAD,
                           .imm = in->opcode == 0x69 ? IMM_Z : IMM_1,
                           .flags_written = CF | OF};
        return true;
    case 0x70 ... 0x7f:
    case 0xc3:
    case 0xe8:
    case 0xe9:
    case 0xeb:
        return branch_form(in, f);
    case 0x84: /* test */
    case 0x85:
        *f = (struct form){
            .has_modrm = true, .does = LOAD, .size_bytes = size_of(in), .flags_written = RT_TR_ALL_FLAGS};
        return true;
    case 0x88 ... 0x8b: /* mov */
        *f = (struct form){
            .has_modrm = true, .does = in->opcode < 0x8a ? STORE : LOAD, .size_bytes = size_of(in)};
        return true;
    case 0x8d: /* lea */
        *f = (struct form){.has_modrm = true, .names = true};
        return in->at[0] < BY_REGISTER;
    case 0x90: /* nop */
        *f = (struct form){0};
        return !in->prefix && !in->rex;
    case 0xa8: /* test */
    case 0xa9:
        *f = (struct form){.imm = in->opcode & 1 ? IMM_Z : IMM_1, .flags_written = RT_TR_ALL_FLAGS};
        return true;
    case 0xb0 ... 0xbf: /* mov */
        *f = (struct form){.imm = in->opcode < 0xb8 ? IMM_1 : IMM_V, .names = in->opcode >= 0xb8};
        return true;
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
        return shift_form(in, f);
    case 0x80:
    case 0x81:
    case 0x83:
    case 0xc6:
    case 0xc7:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff:
        return group_form(in, f);
    default:
        return false;
    }
}

/* Moves of vectors, or of a part of one, and the instructions that clear one. */
static bool vector_form(const struct input *in, struct form *f)
{
    enum { VECTOR_BYTES = 16, ENDBR64 = 0xfa };
    const uint8_t word_bytes = in->rex & 8 ? 8 : 4;
    const bool plain = in->prefix == 0, wide = in->prefix == OPERAND_SIZE, rep = in->prefix == REPEAT;
    *f = (struct form){.has_modrm = true, .may_fault = true, .does = LOAD, .size_bytes = VECTOR_BYTES};
    switch (in->opcode) {
    case 0x1e:
        *f = (struct form){.has_modrm = true, .may_fault = true};
        return rep && in->at[0] == ENDBR64;
    case 0x11:
        f->does = STORE; /* fallthrough */
    case 0x10:
        if (!plain && !wide) f->size_bytes = rep ? 4 : 8;
        return true;
    case 0x29:
        f->does = STORE; /* fallthrough */
    case 0x28:
    case 0x57: /* xorps, xorpd */
        return plain || wide;
    case 0x6e: /* movd, movq */
        f->size_bytes = word_bytes;
        return wide;
    case 0x7f:
        f->does = STORE; /* fallthrough */
    case 0x6f:
        return wide || rep;
    case 0x7e: /* movd, movq */
        f->size_bytes = wide ? word_bytes : 8;
        f->does = wide ? STORE : LOAD;
        return wide || rep;
    case 0xd6: /* movq */
        f->size_bytes = 8;
        f->does = STORE;
        return wide;
    case 0xef: /* pxor */
        f->may_fault = false;
        return wide;
    default:
        return false;
    }
}

/* Opcodes after ESCAPE. */
static bool long_form(const struct input *in, struct form *f)
{
    if (in->prefix == REPEAT || in->prefix == REPEAT_NOT) return vector_form(in, f);
    switch (in->opcode) {
    case 0x1f: /* nop */
        *f = (struct form){.has_modrm = true};
        return in->field == 0;
    case 0x40 ... 0x4f: /* cmovcc */
        *f = (struct form){.has_modrm = true, .does = LOAD, .flags_read = read_by_condition(in->opcode)};
        return true;
    case 0x80 ... 0x8f: /* jcc */
        *f = (struct form){.imm = IMM_4,
                           .may_fault = true,
                           .flow = RT_BURST_FLOW_JCC,
                           .flags_read = read_by_condition(in->opcode)};
        return !in->prefix;
    case 0x90 ... 0x9f: /* setcc */
        *f = (struct form){
            .has_modrm = true, .does = STORE, .size_bytes = 1, .flags_read = read_by_condition(in->opcode)};
        return true;
    case 0xaf: /* imul */
        *f = (struct form){.has_modrm = true, .does = LOAD, .flags_written = CF | OF};
        return true;
    case 0xb6: /* movzx, movsx */
    case 0xb7:
    case 0xbe:
    case 0xbf:
        *f = (struct form){.has_modrm = true, .does = LOAD, .size_bytes = in->opcode & 1 ? 2 : 1};
        return !in->prefix || !(in->opcode & 1);
    default:
        return vector_form(in, f);
    }
}

static int64_t signed_at(const uint8_t *at, unsigned len_bytes)
{
    uint64_t v = 0;
    for (unsigned i = len_bytes; i-- > 0;)
        v = v << 8 | at[i];
    const unsigned unused = 64 - 8 * len_bytes;
    return len_bytes ? (int64_t)(v << unused) >> unused : 0;
}

/* The operand in memory of the bytes from ModRM at; returns their number. */
static unsigned operand(const struct input *in, struct rt_burst_mem *m, uint8_t *disp_at)
{
    const uint8_t *at = in->at;
    const unsigned mod = at[0] >> 6, rm = at[0] & 7;
    unsigned len = 1, disp_bytes = mod == 2 ? 4 : mod;
    *m = (struct rt_burst_mem){.kind = RT_BURST_MEM_PLAIN,
                               .segment = in->has_fs ? RT_BURST_SEG_FS : RT_BURST_SEG_FLAT,
                               .base = (uint8_t)(rm | (in->rex & 1) << 3),
                               .index = RT_BURST_REG_NONE,
                               .addr_width_bytes = 8,
                               .mask = RT_BURST_REG_NONE,
                               .bit_reg = RT_BURST_REG_NONE};
    if (rm == SIB_FIELD) {
        const uint8_t sib = at[len++], index = (uint8_t)((sib >> 3 & 7) | (in->rex & 2) << 2);
        m->base = (uint8_t)((sib & 7) | (in->rex & 1) << 3);
        if (index != NUMBER_RSP) {
            m->index = index;
            m->scale = (uint8_t)(1u << (sib >> 6));
        }
        if (mod == 0 && (sib & 7) == NO_BASE_FIELD) {
            m->base = RT_BURST_REG_NONE;
            disp_bytes = 4;
        }
    } else if (mod == 0 && rm == RIP_FIELD) {
        m->base = RT_BURST_REG_RIP;
        disp_bytes = 4;
        *disp_at = (uint8_t)len;
    }
    m->disp = signed_at(at + len, disp_bytes);
    return len + disp_bytes;
}

static void add_stack_word(struct rt_burst_plan *p, uint8_t does)
{
    p->mem[p->mem_count++] =
        (struct rt_burst_mem){.kind = does == STORE ? RT_BURST_MEM_PUSH : RT_BURST_MEM_PLAIN,
                              .does = does,
                              .base = NUMBER_RSP,
                              .index = RT_BURST_REG_NONE,
                              .addr_width_bytes = 8,
                              .mask = RT_BURST_REG_NONE,
                              .size_bytes = STACK_BYTES,
                              .elem_bytes = STACK_BYTES,
                              .lanes = 1,
                              .bit_reg = RT_BURST_REG_NONE};
}

static unsigned imm_bytes(const struct input *in, const struct form *f)
{
    switch ((enum imm)f->imm) {
    case IMM_1:
        return 1;
    case IMM_4:
        return 4;
    case IMM_Z:
        return in->operand_bytes == 2 ? 2 : 4;
    case IMM_V:
        return in->operand_bytes;
    default:
        return 0;
    }
}

static bool read_form(struct input *in, struct form *f)
{
    enum { PREFIXES_MOST = 2 };
    for (unsigned i = 0; i < PREFIXES_MOST; i++) {
        const uint8_t byte = *in->at;
        if (byte == SEGMENT_FS && !in->has_fs)
            in->has_fs = true;
        else if ((byte == OPERAND_SIZE || byte == REPEAT || byte == REPEAT_NOT) && !in->prefix)
            in->prefix = byte;
        else
            break;
        in->at++;
    }
    if ((*in->at & 0xf0) == 0x40) in->rex = *in->at++;
    in->operand_bytes = in->rex & 8 ? 8 : in->prefix == OPERAND_SIZE ? 2 : 4;
    in->opcode = *in->at++;
    const bool is_long = in->opcode == ESCAPE;
    if (is_long) in->opcode = *in->at++;
    in->field = *in->at >> 3 & 7;
    if (is_long) return long_form(in, f);
    return in->prefix != REPEAT && in->prefix != REPEAT_NOT && short_form(in, f);
}

/* The flags that are certainly overwritten. Zydis calls the auxiliary carry undefined, and the overflow of a shift by more
 * than 1; a shift by 0 changes none. */
static uint8_t written(const struct form *f, int64_t constant)
{
    if (!f->is_shift) return f->flags_written;
    return f->imm == IMM_NONE || constant & 31 ? CF | PF | ZF | SF : 0;
}

/* Read ModRM, SIB and the displacement. False: Zydis must decode the instruction. */
static bool take_operand(struct rt_tr_insn *n, const uint8_t *code, struct input *in, const struct form *f)
{
    struct rt_burst_plan *p = &n->plan;
    uint8_t disp_at = 0;
    p->rip_disp = 0;
    p->is_rip_relative = false;
    p->mem_count = 0;
    n->disp_offset = 0;
    if (f->has_modrm && *in->at >= BY_REGISTER) {
        in->at++;
    } else if (f->has_modrm) {
        struct rt_burst_mem *m = &p->mem[0];
        const unsigned len = operand(in, m, &disp_at);
        m->does = f->does;
        m->size_bytes = f->size_bytes ? f->size_bytes : in->operand_bytes;
        m->elem_bytes = (uint8_t)m->size_bytes;
        m->lanes = 1;
        p->mem_count = m->does != 0;
        if (disp_at) {
            p->is_rip_relative = !f->flow;
            p->rip_disp = f->flow ? 0 : m->disp;
            n->disp_offset = (uint8_t)(in->at - code + disp_at);
        }
        in->at += len;
    }
    if (f->stack) add_stack_word(p, f->stack);
    return !(disp_at && in->has_fs);
}

static void set_flow(struct rt_burst_plan *p, const struct input *in, const struct form *f, uint8_t modrm,
                     int64_t constant)
{
    p->klass = RT_BURST_PLAIN;
    p->is_locked = false;
    p->flow = f->flow ? f->flow : RT_BURST_FLOW_COPY;
    p->flow_code = f->flow == RT_BURST_FLOW_JCC ? in->opcode & 0xf : 0;
    p->displacement = f->flow && !f->has_modrm ? constant : 0;
    if (!f->flow || !f->has_modrm) return;
    if (modrm >= BY_REGISTER)
        p->flow_code = (uint8_t)((modrm & 7) | (in->rex & 1) << 3);
    else
        p->flow = f->flow == RT_BURST_FLOW_CALL_REG ? RT_BURST_FLOW_CALL_MEM : RT_BURST_FLOW_JUMP_MEM;
}

bool rt_tr_decode_common(struct rt_tr_insn *n, const uint8_t *code, size_t len_bytes, uint64_t ip,
                         uint64_t *named)
{
    struct input in = {.at = code};
    struct form f;
    struct rt_burst_plan *p = &n->plan;
    if (!read_form(&in, &f)) return false;
    const uint8_t modrm = *in.at;
    if (!take_operand(n, code, &in, &f)) return false;
    const unsigned constant_bytes = imm_bytes(&in, &f);
    const size_t all_bytes = (size_t)(in.at - code) + constant_bytes;
    if (all_bytes > len_bytes) return false;
    const int64_t constant = signed_at(in.at, constant_bytes);
    p->ip = n->ip = ip;
    memset(p->code, 0, sizeof p->code);
    memcpy(p->code, code, all_bytes);
    p->len_bytes = (uint8_t)all_bytes;
    set_flow(p, &in, &f, modrm, constant);
    n->copied = !f.flow;
    n->repeats = 0;
    n->flags_read = f.flags_read;
    n->flags_written = written(&f, constant);
    n->may_fault = f.may_fault || p->mem_count;
    n->target = ip + all_bytes + (uint64_t)p->displacement;
    *named = !f.names         ? 0
             : f.imm          ? (uint64_t)constant
             : n->disp_offset ? n->target + (uint64_t)p->rip_disp
                              : 0;
    return true;
}
