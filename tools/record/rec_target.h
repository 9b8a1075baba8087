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

/* What the first bytes of a program say. */
struct rec_image {
    enum rec_kind kind;
    char interpreter[PATH_MAX]; /* of a script or of a dynamic program, "" when none */
};

/* What decides about a privileged start; filled from stat, statvfs, getxattr and the caller's ids. */
struct rec_privilege {
    mode_t mode;
    uid_t owner, user;
    gid_t group, user_group;
    bool nosuid, has_capabilities;
};

/* Errors: LS_ERR_NOT_FOUND (127), LS_ERR_PERMISSION and LS_ERR_UNSUPPORTED (126); the text names reason and
 * remedy. path receives what exec shall start. Interpreters of scripts are examined too. */
ls_err rec_target_find(const char *program, char path[PATH_MAX]);
ls_err rec_target_check(const char *path);

ls_err rec_image_read(const char *path, struct rec_image *out);
/* Why the kernel would start the program in secure mode and so ignore the preload; NULL when it would not. */
const char *rec_privilege_reason(const struct rec_privilege *p);
/* Exit status that a failure of the functions above stands for. */
int rec_target_status(ls_err e);

#endif
