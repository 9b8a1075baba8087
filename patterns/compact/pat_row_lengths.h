/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of loops: the accesses that each iteration of an outer loop makes in its inner loop, where their number varies. A replay
 * that knows them has the branches of the program's loop (pat_config.row_lengths). */
#ifndef PAT_ROW_LENGTHS_H
#define PAT_ROW_LENGTHS_H

#include "patterns/compact/pat_found.h"

/* Could a pattern of f, which was made from s, have rows? If not, pat_row_lengths finds none. */
bool pat_row_lengths_possible(const struct pat_findings *f, const struct pat_sequences *s);

/* Read `source`, from which s was extracted, once more from its beginning, and set the row_lengths of the patterns of f.
 *
 * A row of an irregular pattern ends where the thread makes more other accesses before the next one than it makes inside a row.
 * Rows are kept if their lengths differ and are short enough that their ends matter. A pattern whose accesses alternate with
 * the accesses of such a pattern has the same rows. Another irregular one of the same loop has the number of its accesses after each of
 * the rows, up to the next one.
 * Errors: errors of pat_source_next; LS_ERR_NOMEM. f is then valid, and some patterns may have rows. */
ls_err pat_row_lengths(pat_source *source, const struct pat_sequences *s, struct pat_findings *f);

#endif
