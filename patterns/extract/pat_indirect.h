/* SPDX-License-Identifier: BSD-3-Clause */
/* B[A[i]]: which load gives the index of another access. Looked for in the machine code: from the access
 * back, in its loop first, through moves, extensions, shifts and sums, to the load that its address comes
 * from. x86-64 only. The guess stands when the counts of both sites agree. */
#ifndef PAT_INDIRECT_H
#define PAT_INDIRECT_H

#include "common/ls_error.h"
#include "patterns/extract/pat_extract.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fill in index_site of the sequences; PAT_NONE where nothing is known. accesses: of every site of t.
 * Errors: LS_ERR_NOMEM. A file that cannot be read, or is of another machine, tells nothing. */
ls_err pat_indirect(const struct pat_tables *t, const uint64_t *accesses, struct pat_sequence *rows,
                    size_t len);

/* Go backwards through the machine code of a function to the load that gives the address of an access.
 * code: the function's bytes; at: the offset of an instruction with a memory operand. *out: the offset of the
 * load that the operand's index, or else its base, comes from; at itself where an access leads to the next
 * one (p = p->next). No array's own base is meant: a load outside of the loop counts only when there is no
 * loop. Errors: false when there is none, the code does not decode, or without memory. */
bool pat_backward(const uint8_t *code, size_t len_bytes, size_t at, size_t *out);

/* The machine code of one function of an ELF file (x86-64), by an address in it. The file is not trusted:
 * what does not fit is as if it were not there. */
typedef struct pat_code pat_code;

enum { PAT_CODE_FUNCTION_MAX = 1 << 16 };

/* NULL when path is no ELF file of this machine, cannot be read, or without memory. */
pat_code *pat_code_open(const char *path);

#endif
