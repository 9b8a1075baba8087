/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a spool file, in memory or on disk.
 *
 * Thread: any.  Signal: not safe. */
#ifndef SPOOL_SOURCE_H
#define SPOOL_SOURCE_H

#include "common/ls_error.h"
#include "spool/spool_format.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct spool_source {
    const char *path;     /* borrowed; NULL: there is no such file */
    const uint8_t *bytes; /* borrowed; NULL: they are in the file at path */
    uint64_t len_bytes;
    uid_t author; /* owner of the file (ls_owner.h) */
};

/* The regular file at path, as long as it is now.
 * Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION, LS_ERR_IO. */
ls_err spool_source_of_file(const char *path, struct spool_source *out);

/* Open the file. One of another author has taken its place since: LS_ERR_IO.
 * Errors: as above. */
ls_err spool_source_open(const struct spool_source *s, int *out_fd);

/* Copy the existing part of [at_bytes, at_bytes + len_bytes) to out; no descriptor is kept open.
 * Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION, LS_ERR_IO. */
ls_err spool_source_read(const struct spool_source *s, uint64_t at_bytes, void *out, size_t len_bytes,
                         size_t *out_len_bytes);

/* Read the header, whose chunks must be of chunk_len_bytes, and check it.
 * Errors: as above; LS_ERR_FORMAT, LS_ERR_TRUNCATED, LS_ERR_VERSION. The text names file and byte. */
ls_err spool_source_header(const struct spool_source *s, uint32_t chunk_len_bytes,
                           struct spool_file_header *out);

#endif
