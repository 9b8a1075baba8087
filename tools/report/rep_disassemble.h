/* SPDX-License-Identifier: BSD-3-Clause */
/* Machine code to text. */
#ifndef REP_DISASSEMBLE_H
#define REP_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

enum { REP_INSTRUCTION_BYTES = 15, REP_INSTRUCTION_TEXT = 160 };

/* Write the instruction at address, whose bytes these are, as AT&T text; returns its length in bytes.
 * Errors: 0 when it cannot be decoded, or this build has no decoder. */
size_t rep_disassemble(uint64_t address, const uint8_t *bytes, size_t len_bytes,
                       char out[REP_INSTRUCTION_TEXT]);

#endif
