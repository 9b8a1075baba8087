/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs and libraries whose places in memory the user tells, or a log beside the trace, because the trace
 * does not: where instructions are gets names that way. */
#ifndef PAT_BINARIES_H
#define PAT_BINARIES_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"

/* All zero: none. The first that holds an address counts. */
struct pat_binaries {
    struct pat_module *rows;
    size_t len;
};

/* text: "FILE", or "FILE@BASE" with the address of its first byte, in hexadecimal. Files that are not
 * position-independent need none.
 * Owns:   the caller ends b with pat_binaries_fini.
 * Errors: LS_ERR_ARG without a base that is needed, LS_ERR_USAGE for one that is no number; LS_ERR_FORMAT for
 * what is no ELF file of 64 bits; those of the file; LS_ERR_NOMEM. */
ls_err pat_binaries_add(struct pat_binaries *b, const char *text);

/* The modules of DynamoRIO's modules.log, for a trace: beside it, or in the folder raw beside its own. Where
 * there is none, or it is none, b stays as it is. Files that are not here keep their names.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_binaries_add_beside(struct pat_binaries *b, const char *trace_path);

void pat_binaries_fini(struct pat_binaries *b);

#endif
