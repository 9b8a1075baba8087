/* SPDX-License-Identifier: BSD-3-Clause */
/* Page faults of a recording of the engine faults: their number, their pages, and the first toucher of each
 * page. */
#ifndef AN_FAULTS_H
#define AN_FAULTS_H

#include "analyse/an_tables.h"
#include "common/ls_error.h"

/* A page counts where it was touched first: by the earliest fault of the process on it. */
struct an_faults_row {
    uint64_t faults, major; /* including the faults that sampled ones represent */
    uint64_t pages, bytes;  /* first touched here */
};

struct an_faults {
    struct an_faults_row *rows; /* by group, all below it included */
    uint32_t rows_len;
    bool is_sampled; /* some samples stand for several faults: the numbers are estimates */
};

/* Groups as of an_combination: group_of_sample may be UINT32_MAX, parents come before their children.
 * Columns needed: addr, thread, events, fault, page_bytes. Samples are in the order of time within a process.
 * Owns:   the caller ends out with an_faults_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err an_faults_init(struct an_faults *out, const struct an_tables *t, const struct prof_samples *s,
                      const uint32_t *group_of_sample, const uint32_t *parents, uint32_t groups_len);
void an_faults_fini(struct an_faults *f);

#endif
