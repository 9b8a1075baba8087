/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine code of an ELF file, when it is still the file that ran. */
#ifndef SYM_CODE_H
#define SYM_CODE_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sym_code sym_code;

/* Open the file at path if its build id is build_id (hexadecimal; "": it had none, any will do).
 * Owns:   the caller ends *out with sym_code_free.
 * Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION, LS_ERR_IO; LS_ERR_FORMAT (no ELF file); LS_ERR_VERSION
 * (another build); LS_ERR_NOMEM. */
ls_err sym_code_open(const char *path, const char *build_id, sym_code **out);
/* Owns:   frees c, NULL-safe. */
void sym_code_free(sym_code *c);
/* Copy up to len_bytes bytes at an address of the file's own view; returns how many there are.
 * Errors: none, 0 where no code is.  Thread: one at a time a file. */
size_t sym_code_read(sym_code *c, uint64_t address, uint8_t *out, size_t len_bytes);

#endif
