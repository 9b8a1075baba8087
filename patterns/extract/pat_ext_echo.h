/* SPDX-License-Identifier: BSD-3-Clause */
/* A row that does again what it did before (the sweeps of an iterative solver over one matrix, say): from its
 * second round on that is only checked, run by run. A fingerprint of the last 32 runs is compared with the
 * one at an anchor, which moves on each time that twice as many runs have passed (after Brent, "An Improved
 * Monte Carlo Factorization Algorithm", BIT 20, 1980): so a round is noticed after three times its length at
 * most, whenever it begins. While a row follows its last round its runs are neither kept nor counted; they
 * are when it leaves it. */
#ifndef PAT_EXT_ECHO_H
#define PAT_EXT_ECHO_H

#include "patterns/extract/pat_ext_run.h"
#include "patterns/extract/pat_ext_stream.h"

struct pat_ext;
struct pat_ext_row;

/* Rows with fewer accesses are not looked at: for them it would cost more than it spares. */
enum { PAT_EXT_ECHO_ACCESSES = 1 << 16 };

struct pat_ext_echo {
    struct pat_ext_token next;    /* the run that is foreseen; count 0: the row follows no round */
    bool is_closed;               /* a round ends at the address where it began: nothing new is touched */
    struct pat_ext_reader reader; /* behind next */
    uint64_t at;                  /* of the round's runs, the number of next */
    uint64_t period;              /* runs of a round */
    uint64_t tokens, accesses;    /* that were as foreseen since the row has followed */
    uint64_t spared;              /* accesses in repeats, which take no room */
    uint64_t most, round;         /* of the longest time that it followed: accesses, and those of a round */
    bool was_full;                /* that time was a round at least; else none was */

    uint64_t begun;            /* accesses that were kept before it looked */
    uint64_t print;            /* of the last runs */
    uint64_t anchor;           /* the print there */
    struct pat_ext_place from; /* behind the anchor */
    uint64_t since, limit;     /* runs since the anchor; where it moves on */
    uint64_t moved;            /* bytes since the anchor, modulo 2^64 */
};

void pat_ext_echo_free(struct pat_ext *e, struct pat_ext_echo *echo); /* NULL-safe */

/* Is the run that r is in, as far as it goes, what r did a round ago at the same addresses? */
static inline bool pat_ext_echo_knows(const struct pat_ext_echo *echo, int64_t distance, uint64_t run)
{
    return echo && echo->is_closed && distance == echo->next.distance && run <= echo->next.count;
}

/* The run is over. True: it was foreseen, and needs neither be kept nor counted. */
bool pat_ext_echo_takes(struct pat_ext_echo *echo, int64_t distance, uint64_t run);

/* Runs that come next while the row follows no round, up to the first one behind which it must be looked at.
 * Returns how many, 1 at least. */
size_t pat_ext_echo_note(struct pat_ext_echo *echo, struct pat_ext_runs runs);

/* The runs that were noted are now in r's stream: does the last one end a round?
 * Owns:   r, whose echo is made when it has none.  Without memory nothing is noticed. */
void pat_ext_echo_look(struct pat_ext *e, struct pat_ext_row *r);

/* r follows its round no longer: what it did meanwhile is kept and counted.
 * What there is no memory for is not kept, which r tells. */
void pat_ext_echo_leave(struct pat_ext *e, struct pat_ext_row *r);

/* r has left its round, and the last token of its stream is a jump: rounds begin behind it. */
void pat_ext_echo_jumped(struct pat_ext_row *r);

/* r is cut: what it followed is counted, not kept, and it is not looked at any more. */
void pat_ext_echo_give_up(struct pat_ext *e, struct pat_ext_row *r);

#endif
