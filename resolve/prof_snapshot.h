/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots of /proc/self/maps arrive in pieces, a thread's pieces in order. */
#ifndef PROF_SNAPSHOT_H
#define PROF_SNAPSHOT_H

#include "common/ls_error.h"
#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>

/* Zeroed is empty. */
struct prof_snapshot {
    char *text;
    size_t len, room;
};

/* Take a MAPS record. *out_whole: the text is a whole snapshot now; it stays until the next one begins.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_snapshot_take(struct prof_snapshot *s, const struct spool_maps *piece, bool *out_whole);
void prof_snapshot_fini(struct prof_snapshot *s);

#endif
