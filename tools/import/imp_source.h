/* SPDX-License-Identifier: BSD-3-Clause */
/* Recordings of other tools that loadstone import reads: a format is a file with its row here. */
#ifndef IMP_SOURCE_H
#define IMP_SOURCE_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct imp_job {
    const char *path, *output_path;
    int force;
    double clock_hz; /* 0: not given */
    /* results */
    uint64_t samples;
    uint64_t skipped;     /* samples left out: without an address */
    const char *remedies; /* hints for the user; NULL: none; static texts */
};

struct imp_source {
    const char *name, *words;
    bool takes_packed; /* files that are packed as a whole are accepted, too */
    /* Does the file begin like one of this format? head is followed by a NUL. */
    bool (*probe)(const char *head, size_t len_bytes);
    /* Read job->path, write job->output_path, and set the results in job.
     * Errors: LS_ERR_FORMAT and LS_ERR_TRUNCATED of the file, errors of opening it and of writing the
     * profile, LS_ERR_NOMEM. */
    ls_err (*run)(struct imp_job *job);
};

extern const struct imp_source imp_source_memaxes, imp_source_perf_data, imp_source_perf_script;

#endif
