/* SPDX-License-Identifier: BSD-3-Clause */
/* The preloaded runtime: where it is, and the environment that brings it into the program.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef REC_PRELOAD_H
#define REC_PRELOAD_H

#include "common/ls_error.h"

#include <limits.h>

/* $LOADSTONE_PRELOAD, the build tree beside this binary, the installed directory, ../lib/loadstone of a moved
 * installation. Errors: LS_ERR_NOT_FOUND naming the places, LS_ERR_ARG for a path that LD_PRELOAD cannot
 * carry. */
ls_err rec_preload_find(char out[PATH_MAX]);
/* Put path into LD_PRELOAD, keeping what is there (a sanitizer's runtime stays first).  Errors: LS_ERR_NOMEM.
 */
ls_err rec_preload_set(const char *path);

#endif
