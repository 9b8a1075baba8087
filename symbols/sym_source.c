/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_operand.h"

#include "common/ls_checked.h"

#include <Zydis/Zydis.h>

enum { REGISTERS = 16 };

struct sources {
    struct sym_source of[REGISTERS]; /* by DWARF number */
    uint32_t roots;                  /* given so far */
};

static struct sym_source another(struct sources *s)
{
    return (struct sym_source){.step = 1, .root = ++s->roots};
}

/* DWARF's number of the general register that holds this one, -1: none. */
static int number_of(ZydisRegister r)
{
    static const int8_t numbers[8] = {0, 2, 1, 3, 7, 6, 4, 5};
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return -1;
    const int id = ZydisRegisterGetId(whole);
    return id < 8 ? numbers[id] : id;
}

/* The registers that the instruction writes are unknown from now on. After a call, those are too that any function may change, and after a jump or
 * a return all of them. */
static void forget(struct sources *s, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
    static const uint8_t of_calls[] = {0, 1, 2, 4, 5, 8, 9, 10, 11};
    const bool goes_on =
        i->meta.category != ZYDIS_CATEGORY_UNCOND_BR && i->meta.category != ZYDIS_CATEGORY_RET;
    for (int r = 0; r < REGISTERS && !goes_on; r++)
        s->of[r] = another(s);
    for (size_t r = 0; r < sizeof(of_calls) && i->meta.category == ZYDIS_CATEGORY_CALL; r++)
        s->of[of_calls[r]] = another(s);
    for (int o = 0; o < i->operand_count; o++) {
        const int to = operands[o].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                               operands[o].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE
                           ? number_of(operands[o].reg.value)
                           : -1;
        if (to >= 0) s->of[to] = another(s);
    }
}

