/* SPDX-License-Identifier: BSD-3-Clause */
/* Map samples onto the domains that their nodes are mapped to: /meshes and /fields of a run.
 *
 * This is a separate pass over the samples in the file, since the cost of an access is known only when all
 * samples are (run_h5/prof_cost.h): a few columns are read back, in pieces. Recordings without maps pay
 * nothing. Memory grows with the values that were touched.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef PROF_FIELDS_H
#define PROF_FIELDS_H

#include "common/ls_error.h"

#include <stdint.h>

struct prof_run_state;
struct prof_run;

/* Grids with more cells are kept in blocks of 2 (4, 8, ...) cells an axis, with larger cells. */
#define PROF_FIELD_CELLS_MAX (UINT64_C(1) << 21)
/* Values in all steps of all fields of a run; steps are joined until they fit. */
#define PROF_FIELD_STEP_VALUES_MAX (UINT64_C(1) << 25)

/* All samples, phases and nodes of s are there; run is its description. slices: number of steps of the run;
 * 0: a step per phase. Errors: LS_ERR_NOMEM, and as of prof_writer_add. */
ls_err prof_fields_write(struct prof_run_state *s, const struct prof_run *run, uint32_t slices);

#endif
