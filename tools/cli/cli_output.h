/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of output files: checked before the work, never overwritten unasked. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>

/* Check that path can be made, by making and removing a file beside it. An existing file is not touched; "-"
 * is accepted. Errors: LS_ERR_EXISTS without force, and for programs and libraries (such as the program about
 * to run), LS_ERR_PERMISSION, LS_ERR_NOT_FOUND (no such directory), LS_ERR_RANGE (the name is too long),
 * LS_ERR_IO. */
ls_err cli_output_check(const char *path, bool force);
/* The same where "-" is no standard output.
 * Errors: as cli_output_check; LS_ERR_USAGE for "-". */
ls_err cli_output_check_named(const char *path, bool force);
/* The same for a profile or for results, HDF5, which replace the file of that name as a whole.
 * Errors: as cli_output_check_named and cli_ending_check; LS_ERR_EXISTS also for devices and pipes. */
ls_err cli_output_check_profile(const char *path, bool force);
/* Check that path is not the input, which would be overwritten.
 * Errors: LS_ERR_USAGE if both are one file. */
ls_err cli_output_check_apart(const char *path, const char *input);
/* Return whether a next command can read path: a file or a folder, but no device, pipe or "-". */
bool cli_output_is_kept(const char *path);
/* Copy path to out; under an MPI launcher (common/ls_rank.h) with the rank: name.h5 becomes name.RANK.h5.
 * Errors: none; a longer name is cut. */
void cli_output_for_rank(const char *path, char out[PATH_MAX]);

#endif
