/* SPDX-License-Identifier: BSD-3-Clause */
/* A compact encoding of one row's addresses in order: distances in as few bytes as they need, equal
 * consecutive ones as a run, jumps with the address itself, and repeated rounds as one repeat. Regular
 * sequences take almost no space, random ones 3 to 6 bytes an access. */
#ifndef PAT_EXT_STREAM_H
#define PAT_EXT_STREAM_H

#include "patterns/pat_access.h"
#include "patterns/extract/pat_ext.h"

#include <stddef.h>

struct pat_ext_block {
    struct pat_ext_block *next;
    uint32_t len_bytes; /* set when it is full */
    uint8_t log2_bytes; /* including this header */
    uint8_t bytes[];
};

/* Zeroed is empty. */
struct pat_ext_stream {
    uint8_t *at, *end; /* write position and end in the last block */
    struct pat_ext_block *first, *last;
    uint64_t len_bytes; /* size of all blocks, as charged to the budget */
};

enum pat_ext_token_kind { PAT_EXT_RUN, PAT_EXT_JUMP };
struct pat_ext_token {
    enum pat_ext_token_kind kind;
    int64_t distance; /* run: occurs `count` times in succession */
    uint64_t count;
    uint64_t addr; /* jump: the address of its one access */
    uint32_t range;
    bool is_break; /* jump: the accesses in between are unknown */
};

/* Append a run or a jump.
 * Errors: false if the budget or memory is exhausted; earlier tokens stay. */
bool pat_ext_stream_put(struct pat_ext_stream *s, struct pat_ext_budget *b, const struct pat_ext_token *t);

/* Append runs, as many as the budget and memory allow. Return how many were appended. */
size_t pat_ext_stream_put_runs(struct pat_ext_stream *s, struct pat_ext_budget *b, struct pat_ext_runs runs);

void pat_ext_stream_fini(struct pat_ext_stream *s, struct pat_ext_budget *b);

/* Free the blocks before `until`, which must not be read again. The stream must have no repeats. */
void pat_ext_stream_give_before(struct pat_ext_stream *s, struct pat_ext_budget *b,
                                const struct pat_ext_block *until);

/* A position between two tokens. */
struct pat_ext_position {
    const struct pat_ext_block *block; /* NULL: the stream was empty */
    size_t at;
};
struct pat_ext_position pat_ext_stream_end(const struct pat_ext_stream *s);

/* A repeat: the next `tokens` tokens repeat the first `period` tokens from `from` on. All of them are runs,
 * no repeats. */
struct pat_ext_repeat {
    struct pat_ext_position from;
    uint64_t period, tokens;
};
/* Errors: as pat_ext_stream_put. */
bool pat_ext_stream_put_repeat(struct pat_ext_stream *s, struct pat_ext_budget *b,
                               const struct pat_ext_repeat *t);

/* Reads the runs and jumps of a stream that may grow meanwhile, but must not be freed. */
struct pat_ext_reader {
    struct pat_ext_position position;
    const struct pat_ext_stream *stream;
    struct pat_ext_repeat repeat;  /* tokens: number left in the repeat */
    struct pat_ext_position again; /* position inside the repeat */
    uint64_t again_at;             /* tokens read of its current round */
    uint64_t state, done;          /* the caller's values at the start of the round: pat_ext_stream_pass */
};
/* Start reading at the first token, or at another position. */
struct pat_ext_reader pat_ext_stream_read(const struct pat_ext_stream *s);
struct pat_ext_reader pat_ext_stream_read_from(const struct pat_ext_stream *s, struct pat_ext_position from);
bool pat_ext_stream_next(struct pat_ext_reader *r, struct pat_ext_token *t); /* Return false at the end. */

/* Read the distances of the next tokens, at most `len`, as long as they are runs of one access outside of
 * repeats.
 * Returns how many; 0: the next token is of another kind, or there is none. */
size_t pat_ext_stream_singles(struct pat_ext_reader *r, int64_t *distances, size_t len);

/* Skip rounds of a repeat whose result is known, because the caller's state after the previous round equals
 * the state before it. Called before each token; done: accesses so far, out of `all`. Returns the number of
 * accesses skipped, 0: none. */
uint64_t pat_ext_stream_pass(struct pat_ext_reader *r, uint64_t state, uint64_t done, uint64_t all);

#endif
