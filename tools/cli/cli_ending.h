/* SPDX-License-Identifier: BSD-3-Clause */
/* Check that an output's extension fits its content: no JSON in P.pdf. One table for all commands. */
#ifndef CLI_ENDING_H
#define CLI_ENDING_H

#include "common/ls_error.h"

#include <stdbool.h>

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
