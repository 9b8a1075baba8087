/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/translate/tr_random.h"

#include "runtime/bursts/rt_burst_gs_sigsafe.h"
#include "tests/xorshift.h"

#include <Zydis/Zydis.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CODE_BYTES = 1 << 16,
    DATA_BYTES = 1 << 16,
    CENTER = DATA_BYTES / 2, /* random operands are within 4 KiB of it */
    COUNTERS = 256,          /* counters of loops, at the begin of the data */
    INDICES = 512,           /* small 32-bit and 64-bit indices for gathers */
    SAVED_RSP = 0,
    OTHER_RSP = 8,
    TABLE = 1024, /* targets of indirect branches */
    INSTRUCTIONS = 120,
    TEMPLATE_SHARE = 8, /* one instruction of this number is control flow */
    SCALARS = 16,
};

struct tr_random {
    uint64_t random;
    bool has_far_stack; /* rsp may be no address at all */
    uint8_t *code, *data;
    uint8_t *at;
    unsigned counters, targets, depth, instructions;
    uint8_t drawn[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    ZydisDecoder decoder;
};

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

static uint64_t next_random(struct tr_random *r)
{
    return xorshift(&r->random) * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned below(struct tr_random *r, unsigned limit)
{
    return (unsigned)((next_random(r) >> 33) % limit);
}

static void put1(struct tr_random *r, unsigned v)
{
    *r->at++ = (uint8_t)v;
}

static void put(struct tr_random *r, const void *bytes, size_t len_bytes)
{
    memcpy(r->at, bytes, len_bytes);
    r->at += len_bytes;
}

static void put4(struct tr_random *r, uint32_t v)
{
    put(r, &v, sizeof v);
}

static void move_immediate(struct tr_random *r, unsigned reg, uint64_t v)
{
    put1(r, 0x48 | reg >> 3);
    put1(r, 0xb8 | (reg & 7));
    put(r, &v, sizeof v);
}

static uint64_t data_at(const struct tr_random *r, unsigned offset)
{
    return (uint64_t)(uintptr_t)(r->data + offset);
}

/* The displacement of 4 bytes at rel leads to where; the instruction ends after tail more bytes. */
static void set_rel(uint8_t *rel, uint64_t where, unsigned tail)
{
    const uint32_t v = (uint32_t)(where - ((uint64_t)(uintptr_t)rel + 4 + tail));
    memcpy(rel, &v, sizeof v);
}

static void put_rel(struct tr_random *r, uint64_t where)
{
    uint8_t *rel = r->at;
    put4(r, 0);
    set_rel(rel, where, 0);
}

static int number_of(ZydisRegister reg)
{
    if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15) return (int)(reg - ZYDIS_REGISTER_RAX);
    if (reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D) return (int)(reg - ZYDIS_REGISTER_EAX);
    if (reg >= ZYDIS_REGISTER_AX && reg <= ZYDIS_REGISTER_R15W) return (int)(reg - ZYDIS_REGISTER_AX);
    if (reg == ZYDIS_REGISTER_SPL) return RSP;
    return -1;
}

static bool is_excluded(const ZydisDecodedInstruction *in)
{
    static const uint8_t categories[] = {
        ZYDIS_CATEGORY_XSAVE,     ZYDIS_CATEGORY_XSAVEOPT,   ZYDIS_CATEGORY_RDRAND,
        ZYDIS_CATEGORY_RDSEED,    ZYDIS_CATEGORY_RDPID,      ZYDIS_CATEGORY_SYSTEM,
        ZYDIS_CATEGORY_SYSCALL,   ZYDIS_CATEGORY_SYSRET,     ZYDIS_CATEGORY_INTERRUPT,
        ZYDIS_CATEGORY_IO,        ZYDIS_CATEGORY_IOSTRINGOP, ZYDIS_CATEGORY_VTX,
        ZYDIS_CATEGORY_RDWRFSGS,  ZYDIS_CATEGORY_SEGOP,      ZYDIS_CATEGORY_RET,
        ZYDIS_CATEGORY_CALL,      ZYDIS_CATEGORY_UNCOND_BR,  ZYDIS_CATEGORY_COND_BR,
        ZYDIS_CATEGORY_WAITPKG,   ZYDIS_CATEGORY_CET,        ZYDIS_CATEGORY_PKU,
        ZYDIS_CATEGORY_UINTR,     ZYDIS_CATEGORY_ENQCMD,     ZYDIS_CATEGORY_SGX,
        ZYDIS_CATEGORY_SERIALIZE, ZYDIS_CATEGORY_KEYLOCKER,  ZYDIS_CATEGORY_KEYLOCKER_WIDE,
        ZYDIS_CATEGORY_AMX_TILE,  ZYDIS_CATEGORY_MPX,        ZYDIS_CATEGORY_INVALID,
        ZYDIS_CATEGORY_PCONFIG,
    };
    if (memchr(categories, (int)in->meta.category, sizeof categories)) return true;
    if (in->attributes &
        (ZYDIS_ATTRIB_HAS_SEGMENT_GS | ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_IS_PRIVILEGED))
        return true;
    switch (in->mnemonic) {
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
    case ZYDIS_MNEMONIC_RDPMC:
    case ZYDIS_MNEMONIC_RDPRU:
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_MONITOR:
    case ZYDIS_MNEMONIC_MONITORX:
    case ZYDIS_MNEMONIC_MWAIT:
    case ZYDIS_MNEMONIC_MWAITX:
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFD:
    case ZYDIS_MNEMONIC_POPFQ:
    case ZYDIS_MNEMONIC_LDMXCSR: /* would unmask exceptions, which then hide everything else */
    case ZYDIS_MNEMONIC_VLDMXCSR:
    case ZYDIS_MNEMONIC_FLDCW:
    case ZYDIS_MNEMONIC_FLDENV:
    case ZYDIS_MNEMONIC_FRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_FXSAVE: /* stores which components are in use */
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_FNSAVE:
    case ZYDIS_MNEMONIC_FNSTENV:
    case ZYDIS_MNEMONIC_XBEGIN:
    case ZYDIS_MNEMONIC_XABORT:
    case ZYDIS_MNEMONIC_XEND:
    case ZYDIS_MNEMONIC_XTEST:
    case ZYDIS_MNEMONIC_INT3:
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_LEAVE: /* drawn as a template */
        return true;
    default:
        return false;
    }
}

/* Operands whose registers must have chosen values, so that they address the test's memory. */
struct shape {
    int base, index, bit_reg;
    int64_t disp;
    unsigned scale;
    bool vector_index, relative;
    ZydisRegister vector;
};

static bool shape_of(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops, struct shape *sh)
{
    *sh = (struct shape){.base = -1, .index = -1, .bit_reg = -1};
    const bool bits = in->mnemonic == ZYDIS_MNEMONIC_BT || in->mnemonic == ZYDIS_MNEMONIC_BTS ||
                      in->mnemonic == ZYDIS_MNEMONIC_BTR || in->mnemonic == ZYDIS_MNEMONIC_BTC;
    const bool moves_stack =
        in->meta.category == ZYDIS_CATEGORY_PUSH || in->meta.category == ZYDIS_CATEGORY_POP;
    for (unsigned i = 0; i < in->operand_count; i++) {
        const ZydisDecodedOperand *op = &ops[i];
        if (op->type == ZYDIS_OPERAND_TYPE_POINTER) return false;
        if (op->type == ZYDIS_OPERAND_TYPE_REGISTER) {
            if (op->reg.value >= ZYDIS_REGISTER_ES && op->reg.value <= ZYDIS_REGISTER_GS) return false;
            const bool writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
            if (writes && number_of(op->reg.value) == RSP && !moves_stack) return false;
            if (moves_stack && i == 0 && number_of(op->reg.value) == RSP) return false;
            if (bits && i == 1 && ops[0].type == ZYDIS_OPERAND_TYPE_MEMORY)
                sh->bit_reg = number_of(op->reg.value);
        }
        if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
            continue;
        sh->disp = op->mem.disp.value;
        sh->scale = op->mem.scale;
        if (op->mem.base == ZYDIS_REGISTER_EIP) return false;
        sh->relative = op->mem.base == ZYDIS_REGISTER_RIP;
        sh->base = number_of(op->mem.base);
        sh->vector_index = op->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
        if (sh->vector_index)
            sh->vector = op->mem.index;
        else
            sh->index = number_of(op->mem.index);
        if (!sh->relative && sh->base < 0 && op->mem.type != ZYDIS_MEMOP_TYPE_AGEN) return false;
        if (sh->base == RSP && (sh->disp > 512 || sh->disp < -512 || sh->index >= 0 || sh->vector_index))
            return false;
        if (sh->base >= 0 && sh->base == sh->index) return false;
        if (sh->bit_reg >= 0 && (sh->bit_reg == sh->base || sh->bit_reg == sh->index)) return false;
    }
    if (in->mnemonic == ZYDIS_MNEMONIC_ENTER) return in->raw.imm[0].value.u <= 256;
    return !(bits && sh->bit_reg == RSP);
}

/* vmovdqu small indices into the vector, by registers that the gather sets up itself afterwards */
static void set_vector(struct tr_random *r, const struct shape *sh)
{
    unsigned number, wide = 0;
    if (sh->vector >= ZYDIS_REGISTER_ZMM0)
        number = sh->vector - ZYDIS_REGISTER_ZMM0, wide = 2;
    else if (sh->vector >= ZYDIS_REGISTER_YMM0)
        number = sh->vector - ZYDIS_REGISTER_YMM0, wide = 1;
    else
        number = sh->vector - ZYDIS_REGISTER_XMM0;
    const bool quads = below(r, 2);
    if (number < 16 && wide < 2) { /* VEX.256.F3.0F 6F /r, rip-relative */
        const uint8_t vmovdqu[] = {0xc5, (uint8_t)((number < 8 ? 0x80 : 0) | 0x7e), 0x6f,
                                   (uint8_t)(5 | (number & 7) << 3)};
        put(r, vmovdqu, sizeof vmovdqu);
    } else { /* EVEX.512.F3.0F.W0 6F /r */
        const uint8_t p0 = (uint8_t)(0x61 | (number & 8 ? 0 : 0x80) | (number & 16 ? 0 : 0x10));
        const uint8_t vmovdqu32[] = {0x62, p0, 0x7e, 0x48, 0x6f, (uint8_t)(5 | (number & 7) << 3)};
        put(r, vmovdqu32, sizeof vmovdqu32);
    }
    put_rel(r, data_at(r, INDICES + (quads ? 64 : 0)));
}

static bool is_string(const ZydisDecodedInstruction *in)
{
    return in->meta.category == ZYDIS_CATEGORY_STRINGOP;
}

/* Values of the registers that an instruction addresses memory with. */
static void set_up(struct tr_random *r, const ZydisDecodedInstruction *in, const struct shape *sh)
{
    if (sh->vector_index) set_vector(r, sh);
    if (is_string(in) || in->mnemonic == ZYDIS_MNEMONIC_MASKMOVQ ||
        in->mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU || in->mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU) {
        move_immediate(r, RSI, data_at(r, CENTER + below(r, 512)));
        move_immediate(r, RDI, data_at(r, CENTER + below(r, 512)));
        move_immediate(r, RCX, below(r, 24));
    }
    if (in->mnemonic == ZYDIS_MNEMONIC_XLAT) move_immediate(r, RBX, data_at(r, CENTER));
    if (in->mnemonic == ZYDIS_MNEMONIC_CLZERO) move_immediate(r, RAX, data_at(r, CENTER));
    if (sh->bit_reg >= 0) move_immediate(r, (unsigned)sh->bit_reg, below(r, 2048));
    const unsigned index = below(r, 8);
    if (sh->index >= 0) move_immediate(r, (unsigned)sh->index, index);
    if (sh->base < 0 || sh->base == RSP) return;
    static const uint64_t bad[] = {0x10, UINT64_C(0x8000000000001000)};
    uint64_t where = data_at(r, CENTER + (below(r, 4) ? below(r, 32) * 64 : below(r, 2048)));
    if (!below(r, 24)) where = bad[below(r, 2)];
    const uint64_t scaled = sh->index >= 0 ? index * sh->scale : 0;
    move_immediate(r, (unsigned)sh->base, where - (uint64_t)sh->disp - scaled);
}

static unsigned put_prefixes(struct tr_random *r, uint8_t *code)
{
    static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0xf0, 0x67};
    unsigned len = 0;
    while (!below(r, 3) && len < 2)
        code[len++] = prefixes[below(r, below(r, 4) ? 3 : 5)];
    if (below(r, 2)) code[len++] = (uint8_t)(0x40 | below(r, 16));
    return len;
}

