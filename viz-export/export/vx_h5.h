/* SPDX-License-Identifier: BSD-3-Clause */
/* The few calls of HDF5 that exported files need. After the first failure the others do nothing, so only the
 * result of vx_h5_close must be checked.
 *
 * Unless noted otherwise: Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef VX_H5_H
#define VX_H5_H

#include "common/ls_error.h"

#include <hdf5.h>
#include <stdbool.h>

struct vx_h5 {
    const char *path; /* for messages */
    hid_t file;
    bool failed;
};

/* Make a new file at temporary, which will be path.
 * Owns:   the caller ends h with vx_h5_close, also after a failure.  Errors: LS_ERR_IO. */
ls_err vx_h5_create(struct vx_h5 *h, const char *path, const char *temporary);
/* Errors: LS_ERR_IO when anything of the file could not be written. */
ls_err vx_h5_close(struct vx_h5 *h);

/* Replace the characters of name that are special in HDF5 paths: '/' by '_', "." by "_". Written into out. */
const char *vx_h5_name(const char *name, char *out, size_t out_bytes);
void vx_h5_group(struct vx_h5 *h, const char *group);
/* A data set of up to 3 dimensions; large ones are deflated. group is "/" or a group that was made. */
struct vx_h5_set {
    const char *group, *name;
    hid_t type; /* in the file and in memory */
    int dims_len;
    hsize_t dims[3];
    const void *values;
    const char *unit; /* attribute, NULL or "": none */
};
void vx_h5_put(struct vx_h5 *h, const struct vx_h5_set *set);
/* Write one text of fixed length as an attribute of a group or of a data set in it. */
void vx_h5_text(struct vx_h5 *h, const char *object, const char *name, const char *text);
/* Write a row of numbers as an attribute. */
void vx_h5_numbers(struct vx_h5 *h, const char *object, const char *name, hid_t type, hsize_t len,
                   const void *numbers);

#endif
