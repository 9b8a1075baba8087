/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lines and pages a sequence touches, and how much of them: exact where its data lies in 64 MiB or has
 * been accessed no more often than the limit; else by the pages that a hash chooses. */
#ifndef PAT_MEASURE_LINES_H
#define PAT_MEASURE_LINES_H

#include "patterns/compact/pat_measure_reuse.h"

enum { PAT_LINE_SHIFT = 6 };

/* Sets the utilisations and the footprint.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_lines_of(const struct pat_stream *s, struct pat_measures *out);

#endif