/* Bytes that look like an instruction. */
static void draw_bytes(struct tr_random *r, uint8_t code[16])
{
    for (unsigned i = 0; i < 16; i += 8) {
        const uint64_t v = next_random(r);
        memcpy(code + i, &v, 8);
    }
    unsigned len = 0;
    switch (below(r, 8)) {
    case 0:
    case 1:
        put_prefixes(r, code); /* one byte */
        break;
    case 2:
        len = put_prefixes(r, code);
        code[len++] = 0x0f;
        break;
    case 3:
        len = put_prefixes(r, code);
        code[len++] = 0x0f;
        code[len++] = below(r, 2) ? 0x38 : 0x3a;
        break;
    case 4:
        code[len++] = (uint8_t)(0xd8 | below(r, 8)); /* x87 */
        break;
    case 5:
        code[len++] = below(r, 2) ? 0xc5 : 0xc4;
        if (code[0] == 0xc4) code[1] = (uint8_t)((code[1] & 0xe0) | (1 + below(r, 3)));
        break;
    default:
        code[0] = 0x62;
        code[1] = (uint8_t)((code[1] & 0xf0) | (1 + below(r, below(r, 4) ? 3 : 6)));
        code[2] |= 4;
        break;
    }
}

static bool put_instruction(struct tr_random *r)
{
    uint8_t code[16];
    ZydisDecodedInstruction in;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    struct shape sh;
    draw_bytes(r, code);
    if (ZYAN_FAILED(ZydisDecoderDecodeFull(&r->decoder, code, 15, &in, ops))) return false;
    if (is_excluded(&in) || !shape_of(&in, ops, &sh)) return false;
    if (is_string(&in) && in.address_width != 64) return false;
    if (r->drawn[in.mnemonic] > 40 && below(r, 8)) return false; /* rare ones get their share */
    if (in.mnemonic == ZYDIS_MNEMONIC_STD && below(r, 4)) return false;
    set_up(r, &in, &sh);
    uint8_t *at = r->at;
    put(r, code, in.length);
    if (sh.relative)
        set_rel(at + in.raw.disp.offset, data_at(r, CENTER + 64 * below(r, 32)),
                in.length - in.raw.disp.offset - 4u);
    if (r->drawn[in.mnemonic] < 255) r->drawn[in.mnemonic]++;
    r->instructions++;
    return true;
}

