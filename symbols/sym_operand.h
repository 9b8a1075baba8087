/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory operand of an x86-64 instruction. */
#ifndef SYM_OPERAND_H
#define SYM_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYM_INSTRUCTION_BYTES = 15 };

struct sym_operand {
    unsigned base; /* DWARF number of the register */
    int64_t distance;
    bool has_index;
    unsigned index, scale; /* DWARF number, and its factor; 0 without an index */
};
/* Decode the instruction at the begin of these bytes. False: it has no memory operand with a base register, or is not
 * known here (EVEX). */
bool sym_operand_decode(const uint8_t *bytes, size_t len, struct sym_operand *out);

#endif
