/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a source, built row by row; every maker of accesses uses these.
 *
 * Unless noted otherwise: Owns: t copies texts; the caller ends t with pat_tables_fini.  Errors:
 * LS_ERR_NOMEM, LS_ERR_RANGE when a table is full; t is then unchanged. */
#ifndef PAT_TABLES_H
#define PAT_TABLES_H

#include "common/ls_error.h"
#include "patterns/pat_access.h"

/* Append a row; *out is its number. Texts of row are copied (a home's may be NULL). */
ls_err pat_tables_add_site(struct pat_tables *t, const struct pat_site *row, uint32_t *out);
ls_err pat_tables_add_module(struct pat_tables *t, const struct pat_module *row, uint32_t *out);
ls_err pat_tables_add_home(struct pat_tables *t, const struct pat_home *row, uint32_t *out);
ls_err pat_tables_add_range(struct pat_tables *t, const struct pat_range *row, uint32_t *out);
ls_err pat_tables_add_thread(struct pat_tables *t, const char *label, uint32_t *out);
ls_err pat_tables_add_phase(struct pat_tables *t, const char *name, uint32_t *out);
ls_err pat_tables_add_line(struct pat_tables *t, const char *line, uint32_t *out);

/* Name a home that is there already. */
ls_err pat_tables_set_label(struct pat_tables *t, uint32_t home, const char *label);

void pat_tables_fini(struct pat_tables *t);

#endif
