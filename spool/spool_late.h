/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream whose samples come late (SPOOL_SAMPLING_LATE: the hardware gathers them), in the order of
 * time. 16 bytes of memory a record.
 *
 * Thread: one at a time for one object, any for different ones.  Signal: not safe. */
#ifndef SPOOL_LATE_H
#define SPOOL_LATE_H

#include "common/ls_error.h"
#include "spool/spool_stream.h"

typedef struct spool_late spool_late;

/* Sort the records of the stream if their samples may be late; *out is NULL otherwise. Records of the same
 * time, and records that belong to a sample, keep their order.
 * Owns:   borrows stream; spool_late_free.
 * Errors: LS_ERR_NOMEM, LS_ERR_IO. spool_late_next reports damage to the stream's files at its end. */
ls_err spool_late_open(const struct spool_stream *stream, spool_late **out);
void spool_late_free(spool_late *l); /* NULL-safe */

/* As spool_reader_next. */
ls_err spool_late_next(spool_late *l, const struct spool_rec_header **out);

#endif