static uint64_t step_of_number(int64_t n)
{
    return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

static uint64_t step_times(uint64_t step, uint64_t factor)
{
    uint64_t out;
    return __builtin_mul_overflow(step, factor, &out) ? 1 : out;
}

static int register_of(const ZydisDecodedOperand *o)
{
    return o->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(o->reg.value) : -1;
}

/* Fill `out` with an address by general registers. False: it has another segment, or no base. */
static bool address_of(const struct sources *s, const ZydisDecodedOperand *o, struct sym_source *out)
{
    const bool is_usual = o->type == ZYDIS_OPERAND_TYPE_MEMORY &&
                          (o->mem.type == ZYDIS_MEMOP_TYPE_MEM || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) &&
                          o->mem.segment != ZYDIS_REGISTER_FS && o->mem.segment != ZYDIS_REGISTER_GS;
    const int base = is_usual ? number_of(o->mem.base) : -1, index = is_usual ? number_of(o->mem.index) : -1;
    if (base < 0 || (index < 0 && o->mem.index != ZYDIS_REGISTER_NONE)) return false;
    out->from = (struct sym_operand){.base = (unsigned)base,
                                     .distance = o->mem.disp.has_displacement ? o->mem.disp.value : 0};
    out->base_step = s->of[base].step;
    if (index < 0) return true;
    out->from.has_index = true;
    out->from.index = (unsigned)index;
    out->from.scale = o->mem.scale;
    out->index_step = step_times(s->of[index].step, o->mem.scale);
    return true;
}

/* Set the value to one times a factor. */
static void set_multiple(struct sym_source *out, const struct sym_source *of, uint64_t factor)
{
    out->step = step_times(of->step, factor);
    out->root = of->root;
}

/* Add a value times a factor. */
static void add_multiple(struct sym_source *out, const struct sym_source *of, uint64_t factor)
{
    const uint64_t step = step_times(of->step, factor);
    const bool is_same = out->root == of->root;
    out->step = is_same ? out->step + step : ls_gcd_u64(out->step, step);
    if (!is_same) out->root = 0;
}

static void add_number(struct sym_source *out, int64_t number)
{
    if (number == 0) return;
    out->step = ls_gcd_u64(out->step, step_of_number(number));
    out->root = 0;
}

/* The value that a move puts into a register. */
static struct sym_source moved(const struct sources *s, struct sym_source out,
                               const ZydisDecodedOperand *operands)
{
    const int from = register_of(&operands[1]);
    const bool is_whole = operands[0].size == 64;
    if (operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) out.step = step_of_number(operands[1].imm.value.s);
    if (is_whole && from < 0 && address_of(s, &operands[1], &out)) out.kind = SYM_SOURCE_LOAD;
    if (from < 0) return out;
    if (is_whole && (s->of[from].kind == SYM_SOURCE_SUM || s->of[from].kind == SYM_SOURCE_LOAD))
        return s->of[from];
    set_multiple(&out, &s->of[from], 1);
    if (!is_whole) return out;
    out.kind = SYM_SOURCE_SUM;
    out.from.base = (unsigned)from;
    return out;
}

/* The value that an addition leaves in a register. */
static struct sym_source added(const struct sources *s, struct sym_source out,
                               const ZydisDecodedOperand *operands)
{
    const int to = register_of(&operands[0]), from = register_of(&operands[1]);
    const bool is_whole = operands[0].size == 64;
    if (is_whole && from < 0 && address_of(s, &operands[1], &out)) {
        out.added_step = s->of[to].step;
        out.kind = SYM_SOURCE_LOAD;
        return out;
    }
    const bool is_number = operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    if (from < 0 && !is_number) return out;
    set_multiple(&out, &s->of[to], 1);
    out.base_step = out.step;
    out.from.base = (unsigned)to;
    out.kind = is_whole ? SYM_SOURCE_SUM : SYM_SOURCE_UNKNOWN;
    if (is_number) {
        out.from.distance = operands[1].imm.value.s;
        add_number(&out, out.from.distance);
    } else {
        out.index_step = s->of[from].step;
        out.from.has_index = true;
        out.from.index = (unsigned)from;
        out.from.scale = 1;
        add_multiple(&out, &s->of[from], 1);
    }
    return out;
}

/* The address that lea puts into a register, or the number that it computes. */
static struct sym_source address(const struct sources *s, struct sym_source out,
                                 const ZydisDecodedOperand *operands)
{
    const ZydisDecodedOperandMem *m = &operands[1].mem;
    const int index = number_of(m->index);
    if (address_of(s, &operands[1], &out)) {
        out.kind = operands[0].size == 64 ? SYM_SOURCE_SUM : SYM_SOURCE_UNKNOWN;
        set_multiple(&out, &s->of[out.from.base], 1);
        if (out.from.has_index) add_multiple(&out, &s->of[out.from.index], out.from.scale);
    } else if (index >= 0 && m->base == ZYDIS_REGISTER_NONE) {
        set_multiple(&out, &s->of[index], m->scale);
    } else {
        return out;
    }
    add_number(&out, m->disp.has_displacement ? m->disp.value : 0);
    return out;
}

static struct sym_source shifted(const struct sources *s, struct sym_source out,
                                 const ZydisDecodedOperand *operands)
{
    if (operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
        set_multiple(&out, &s->of[register_of(&operands[0])], UINT64_C(1) << (operands[1].imm.value.u & 63));
    return out;
}

static struct sym_source multiplied(const struct sources *s, struct sym_source out, int from,
                                    const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
    const struct sym_source one = {.step = 1};
    if (i->operand_count_visible == 3)
        set_multiple(&out, from >= 0 ? &s->of[from] : &one, step_of_number(operands[2].imm.value.s));
    return out;
}

/* Return the value that the instruction puts into its first operand, a register. `out` is a value that is not known. */
static struct sym_source result(const struct sources *s, struct sym_source out,
                                const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
    if (operands[0].size < 32) return out; /* the rest of the register stays */
    const int from = i->operand_count > 1 ? register_of(&operands[1]) : -1;
    switch (i->mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
        return moved(s, out, operands);
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_CDQE:
        if (from >= 0) set_multiple(&out, &s->of[from], 1);
        return out;
    case ZYDIS_MNEMONIC_ADD:
        return added(s, out, operands);
    case ZYDIS_MNEMONIC_LEA:
        return address(s, out, operands);
    case ZYDIS_MNEMONIC_XOR:
        if (from >= 0 && from == register_of(&operands[0])) out.step = 0;
        return out;
    case ZYDIS_MNEMONIC_SHL:
        return shifted(s, out, operands);
    case ZYDIS_MNEMONIC_IMUL:
        return multiplied(s, out, from, i, operands);
    default:
        return out;
    }
}

struct sym_source sym_source_find(const uint8_t *code, size_t len, unsigned reg)
{
    const struct sym_source unknown = {.kind = SYM_SOURCE_UNKNOWN, .step = 1};
    ZydisDecoder decoder;
    struct sources sources = {.roots = 0};
    for (int r = 0; r < REGISTERS; r++) {
        sources.of[r] = another(&sources);
        sources.of[r].kind = SYM_SOURCE_CALLER;
    }
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < len;) {
        ZydisDecodedInstruction i;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + at, len - at, &i, operands)))
            return unknown;
        const bool writes_first =
            i.operand_count > 0 && operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
        const int to = writes_first ? register_of(&operands[0]) : -1;
        struct sym_source now = another(&sources);
        now.at_bytes = at;
        if (to >= 0) now = result(&sources, now, &i, operands);
        if (now.root == 0) now.root = ++sources.roots;
        forget(&sources, &i, operands);
        if (to >= 0) sources.of[to] = now;
        at += i.length;
    }
    return reg < REGISTERS ? sources.of[reg] : unknown;
}
