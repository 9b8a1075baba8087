/* SPDX-License-Identifier: BSD-3-Clause */
/* Source files, which binaries name. */
#ifndef PROF_SOURCE_FILE_H
#define PROF_SOURCE_FILE_H

#include "common/ls_owner.h"
#include "common/ls_vector.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed is a file without lines. */
struct prof_source_file {
    char *text; /* line ends are NULs */
    LS_VECTOR(uint32_t) begins;
    struct ls_readers readers;
};

/* Read the file at an absolute path. It has no lines where it cannot be read, is no regular file, or is larger
 * than 32 MiB. */
struct prof_source_file prof_source_file_read(const char *path);
void prof_source_file_fini(struct prof_source_file *f);

/* Line number `line` (from 1) without its end. NULL: there is none, or the author of the binary that names the
 * file could not read it. */
const char *prof_source_file_line(const struct prof_source_file *f, uid_t author, uint32_t line);

#endif