static void put_some(struct tr_random *r, unsigned count);

static void forward_condition(struct tr_random *r)
{
    put1(r, 0x0f);
    put1(r, 0x80 | below(r, 16));
    uint8_t *rel = r->at;
    put4(r, 0);
    put_some(r, 1 + below(r, 4));
    set_rel(rel, (uint64_t)(uintptr_t)r->at, 0);
}

/* loop, loope, loopne, jrcxz, and short jcc over one instruction */
static void forward_short(struct tr_random *r)
{
    if (below(r, 2)) move_immediate(r, RCX, below(r, 3));
    put1(r, below(r, 2) ? 0xe0 | below(r, 4) : 0x70 | below(r, 16));
    uint8_t *rel = r->at;
    put1(r, 0);
    move_immediate(r, RDX, next_random(r));
    *rel = (uint8_t)(r->at - rel - 1);
}

/* A loop that counts in memory: nothing in its body reaches the counter. */
static void counted_loop(struct tr_random *r)
{
    if (r->counters == 32) return;
    const uint64_t counter = data_at(r, COUNTERS + 4 * r->counters++);
    put1(r, 0xc7); /* movl n, counter */
    put1(r, 0x05);
    uint8_t *rel = r->at;
    put4(r, 0);
    put4(r, 1 + below(r, 12));
    set_rel(rel, counter, 4);
    const uint8_t *begin = r->at;
    put_some(r, 1 + below(r, 6));
    put1(r, 0xff); /* decl counter */
    put1(r, 0x0d);
    put_rel(r, counter);
    put1(r, 0x0f); /* jnz */
    put1(r, 0x85);
    put_rel(r, (uint64_t)(uintptr_t)begin);
}

