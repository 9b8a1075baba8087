/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the load that provides the index of another access, as in B[A[i]], and the loads that decide a branch, from the machine
 * code (x86-64 only): search backwards from the access, in its loop first, through moves, extensions, shifts and sums, to
 * the load that the address comes from. The result is accepted if the access counts of both sites agree. */
#ifndef PAT_INDIRECT_H
#define PAT_INDIRECT_H

#include "common/ls_error.h"
#include "patterns/extract/pat_extract.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fill in index_site and decides of the sequences; PAT_NONE and false where they are unknown. accesses: a count for every site of t.
 * Errors: LS_ERR_NOMEM. A file that cannot be read, or is for another machine, provides no code. */
ls_err pat_indirect(const struct pat_tables *t, const uint64_t *accesses, struct pat_sequence *rows,
                    size_t len);

/* Go backwards through the machine code of a function to the load that gives the address of an access.
 * code: the function's bytes; at: the offset of an instruction with a memory operand. *out: the offset of the
 * load that provides the operand's index, or else its base; `at` itself where an access leads to the next one
 * (p = p->next). A load of an array's base does not count: a load outside of the loop is accepted only if
 * there is no loop.
 * Errors: false when there is none, the code does not decode, or without memory. */
bool pat_backward(const uint8_t *code, size_t len_bytes, size_t at, size_t *out);

/* Does a branch depend on the value that the instruction at an offset loads? It compares or tests the value, or puts it into a register
 * that one of the next instructions compares or tests, up to the next branch or call, and the next instruction that reads the flags
 * is a branch. */
bool pat_decides(const uint8_t *code, size_t len_bytes, size_t at);

/* The machine code of the functions of an ELF file (x86-64), by address. The file is not trusted:
 * inconsistent parts are ignored. */
typedef struct pat_code pat_code;

enum { PAT_CODE_FUNCTION_MAX = 1 << 16 };

/* Return NULL if path is no ELF file of this machine, cannot be read, or without memory. */
pat_code *pat_code_open(const char *path);

#endif
