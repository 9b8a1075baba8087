/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of one export: written under temporary names beside their own, renamed together when all are
 * complete. The first one is the main one and takes its name last, so that what it refers to is there.
 *
 * Where nothing else is said: Thread: one at a time for one object.  Signal: not safe. */
#ifndef VX_FILES_H
#define VX_FILES_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct vx_files vx_files;

/* force: what exists may be replaced.
 * Owns:   the caller ends *out with vx_files_free.  Errors: LS_ERR_NOMEM. */
ls_err vx_files_new(bool force, vx_files **out);
/* Announce a file; *out_temporary is where to write it.
 * Owns:   f owns *out_temporary.  Errors: LS_ERR_EXISTS, LS_ERR_RANGE (name too long), LS_ERR_NOMEM,
 *         LS_ERR_IO. */
ls_err vx_files_add(vx_files *f, const char *path, const char **out_temporary);
/* As vx_files_add, opened for writing; vx_files_free closes it. "-" is standard output.
 * Owns:   f owns *out.  Errors: as vx_files_add, and those of open. */
ls_err vx_files_open(vx_files *f, const char *path, FILE **out);
/* Close one that is complete, so that many do not stay open.  Errors: LS_ERR_IO (a full disk). */
ls_err vx_files_close(vx_files *f, FILE *out);
/* Make a directory for further files; one that is there is used.
 * Errors: LS_ERR_EXISTS (something else has the name), those of mkdir. */
ls_err vx_files_dir(vx_files *f, const char *path);
/* Complete all and give them their names.
 * Errors: LS_ERR_IO (a full disk), those of rename. Then vx_files_free removes what has no name yet. */
ls_err vx_files_commit(vx_files *f);
/* Removes what was not committed.  NULL-safe. */
void vx_files_free(vx_files *f);

/* path without its last suffix, with tail added: "a/run.vti", ".h5" gives "a/run.h5".
 * Errors: LS_ERR_RANGE: the name is too long. */
ls_err vx_files_sibling(const char *path, const char *tail, char out[PATH_MAX]);
/* The part of path behind the last '/'. */
const char *vx_files_base(const char *path);

#endif
