/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of an exact trace that do not depend on the machine, as rows; the file that stores them; and
 * their comparison. */
#ifndef GATE_H
#define GATE_H

#include "common/ls_error.h"
#include "common/ls_vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- rows ---- */

enum gate_metric {
    GATE_ACCESSES,
    GATE_LINES,     /* distinct cache lines; of data only */
    GATE_BYTES,     /* distinct bytes in these lines */
    GATE_L1_MISSES, /* misses of the nearest modelled cache; each thread has separate caches */
    GATE_MISSES,    /* misses of their last level */
    GATE_WRITTEN,   /* lines written back to memory */
    GATE_METRICS
};

enum gate_kind { GATE_TOTAL, GATE_DATA, GATE_FUNCTION, GATE_LINE, GATE_KINDS };

struct gate_row {
    enum gate_kind kind;
    char *name;
    uint64_t values[GATE_METRICS];
    char *file; /* source line with most of its misses; NULL: not known */
    unsigned line;
};

struct gate_rows {
    LS_VECTOR(struct gate_row) list; /* the total first, then by kind and name */
};

void gate_rows_fini(struct gate_rows *r);
/* Sort by kind and name, which the file and the comparison rely on. */
void gate_rows_sort(struct gate_rows *r);
const char *gate_kind_name(enum gate_kind kind);
const char *gate_metric_name(enum gate_metric metric);

/* ---- measure ---- */

/* A named geometry of the modelled caches: the same on every machine. */
struct gate_cache {
    const char *name, *geometry; /* as trf_geometry_parse reads it */
};

/* Run the accesses of a trace through the caches.
 *
 * Accesses of the program's own code are counted, and accesses of any code to named data of the program.
 * Accesses of the C library, the loader and the other libraries of the distribution to their own data and to
 * stacks are left out: these depend on the system, its environment and its version. Pages are numbered in the
 * order in which a thread first accesses them, and its stack begins at one offset in a page, so that neither
 * address space randomisation nor the size of the environment changes a figure. Each thread has separate
 * caches, so that the order in which threads run has no effect.
 * Owns:   the caller ends out with gate_rows_fini, also after a failure.
 * Errors: as pat_source_open and of reading it; LS_ERR_NOMEM. */
ls_err gate_measure(const char *trace, const struct gate_cache *cache, struct gate_rows *out);

/* ---- the baseline ---- */

/* Write the rows as text, one a line.
 * Errors: none; errors of out stay in it. */
void gate_baseline_write(const struct gate_cache *cache, char *const *command, const struct gate_rows *r,
                         FILE *out);
/* Read a baseline that was made with the same caches.
 * Owns:   the caller ends out with gate_rows_fini, also after a failure.
 * Errors: LS_ERR_NOT_FOUND, LS_ERR_FORMAT with file and line, LS_ERR_USAGE for other caches, LS_ERR_NOMEM. */
ls_err gate_baseline_read(const char *path, const struct gate_cache *cache, struct gate_rows *out);

#endif
