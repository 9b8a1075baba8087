/* SPDX-License-Identifier: BSD-3-Clause */
/* The addresses of one row in order, compactly: distances as varints, equal ones in succession as a run, and
 * jumps, which give the address itself. Regular sequences take next to nothing, random ones 3 to 6 bytes an
 * access.
 *
 * Thread: the owner.  Signal: not safe. */
#ifndef PAT_EXT_STREAM_H
#define PAT_EXT_STREAM_H

#include "patterns/pat_access.h"
#include "patterns/extract/pat_ext_budget.h"

#include <stddef.h>

struct pat_ext_block {
    struct pat_ext_block *next;
    uint32_t len_bytes; /* once it is full */
    uint8_t log2_bytes; /* with this head */
    uint8_t bytes[];
};

/* Zeroed is empty. */
struct pat_ext_stream {
    uint8_t *at, *end; /* where the last block is written */
    struct pat_ext_block *first, *last;
    uint64_t len_bytes; /* of all blocks, as the budget counts them */
};

enum pat_ext_token_kind { PAT_EXT_RUN, PAT_EXT_JUMP };
struct pat_ext_token {
    enum pat_ext_token_kind kind;
    int64_t distance; /* run: so often in succession */
    uint64_t count;
    uint64_t addr; /* jump: of one access */
    uint32_t range;
    bool is_break; /* jump: what lies between is not known */
};

/* A run or a jump.
 * Errors: false when the budget or memory does not allow it; the stream then still has all that was put. */
bool pat_ext_stream_put(struct pat_ext_stream *s, struct pat_ext_budget *b, const struct pat_ext_token *t);

/* The run that is most of all: once, by a distance of less than 2^62.  Errors: as pat_ext_stream_put. */
bool pat_ext_stream_put_distance(struct pat_ext_stream *s, struct pat_ext_budget *b, int64_t distance);

void pat_ext_stream_fini(struct pat_ext_stream *s, struct pat_ext_budget *b); /* Errors: none. */

/* Reads from the first token on; the stream must not change meanwhile. */
struct pat_ext_reader {
    const struct pat_ext_block *block;
    size_t at;
    const struct pat_ext_stream *stream;
};
struct pat_ext_reader pat_ext_stream_read(const struct pat_ext_stream *s); /* Errors: none. */
bool pat_ext_stream_next(struct pat_ext_reader *r,
                         struct pat_ext_token *t); /* False: the end.  Errors: none. */

#endif
