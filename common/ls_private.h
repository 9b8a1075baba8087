/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories that other users can neither read nor change, in folders that may be shared.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_PRIVATE_H
#define LS_PRIVATE_H

#include <stddef.h>

/* Open an existing private directory; a symbolic link is refused. Returns a descriptor (close-on-exec) or
 * -errno. */
int ls_private_open(const char *path);
/* Make prefix-PID-XXXXXX, mode 0700, in parent and open it. parent must be absolute, belong to this user or
 * root, and not let others rename its entries. path receives the whole name. Returns a descriptor
 * (close-on-exec) or -errno. */
int ls_private_make(const char *parent, const char *prefix, char *path, size_t path_bytes);
/* As ls_private_make, in the first of $XDG_RUNTIME_DIR, $TMPDIR, /tmp and /dev/shm where that works; else
 * -errno of the last one.  Signal: not safe. */
int ls_private_make_somewhere(const char *prefix, char *path, size_t path_bytes);

/* The i-th of these directories, NULL where its variable is not set to an absolute path, "" after the last.
 * Signal: not safe. */
const char *ls_private_parent(size_t i);

#endif
