/* SPDX-License-Identifier: BSD-3-Clause */
/* Read run.h5: the only module that does. Everything a reader returns lives until prof_close.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe); any thread may read the returned data until
 * prof_close. */
#ifndef PROF_READER_H
#define PROF_READER_H

#include "common/ls_error.h"
#include "run_h5/prof_schema.h"

#include <stddef.h>
#include <stdint.h>

typedef struct prof_profile prof_profile;

/* Initialisers for a process, and for a run, whose CPU time is not known. */
#define PROF_PROCESS_CPU_UNKNOWN                                                                      \
    .cpu_ns = UINT64_MAX, .user_ns = UINT64_MAX, .kernel_ns = UINT64_MAX, .recording_ns = UINT64_MAX, \
    .represented_ns = UINT64_MAX
#define PROF_RUN_CPU_UNKNOWN                                                                 \
    PROF_PROCESS_CPU_UNKNOWN, .kernel_error_ns = UINT64_MAX, .unrepresented_ns = UINT64_MAX, \
                              .unrepresented_why = "", .weights_found = NAN,                 \
                              .instructions_stepped = UINT64_MAX, .instructions_in_place = UINT64_MAX

/* Columns asked for; the others stay NULL. */
struct prof_samples {
    uint64_t len;
#define PROF_COLUMN_OF(name, type, fill, meaning, text) const type *name;
    PROF_SAMPLE_COLUMNS(PROF_COLUMN_OF)
};
#define PROF_MASK(name) (UINT64_C(1) << PROF_COL_##name)

/* Errors: LS_ERR_NOT_FOUND, LS_ERR_FORMAT (not HDF5, or no Loadstone file), LS_ERR_VERSION, LS_ERR_TRUNCATED. */
ls_err prof_open(const char *path, prof_profile **out);
void prof_close(prof_profile *p);
const struct prof_run *prof_run_of(const prof_profile *p);
/* prof_nodes, prof_threads, ...: return the rows of each table of PROF_TABLE_LIST, and their number. */
#define PROF_TABLE_GETTER(id, row, group, columns) \
    const struct row *prof_##id(const prof_profile *p, size_t *out_len);
PROF_TABLE_LIST(PROF_TABLE_GETTER)
/* Load the columns of mask (PROF_MASK(ip) | ...); loading twice is free. Samples are grouped by burst, in
 * order. */
ls_err prof_load_samples(prof_profile *p, uint64_t mask, struct prof_samples *out);
/* Call use for all samples in order, some at a time, with the columns of mask: only these are in memory.
 * Errors: as above, and any that use returns. */
typedef ls_err prof_part_use(void *user, const struct prof_samples *part);
ls_err prof_each_part(prof_profile *p, uint64_t mask, prof_part_use *use, void *user);
/* Call use for all rows of /rank_data in order, some at a time: they are not in memory otherwise.
 * Errors: as above. */
typedef ls_err prof_rank_data_use(void *user, const struct prof_rank_datum *rows, uint64_t len);
ls_err prof_each_rank_data(prof_profile *p, prof_rank_data_use *use, void *user);
#define PROF_MASK_ALL ((UINT64_C(1) << PROF_COL_COUNT) - 1)
/* Free the columns in mask, and clear them in s. */
void prof_drop_samples(prof_profile *p, uint64_t mask, struct prof_samples *s);

#endif
