/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that a source is made of: those that are named, and of a folder those in it, as tracers leave
 * them that write a file a thread. */
#ifndef PAT_FOLDER_H
#define PAT_FOLDER_H

#include "patterns/source/pat_source.h"

/* All zero: empty. */
struct pat_files {
    char **paths;
    size_t len;
};

/* Append path, or of a folder (of its folder "trace", where it has one, as drmemtrace has) the files that are
 * sources, by name. What is none is left out, and told to o->note.
 * Owns:   the caller ends f with pat_files_fini.
 * Errors: LS_ERR_FORMAT for a folder without any; those of the folder; LS_ERR_NOMEM. */
ls_err pat_files_add(struct pat_files *f, const char *path, const struct pat_source_options *o);
void pat_files_fini(struct pat_files *f);

#endif
