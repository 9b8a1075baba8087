/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories that no other user can look into or change, in places that may be shared.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_PRIVATE_H
#define LS_PRIVATE_H

#include <stddef.h>

/* Open an existing private directory; a symbolic link is refused. A descriptor (close-on-exec) or -errno. */
int ls_private_open(const char *path);
/* Make prefix-PID-XXXXXX, mode 0700, in parent and open it. parent must be absolute, belong to this user or
 * root, and not let others rename what is in it. path receives the whole name. A descriptor (close-on-exec)
 * or -errno. */
int ls_private_make(const char *parent, const char *prefix, char *path, size_t path_bytes);
/* The same in the first of $XDG_RUNTIME_DIR, $TMPDIR, /tmp and /dev/shm where that works; -errno of the last
 * one.  Signal: not safe. */
int ls_private_make_somewhere(const char *prefix, char *path, size_t path_bytes);

/* The i-th of these directories, NULL where its variable is not set to an absolute path, "" behind the last.
 * Signal: not safe. */
const char *ls_private_place(size_t i);

#endif
