/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of output files: checked before the work, never overwritten unasked.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>

/* Can path be made? Errors: LS_ERR_EXISTS without force, LS_ERR_PERMISSION, LS_ERR_NOT_FOUND (no such
 * directory), LS_ERR_IO. */
ls_err cli_output_check(const char *path, bool force);
/* The same where "-" is no standard output: LS_ERR_USAGE for it, too. */
ls_err cli_output_check_named(const char *path, bool force);
/* The same as that of a profile or of results, HDF5, which takes its name as a whole: LS_ERR_EXISTS for
 * devices and pipes, too. */
ls_err cli_output_check_profile(const char *path, bool force);
/* Under an MPI launcher (common/ls_rank.h) each rank has a file of its own: name.h5 becomes name.RANK.h5.
 * Otherwise a copy. */
void cli_output_for_rank(const char *path, char out[PATH_MAX]);

#endif