/* jmp over; function: ...; ret; over: call function, by one of the ways there are */
static void call_function(struct tr_random *r)
{
    if (r->targets == 32) return;
    put1(r, 0xe9);
    uint8_t *over = r->at;
    put4(r, 0);
    const uint64_t function = (uint64_t)(uintptr_t)r->at;
    const bool pops = below(r, 3) == 0;
    /* the function must leave the stack as it found it: no random pushes in it */
    forward_short(r);
    if (pops) {
        put1(r, 0xc2);
        put1(r, 8);
        put1(r, 0);
    } else {
        put1(r, 0xc3);
    }
    set_rel(over, (uint64_t)(uintptr_t)r->at, 0);
    if (pops) put1(r, 0x50); /* push rax */
    const unsigned slot = r->targets++;
    memcpy(r->data + TABLE + 8 * slot, &function, sizeof function);
    switch (below(r, 4)) {
    case 0:
        put1(r, 0xe8);
        put_rel(r, function);
        break;
    case 1:
        put1(r, 0xff); /* call [rip + disp] */
        put1(r, 0x15);
        put_rel(r, data_at(r, TABLE + 8 * slot));
        break;
    case 2: {
        static const unsigned regs[] = {RAX, RCX, RSI, 8, 11, 15};
        const unsigned reg = regs[below(r, 6)];
        move_immediate(r, reg, function);
        if (reg >= 8) put1(r, 0x41);
        put1(r, 0xff);
        put1(r, 0xd0 | (reg & 7));
        break;
    }
    default:
        move_immediate(r, RCX, slot);
        move_immediate(r, RDX, data_at(r, TABLE));
        put1(r, 0xff); /* call [rdx + rcx * 8] */
        put1(r, 0x14);
        put1(r, 0xca);
        break;
    }
}

