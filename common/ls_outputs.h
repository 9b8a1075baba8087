/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a command writes: under temporary names beside their own, renamed together when all are
 * complete; until then what had their names is untouched. The first one is the main one and takes its name
 * last, so that what it refers to is there. Devices and pipes are written to directly, and never removed.
 *
 * Where nothing else is said: Thread: one at a time for one object.  Signal: not safe. */
#ifndef LS_OUTPUTS_H
#define LS_OUTPUTS_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct ls_outputs ls_outputs;

/* force: what exists may be replaced.
 * Owns:   the caller ends *out with ls_outputs_free.  Errors: LS_ERR_NOMEM. */
ls_err ls_outputs_new(bool force, ls_outputs **out);
/* Announce a file; *out_temporary is where to write it.
 * Owns:   f owns *out_temporary.  Errors: LS_ERR_EXISTS, LS_ERR_RANGE (name too long), LS_ERR_NOMEM,
 *         LS_ERR_IO; LS_ERR_USAGE for "-", which has no name. */
ls_err ls_outputs_add(ls_outputs *f, const char *path, const char **out_temporary);
/* As ls_outputs_add, opened for writing; ls_outputs_free closes it. "-" is standard output.
 * Owns:   f owns *out.  Errors: as ls_outputs_add, and those of open. */
ls_err ls_outputs_open(ls_outputs *f, const char *path, FILE **out);
/* Close one that is complete, so that many do not stay open.  Errors: LS_ERR_IO (a full disk). */
ls_err ls_outputs_close(ls_outputs *f, FILE *out);
/* Make a directory for further files; one that is there is used.
 * Errors: LS_ERR_EXISTS (something else has the name), those of mkdir. */
ls_err ls_outputs_dir(ls_outputs *f, const char *path);
/* Complete all and give them their names.
 * Errors: LS_ERR_IO (a full disk), those of rename. Then ls_outputs_free removes what has no name yet. */
ls_err ls_outputs_commit(ls_outputs *f);
/* Removes what was not committed.  NULL-safe. */
void ls_outputs_free(ls_outputs *f);

/* path without its last suffix, with tail added: "a/run.vti", ".h5" gives "a/run.h5".
 * Errors: LS_ERR_RANGE: the name is too long. */
ls_err ls_outputs_sibling(const char *path, const char *tail, char out[PATH_MAX]);

#endif
