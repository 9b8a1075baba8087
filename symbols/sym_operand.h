/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory operand of an x86-64 instruction, and where the value of a register came from, by the instructions before. */
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

enum sym_source_kind {
    SYM_SOURCE_UNKNOWN, /* it was computed, or comes from a call, from code that is elsewhere, or from an instruction that is not known */
    SYM_SOURCE_CALLER,  /* the function has not changed it since its begin */
    SYM_SOURCE_SUM,     /* the register from.base, plus from.index times its factor, plus from.distance */
    SYM_SOURCE_LOAD     /* an instruction loaded 8 bytes from the memory operand `from` */
};
/* A step is a number that divides a value (index arithmetic); 0: the value is 0. */
struct sym_source {
    enum sym_source_kind kind;
    size_t at_bytes; /* from the begin of the code: the instruction that added or loaded it */
    struct sym_operand from;
    uint64_t base_step, index_step; /* steps for from.base, and for from.index times its factor */
    uint64_t added_step;            /* step for the sum of all values that were added to a loaded one */
    uint64_t step;                  /* the value itself is the root times this */
    uint32_t root;                  /* number for an unknown value */
};

/* Follow the first len bytes of a function, instruction by instruction, and return the source of the value of the register (DWARF
 * number). Branches are taken as if they were never taken. */
struct sym_source sym_source_find(const uint8_t *code, size_t len, unsigned reg);

#endif
