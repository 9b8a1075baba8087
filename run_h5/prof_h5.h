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
 * cut, and end in "...". */
enum { PROF_TEXT_MAX_BYTES = 4096, PROF_TEXT_SLAB_BYTES = 1 << 20 };
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

#endif
