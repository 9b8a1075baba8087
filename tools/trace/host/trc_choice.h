/* SPDX-License-Identifier: BSD-3-Clause */
/* Turn the options of loadstone trace that choose code into a file of address ranges for the plugin.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef TRC_CHOICE_H
#define TRC_CHOICE_H

#include "tools/trace/host/trc_hot.h"
#include "tools/trace/host/trc_program.h"

#include <limits.h>

enum { TRC_CHOICE_BYTES = PATH_MAX + 16 };

/* Options that were not given are NULL. */
struct trc_choice {
    char **program; /* its words */
    const struct trc_program *target;
    const char *folder; /* for temporary files, removed after the trace */
    const char *function, *lines;
    const char *module;  /* the file of function or lines; without them all its code is traced */
    const char *profile; /* trace the costliest code of this recording ... */
    bool is_auto;        /* ... or of a recording that is made first */
};

/* region: the file's name, "" if all code is traced. A choice by a recording is printed and kept in hot.
 * Owns:   the caller ends hot with trc_hot_fini, also after a failure.
 * Errors: LS_ERR_USAGE for options that exclude each other or cannot be read, LS_ERR_UNSUPPORTED for a
 * program that cannot be recorded; as trc_code.h and trc_hot.h; LS_ERR_IO. */
ls_err trc_choice_write(const struct trc_choice *c, struct trc_hot *hot, char region[TRC_CHOICE_BYTES]);

#endif
