/* SPDX-License-Identifier: BSD-3-Clause */
/* Convert the records of a perf.data about lost or throttled samples into events of the profile. */
#ifndef IMP_LOSSES_H
#define IMP_LOSSES_H

#include "perf/pe_file.h"
#include "spool/spool_put_sigsafe.h"

/* All zero is an empty one. */
struct imp_losses {
    struct pe_counts counts;
    uint64_t counted_by_perf; /* samples that perf found missing when it ended */
};

/* Take note of a record, with the time that it has in the file. */
void imp_losses_take(struct imp_losses *l, const struct pe_file_record *r);
/* Write them as events. */
void imp_losses_put(const struct imp_losses *l, struct spool_writer *w, uint64_t time_ns);

#endif