static void jump_indirect(struct tr_random *r)
{
    if (r->targets == 32) return;
    const unsigned slot = r->targets++;
    const bool by_register = below(r, 2);
    uint8_t *immediate = NULL;
    if (by_register) {
        move_immediate(r, 9, 0);
        immediate = r->at - 8;
        put1(r, 0x41); /* jmp r9 */
        put1(r, 0xff);
        put1(r, 0xe1);
    } else {
        put1(r, 0xff); /* jmp [rip + disp] */
        put1(r, 0x25);
        put_rel(r, data_at(r, TABLE + 8 * slot));
    }
    put1(r, 0xcc);
    const uint64_t target = (uint64_t)(uintptr_t)r->at;
    memcpy(r->data + TABLE + 8 * slot, &target, sizeof target);
    if (immediate) memcpy(immediate, &target, sizeof target);
}

static void frame(struct tr_random *r)
{
    static const uint8_t open_frame[] = {0x55, 0x48, 0x89, 0xe5,
                                         0x48, 0x83, 0xec, 0x20}; /* push; mov; sub 32, rsp */
    put(r, open_frame, sizeof open_frame);
    forward_short(r);
    put1(r, 0xc9); /* leave */
}

static void flags_image(struct tr_random *r)
{
    static const uint8_t image[] = {0x9c, 0x41, 0x5a, 0x9f}; /* pushfq; pop r10; lahf */
    put(r, image, sizeof image);
}

static const uint64_t nowhere[] = {0x18, UINT64_C(0x8000000000001000)};

/* mov rsp, slot; or mov slot, rsp */
static void move_rsp(struct tr_random *r, bool from_slot)
{
    put1(r, 0x48);
    put1(r, from_slot ? 0x8b : 0x89);
    put1(r, 0x25);
    put_rel(r, data_at(r, OTHER_RSP));
}

