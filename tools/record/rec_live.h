/* SPDX-License-Identifier: BSD-3-Clause */
/* record --live: the report of the data so far, once a second, while the program runs. */
#ifndef REC_LIVE_H
#define REC_LIVE_H

#include "common/ls_error.h"
#include "tools/record/rec_spool.h"

#include <sys/types.h>

struct rec_live {
    pid_t pid; /* process that prints; 0: none */
};

/* Start the process. Call it before the environment of the program is set: the process starts commands of Loadstone,
 * which are not to be recorded. Without the launcher it ends.
 * Errors: LS_ERR_IO. */
ls_err rec_live_start(const struct rec_spool *spool, struct rec_live *out);
/* End it, and remove its files from the spool. Nothing happens if it was not started. */
void rec_live_stop(struct rec_live *l, const struct rec_spool *spool);

#endif
