/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that a CSV file can hold: one row a table in vx_csv.c. */
#ifndef VX_TABLES_H
#define VX_TABLES_H

#include "viz-export/export/vx_export.h"

struct vx_csv_table {
    const char *name, *words;
    unsigned needs; /* enum vx_needs */
    ls_err (*write)(const struct vx_source *s, FILE *out);
};

/* Every table; ends with one without a name. */
extern const struct vx_csv_table vx_csv_tables[];
/* name NULL: the samples.  Errors: LS_ERR_USAGE: there is no such table; the text names those there are. */
ls_err vx_csv_table_of(const char *name, const struct vx_csv_table **out);

ls_err vx_csv_samples(const struct vx_source *s, FILE *out);
ls_err vx_csv_fields(const struct vx_source *s, FILE *out);

#endif
