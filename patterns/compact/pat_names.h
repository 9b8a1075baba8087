/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programmer calls the places of patterns: functions, files and lines of instructions, also in
 * position-independent programs and libraries; and one name that says it all. */
#ifndef PAT_NAMES_H
#define PAT_NAMES_H

#include "patterns/compact/pat_found.h"

/* Set function, file and line of every row from its ip and module_row. A file that cannot be read leaves them
 * "" and 0. All addresses of a file are asked at once. Errors: LS_ERR_NOMEM. */
ls_err pat_names_read(struct pat_findings *f, const struct pat_tables *t);

/* Set the name of every row's configuration: "gather of `x` through `col` in spmv_row (spmv.c:41)".
 * Errors: LS_ERR_NOMEM. */
ls_err pat_names_write(struct pat_findings *f, const struct pat_tables *t);

#endif
