/* SPDX-License-Identifier: BSD-3-Clause */
/* Backwards through the machine code of a function: which load gives the address of an access. */
#ifndef PAT_BACKWARD_H
#define PAT_BACKWARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* code: the function's bytes; at: the offset of an instruction with a memory operand. *out: the offset of the
 * load that the operand's index, or else its base, comes from; at itself where an access leads to the next
 * one (p = p->next). No array's own base is meant: a load outside of the loop counts only when there is no
 * loop. Errors: false when there is none, the code does not decode, or without memory. */
bool pat_backward(const uint8_t *code, size_t len_bytes, size_t at, size_t *out);

#endif