/* An instruction that uses the stack while rsp is invalid: it faults and is skipped. */
static void without_stack(struct tr_random *r)
{
    static const uint8_t by_register[] = {0xff, 0xd1}, by_memory[] = {0xff, 0x12}, back[] = {0xc3},
                         push[] = {0x51}, back_and_pop[] = {0xc2, 8, 0};
    move_rsp(r, false);
    const uint64_t somewhere = data_at(r, TABLE);
    move_immediate(r, RCX, somewhere);
    move_immediate(r, RDX, somewhere);
    move_immediate(r, RSP, nowhere[below(r, 2) && r->has_far_stack]);
    for (unsigned i = 0; i < 3; i++)
        switch (below(r, 5)) {
        case 0:
            put(r, by_register, sizeof by_register);
            break;
        case 1:
            put(r, by_memory, sizeof by_memory); /* call [rdx] */
            break;
        case 2:
            put(r, back, sizeof back);
            break;
        case 3:
            put(r, push, sizeof push);
            break;
        default:
            put(r, back_and_pop, sizeof back_and_pop);
            break;
        }
    move_rsp(r, true);
}

/* Branches to an address that no program can have: they fault before they are taken, and are skipped. */
static void to_nowhere(struct tr_random *r)
{
    static const uint8_t jump[] = {0xff, 0xe1},
                         push_and_return[] = {0x51, 0xc3, 0x5a}; /* jmp rcx; push; ret; pop rdx */
    move_immediate(r, RCX, nowhere[1]);
    if (below(r, 2))
        put(r, jump, sizeof jump);
    else
        put(r, push_and_return, sizeof push_and_return);
}

/* An exception of the x87 that waits: the processor keeps the address of its instruction. */
static void x87_exception(struct tr_random *r)
{
    static const uint8_t divide[] = {0xdb, 0xe3, 0xd9, 0xe8, 0xd9, 0xee}; /* fninit; fld1; fldz */
    static const uint8_t unmasked[] = {0x68, 0x40, 0x03, 0x00, 0x00,
                                       0xd9, 0x2c, 0x24, 0x58}; /* push; fldcw; pop rax */
    static const uint8_t end[] = {0xdb, 0xe2, 0xdb, 0xe3};      /* fnclex; fninit */
    put(r, divide, sizeof divide);
    put(r, unmasked, sizeof unmasked);
    put1(r, 0xde); /* fdivp */
    put1(r, 0xf9);
    for (unsigned i = below(r, 6); i > 0; i--)
        move_immediate(r, RDX, next_random(r));
    put(r, end, sizeof end);
}

/* Operands relative to the thread's base, of a load, a store and of a branch. */
static void by_fs(struct tr_random *r)
{
    if (r->targets == 32) return;
    const uint64_t base = rt_burst_fs_base(false);
    const unsigned slot = r->targets++;
    static const uint8_t load[] = {0x64, 0x48, 0x8b, 0x32}, add[] = {0x64, 0x48, 0x01, 0x72, 0x08},
                         jump[] = {0x64, 0xff, 0x22};
    move_immediate(r, RDX, data_at(r, CENTER) - base);
    put(r, load, sizeof load); /* mov fs:[rdx], rsi */
    put(r, add, sizeof add);   /* add rsi, fs:[rdx + 8] */
    move_immediate(r, RDX, data_at(r, TABLE + 8 * slot) - base);
    put(r, jump, sizeof jump); /* jmp fs:[rdx] */
    put1(r, 0xcc);
    const uint64_t target = (uint64_t)(uintptr_t)r->at;
    memcpy(r->data + TABLE + 8 * slot, &target, sizeof target);
}

static void put_template(struct tr_random *r)
{
    static void (*const templates[])(struct tr_random *) = {
        forward_condition, forward_short, counted_loop, call_function, jump_indirect, frame,
        flags_image,       without_stack, to_nowhere,   x87_exception, by_fs};
    if (r->depth > 2) return;
    r->depth++;
    templates[below(r, sizeof templates / sizeof templates[0])](r);
    r->depth--;
}

