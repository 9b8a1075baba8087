/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources of accesses: Loadstone's traces, the bursts of run.h5, the files of other tracers. Each format has
 * one file and one row of struct pat_source_format, listed in pat_source.c. */
#ifndef PAT_SOURCE_H
#define PAT_SOURCE_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- binaries ---- */

/* Load addresses of programs and libraries, from the user or from a log next to the trace, for traces that
 * lack them: instructions get names that way. All zero: none. The first row that holds an address counts. */
struct pat_binaries {
    struct pat_module *rows;
    size_t len;
};

/* text: "FILE", or "FILE@BASE" with the address of its first byte, in hexadecimal. Files that are not
 * position-independent need none.
 * Owns:   the caller ends b with pat_binaries_fini.
 * Errors: LS_ERR_ARG without a base that is needed, LS_ERR_USAGE for a base that is no number; LS_ERR_FORMAT
 * for anything but a 64-bit ELF file; errors of opening the file; LS_ERR_NOMEM. */
ls_err pat_binaries_add(struct pat_binaries *b, const char *text);

/* Add the modules of DynamoRIO's modules.log for a trace: from the trace's folder, or from the folder raw
 * next to that. Without a valid log b stays as it is. Files that do not exist here keep their names.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_binaries_add_beside(struct pat_binaries *b, const char *trace_path);

void pat_binaries_fini(struct pat_binaries *b);

/* ---- one file ---- */

typedef struct pat_source pat_source;

struct pat_source_options {
    const char *format; /* name of a row; NULL: recognised by content */
    /* Skip the same warps of GPUs as the published tool: warps with inactive lanes, or with contiguous
     * lanes. */
    bool warps_as_published;
    /* Load addresses of programs and libraries, for traces that lack them; NULL: not known. */
    const struct pat_binaries *binaries;
    /* Names of memory, for traces of GPUs; NULL: not known. */
    const struct pat_arrays *arrays;
    /* Receives warnings about a source that is read nevertheless; NULL: they are dropped. */
    void (*note)(void *user, const char *text);
    void *user;
};

/* Counts of the source's contents. */
struct pat_source_counts {
    uint64_t accesses;
    uint64_t skipped; /* records of unknown kinds, or without an access */
    uint64_t lost;    /* lost accesses, as the tracer reports them */
    bool is_sampled;  /* bursts: the accesses are a sample of the program's */
    /* Accesses of the program that one access represents; 1 for traces. NAN: not known. */
    double scale;
};

/* The functions of a format. All bytes are untrusted. */
struct pat_source_format {
    const char *name, *text; /* "drmemtrace", and the name of its writer */
    uint32_t window_bytes;   /* accesses of one instruction in a window of GS Patterns; 0: its usual 64 */
    /* True if these are the first len bytes (at most 4096, decompressed where the whole file is gzip or zstd)
     * of a file in this format. */
    bool (*recognise)(const void *bytes, size_t len, const char *path);
    /* open sets *out_self, the self of the other functions; the tables belong to the source. */
    ls_err (*open)(const char *path, const struct pat_source_options *o, void **out_self);
    /* Fills b with at least one access or event unless the source has ended; b lives until the next call.
     * Errors: LS_ERR_FORMAT, LS_ERR_TRUNCATED, naming file and position; LS_ERR_IO; LS_ERR_NOMEM. */
    ls_err (*next)(void *self, struct pat_batch *b);
    const struct pat_tables *(*tables)(const void *self);
    struct pat_source_counts (*counts)(const void *self);
    void (*close)(void *self);
};

/* Open path, "-" is standard input where the format can be read from a pipe.
 * Owns:   the caller closes *out.
 * Errors: LS_ERR_FORMAT when no format recognises it, with the names of the formats; LS_ERR_USAGE for an
 * unknown name; the errors of the format's open. */
ls_err pat_source_open(const char *path, const struct pat_source_options *o, pat_source **out);

/* Find the format of path by its content.
 * Errors: LS_ERR_FORMAT if no format matches; read errors. */
ls_err pat_source_recognise(const char *path, const struct pat_source_format **out);

/* Make a source of a row that is open already (a live trace): takes self over, also on failure.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_source_adopt(const struct pat_source_format *row, void *self, pat_source **out);

/* Read the next batch, empty at the end; *b and the arrays it points to are valid until the next call or
 * close.
 * Errors: as the format's next; then only pat_source_close may follow. */
ls_err pat_source_next(pat_source *s, struct pat_batch *b);

/* The tables of s. They grow with pat_source_next; labels are complete once it has returned the end. */
const struct pat_tables *pat_source_tables(const pat_source *s);
/* Return the counts so far; they cover the whole source once pat_source_next has returned the end. */
struct pat_source_counts pat_source_counts(const pat_source *s);
/* Free s, its tables and the last batch; NULL-safe. */
void pat_source_close(pat_source *s);
/* The row of the source's format. */
const struct pat_source_format *pat_source_row(const pat_source *s);

/* The names of the formats in the order of their rows, as the words of an option. */
#define PAT_SOURCE_NAMES "trace|run-h5|nvbit|lackey|memtrace|perf-script|gem5|drmemtrace"
/* Row i of the formats, NULL after the last. */
const struct pat_source_format *pat_source_format_at(size_t i);

/* ---- several files ---- */

/* Open several files as one source: drmemtrace and memtrace write a file per thread, ranks a profile each.
 * Files are read one after the other. Rows that are equal in them (modules, sites, homes with a label) are
 * merged; threads and ranges are separate for each file. If a path is a folder, the files in it that are
 * sources are read, sorted by name, and the others are skipped with a message to o->note; its folder "trace"
 * is read instead where it has one, as drmemtrace has. o->binaries and o->user must live as long as the
 * source.
 * Owns:   the caller closes *out.
 * Errors: LS_ERR_FORMAT for a folder without any source; errors of listing the folder; as pat_source_open;
 * LS_ERR_NOMEM. */
ls_err pat_many_open(const char *const *paths, size_t len, const struct pat_source_options *o,
                     pat_source **out);

#endif
