/* SPDX-License-Identifier: BSD-3-Clause */
/* From the rows of the pass to sequences: units, filters, ranks, and the indices of those that stay. */
#ifndef PAT_EXT_FINISH_H
#define PAT_EXT_FINISH_H

#include "patterns/extract/pat_ext_engine.h"

/* e has seen everything (pat_ext_end); t: the tables of the source. The rows give up what they hold.
 * Owns:   the caller ends out with pat_sequences_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_ext_finish(struct pat_ext *e, struct pat_sequences *out);

#endif
