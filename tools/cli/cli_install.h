/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the other files of this installation: in the build tree of this binary, beside it in an installed tree,
 * also one that was moved as a whole, or where configure put them. */
#ifndef CLI_INSTALL_H
#define CLI_INSTALL_H

#include "common/ls_error.h"

#include <limits.h>

/* Find a library of Loadstone. Outside the configured directory it counts only if root, the binary's owner,
 * the caller and other users that can change the binary are the only ones that can change it. Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION. */
ls_err cli_install_library(const char *file, char out[PATH_MAX]);

/* Find the program with all commands. Errors: as cli_install_library, with the remedy. */
ls_err cli_install_full_program(char out[PATH_MAX]);

#endif
