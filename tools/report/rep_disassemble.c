/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "tools/report/rep_disassemble.h"

#ifdef HAVE_STEP
#include <Zydis/Zydis.h>

size_t rep_disassemble(uint64_t address, const uint8_t *bytes, size_t len_bytes,
                       char out[REP_INSTRUCTION_TEXT])
{
    ZydisDecoder decoder;
    ZydisFormatter formatter;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_ATT);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, len_bytes, &instruction, operands))) return 0;
    if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
                                                      instruction.operand_count_visible, out,
                                                      REP_INSTRUCTION_TEXT, address, NULL)))
        return 0;
    return instruction.length;
}

#else
size_t rep_disassemble(uint64_t address, const uint8_t *bytes, size_t len_bytes,
                       char out[REP_INSTRUCTION_TEXT])
{
    (void)address;
    (void)bytes;
    (void)len_bytes;
    out[0] = '\0';
    return 0;
}
#endif
