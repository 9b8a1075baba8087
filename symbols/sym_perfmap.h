/* SPDX-License-Identifier: BSD-3-Clause */
/* /tmp/perf-PID.map: names of generated code, written by the program itself (node --perf-basic-prof, agents
 * of JVMs) for perf, one function a line: start and length in hexadecimal, and its name. */
#ifndef SYM_PERFMAP_H
#define SYM_PERFMAP_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sym_perfmap sym_perfmap;

/* Parse the bytes of a map; lines that are none are skipped.
 * Owns:   the text is copied; sym_perfmap_free.  Errors: LS_ERR_NOMEM. */
ls_err sym_perfmap_parse(const char *text, size_t len_bytes, sym_perfmap **out);
/* Read the map at path. Only a regular file of the caller or of root that was written at or after
 * not_before_s (seconds since 1970) is accepted: anybody can write to the directory, and process ids are
 * reused. Errors: LS_ERR_NOT_FOUND (no such file, or no acceptable one), LS_ERR_NOMEM, LS_ERR_IO. */
ls_err sym_perfmap_open(const char *path, int64_t not_before_s, sym_perfmap **out);
void sym_perfmap_free(sym_perfmap *m); /* NULL-safe */

/* Return the function at ip, the last written one if several had this address in succession; NULL: none.
 * Valid until sym_perfmap_free. */
const char *sym_perfmap_find(const sym_perfmap *m, uint64_t ip);
size_t sym_perfmap_len(const sym_perfmap *m);

#endif
