/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of accesses: our traces, the bursts of run.h5, what other tracers wrote. One file a format, one row
 * of struct pat_source_format each, listed in pat_source.c. */
#ifndef PAT_SOURCE_H
#define PAT_SOURCE_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- binaries ---- */

/* Programs and libraries whose places in memory the user tells, or a log beside the trace, because the trace
 * does not: instructions get names that way. All zero: none. The first that holds an address counts. */
struct pat_binaries {
    struct pat_module *rows;
    size_t len;
};

/* text: "FILE", or "FILE@BASE" with the address of its first byte, in hexadecimal. Files that are not
 * position-independent need none.
 * Owns:   the caller ends b with pat_binaries_fini.
 * Errors: LS_ERR_ARG without a base that is needed, LS_ERR_USAGE for one that is no number; LS_ERR_FORMAT for
 * what is no ELF file of 64 bits; those of the file; LS_ERR_NOMEM. */
ls_err pat_binaries_add(struct pat_binaries *b, const char *text);

/* The modules of DynamoRIO's modules.log, for a trace: beside it, or in the folder raw beside its own. Where
 * there is none, or it is none, b stays as it is. Files that are not here keep their names.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_binaries_add_beside(struct pat_binaries *b, const char *trace_path);

void pat_binaries_fini(struct pat_binaries *b);

/* ---- one file ---- */

typedef struct pat_source pat_source;

struct pat_source_options {
    const char *format; /* name of a row; NULL: recognised by content */
    /* Warps of GPUs as the published tool takes them: those with inactive lanes, and those whose lanes are
     * contiguous, are skipped. */
    bool warps_as_published;
    /* Where programs and libraries lay, for traces that do not tell; NULL: not known. */
    const struct pat_binaries *binaries;
    /* What the user should know of a source that is read all the same; NULL: nobody listens. */
    void (*note)(void *user, const char *text);
    void *user;
};

/* What was in the source. */
struct pat_source_counts {
    uint64_t accesses;
    uint64_t skipped; /* records of kinds that say nothing of memory, or that nobody knows */
    uint64_t lost;    /* accesses that the tracer says it lost */
    bool is_sampled;  /* bursts: accesses are a part of what the program did */
    /* Times a burst's accesses stand for others; 1 for traces. NAN: not known. */
    double scale;
};

/* What a format must do. All bytes are untrusted. */
struct pat_source_format {
    const char *name, *text; /* "drmemtrace", "what wrote it" */
    uint32_t window_bytes;   /* accesses of one instruction in a window of GS Patterns; 0: its usual 64 */
    /* Are these the first len bytes (at most 4096, decompressed where the whole file is gzip or zstd) of one? */
    bool (*recognise)(const void *bytes, size_t len, const char *path);
    /* self is what open left; the tables are the source's own. */
    ls_err (*open)(const char *path, const struct pat_source_options *o, void **out_self);
    /* Fills b, at least one access or event unless the source has ended; b lives until the next call.
     * Errors: LS_ERR_FORMAT, LS_ERR_TRUNCATED, naming file and position; LS_ERR_IO; LS_ERR_NOMEM. */
    ls_err (*next)(void *self, struct pat_batch *b);
    const struct pat_tables *(*tables)(const void *self);
    struct pat_source_counts (*counts)(const void *self);
    void (*close)(void *self);
};

/* Open path, "-" is standard input where the format can be read from a pipe.
 * Owns:   the caller closes *out.
 * Errors: LS_ERR_FORMAT when no format recognises it, with the names there are; LS_ERR_USAGE for a name of
 *         none; those of the format's open. */
ls_err pat_source_open(const char *path, const struct pat_source_options *o, pat_source **out);

/* Which format is path of, by its content?
 * Errors: LS_ERR_FORMAT: of none; those of reading it. */
ls_err pat_source_recognise(const char *path, const struct pat_source_format **out);

/* A source of one row that is open already (a live trace): takes self over, also on failure.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_source_adopt(const struct pat_source_format *row, void *self, pat_source **out);

/* The next batch, empty at the end; *b and what it points to live until the next call or close.
 * Errors: as the format's next; then only pat_source_close may follow. */
ls_err pat_source_next(pat_source *s, struct pat_batch *b);

/* They grow with pat_source_next; labels are complete once it has returned the end. */
const struct pat_tables *pat_source_tables(const pat_source *s);
/* What was read so far; of the whole source once pat_source_next has returned the end. */
struct pat_source_counts pat_source_counts(const pat_source *s);
/* Owns:   s, its tables and the last batch are gone; NULL-safe. */
void pat_source_close(pat_source *s);
/* What it is. */
const struct pat_source_format *pat_source_row(const pat_source *s);

/* The names of the formats in the order of their rows, as the words of an option. */
#define PAT_SOURCE_NAMES "trace|run-h5|nvbit|lackey|memtrace|perf-script|gem5|drmemtrace"
/* Row i of the formats, NULL behind the last. */
const struct pat_source_format *pat_source_format_at(size_t i);

/* ---- several files ---- */

/* Open several files as one source: drmemtrace and memtrace keep a file a thread, ranks a profile each. Files
 * are read one after the other. What is alike in them (modules, sites, homes with a label) has one row;
 * threads and ranges are each file's own. Of a folder (of its folder "trace", where it has one, as drmemtrace
 * has) the files that are sources are read, by name; the others are left out, which o->note is told.
 * o->binaries and what o->user points to must live as long as the source.
 * Owns:   the caller closes *out.
 * Errors: LS_ERR_FORMAT for a folder without any source; those of the folder, of pat_source_open;
 * LS_ERR_NOMEM. */
ls_err pat_many_open(const char *const *paths, size_t len, const struct pat_source_options *o,
                     pat_source **out);

#endif
