/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/rep_disassemble.h"

size_t rep_disassemble(uint64_t address, const uint8_t *bytes, size_t len_bytes,
                       char out[REP_INSTRUCTION_TEXT])
{
    (void)address;
    (void)bytes;
    (void)len_bytes;
    out[0] = '\0';
    return 0;
}
