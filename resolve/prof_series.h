/* SPDX-License-Identifier: BSD-3-Clause */
/* Time series of the run: /series/<name>. A new one is a row of enum, table and prof_series_add. */
#ifndef PROF_SERIES_H
#define PROF_SERIES_H

#include "common/ls_error.h"
#include "common/ls_vector.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_writer.h"
#include "spool/spool_format.h"

enum prof_series_id {
    PROF_SERIES_RESIDENT,
    PROF_SERIES_MINOR_FAULTS,
    PROF_SERIES_MAJOR_FAULTS,
    PROF_SERIES_COUNT
};

/* Zeroed is empty. */
struct prof_series {
    LS_VECTOR(struct prof_point) points[PROF_SERIES_COUNT];
};

/* Values of one moment; at has process and time.
 * Owns:   s grows; end with prof_series_fini.  Errors: LS_ERR_NOMEM. */
ls_err prof_series_add(struct prof_series *s, struct prof_point at, const struct spool_resources *r);
/* Errors: as of prof_writer_table. */
ls_err prof_series_write(const struct prof_series *s, prof_writer *w);
void prof_series_fini(struct prof_series *s);

#endif
