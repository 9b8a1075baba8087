/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that have no name yet: NAME.part-PID, until they are whole. */
#ifndef LS_DRAFT_H
#define LS_DRAFT_H

#include <stdbool.h>

/* Is this the number of a process that lives no more, so that what is named after it was left behind? False
 * of anything but digits.
 * Errors: none; errno is changed.  Thread: any.  Signal: not safe. */
bool ls_draft_is_left(const char *pid);

/* Hold the draft that is open as fd, so that nobody takes it for one that was left behind.
 * Errors: none; where the file system has no locks, it is not held.  Thread: any.  Signal: safe. */
void ls_draft_hold(int fd);

/* Remove the drafts of path that killed processes left: of this user, of processes that live no more, and
 * that nobody holds.
 * Errors: none; what cannot be removed stays.  Thread: any.  Signal: not safe. */
void ls_draft_sweep(const char *path);

#endif
