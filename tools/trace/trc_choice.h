/* SPDX-License-Identifier: BSD-3-Clause */
/* Which code of a program is traced: what the options of loadstone trace say, as a file for the plugin.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef TRC_CHOICE_H
#define TRC_CHOICE_H

#include "tools/trace/trc_hot.h"
#include "tools/trace/trc_program.h"

#include <limits.h>

enum { TRC_CHOICE_BYTES = PATH_MAX + 16 };

/* Options that were not given are NULL. */
struct trc_choice {
    char **program; /* its words */
    const struct trc_program *target;
    const char *folder; /* for files that go when the trace is made */
    const char *function, *lines;
    const char *module;  /* of these two; without them all code of this file */
    const char *profile; /* what costs most in this recording ... */
    bool is_auto;        /* ... or in one that is made first */
};

/* region: the file's name, "" when all code is traced. What a recording chose is told, and kept in hot.
 * Owns:   the caller ends hot with trc_hot_fini, also after a failure.
 * Errors: LS_ERR_USAGE for options that exclude each other or cannot be read, LS_ERR_UNSUPPORTED for a
 * program that cannot be recorded; those of trc_code.h and trc_hot.h; LS_ERR_IO. */
ls_err trc_choice_write(const struct trc_choice *c, struct trc_hot *hot, char region[TRC_CHOICE_BYTES]);

#endif
