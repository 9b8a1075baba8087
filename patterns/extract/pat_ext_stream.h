/* SPDX-License-Identifier: BSD-3-Clause */
/* The addresses of one row in order, compactly: distances in as few bytes as they need, equal ones in
 * succession as a run, and jumps, which give the address itself; what is as it was before, round by round, is
 * one repeat. Regular sequences take next to nothing, random ones 3 to 6 bytes an access. */
#ifndef PAT_EXT_STREAM_H
#define PAT_EXT_STREAM_H

#include "patterns/pat_access.h"
#include "patterns/extract/pat_ext.h"

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

/* Runs, as many as the budget and memory allow: how many of the first ones were put. */
size_t pat_ext_stream_put_runs(struct pat_ext_stream *s, struct pat_ext_budget *b, struct pat_ext_runs runs);

void pat_ext_stream_fini(struct pat_ext_stream *s, struct pat_ext_budget *b);

/* What is before `until`, one of its blocks, will not be read again. There are no repeats. */
void pat_ext_stream_give_before(struct pat_ext_stream *s, struct pat_ext_budget *b,
                                const struct pat_ext_block *until);

/* Between two tokens. */
struct pat_ext_place {
    const struct pat_ext_block *block; /* NULL: the stream was empty */
    size_t at;
};
struct pat_ext_place pat_ext_stream_end(const struct pat_ext_stream *s);

/* The next `tokens` are those from here on, the first `period` of them again and again. They are runs, and
 * no repeats themselves. */
struct pat_ext_repeat {
    struct pat_ext_place from;
    uint64_t period, tokens;
};
/* Errors: as pat_ext_stream_put. */
bool pat_ext_stream_put_repeat(struct pat_ext_stream *s, struct pat_ext_budget *b,
                               const struct pat_ext_repeat *t);

/* Reads the runs and jumps of a stream that may grow, but not end, meanwhile. */
struct pat_ext_reader {
    struct pat_ext_place place;
    const struct pat_ext_stream *stream;
    struct pat_ext_repeat repeat; /* tokens: those that are left of it */
    struct pat_ext_place again;   /* inside it */
    uint64_t again_at;            /* tokens of its round that were read */
    uint64_t state, done;         /* the caller's when the round began: pat_ext_stream_pass */
};
/* From the first token on, or from another place. */
struct pat_ext_reader pat_ext_stream_read(const struct pat_ext_stream *s);
struct pat_ext_reader pat_ext_stream_read_from(const struct pat_ext_stream *s, struct pat_ext_place from);
bool pat_ext_stream_next(struct pat_ext_reader *r, struct pat_ext_token *t); /* False: the end. */

/* The distances of the next tokens, `len` at most, as long as they are runs of one access and no repeats.
 * Returns how many; 0: the next token is another one, or there is none. */
size_t pat_ext_stream_singles(struct pat_ext_reader *r, int64_t *distances, size_t len);

/* Pass over the rounds of a repeat that the caller knows how they end, since the one before brought it back
 * to the state in which that began. Called before each token; done: accesses so far, of `all` that are
 * wanted. Returns the accesses that were passed over, 0: none. */
uint64_t pat_ext_stream_pass(struct pat_ext_reader *r, uint64_t state, uint64_t done, uint64_t all);

#endif
