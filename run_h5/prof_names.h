/* SPDX-License-Identifier: BSD-3-Clause */
/* A set of names, each stored once. */
#ifndef PROF_NAMES_H
#define PROF_NAMES_H

#include <stddef.h>
#include <stdint.h>

typedef struct prof_names prof_names;

prof_names *prof_names_new(void); /* NULL: out of memory */
void prof_names_free(prof_names *n);
/* The name of these bytes: the same pointer for equal bytes, until prof_names_free. Bytes that are no valid
 * UTF-8, and control characters, become '?'. Out of memory gives "". */
const char *prof_name(prof_names *n, const char *text, size_t len_bytes);
/* The name of a file that will be opened: all bytes are kept. The writer of run.h5 replaces bytes as
 * above. */
const char *prof_name_path(prof_names *n, const char *path, size_t len_bytes);
const char *prof_name_line(prof_names *n, const char *text,
                           size_t len_bytes); /* the same for a source line, which keeps its tabs */
const char *prof_name_of(prof_names *n, const char *text); /* the same for a C string; NULL gives "" */
const char *prof_name_printf(prof_names *n, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
