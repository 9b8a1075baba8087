/* SPDX-License-Identifier: BSD-3-Clause */
/* Several files as one source: drmemtrace and memtrace keep a file a thread, ranks a profile each. Files are
 * read one after the other. What is alike in them (modules, sites, homes with a label) has one row; threads
 * and ranges are each file's own. */
#ifndef PAT_MANY_H
#define PAT_MANY_H

#include "patterns/source/pat_folder.h"

/* As pat_source_open for each of the paths; one of them may be a folder (pat_files_add). o->binaries and what
 * o->user points to must live as long as the source.
 * Owns:   the caller closes *out.
 * Errors: those of pat_files_add and pat_source_open. */
ls_err pat_many_open(const char *const *paths, size_t len, const struct pat_source_options *o,
                     pat_source **out);

#endif
