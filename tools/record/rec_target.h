/* SPDX-License-Identifier: BSD-3-Clause */
/* The program to record: where it is, and whether a preloaded runtime can get into it. */
#ifndef REC_TARGET_H
#define REC_TARGET_H

#include "tools/cli/cli_command.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum rec_kind { REC_DYNAMIC, REC_STATIC, REC_OTHER_MACHINE, REC_OTHER_LIBC, REC_SCRIPT, REC_NOT_A_PROGRAM };

/* Kind of a program, by its first bytes. */
struct rec_image {
    enum rec_kind kind;
    char interpreter[PATH_MAX]; /* interpreter of a script or dynamic program, "" if none */
};

/* Inputs of the check for a privileged start; filled from stat, statvfs, getxattr and the caller's ids. */
struct rec_privilege {
    mode_t mode;
    uid_t owner, user;
    gid_t group, user_group;
    bool nosuid, has_capabilities;
};

/* Find and check the program for exec; path receives its file. Interpreters of scripts are examined too.
 * Errors: LS_ERR_NOT_FOUND (127), LS_ERR_PERMISSION and LS_ERR_UNSUPPORTED (126); the text names reason and
 * remedy. */
ls_err rec_target_find(const char *program, char path[PATH_MAX]);
ls_err rec_target_check(const char *path);

ls_err rec_image_read(const char *path, struct rec_image *out);
/* Why the kernel would start the program in secure mode and so ignore the preload; NULL when it would not. */
const char *rec_privilege_reason(const struct rec_privilege *p);
/* Return the exit status for an error of the functions above. */
int rec_target_status(ls_err e);

#endif
