/* SPDX-License-Identifier: BSD-3-Clause */
/* A row: everything recorded so far of one site on one home in one thread: its sequence, its counts, and its
 * turns with other rows. */
#ifndef PAT_EXT_ROW_H
#define PAT_EXT_ROW_H

#include "patterns/extract/pat_ext.h"
#include "patterns/extract/pat_ext_counts.h"
#include "patterns/extract/pat_ext_stream.h"

struct pat_ext;
struct pat_ext_row;

/* ---- turns ---- */

/* Detects rows of one home that take turns. A row has a turn whenever its distance changes: therefore at its
 * first two accesses, and then at the ends of its runs. At its second turn a row is linked to the row ahead
 * of it (the last one that had its second turn with the same distance), and to the first of all rows ahead.
 * From then on its turn k must come after turn k of both, and before their turn k + 1. If that always holds
 * and the distances are the same, the accesses of the rows alternate in this order at every turn; it is
 * assumed that they also do inside a run.
 *
 * Rows are followed one at a time, a buffer of accesses each: the turns of linked rows are replayed in the
 * order of the accesses afterwards (enum pat_ext_mark).
 *
 * Zeroed: no turns yet. */
struct pat_ext_turns {
    struct pat_ext_row *ahead, *first; /* NULL: none, or no longer linked */
    uint64_t len;                      /* turns so far; in a linked row: turns replayed so far */
    uint64_t begin[2];                 /* numbers among all accesses of the first two turns */
    int64_t distance;                  /* the distance from the second turn on */
    uint32_t watchers;                 /* number of rows that have this one as ahead or first */
    uint32_t begun;                    /* how many of the first two turns have occurred */
};

/* The row that had its second turn last, by thread, home and distance. On a hash collision the turns of the
 * rows are not detected. */
enum { PAT_EXT_TURN_SLOTS = 4096 };
struct pat_ext_last_turns {
    struct pat_ext_row *rows[PAT_EXT_TURN_SLOTS];
};

/* Return whether its turns must be replayed. Does not change while the accesses of one buffer are followed. */
static inline bool pat_ext_turns_seen(const struct pat_ext_turns *t)
{
    return t->len <= 2 || t->ahead || t->watchers;
}

/* Take a turn at access `number`, with this distance from now on. Return whether the turn must be
 * replayed. */
static inline bool pat_ext_turns_take(struct pat_ext_turns *t, uint64_t number, int64_t distance)
{
    if (t->begun < 2) {
        t->begin[t->begun++] = number;
        t->distance = distance;
    }
    if (pat_ext_turns_seen(t)) return true;
    t->len++;
    return false;
}

/* ---- rounds that repeat ---- */

/* A row that repeats itself (such as the sweeps of an iterative solver over one matrix): from its second
 * round on it is only verified, run by run. A fingerprint of the last 32 runs is compared with the one at an
 * anchor, which moves on each time that twice as many runs have passed (after Brent, "An Improved Monte
 * Carlo Factorization Algorithm", BIT 20, 1980): so a round is noticed after at most three times its length,
 * wherever it begins. While a row repeats its round, its runs are neither kept nor counted; that happens
 * when it leaves the round. */

/* Rows with fewer accesses are not checked: that would cost more than it saves. */
enum { PAT_EXT_REPETITION_ACCESSES = 1 << 16 };

struct pat_ext_repetition {
    struct pat_ext_token next;    /* the predicted run; count 0: the row repeats no round */
    bool is_closed;               /* a round ends at the address where it began: no new lines are touched */
    struct pat_ext_reader reader; /* positioned after next */
    uint64_t at;                  /* number of next within the round */
    uint64_t period;              /* runs in a round */
    uint64_t tokens, accesses;    /* predicted correctly since the row began to repeat */
    uint64_t spared;              /* accesses in repeats, which take no space in the stream */
    uint64_t most, round;         /* accesses of the longest one, and accesses of one round of it */
    bool was_full;                /* that one had at least one full round; otherwise none had */

    uint64_t begun;               /* accesses kept before detection began */
    uint64_t print;               /* fingerprint of the last runs */
    uint64_t anchor;              /* fingerprint at the anchor */
    struct pat_ext_position from; /* the stream position after the anchor */
    uint64_t since, limit;        /* runs since the anchor; number at which the anchor moves on */
    uint64_t moved;               /* bytes since the anchor, modulo 2^64 */
};

void pat_ext_repetition_free(struct pat_ext *e, struct pat_ext_repetition *repetition); /* NULL-safe */

/* Return whether r made its current run, as far as it goes, at the same addresses one round ago. */
static inline bool pat_ext_repetition_knows(const struct pat_ext_repetition *repetition, int64_t distance,
                                            uint64_t run)
{
    return repetition && repetition->is_closed && distance == repetition->next.distance &&
           run <= repetition->next.count;
}

/* End a run. Return true if it was predicted: it then needs neither to be kept nor counted. */
bool pat_ext_repetition_takes(struct pat_ext_repetition *repetition, int64_t distance, uint64_t run);

/* Note runs while the row repeats no round, up to the first one after which pat_ext_repetition_look must be called.
 * Returns how many, 1 at least. */
size_t pat_ext_repetition_note(struct pat_ext_repetition *repetition, struct pat_ext_runs runs);

