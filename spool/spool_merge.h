/* SPDX-License-Identifier: BSD-3-Clause */
/* All records of one process image in time order.
 *
 * Thread: one at a time for one object, any for different ones.  Signal: not safe. */
#ifndef SPOOL_MERGE_H
#define SPOOL_MERGE_H

#include "common/ls_error.h"
#include "spool/spool_dir.h"
#include "spool/spool_format.h"

#include <stddef.h>
#include <stdint.h>

typedef struct spool_merge spool_merge;

struct spool_item {
    const struct spool_rec_header *rec; /* NULL at the end; valid until the next call */
    uint64_t time_ns;
    size_t stream; /* index in the image's streams */
};

/* State of one stream of the image. */
struct spool_merge_stream {
    uint32_t tid;
    ls_err damage;           /* LS_OK, or why reading stopped early (or never began) */
    const char *damage_text; /* "" without damage */
};

/* tsc_hz converts the cycle counts of ACCESS records; 0: an access has the time of its burst.
 * At equal times ends of life come first and accesses last.
 * Errors: LS_ERR_NOMEM; LS_ERR_VERSION if any file is of another version (nothing should be guessed then).
 * Other damage is kept with its stream, and the rest is read. */
ls_err spool_merge_new(const struct spool_image *image, uint64_t tsc_hz, spool_merge **out);
void spool_merge_free(spool_merge *m);
/* Never fails: damage ends a stream. */
struct spool_item spool_merge_next(spool_merge *m);
const struct spool_merge_stream *spool_merge_stream_at(const spool_merge *m, size_t stream);
/* The process record, which opens the first stream: to learn tsc_hz before the merge.  NULL: none there.
 * Valid until free. */
const struct spool_process *spool_merge_process(const spool_merge *m);
void spool_merge_set_tsc_hz(spool_merge *m, uint64_t tsc_hz);

#endif
