/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of output files: checked before the work, never overwritten unasked. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>

/* Can path be made? Tried by making, and removing, a file beside it; what is there is not touched. "-" can.
 * Errors: LS_ERR_EXISTS without force, and of programs and libraries (the one that is about to run, say),
 * LS_ERR_PERMISSION, LS_ERR_NOT_FOUND (no such directory), LS_ERR_RANGE (the name is too long), LS_ERR_IO. */
ls_err cli_output_check(const char *path, bool force);
/* The same where "-" is no standard output.
 * Errors: those of cli_output_check; LS_ERR_USAGE for "-". */
ls_err cli_output_check_named(const char *path, bool force);
/* The same of a profile or of results, HDF5, which takes its name as a whole.
 * Errors: those of cli_output_check_named; LS_ERR_EXISTS for devices and pipes, too; those of
 * cli_ending_check. */
ls_err cli_output_check_profile(const char *path, bool force);
/* Is it another file than what is read? Overwriting that would lose it.
 * Errors: LS_ERR_USAGE when both are one file. */
ls_err cli_output_check_apart(const char *path, const char *input);
/* Is there something of this name that a next command can read: a file or a folder, no device, pipe or "-"? */
bool cli_output_is_kept(const char *path);
/* Under an MPI launcher (common/ls_rank.h) each rank has a file of its own: name.h5 becomes name.RANK.h5.
 * Otherwise a copy.
 * Errors: none; a longer name is cut. */
void cli_output_for_rank(const char *path, char out[PATH_MAX]);

#endif
