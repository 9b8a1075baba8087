/* SPDX-License-Identifier: BSD-3-Clause */
/* Pattern files: a JSON array of configurations, as Spatter and GS Patterns write them, read in one pass. */
#ifndef PAT_JSON_H
#define PAT_JSON_H

#include "patterns/source/pat_input.h"
#include "patterns/pat_config.h"

#include <stdbool.h>

struct pat_json_options {
    bool compress;      /* renumber pages, pat_compress */
    size_t indices_max; /* refuse generators that make more, 0: no limit */
    bool no_raw_files;  /* refuse "RAW=file" as a pattern */
    /* Receives warnings about a file that is read nevertheless, "FILE:LINE: ..."; NULL: they are dropped. */
    void (*note)(void *user, const char *text);
    void *user;
};

/* Append all configurations of in to s. A pattern is an array of integers, a text for pat_generate, or
 * "RAW=FILE" for pat_raw_read_file (relative to the pattern file's directory). A generator that sets a delta
 * overrides the key, as in Spatter. Unknown keys are noted and skipped.
 * Owns:   s is the caller's; after a failure it is as before.
 * Errors: LS_ERR_FORMAT, LS_ERR_TRUNCATED, with file, line and the expected contents; as pat_input_read;
 * LS_ERR_NOMEM; LS_ERR_UNSUPPORTED when built without yajl. */
ls_err pat_json_read(pat_input *in, const struct pat_json_options *o, struct pat_suite *s);

/* Call pat_json_read for a file.  Errors: also as pat_input_open. */
ls_err pat_json_read_file(const char *path, const struct pat_json_options *o, struct pat_suite *s);

#endif
