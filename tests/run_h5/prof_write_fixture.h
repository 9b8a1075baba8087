/* SPDX-License-Identifier: BSD-3-Clause */
/* Code shared by programs that make profiles for tests. */
#ifndef PROF_WRITE_FIXTURE_H
#define PROF_WRITE_FIXTURE_H

#include "run_h5/prof_writer.h"

struct prof_fixture_table {
    const void *rows; /* NULL: the table is empty */
    size_t len;
};

/* /run of a stepped recording on a machine without PMU; programs replace the values that matter to them. */
struct prof_run prof_fixture_run(const char *command, uint64_t duration_ns);
/* All tables, by their ids.  Errors: as of prof_writer_table. */
ls_err prof_fixture_tables(prof_writer *w, const struct prof_fixture_table filled[PROF_TABLE_COUNT]);
/* Replace path by the file that write writes and ends with prof_writer_finish. Return the status of the
 * process: 0, or 1 after a message that begins with name. */
int prof_fixture_write(const char *name, const char *path, ls_err (*write)(prof_writer *w));

#endif
