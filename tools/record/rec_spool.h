/* SPDX-License-Identifier: BSD-3-Clause */
/* The spool directory from the launcher's side: make, describe, remove.
 *
 * Where nothing else is said: Thread: the main one.  Signal: not safe. */
#ifndef REC_SPOOL_H
#define REC_SPOOL_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct rec_spool {
    char path[PATH_MAX]; /* absolute */
    bool made;           /* we made the directory, so we may remove it */
};

/* Make the spool directory, mode 0700: asked when not NULL (an empty directory of ours may exist), else
 * loadstone-spool-PID in $XDG_RUNTIME_DIR, else in the working directory.
 * Errors: LS_ERR_EXISTS (not empty), LS_ERR_PERMISSION, LS_ERR_FULL, LS_ERR_IO. */
ls_err rec_spool_make(struct rec_spool *s, const char *asked);
/* Add key=value to spool.conf; newlines in value become blanks. */
ls_err rec_spool_describe(const struct rec_spool *s, const char *key, const char *value);
/* The value of key in DIR/spool.conf, "" when absent. */
void rec_spool_read(const char *dir, const char *key, char *out, size_t out_len_bytes);
/* Remove the spool's files and, if we made it, the directory. What is not a spool's file stays.  */
ls_err rec_spool_remove(const struct rec_spool *s);
/* Do processes live that record into the spool? (They hold a lock on the directory; where the file system has
 * no locks, none is seen.)
 * Owns:   nothing.  Errors: none.  Thread: any.  Signal: not safe. */
bool rec_spool_in_use(const struct rec_spool *s);

#endif
