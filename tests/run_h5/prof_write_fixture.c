/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/run_h5/prof_write_fixture.h"

#include "run_h5/prof_reader.h"

#include <math.h>
#include <stdio.h>

struct prof_run prof_fixture_run(const char *command, uint64_t duration_ns)
{
    return (struct prof_run){.schema = PROF_SCHEMA,
                             .command = command,
                             .host = "example",
                             .cpu = "Example CPU",
                             .topology = "1 package",
                             .engine = "step",
                             .trigger = "perf",
                             .why = "hw: no PMU here",
                             .version = "0.2.0",
                             .start_realtime_ns = UINT64_C(1700000000000000000),
                             .duration_ns = duration_ns,
                             .tsc_hz = 2000000000,
                             .tsc_step_cycles = 1,
                             .probe_cost_cycles = 50,
                             .burst_instructions = 1200,
                             .overhead_asked = 0.03,
                             .overhead_achieved = 0.0255,
                             .level_latency_cycles = {5, 15, 60, 500},
                             .level_limit_cycles = {10, 35, 250, INFINITY},
                             .issue_width = 4,
                             .coverage_precise = 1,
                             PROF_RUN_CPU_UNKNOWN};
}

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
