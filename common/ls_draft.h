/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are being written: NAME.part-PID, until they are complete. */
#ifndef LS_DRAFT_H
#define LS_DRAFT_H

#include <stdbool.h>

/* True when pid is the number of a process that has ended, so that files named after it are left over. False
 * if it has other characters than digits.
 * Errors: none; errno is changed.  Thread: any.  Signal: not safe. */
bool ls_draft_is_left(const char *pid);

/* Lock the draft that is open as fd, so that no process removes it as left over.
 * Errors: none; without locks in the file system it has no effect.  Thread: any.  Signal: safe. */
void ls_draft_hold(int fd);

/* Remove the drafts of path that killed processes left: they belong to this user, their process has ended,
 * and no process holds their lock.
 * Errors: none; a draft that cannot be removed stays.  Thread: any.  Signal: not safe. */
void ls_draft_sweep(const char *path);

#endif
