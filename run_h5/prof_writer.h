/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing run.h5: samples streamed column by column, tables whole.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef PROF_WRITER_H
#define PROF_WRITER_H

#include "common/ls_error.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_tables.h"

#include <stddef.h>
#include <stdint.h>

typedef struct prof_writer prof_writer;

/* Begin path: everything goes to a temporary file beside it, which prof_writer_finish renames.
 * Errors: LS_ERR_EXISTS (path is there and force is 0), LS_ERR_PERMISSION, LS_ERR_NOT_FOUND (no such
 * directory), LS_ERR_FULL, LS_ERR_IO, LS_ERR_NOMEM. */
ls_err prof_writer_new(const char *path, int force, prof_writer **out);
/* Append a sample.  Errors: LS_ERR_FULL, LS_ERR_IO; the writer then only fails. */
ls_err prof_writer_add(prof_writer *w, const struct prof_sample *sample);
/* Write the whole table id: rows is an array of its C struct (PROF_TABLE_LIST). Each table is written once.
 * Owns:   rows are only read.  Errors: LS_ERR_FULL, LS_ERR_IO: the writer then only fails; LS_ERR_NOMEM. */
ls_err prof_writer_table(prof_writer *w, enum prof_table_id id, const void *rows, size_t rows_len);
/* Append rows to /rank_data, which need not be in memory at once.  Errors: as above. */
ls_err prof_writer_rank_data(prof_writer *w, const struct prof_rank_datum *rows, size_t rows_len);
/* Write the attributes of /run, and empty groups where readers expect one. Once, after the tables: a group
 * that was not written by then stays empty.
 * Owns:   run is only read.  Errors: LS_ERR_FULL, LS_ERR_IO; the writer then only fails. */
ls_err prof_writer_run(prof_writer *w, const struct prof_run *run);
/* Write everything to disk and give the file its name. Without force a file that appeared meanwhile is kept:
 * LS_ERR_EXISTS. */
ls_err prof_writer_finish(prof_writer *w);
/* NULL-safe; without a finish nothing is left on disk. */
void prof_writer_free(prof_writer *w);

#endif
