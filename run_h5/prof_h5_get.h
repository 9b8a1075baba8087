/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes and arrays of an untrusted file: types and extents are checked before a value is read, sizes
 * before memory is allocated.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef PROF_H5_GET_H
#define PROF_H5_GET_H

#include "common/ls_error.h"
#include "run_h5/prof_tables.h"

#include <hdf5.h>
#include <stdint.h>

enum { PROF_GET_AXES_MAX = 4 };

/* An open group, and its names in messages. */
struct prof_h5_place {
    const char *file, *group;
    hid_t id;
};

struct prof_h5_array {
    const char *name;
    enum prof_type type;
    int axes;
    uint64_t extents[PROF_GET_AXES_MAX]; /* wanted; UINT64_MAX: any, replaced by the extent found */
    uint64_t values_max;
};

/* LS_ERR_FORMAT with a text that names file, group and name. */
ls_err prof_h5_bad(const struct prof_h5_place *at, const char *name, const char *what) __attribute__((cold));
/* Owns: the caller frees *out.  Errors: LS_ERR_FORMAT, LS_ERR_NOMEM. */
ls_err prof_h5_get_text(const struct prof_h5_place *at, const char *name, char **out);
/* len numbers into out, or len texts (char *, the caller's to free).  Errors: as above. */
ls_err prof_h5_get_list(const struct prof_h5_place *at, const char *name, enum prof_type type, uint64_t len,
                        void *out);
/* Numbers, in an array, or texts (char *).  Owns: the caller frees *out and the texts.
 * Errors: as above; LS_ERR_RANGE when there are more than values_max. */
ls_err prof_h5_get_array(const struct prof_h5_place *at, struct prof_h5_array *array, void **out);

/* Parts of the above, for readers with other messages; NULL or the problem. */
const char *prof_h5_type_problem(hid_t type, enum prof_type want);
/* Values that are not in this file, or in chunks that take too much memory. */
const char *prof_h5_storage_problem(hid_t dataset, hid_t type);
/* Destination of texts (the caller frees each), and the memory that they may take. */
struct prof_h5_texts {
    char **texts;
    uint64_t room_bytes;
};
/* Read all len texts of a data set of the type file_type. After a failure the caller owns the texts that are
 * not NULL, too. */
const char *prof_h5_read_texts(hid_t dataset, hid_t file_type, uint64_t len, struct prof_h5_texts *t);
const char *prof_h5_read_attribute_texts(hid_t attribute, hid_t file_type, uint64_t len, char **texts);

#endif
