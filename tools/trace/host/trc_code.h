/* SPDX-License-Identifier: BSD-3-Clause */
/* Which code of a file is meant by a function's name or by lines of a source: stretches for the tracer's
 * plugin.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef TRC_CODE_H
#define TRC_CODE_H

#include "common/ls_error.h"

#include <stdio.h>

/* Append "START END FILE" for each stretch of path to out, offsets in the file.
 * Errors: LS_ERR_NOT_FOUND when there is none, with the remedy; LS_ERR_ARG for lines that cannot be read;
 * LS_ERR_FORMAT when path is no ELF file; LS_ERR_IO. */
ls_err trc_code_function(const char *path, const char *name, FILE *out);
/* The function with this symbol and its variants for other processors: names that are equal up to the
 * instruction set ("_avx512", "_fma", "_sse2" ...).  Errors: as above. */
ls_err trc_code_kin(const char *path, const char *symbol, FILE *out);
/* All code of the file.  Errors: as above. */
ls_err trc_code_all(const char *path, FILE *out);
/* lines: "FILE:A-B" or "FILE:A"; FILE is the end of the source's path. Inlined code counts where it was
 * written. */
ls_err trc_code_lines(const char *path, const char *lines, FILE *out);

#endif
