/* SPDX-License-Identifier: BSD-3-Clause */
/* The open file of a writer or a reader, for the other files that write to it or read from it.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef PROF_FILE_H
#define PROF_FILE_H

#include "common/ls_error.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_tables.h"
#include "run_h5/prof_writer.h"

#include <hdf5.h>
#include <stdint.h>

/* Borrowed: do not close. */
hid_t prof_writer_file(const prof_writer *w);
hid_t prof_profile_file(const prof_profile *p);
const char *prof_profile_path(const prof_profile *p);
/* The rows of a table, of its C struct. */
const void *prof_table_rows(const prof_profile *p, enum prof_table_id id, size_t *out_len);

/* Reserve disk space before each write: len_bytes and the metadata that HDF5 adds to them, since HDF5 does
 * not survive a full disk.  Errors: LS_ERR_FULL, LS_ERR_IO; the writer then only fails. */
ls_err prof_writer_reserve(prof_writer *w, uint64_t len_bytes);
/* Set the error right after a call of HDF5 failed, with the reason if HDF5 gives one. The writer then only
 * fails. */
ls_err prof_writer_failed(prof_writer *w, const char *what);
/* Errors: LS_ERR_IO when it failed before. */
ls_err prof_writer_check_usable(const prof_writer *w);
/* Create a group below `where` that keeps the order of its members. The caller closes *out. */
ls_err prof_writer_group(prof_writer *w, hid_t where, const char *name, hid_t *out);

struct prof_slice {
    uint64_t first, len;
};
/* Rows of a column that were added before; out has room for them.  Errors: LS_ERR_IO, LS_ERR_FULL. */
ls_err prof_writer_read(prof_writer *w, enum prof_column column, struct prof_slice slice, void *out);
/* Write rows of a column, which were added before, once more.  Errors: as above. */
ls_err prof_writer_rewrite(prof_writer *w, enum prof_column column, struct prof_slice slice,
                           const void *values);

/* --- checks ---
 *
 * Check that row numbers in run.h5 refer to existing rows, before they are used. */

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
