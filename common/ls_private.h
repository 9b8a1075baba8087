/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories that no other user can look into or change, in places that may be shared.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_PRIVATE_H
#define LS_PRIVATE_H

#include <stddef.h>

/* Is fd a directory that belongs to this user and is open to nobody else (mode 0700)? 0 or an errno. */
int ls_private_check(int fd);
/* Is fd a directory of this user or root in which other users cannot rename what is ours: not writable for
 * them, or sticky? 0 or an errno. */
int ls_private_check_parent(int fd);

/* Open an existing private directory; a symbolic link is refused. A descriptor (close-on-exec) or -errno. */
int ls_private_open(const char *path);
/* Make prefix-PID-XXXXXX, mode 0700, in parent, which must be absolute and pass ls_private_check_parent, and
 * open it. path receives its whole name. A descriptor (close-on-exec) or -errno. */
int ls_private_make(const char *parent, const char *prefix, char *path, size_t path_bytes);
/* The same in the first of $XDG_RUNTIME_DIR, $TMPDIR, /tmp and /dev/shm where that works; -errno of the last
 * one.  Signal: not safe. */
int ls_private_make_somewhere(const char *prefix, char *path, size_t path_bytes);

/* The i-th of these directories, NULL where its variable is not set to an absolute path, "" behind the last.
 * Signal: not safe. */
const char *ls_private_place(size_t i);

#endif