/* Check whether the last run noted, which is now in r's stream, ends a round.
 * Owns:   r, whose repetition is allocated if it has none.  Without memory no round is noticed. */
void pat_ext_repetition_look(struct pat_ext *e, struct pat_ext_row *r);

/* End the repetition of r: keep and count the accesses since it began. If they do not fit, they are counted
 * but not kept, and r->is_cut is set. */
void pat_ext_repetition_leave(struct pat_ext *e, struct pat_ext_row *r);

/* Restart detection after a jump, which is the last token of the stream of r, which has left its round. */
void pat_ext_repetition_jumped(struct pat_ext_row *r);

/* Stop detection because r is cut: count the repeated accesses without keeping them. */
void pat_ext_repetition_give_up(struct pat_ext *e, struct pat_ext_row *r);

/* ---- rows ---- */

/* With many rows, most of the time is spent on fetching them: all fields for an access that continues a run
 * are in one cache line. */

/* A home of many small ranges (the nodes of a list) is one pool: indices then run over all of them. It is a
 * pool if POOL_SWITCHES changes of the range occur within fewer than POOL_SWITCHES * POOL_VISIT accesses. */
enum { PAT_EXT_POOL_SWITCHES = 64, PAT_EXT_POOL_VISIT = 8 };
/* In a row without a range to be relative to, addresses farther than this from the first one get a separate
 * row: no machine could replay both in one array. */
#define PAT_EXT_AREA_BYTES (UINT64_C(1) << 36)
enum { PAT_EXT_ROW_LINE_BYTES = 64 };

/* A distance between ranges of one home, and the weight of the access. */
struct pat_ext_crossing {
    int64_t distance;
    uint32_t weight;
};

struct pat_ext_row {
    /* first cache line: an access that continues a run */
    _Alignas(PAT_EXT_ROW_LINE_BYTES) uint64_t lo; /* within [lo, hi) around addr, row and range stay the
                                                     same */
    uint64_t hi;
    uint64_t stamp;    /* event up to which lo, hi and the order of accesses are valid */
    uint64_t addr;     /* address of the last access */
    int64_t distance;  /* distance from the previous access to the last one */
    uint64_t run;      /* length of the current run, not yet in the tally and the stream */
    uint64_t line;     /* the last line accessed */
    uint32_t len_less; /* bytes of an access, less one */
    bool goes_on;      /* its accesses may be pending (struct pat_ext_pending) */

    /* second cache line: an access to another line */
    struct pat_ext_repetition *repetition; /* NULL: not checked for repeats */
    int64_t line_step;
    struct pat_ext_pages pages;
    uint64_t cost_parts;
    uint32_t id; /* number among e's rows, in the order of creation */
    bool is_store, is_begun, is_pool;
    bool is_cut; /* the stream lacks accesses */

    /* three cache lines: an access at another distance */
    uint64_t before_run; /* accesses, without the current run and pending ones */
    uint64_t kept;       /* accesses in the stream */
    uint64_t jumps;      /* kept accesses that do not follow the previous one, including the first */
    struct pat_ext_stream stream;
    struct pat_ext_tally tally;
    uint64_t far_bytes, far; /* far: number of distances of at least far_bytes, by weight */
    struct pat_ext_turns turns;
    struct pat_ext_row *other; /* the site's previous row */

    uint32_t site, thread, home, range;
    uint64_t anchor;       /* the middle of its area */
    uint32_t number;       /* rank by first access, set when the source has ended */
    uint64_t first_access; /* its number among all accesses */
    uint64_t range_bytes;  /* length of the longest range */
    uint64_t offset_gcd;   /* GCD of the offsets at which sequences begin in their ranges */
    uint64_t cross_gcd;    /* GCD of the distances between ranges */
    struct pat_ext_crossing
        *crossings;           /* the distances between ranges, until it is decided whether the home is a
                                 pool */
    uint32_t switches;        /* changes of the range, at most PAT_EXT_POOL_SWITCHES */
    bool has_repeats;         /* the stream has repeats: parts of it are read more than once */
    bool has_tally_gap;       /* there was not even memory to count one distance */
    struct pat_ext_row *next; /* another row of the same site, home and thread */

    /* set if the source has weights */
    uint64_t weighted; /* before_run by weight */
    uint32_t weight;   /* each access of the current run has it */
};

enum {
    PAT_EXT_ROW_LINES_TURN = 2,
    PAT_EXT_ROW_LINES_JUMP = 5
}; /* number of leading cache lines that an
                                                                    access needs */
_Static_assert(offsetof(struct pat_ext_row, before_run) == PAT_EXT_ROW_LINES_TURN * PAT_EXT_ROW_LINE_BYTES,
               "lines");
_Static_assert(offsetof(struct pat_ext_row, site) <= PAT_EXT_ROW_LINES_JUMP * PAT_EXT_ROW_LINE_BYTES,
               "lines");

/* The address of the last byte of an access at addr. */
static inline uint64_t pat_ext_last_byte(const struct pat_ext_row *r, uint64_t addr)
{
    const uint64_t last = addr + r->len_less;
    return last < addr ? addr : last;
}

static inline uint64_t pat_ext_row_accesses(const struct pat_ext_row *r)
{
    return r->before_run + r->run;
}

#endif
