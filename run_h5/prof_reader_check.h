/* SPDX-License-Identifier: BSD-3-Clause */
/* Check that row numbers in run.h5 refer to existing rows, before they are used. */
#ifndef PROF_READER_CHECK_H
#define PROF_READER_CHECK_H

#include "common/ls_error.h"
#include "run_h5/prof_tables.h"

#include <stdint.h>

/* How many rows there are of each table, and of /samples. */
struct prof_lens {
    uint64_t rows[PROF_TABLE_COUNT], samples;
};

/* rows: the table, lens->rows[id] of them.  Errors: LS_ERR_FORMAT, the text names file, column and row. */
ls_err prof_check_table(const char *path, enum prof_table_id id, const void *rows,
                        const struct prof_lens *lens);
/* Rows of a column of /samples. */
struct prof_rows {
    const void *values;
    uint64_t first, len;
};
/* The fill value is allowed.
 * Errors: LS_ERR_FORMAT, the text names file, column and row. */
ls_err prof_check_column(const char *path, enum prof_column column, const struct prof_rows *rows,
                         const struct prof_lens *lens);

#endif
