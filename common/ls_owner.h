/* SPDX-License-Identifier: BSD-3-Clause */
/* Files whose names come from data that another user may have written: binaries name sources, spools name
 * binaries. A name must not make Loadstone copy a file into a profile that its author could not read.
 *
 * Authors are users: LS_OWNER_OURS for the caller and root, LS_OWNER_NOBODY for data that several users or
 * everybody may have written, else the user's number. */
#ifndef LS_OWNER_H
#define LS_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

#define LS_OWNER_OURS ((uid_t)0)
#define LS_OWNER_NOBODY ((uid_t)-1)

/* Open a regular file for reading, close-on-exec. Nothing else is opened: that may block or act. Returns -1
 * and sets errno, EINVAL where the file is no regular one. */
int ls_open_regular(const char *path);

/* The author of an open file. */
uid_t ls_owner_of(int fd);
/* The author of data that either of two authors may have chosen. */
uid_t ls_owner_meet(uid_t a, uid_t b);

/* Users who may read a file. */
struct ls_readers {
    uid_t owner;
    bool everybody;
};
struct ls_readers ls_readers_of(int fd);
/* May data of this author name this file? Data of our own may name every file that we can open. */
bool ls_readers_have(const struct ls_readers *r, uid_t author);

#endif
