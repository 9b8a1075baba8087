/* SPDX-License-Identifier: BSD-3-Clause */
/* The spool directory from the launcher's side: make, describe, remove. */
#ifndef REC_SPOOL_H
#define REC_SPOOL_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* Names of spools: loadstone-spool-PID-XXXXXX. */
#define REC_SPOOL_PREFIX "loadstone-spool"

struct rec_spool {
    char path[PATH_MAX]; /* absolute */
    int fd, conf_fd;     /* descriptors of the directory and of its spool.conf, or -1 */
};

/* Make a new spool directory, mode 0700: in `asked` if that is not NULL (it is made when missing), otherwise
 * in $XDG_RUNTIME_DIR, $TMPDIR, /tmp or /dev/shm; only where other users cannot replace it. Errors:
 * LS_ERR_PERMISSION, LS_ERR_FULL, LS_ERR_IO. */
ls_err rec_spool_make(struct rec_spool *s, const char *asked);
/* The spool that path names: itself, or the only one in it. Errors: LS_ERR_ARG where there are several. */
ls_err rec_spool_find(const char *path, char out[PATH_MAX]);
/* The recording is over: processes that go on record no more. (They see the end of the launcher as well.) */
void rec_spool_end(const struct rec_spool *s);
/* Add key=value to spool.conf; newlines in value become blanks. */
ls_err rec_spool_describe(const struct rec_spool *s, const char *key, const char *value);
/* The value of key in DIR/spool.conf, "" when absent. */
void rec_spool_read(const char *dir, const char *key, char *out, size_t out_len_bytes);
/* Remove the spool's files and its directory. Other files stay. */
ls_err rec_spool_remove(struct rec_spool *s);
/* Return whether processes still record into the spool. They hold a lock on the directory; on a file system
 * without locks none is found. */
bool rec_spool_in_use(const char *path);

#endif
