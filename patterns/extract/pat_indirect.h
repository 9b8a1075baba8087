/* SPDX-License-Identifier: BSD-3-Clause */
/* B[A[i]]: which load gives the index of another access. Looked for in the machine code: from the access
 * back, in its loop first, through moves, extensions, shifts and sums, to the load that its address comes
 * from. x86-64 only. The guess stands when the counts of both sites agree. */
#ifndef PAT_INDIRECT_H
#define PAT_INDIRECT_H

#include "common/ls_error.h"
#include "patterns/extract/pat_extract.h"

/* Fill in index_site of the sequences; PAT_NONE where nothing is known. accesses: of every site of t.
 * Errors: LS_ERR_NOMEM. A file that cannot be read, or is of another machine, tells nothing. */
ls_err pat_indirect(const struct pat_tables *t, const uint64_t *accesses, struct pat_sequence *rows,
                    size_t len);

#endif
