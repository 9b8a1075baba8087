/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace cut down to the accesses to some of its data.
 *
 * Thread: one at a time.  Signal: not safe. */
#ifndef TRC_ONLY_H
#define TRC_ONLY_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which data: "a" also means "a #1", "a #2" and "a (function:line)". */
struct trc_only_wanted {
    const char *const *labels;
    size_t labels_len;
    bool are_guesses; /* labels that the trace lacks are left out; when it lacks all of them everything is
                         kept */
};

/* Write to out_path the accesses of the trace at path whose home has the wanted label. *kept: their number.
 * Errors: LS_ERR_NOT_FOUND when the trace has no such node or no access to it; as sources and writers. */
ls_err trc_only(const char *path, const struct trc_only_wanted *wanted, const char *out_path, uint64_t *kept);

#endif
