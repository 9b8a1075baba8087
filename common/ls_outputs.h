/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a command writes: under temporary names in the same folder, renamed together when all are
 * complete; files that had their names stay unchanged until then. The first file is the main one and takes
 * its name last, so that the files it refers to exist by then. Devices and pipes are written to directly, and
 * never removed.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef LS_OUTPUTS_H
#define LS_OUTPUTS_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* --- drafts ---
 *
 * Files that are being written: NAME.part-PID, until they are complete. */

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

typedef struct ls_outputs ls_outputs;

/* force: existing files may be replaced.
 * Owns:   the caller ends *out with ls_outputs_free.  Errors: LS_ERR_NOMEM. */
ls_err ls_outputs_new(bool force, ls_outputs **out);
/* Register a file; *out_temporary is the path to write to.
 * Owns:   f owns *out_temporary.  Errors: LS_ERR_EXISTS, LS_ERR_RANGE (name too long), LS_ERR_NOMEM,
 *         LS_ERR_IO; LS_ERR_USAGE for "-", which has no name. */
ls_err ls_outputs_add(ls_outputs *f, const char *path, const char **out_temporary);
/* As ls_outputs_add, opened for writing; ls_outputs_free closes it. "-" is standard output.
 * Owns:   f owns *out.  Errors: as ls_outputs_add, and errors of open. */
ls_err ls_outputs_open(ls_outputs *f, const char *path, FILE **out);
/* Close a complete file, so that not too many stay open.  Errors: LS_ERR_IO (a full disk). */
ls_err ls_outputs_close(ls_outputs *f, FILE *out);
/* Make a directory for further files; an existing one is used.
 * Errors: LS_ERR_EXISTS (the name is taken by another kind of file), errors of mkdir. */
ls_err ls_outputs_dir(ls_outputs *f, const char *path);
/* Complete all files and give them their names.
 * Errors: LS_ERR_IO (a full disk), errors of rename. Then ls_outputs_free removes the files without a
 * final name. */
ls_err ls_outputs_commit(ls_outputs *f);
/* Remove the files that were not committed, and free f.  NULL-safe. */
void ls_outputs_free(ls_outputs *f);

/* Replace the last suffix of path by tail: "a/run.vti", ".h5" gives "a/run.h5".
 * Errors: LS_ERR_RANGE: the name is too long. */
ls_err ls_outputs_sibling(const char *path, const char *tail, char out[PATH_MAX]);

#endif
