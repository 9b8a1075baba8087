/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples that perf.data holds as packets in AUX areas (Arm SPE), each with the thread that it is of. */
#ifndef IMP_PERF_AUX_H
#define IMP_PERF_AUX_H

#include "perf/pe_file.h"

typedef struct imp_perf_aux imp_perf_aux;

/* Owns:   imp_perf_aux_free ends *out; f must live as long. A file without AUX areas has no such samples.
 * Errors: as pe_file_spe_new. */
ls_err imp_perf_aux_new(const pe_file *f, imp_perf_aux **out);
void imp_perf_aux_free(imp_perf_aux *a); /* NULL-safe */

/* Update the known threads by a record; records come in the order of time. Errors: LS_ERR_NOMEM. */
ls_err imp_perf_aux_note(imp_perf_aux *a, const struct pe_file_record *r);
/* Return the next sample that is not later than until_ns, with thread, time and period.
 * Errors: LS_ERR_NOMEM. */
ls_err imp_perf_aux_next(imp_perf_aux *a, uint64_t until_ns, struct pe_sample *out, bool *is_any);

/* Warn about data that was left out. */
void imp_perf_aux_tell(const imp_perf_aux *a, const char *path);
/* Fail because no packet of the file is a sample. */
ls_err imp_perf_aux_none(const imp_perf_aux *a, const char *path);

#endif
