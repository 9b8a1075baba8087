/* SPDX-License-Identifier: BSD-3-Clause */
/* Source files by line, each read once. */
#ifndef PROF_SOURCE_TEXT_H
#define PROF_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct prof_source_text prof_source_text;

/* NULL: out of memory. */
prof_source_text *prof_source_text_new(void);
void prof_source_text_free(prof_source_text *s);

/* Line number `line` (from 1) of the file, without its end; "" where the file is missing, no regular file,
 * larger than 4 MiB, or shorter. Valid until prof_source_text_free. */
const char *prof_source_line(prof_source_text *s, const char *path, uint32_t line);

#endif
