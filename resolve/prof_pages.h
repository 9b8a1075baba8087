/* SPDX-License-Identifier: BSD-3-Clause */
/* NUMA nodes of the pages that a burst touched, given to its samples. */
#ifndef PROF_PAGES_H
#define PROF_PAGES_H

#include "common/ls_error.h"
#include "run_h5/prof_writer.h"
#include "spool/spool_format.h"

#include <stddef.h>

/* Set the column numa of the samples whose page is in the record. Errors: LS_ERR_NOMEM. */
ls_err prof_pages_apply(const struct spool_pages *record, struct prof_sample *rows, size_t len);

#endif
