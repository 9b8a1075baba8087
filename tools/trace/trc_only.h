/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace cut down to the accesses of one node.
 *
 * Thread: one at a time.  Signal: not safe. */
#ifndef TRC_ONLY_H
#define TRC_ONLY_H

#include "common/ls_error.h"

/* Write to out_path the accesses of the trace at path whose home is labelled label ("a", or "a #1"); "a" also
 * means "a #1", "a #2" and "a (function:line)".
 * Errors: LS_ERR_NOT_FOUND when the trace has no such node or no access to it; those of sources and writers.
 */
ls_err trc_only(const char *path, const char *label, const char *out_path);

#endif
