/* SPDX-License-Identifier: BSD-3-Clause */
/* Schema, columns and attributes that the writer and the reader of results share. */
#ifndef VX_RESULTS_H5_H
#define VX_RESULTS_H5_H

#include "profile/prof_tables.h"
#include "viz-export/charts/vx_results.h"

/* Schema 1 had text of variable length. */
enum { VX_RESULTS_SCHEMA = 2 };
#define VX_RESULTS_KIND "loadstone replay results"

struct vx_column {
    const char *name;
    enum prof_type type; /* PROF_TEXT, PROF_U64 or PROF_F64 */
    size_t offset;       /* in struct vx_result */
};
extern const struct vx_column vx_columns[];
extern const size_t vx_columns_len;

/* Texts of the file as attributes. */
struct vx_attribute {
    const char *name;
    size_t offset; /* in struct vx_results */
};
extern const struct vx_attribute vx_attributes[];
extern const size_t vx_attributes_len;

#endif