static void put_some(struct tr_random *r, unsigned count)
{
    for (unsigned done = 0; done < count && r->at < r->code + CODE_BYTES - 4096;) {
        if (!below(r, TEMPLATE_SHARE)) {
            put_template(r);
            done++;
        } else {
            done += put_instruction(r);
        }
    }
}

static void go_on(int sig)
{
    (void)sig;
}

/* Does a program whose stack pointer is not canonical survive a signal? Some virtual machines cannot return to it. */
static bool survives_far_stack(void)
{
    enum { ALTSTACK_BYTES = 1 << 16, LIMIT_S = 10 };
    const pid_t child = fork();
    if (!child) {
        const stack_t alternate = {.ss_sp = malloc(ALTSTACK_BYTES), .ss_size = ALTSTACK_BYTES};
        const struct sigaction a = {.sa_handler = go_on, .sa_flags = SA_ONSTACK};
        sigaltstack(&alternate, NULL);
        sigaction(SIGTRAP, &a, NULL);
        alarm(LIMIT_S);
        __asm__ volatile("movq %%rsp, %%rbx\n\t"
                         "movq %0, %%rsp\n\t"
                         "int3\n\t"
                         "movq %%rbx, %%rsp"
                         :
                         : "r"(nowhere[1])
                         : "rbx", "memory");
        _exit(0);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

struct tr_random *tr_random_new(uint64_t seed)
{
    struct tr_random *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->random = seed | 1;
    r->has_far_stack = survives_far_stack();
    ZydisDecoderInit(&r->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    r->code = mmap(NULL, CODE_BYTES + DATA_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (r->code == MAP_FAILED) {
        free(r);
        return NULL;
    }
    r->data = r->code + CODE_BYTES;
    return r;
}

void tr_random_free(struct tr_random *r)
{
    if (r) munmap(r->code, CODE_BYTES + DATA_BYTES);
    free(r);
}

void (*tr_random_draw(struct tr_random *r))(void)
{
    for (unsigned i = 0; i < DATA_BYTES; i += 8) {
        const uint64_t v = next_random(r);
        memcpy(r->data + i, &v, sizeof v);
    }
    for (unsigned i = 0; i < 16; i++) {
        const uint32_t v = below(r, 256);
        memcpy(r->data + INDICES + 4 * i, &v, sizeof v);
    }
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t v = below(r, 256);
        memcpy(r->data + INDICES + 64 + 8 * i, &v, sizeof v);
    }
    r->at = r->code;
    r->counters = r->targets = r->depth = 0;
    static const uint8_t save_rsp[] = {0x48, 0x89, 0x25}, load_rsp[] = {0x48, 0x8b, 0x25};
    put(r, save_rsp, sizeof save_rsp);
    put_rel(r, data_at(r, SAVED_RSP));
    /* sub 65536, rsp: instructions that are skipped after a fault leave the stack as it is, so that loops of them pop more
     * than they push */
    static const uint8_t make_room[] = {0x48, 0x81, 0xec, 0x00, 0x00, 0x01, 0x00};
    put(r, make_room, sizeof make_room);
    for (unsigned reg = 0; reg < SCALARS; reg++)
        if (reg != RSP) move_immediate(r, reg, below(r, 3) ? next_random(r) : below(r, 1000));
    put_some(r, INSTRUCTIONS);
    put1(r, 0xfc); /* cld */
    put(r, load_rsp, sizeof load_rsp);
    put_rel(r, data_at(r, SAVED_RSP));
    put1(r, 0xc3);
    return (void (*)(void))(uintptr_t)r->code;
}

void tr_random_code(const struct tr_random *r, uint64_t *base, uint64_t *end)
{
    *base = (uint64_t)(uintptr_t)r->code;
    *end = *base + CODE_BYTES;
}

void tr_random_data(const struct tr_random *r, void **base, size_t *len_bytes)
{
    *base = r->data;
    *len_bytes = DATA_BYTES;
}

void tr_random_coverage(const struct tr_random *r, unsigned *mnemonics, unsigned *instructions)
{
    *mnemonics = 0;
    for (unsigned i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
        *mnemonics += r->drawn[i] > 0;
    *instructions = r->instructions;
}
