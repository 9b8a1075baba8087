/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns that were found, as files for other programs: one file a format, one row each in pat_write.c. */
#ifndef PAT_WRITE_H
#define PAT_WRITE_H

#include "common/ls_outputs.h"
#include "patterns/compact/pat_found.h"
#include "patterns/source/pat_source.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct pat_write_options {
    const char *source;    /* name of the program or trace of the patterns, for readers */
    uint64_t accesses_max; /* limit for a pattern where a format lists each access; 0: 2^20 */
    double scale;          /* as in struct pat_source_counts; 0: 1 */
    /* Receives warnings about a file that is written nevertheless; NULL: they are dropped. */
    void (*note)(void *user, const char *text);
    void *user;
};

/* A format. It writes the file that the user names, and possibly others next to it: the same name with
 * another ending. */
struct pat_writer {
    const char *name, *text;
    const char *end;  /* how the user's file usually ends: ".json" */
    const char *more; /* ending of a second file, NULL: there is none */
    bool joins;       /* it accepts patterns of several instructions */
    bool by_kind;     /* it has gathers before scatters */
    bool has_rows;    /* it has the rows of loops (pat_row_lengths.h) */
    const char *each; /* ending after the pattern's number, for formats with a file per pattern; NULL: none */
    /* prints the whole ending of a pattern's file, where it is more than number and ending; NULL: it is not */
    void (*end_each)(const struct pat_findings *f, size_t i, char *out, size_t room);
    ls_err (*write)(const struct pat_findings *f, const struct pat_write_options *o, const char *path,
                    ls_outputs *files);
    /* prints the patterns like the tool of the format, with the indices of the files at path, in place of our
     * table; NULL: our table */
    void (*print)(const struct pat_findings *f, const struct pat_write_options *o, const char *path,
                  FILE *out);
};

/* Row i of the formats, NULL after the last. */
const struct pat_writer *pat_writer_at(size_t i);

/* GS Patterns' files as its version 2 writes them; the row of pat_writer_at writes version 1's. */
extern const struct pat_writer pat_writer_gs2;

/* Set out to the name of file i that w writes for path and f (NULL: no patterns): 0 is path itself. False
 * after the last file. */
bool pat_write_path(const struct pat_writer *w, const char *path, size_t i, const struct pat_findings *f,
                    char out[PATH_MAX]);

/* Write f in format w. Existing files are replaced once everything is written; after a failure they are
 * unchanged.
 * Errors: LS_ERR_ARG without a pattern; LS_ERR_IO and other errors of files, naming them; LS_ERR_NOMEM. */
ls_err pat_write(const struct pat_writer *w, const struct pat_findings *f, const struct pat_write_options *o,
                 const char *path);

/* ---- accesses as a trace of another tool ---- */

/* Is format one of pat_write_trace: "drmemtrace", "lackey"? */
bool pat_write_trace_known(const char *format);

/* Write all accesses of s to path, in the order of s, and count them. lackey does not distinguish threads.
 * Errors: LS_ERR_UNSUPPORTED for a recording, whose accesses are samples; errors of pat_source_next and of
 * files. After an error an existing file is unchanged. */
ls_err pat_write_trace(pat_source *s, const char *format, const char *path, uint64_t *out_accesses);

/* Describe a pattern's origin, "gather of x through col in multiply (spmv.c:88)", and the same followed by
 * its class and form, "; complex, exact". Where no function is known its module and address are used.
 * Cut at room bytes. */
void pat_where_text(const struct pat_found *r, char *out, size_t room);
void pat_origin_text(const struct pat_found *r, char *out, size_t room);

#endif
