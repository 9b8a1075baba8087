/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine code of one function of an ELF file (x86-64), by an address in it. The file is not trusted:
 * what does not fit is as if it were not there. */
#ifndef PAT_CODE_H
#define PAT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pat_code pat_code;

enum { PAT_CODE_FUNCTION_MAX = 1 << 16 };

/* Owns:   the caller frees it by pat_code_free.
 * Errors: NULL when path is no ELF file of this machine, cannot be read, or without memory. */
pat_code *pat_code_open(const char *path);
void pat_code_free(pat_code *c); /* NULL-safe */

/* The function around a linked address: where it begins, and its bytes. Where the file has no symbol for it,
 * the code from `known` on, which is the address of some instruction before.
 * Owns:   the caller frees *out.
 * Errors: 0 when there is no code, or the function is longer than PAT_CODE_FUNCTION_MAX. */
size_t pat_code_function(const pat_code *c, uint64_t linked, uint64_t known, uint64_t *out_start,
                         uint8_t **out);

#endif
