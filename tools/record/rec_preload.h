/* SPDX-License-Identifier: BSD-3-Clause */
/* The preloaded runtime: where it is, and the environment that brings it into the program. */
#ifndef REC_PRELOAD_H
#define REC_PRELOAD_H

#include "common/ls_error.h"

#include <limits.h>

/* Find a library of Loadstone: in the build tree of this binary, in the installed directory, or in
 * ../lib/loadstone of a moved installation. The first and the last only if nobody but root, the binary's
 * owner and the caller can change it. Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION. */
ls_err rec_library_find(const char *file, char out[PATH_MAX]);
/* Return $LOADSTONE_PRELOAD, else as rec_library_find. Errors: also LS_ERR_ARG for a path that LD_PRELOAD
 * cannot hold. */
ls_err rec_preload_find(char out[PATH_MAX]);
/* Add path to LD_PRELOAD, before its entries (after them if one is a sanitizer).  Errors: LS_ERR_NOMEM. */
ls_err rec_preload_set(const char *path);

#endif
