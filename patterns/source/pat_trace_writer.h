/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing Loadstone's trace files (doc/traces.md). */
#ifndef PAT_TRACE_WRITER_H
#define PAT_TRACE_WRITER_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"

#include <stdbool.h>

typedef struct pat_trace_writer pat_trace_writer;

struct pat_trace_about {
    bool is_sampled; /* bursts, not all accesses */
    double scale;    /* accesses that one access represents: 1 in full traces, NAN: not known; 0 means 1 */
    int level;       /* compression level; 0: the default */
};

/* Make the file path, or empty it when it is there.
 * Owns:   the caller ends *out with pat_trace_writer_finish or pat_trace_writer_free.
 * Errors: LS_ERR_IO, LS_ERR_PERMISSION, LS_ERR_NOT_FOUND (no such folder), LS_ERR_FULL, LS_ERR_NOMEM. */
ls_err pat_trace_writer_new(const char *path, const struct pat_trace_about *about, pat_trace_writer **out);

/* Append the new rows of t since the last call, the events of b, and the accesses of b. Accesses stay in
 * memory until a chunk of 2^17 operations is full.
 * Errors: LS_ERR_ARG for a row that t does not have; LS_ERR_IO, LS_ERR_FULL, LS_ERR_NOMEM; the writer then
 * only fails. */
ls_err pat_trace_writer_put(pat_trace_writer *w, const struct pat_batch *b, const struct pat_tables *t);

/* Write the rest, with the labels of homes that had none when they were put, close the file, and free w, also
 * on failure. skipped and lost: as in struct pat_source_counts.
 * Errors: as put. */
ls_err pat_trace_writer_finish(pat_trace_writer *w, const struct pat_tables *t, uint64_t skipped,
                               uint64_t lost);

/* Give up: the file stays, cut after the last full chunk.  NULL-safe. */
void pat_trace_writer_free(pat_trace_writer *w);

#endif
