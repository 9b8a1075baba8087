/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the writer and the reader of run.h5: HDF5 types, and the seal that detects a damaged file.
 *
 * The seal is in the 512 bytes that HDF5 leaves to the user in front of its superblock: magic, length of the
 * file, hash of everything after the seal. HDF5 itself does not survive every flipped bit, so the reader
 * checks the seal first.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef PROF_H5_H
#define PROF_H5_H

#include "common/ls_error.h"
#include "run_h5/prof_tables.h"

#include <hdf5.h>
#include <stdint.h>

enum { PROF_SEAL_BYTES = 512 };
#define PROF_SEAL_MAGIC UINT64_C(0x314e535444414f4c) /* "LOADTSN1" */
struct prof_seal {
    uint64_t magic;
    uint64_t file_len_bytes;
    uint64_t hash;
};

/* Type of numbers in memory / in the file (little-endian).  The caller closes both with H5Tclose. */
hid_t prof_h5_memory_type(enum prof_type type);
hid_t prof_h5_file_type(enum prof_type type);

/* Texts are UTF-8 of a fixed length for each column or attribute, that of its longest text, padded with
 * zeros: HDF5's global heap, which texts of variable length are in, does not survive damage. Longer ones are
 * cut, and end in "...". Control characters, and bytes that are no UTF-8, are written and read as '?'. */
enum { PROF_TEXT_MAX_BYTES = 4096, PROF_TEXT_SLAB_BYTES = 1 << 20 };
/* Control characters that the texts of a data set keep: lines of source files have tabs. */
const char *prof_h5_kept(hid_t dataset);
/* Bytes of the longest text (NULL counts as ""), 1 to PROF_TEXT_MAX_BYTES. */
size_t prof_h5_text_width(const char *const *texts, uint64_t len);
/* The caller closes it. */
hid_t prof_h5_text_type(size_t width);
/* Put text into width bytes. */
void prof_h5_pack_text(char *to, size_t width, const char *text);
/* Rows of len that are written, read and compressed at a time. */
uint64_t prof_h5_text_rows(size_t width, uint64_t len);
/* All rows of a data set of prof_h5_text_type(width). */
herr_t prof_h5_write_texts(hid_t dataset, size_t width, const char *const *texts, uint64_t len);

/* Attributes of an open object: a text; len values of type, a scalar when len is 1; a list whatever len is. */
void prof_h5_put_text(hid_t object, const char *name, const char *text);
herr_t prof_h5_put_attribute(hid_t object, const char *name, enum prof_type type, hsize_t len,
                             const void *value);
herr_t prof_h5_put_list(hid_t object, const char *name, enum prof_type type, hsize_t len, const void *values);

/* Compute the seal of the open file fd. Errors: LS_ERR_IO; path is for the message. */
ls_err prof_seal_compute(int fd, const char *path, struct prof_seal *out);

/* --- reading ---
 *
 * Attributes and arrays of an untrusted file: types and extents are checked before a value is read, sizes
 * before memory is allocated. */

enum { PROF_GET_AXES_MAX = 4 };

/* An open group, and its names in messages. */
struct prof_h5_location {
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
ls_err prof_h5_bad(const struct prof_h5_location *at, const char *name, const char *what)
    __attribute__((cold));
/* Owns: the caller frees *out.  Errors: LS_ERR_FORMAT, LS_ERR_NOMEM. */
ls_err prof_h5_get_text(const struct prof_h5_location *at, const char *name, char **out);
/* len numbers into out, or len texts (char *, the caller's to free).  Errors: as above. */
ls_err prof_h5_get_list(const struct prof_h5_location *at, const char *name, enum prof_type type,
                        uint64_t len, void *out);
/* Numbers, in an array, or texts (char *).  Owns: the caller frees *out and the texts.
 * Errors: as above; LS_ERR_RANGE when there are more than values_max. */
ls_err prof_h5_get_array(const struct prof_h5_location *at, struct prof_h5_array *array, void **out);

/* Parts of the above, for readers with other messages; NULL or the problem. This one is out of memory (LS_ERR_NOMEM); the
 * others are of the file. */
extern const char prof_h5_no_memory[];
const char *prof_h5_type_problem(hid_t type, enum prof_type want);
/* Values that are not in this file, or in chunks that take too much memory. */
const char *prof_h5_storage_problem(hid_t dataset, hid_t type);
/* Read len rows of the first axis, from the row first on. The caller has checked the data set by the two
 * functions above. It has at most PROF_GET_AXES_MAX axes, and memory_type is at least as wide as its values. NULL or the
 * problem. */
const char *prof_h5_read_rows(hid_t dataset, hid_t memory_type, uint64_t first, uint64_t len, void *values);
/* Destination of texts (the caller frees each), and the memory that they may take. */
struct prof_h5_texts {
    char **texts;
    uint64_t room_bytes;
};
/* Read all len texts of a data set of the type file_type. After a failure the caller owns the texts that are
 * not NULL, too. */
const char *prof_h5_read_texts(hid_t dataset, hid_t file_type, uint64_t len, struct prof_h5_texts *t);
const char *prof_h5_read_attribute_texts(hid_t attribute, hid_t file_type, uint64_t len, char **texts);

/* Bytes of an open HDF5 file: addresses begin at base_bytes, which is at most len_bytes. */
struct prof_h5_bytes {
    int fd;
    uint64_t base_bytes, len_bytes;
};
/* Check the attributes of the object whose header is at an address. NULL or the problem of the file. */
const char *prof_h5_object_problem(const struct prof_h5_bytes *file, uint64_t address);

/* --- opening ---
 *
 * Open untrusted HDF5 files: only regular files are opened, neither plugins nor links to other files are
 * followed, and the memory of this process is bounded while one is open. Attributes are checked before libhdf5
 * reads them. */

struct prof_h5_input {
    hid_t id; /* H5I_INVALID_HID: nothing is open */
    uint64_t len_bytes;
    uint64_t values_bytes; /* memory that its values may take */
    uint64_t memory_bytes; /* memory for the values and all that is made from them */
};

/* Open path to read it; writer is the command that writes such files, for messages.
 * Errors: as of open(2), LS_ERR_FORMAT, LS_ERR_TRUNCATED, LS_ERR_NOMEM; *out then has nothing open. */
ls_err prof_h5_open(const char *path, const char *writer, struct prof_h5_input *out);
void prof_h5_close(struct prof_h5_input *in);

#endif
