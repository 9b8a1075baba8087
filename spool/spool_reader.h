/* SPDX-License-Identifier: BSD-3-Clause */
/* Read the records of one thread. The bytes are untrusted: reading stops at damage; earlier records are kept.
 *
 * Thread: one at a time for one object, any for different ones.  Signal: not safe. */
#ifndef SPOOL_READER_H
#define SPOOL_READER_H

#include "spool/spool_stream.h"

typedef struct spool_reader spool_reader;

/* Open the stream and check the header of its first file.
 * Owns:   borrows stream; free with spool_reader_free. One chunk is in memory at a time; no descriptor is
 * held. Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION, LS_ERR_IO, LS_ERR_NOMEM; LS_ERR_FORMAT (no spool file),
 * LS_ERR_TRUNCATED, LS_ERR_VERSION (another version, or features this reader does not know). The text names
 * file and byte. */
ls_err spool_reader_open(const struct spool_stream *stream, spool_reader **out);
/* The own file of a thread by itself, in memory (borrowed until free); name is for messages. */
ls_err spool_reader_open_bytes(const void *bytes, size_t len_bytes, const char *name, spool_reader **out);
void spool_reader_free(spool_reader *r);

/* Return the header of the stream's first file, with the tid of the thread. */
const struct spool_file_header *spool_reader_header(const spool_reader *r);

/* The next record (checked; PAD and PIECE skipped), or NULL in *out at the end. It stays valid until the next
 * call. Errors: LS_ERR_FORMAT, LS_ERR_TRUNCATED, LS_ERR_IO; the reader then stays at the damage and fails
 * again. */
ls_err spool_reader_next(spool_reader *r, const struct spool_rec_header **out);

/* Location of a record. */
struct spool_position {
    uint64_t is_own : 1; /* in the stream's own file, which follows the shared one */
    uint64_t at_bytes : 63;
};
/* Return the location of the last record that was returned. */
struct spool_position spool_reader_position(const spool_reader *r);

#endif
