/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of allocations of a traced program, from the spool that the runtime left in it.
 *
 * Thread: one of the process at a time (HDF5).  Signal: not safe. */
#ifndef TRC_LABELS_H
#define TRC_LABELS_H

#include "tools/trace/host/trc_homes.h"

/* Name homes by the labels of the spool in spool_dir; a profile is made beside it and removed again.
 * Errors: LS_ERR_NOMEM; a spool that cannot be resolved leaves names as they are, and ls_last_error has the
 * reason (LS_ERR_NOT_FOUND: nothing was recorded). */
ls_err trc_labels_apply(trc_homes *h, const char *spool_dir);

#endif
