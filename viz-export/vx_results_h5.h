/* SPDX-License-Identifier: BSD-3-Clause */
/* What the writer and the reader of results share. */
#ifndef VX_RESULTS_H5_H
#define VX_RESULTS_H5_H

#include "viz-export/vx_results.h"

#include <hdf5.h>

enum { VX_RESULTS_SCHEMA = 1, VX_RESULTS_ROWS_MAX = 1 << 24 };
#define VX_RESULTS_KIND "loadstone replay results"

enum vx_type { VX_TEXT, VX_U64, VX_F64 };

struct vx_column {
    const char *name;
    enum vx_type type;
    size_t offset; /* in struct vx_result */
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

/* The HDF5 type in memory: texts are pointers to UTF-8. The caller closes it. */
hid_t vx_h5_type(enum vx_type type);

#endif
