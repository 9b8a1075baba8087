/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of output files, which are checked before the work; no file is overwritten without --force. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "common/ls_error.h"

#include <limits.h>
#include <stdbool.h>

/* ---- names ---- */

/* Check that path can be made, by making and removing a file beside it. An existing file is not touched; "-"
 * is accepted. Errors: LS_ERR_EXISTS without force, and for programs and libraries (such as the program about
 * to run), LS_ERR_PERMISSION, LS_ERR_NOT_FOUND (no such directory), LS_ERR_RANGE (the name is too long),
 * LS_ERR_IO. */
ls_err cli_output_check(const char *path, bool force);
/* The same for outputs that cannot go to standard output ("-").
 * Errors: as cli_output_check; LS_ERR_USAGE for "-". */
ls_err cli_output_check_named(const char *path, bool force);
/* Like cli_output_check_named, for profiles and results (HDF5), which replace the file of that name as a
 * whole. Errors: as cli_output_check_named and cli_ending_check; LS_ERR_EXISTS also for devices and pipes. */
ls_err cli_output_check_profile(const char *path, bool force);
/* Check that path is not the input, which would be overwritten.
 * Errors: LS_ERR_USAGE if both are one file. */
ls_err cli_output_check_apart(const char *path, const char *input);
/* Return whether a next command can read path: a file or a folder, but no device, pipe or "-". */
bool cli_output_is_kept(const char *path);
/* Copy path to out; under an MPI launcher (common/ls_env.h) with the rank: name.h5 becomes name.RANK.h5.
 * Errors: none; a longer name is cut. */
void cli_output_for_rank(const char *path, char out[PATH_MAX]);

/* ---- their ends ---- */

/* Check that an output's extension fits its content: no JSON in P.pdf. One table for all commands. */

/* X(enumerator, ends, content of such files) */
#define CLI_ENDING_LIST(X)                                                                    \
    X(CLI_ENDS_JSON, ".json", "JSON")                                                         \
    X(CLI_ENDS_PYTHON, ".py", "a Python script")                                              \
    X(CLI_ENDS_PICTURE, ".svg|.png|.html", "a picture")                                       \
    X(CLI_ENDS_PAGE, ".html|.htm", "a page")                                                  \
    X(CLI_ENDS_HDF5, ".h5|.hdf5|.hdf", "HDF5")                                                \
    X(CLI_ENDS_TRACE, ".trace", "a trace")                                                    \
    X(CLI_ENDS_TEXT, ".txt|.csv|.tsv|.md|.log|.xml|.yaml|.yml", "text")                       \
    X(CLI_ENDS_OTHER_PICTURE, ".pdf|.ps|.eps|.jpg|.jpeg|.gif|.webp|.dot|.gv", "a picture")    \
    X(CLI_ENDS_GRID, ".vti|.vtr|.vtu|.vtk|.pvd|.vtkhdf|.xdmf|.xmf", "the fields of a domain") \
    X(CLI_ENDS_PACKED, ".gz|.bz2|.xz|.zst|.lz4|.zip|.tar|.tgz", "packed data")

#define CLI_ENDING_ENUM(id, ends, what) id,
enum cli_ending { CLI_ENDING_LIST(CLI_ENDING_ENUM) CLI_ENDINGS };
#undef CLI_ENDING_ENUM

/* Return whether path ends like files of this kind, ignoring case. */
bool cli_ending_is(const char *path, enum cli_ending kind);

/* Check that content of this kind may be written to path. A name without an end may have any content. Ends of
 * another kind are refused; with is_strict, used where the end selects the content, unknown ends too.
 * Errors: LS_ERR_USAGE, with the valid ends. */
ls_err cli_ending_check(const char *path, enum cli_ending kind, bool is_strict);

#endif
