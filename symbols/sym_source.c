/* SPDX-License-Identifier: BSD-3-Clause */
#include "symbols/sym_operand.h"

#include <Zydis/Zydis.h>

enum { REGISTERS = 16 };

struct sources {
    struct sym_source of[REGISTERS]; /* by DWARF number */
};

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
        s->of[r].kind = SYM_SOURCE_UNKNOWN;
    for (size_t r = 0; r < sizeof(of_calls) && i->meta.category == ZYDIS_CATEGORY_CALL; r++)
        s->of[of_calls[r]].kind = SYM_SOURCE_UNKNOWN;
    for (int o = 0; o < i->operand_count; o++) {
        const int to = operands[o].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                               operands[o].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE
                           ? number_of(operands[o].reg.value)
                           : -1;
        if (to >= 0) s->of[to].kind = SYM_SOURCE_UNKNOWN;
    }
}

/* Is the operand memory at a register and a distance? */
static bool is_plain_memory(const ZydisDecodedOperand *o, struct sym_operand *out)
{
    const bool is_plain = o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
                          o->mem.index == ZYDIS_REGISTER_NONE && o->mem.segment != ZYDIS_REGISTER_FS &&
                          o->mem.segment != ZYDIS_REGISTER_GS;
    const int base = is_plain ? number_of(o->mem.base) : -1;
    *out = (struct sym_operand){.base = (unsigned)base,
                                .distance = o->mem.disp.has_displacement ? o->mem.disp.value : 0};
    return base >= 0;
}

/* Return what the instruction puts into its first operand. */
static struct sym_source moved(const struct sources *s, size_t at_bytes, const ZydisDecodedInstruction *i,
                               const ZydisDecodedOperand *operands)
{
    struct sym_source out = {.at_bytes = at_bytes};
    if (i->mnemonic != ZYDIS_MNEMONIC_MOV || operands[0].size != 64) return out;
    const int from = operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(operands[1].reg.value) : -1;
    const enum sym_source_kind known = from >= 0 ? s->of[from].kind : SYM_SOURCE_UNKNOWN;
    if (known == SYM_SOURCE_COPY || known == SYM_SOURCE_LOAD) return s->of[from];
    if (from >= 0) {
        out.kind = SYM_SOURCE_COPY;
        out.from.base = (unsigned)from;
    } else if (is_plain_memory(&operands[1], &out.from)) {
        out.kind = SYM_SOURCE_LOAD;
    }
    return out;
}

struct sym_source sym_source_find(const uint8_t *code, size_t len, unsigned reg)
{
    const struct sym_source unknown = {.kind = SYM_SOURCE_UNKNOWN};
    ZydisDecoder decoder;
    struct sources sources;
    for (int r = 0; r < REGISTERS; r++)
        sources.of[r] = (struct sym_source){.kind = SYM_SOURCE_CALLER};
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (size_t at = 0; at < len;) {
        ZydisDecodedInstruction i;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + at, len - at, &i, operands)))
            return unknown;
        const struct sym_source source = moved(&sources, at, &i, operands);
        forget(&sources, &i, operands);
        const bool is_to_register = i.operand_count > 0 && operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER;
        const int to =
            is_to_register && source.kind != SYM_SOURCE_UNKNOWN ? number_of(operands[0].reg.value) : -1;
        if (to >= 0) sources.of[to] = source;
        at += i.length;
    }
    return reg < REGISTERS ? sources.of[reg] : unknown;
}
