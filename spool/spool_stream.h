/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams: the parts of an image's spool files that belong to one thread.
 *
 * Thread: one at a time for one object, any for different ones.  Signal: not safe. */
#ifndef SPOOL_STREAM_H
#define SPOOL_STREAM_H

#include "spool/spool_source.h"

#include <stdbool.h>

/* [at, end) of the shared file: records of one stream. */
struct spool_part {
    uint64_t at_bytes, end_bytes;
};

/* All records that one thread wrote from its begin to its end. */
struct spool_stream {
    uint32_t tid, number;
    struct spool_source shared; /* file of the pieces; no path: the stream has only its own file */
    struct spool_source own;    /* file that continues the stream after the pieces; no path: none */
    struct spool_part *pieces;
    size_t pieces_len;
    const char *fault; /* reason why the stream ends too early after its pieces; NULL: complete */
    uint64_t fault_at_bytes;
};

/* The own file at path (borrowed) as a stream by itself.
 * Errors: as for spool_source_of_file. */
ls_err spool_stream_of_file(const char *path, struct spool_stream *out);

struct spool_streams {
    struct spool_stream *rows;
    size_t len, room;
    size_t scanned_len;       /* rows of the shared file in order of number, until they are sorted */
    struct spool_part *parts; /* the pieces of all streams */
};

/* Add the streams of a shared file, by number. From a damaged file, the streams that can be separated
 * are added; records without a stream become one stream with a fault.
 * Owns:   out borrows the source's path and bytes; spool_streams_fini.
 * Errors: LS_ERR_NOMEM; as for spool_source_read. */
ls_err spool_streams_scan(const struct spool_source *shared, struct spool_streams *out);
/* Add an own file: it continues a scanned stream, or is a separate stream of the given identity.
 * Errors: LS_ERR_NOMEM. */
ls_err spool_streams_add_own(struct spool_streams *s, const struct spool_source *own, uint32_t tid,
                             uint32_t number);
/* Sort by tid and number, when all streams have been added. */
void spool_streams_sort(struct spool_streams *s);
void spool_streams_fini(struct spool_streams *s);
/* The author of all their files (ls_owner.h). */
uid_t spool_streams_author(const struct spool_streams *s);

/* Is this the file of all threads? False also for a file whose header cannot be read. */
bool spool_source_is_shared(const struct spool_source *s);

#endif
