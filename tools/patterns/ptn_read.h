/* SPDX-License-Identifier: BSD-3-Clause */
/* The patterns of a recording or a trace: source, extraction, compaction in one call. */
#ifndef PTN_READ_H
#define PTN_READ_H

#include "patterns/compact/pat_compact.h"
#include "patterns/extract/pat_extract.h"
#include "patterns/source/pat_arrays.h"
#include "patterns/source/pat_source.h"
#include "patterns/write/pat_write.h"
#include "tools/cli/cli_command.h"

/* All zero: the defaults. */
struct ptn_settings {
    const char *format;          /* format of the source, NULL: recognised */
    const char *const *binaries; /* "FILE[@BASE]" each */
    size_t binaries_len;
    const char *arrays; /* file with names of memory, NULL: none */
    struct pat_extract_options extract;
    struct pat_compact_options compact; /* is_sampled is set by the kind of source */
    bool no_index_loads;
    bool with_rows; /* find the rows of loops; files are then read twice */
};

struct ptn_found {
    pat_source *source;
    struct pat_binaries binaries;
    struct pat_arrays arrays;
    struct pat_source_counts counts;
    struct pat_sequences sequences;
    struct pat_findings findings;
    size_t index_loads; /* patterns that were left out */
};

/* Bytes of memory by which the indices of a pattern are limited: a file of a pattern is smaller. */
enum { PTN_BYTES_AN_INDEX = 64 };

/* Return the largest number of indices of a pattern: --longest, otherwise by --memory. */
uint64_t ptn_longest(const struct cli_value *v);

/* Print a note of pat_write: which patterns could be written in part only, for example. */
void ptn_write_note(void *user, const char *text);

/* Set the defaults of `loadstone patterns` for patterns of this mode that are written as `to` (NULL: they are not). */
void ptn_settings_default(enum pat_mode mode, const struct pat_writer *to, uint64_t memory_bytes,
                          struct ptn_settings *out);

/* Convert the options of `loadstone patterns` (tools/patterns/ptn_actions.h). */
void ptn_settings_of(const struct cli_value *v, struct ptn_settings *out);

/* paths: files and folders, which together are one source.
 * Owns:   the caller ends out with ptn_found_fini, also after a failure.
 * Errors: as pat_many_open, pat_extract and pat_compact. */
ls_err ptn_read_files(const char *const *paths, size_t len, const struct ptn_settings *s,
                      struct ptn_found *out);
ls_err ptn_read(const char *path, const struct ptn_settings *s, struct ptn_found *out); /* of one */
/* Keep the costliest patterns of f, as many as s limits; ptn_read has done so.  Errors: LS_ERR_NOMEM. */
ls_err ptn_cut(const struct ptn_settings *s, struct ptn_found *f);
void ptn_found_fini(struct ptn_found *f);

#endif
