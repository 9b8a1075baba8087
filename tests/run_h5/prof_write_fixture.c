/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/run_h5/prof_write_fixture.h"

#include <stdio.h>

ls_err prof_fixture_tables(prof_writer *w, const struct prof_fixture_table filled[PROF_TABLE_COUNT])
{
    for (int id = 0; id < PROF_TABLE_COUNT; id++)
        LS_TRY(prof_writer_table(w, (enum prof_table_id)id, filled[id].rows, filled[id].len));
    return LS_OK;
}

int prof_fixture_write(const char *name, const char *path, ls_err (*write)(prof_writer *w))
{
    prof_writer *w = NULL;
    ls_err err = prof_writer_new(path, 1, &w);
    if (err == LS_OK) err = write(w);
    prof_writer_free(w);
    if (err != LS_OK) fprintf(stderr, "%s: %s\n", name, ls_last_error());
    return err == LS_OK ? 0 : 1;
}
