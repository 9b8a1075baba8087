/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known so far of one site on one home in one thread: its sequence, its counts, and its turns with
 * other rows. */
#ifndef PAT_EXT_ROW_H
#define PAT_EXT_ROW_H

#include "patterns/extract/pat_ext.h"
#include "patterns/extract/pat_ext_counts.h"
#include "patterns/extract/pat_ext_stream.h"

struct pat_ext;
struct pat_ext_row;

/* ---- turns ---- */

/* Do rows of one home take turns? A row has a turn whenever its distance changes: at its first two accesses
 * therefore, and then at the ends of its runs. At its second turn a row gets the one ahead of it, which had
 * its own second turn last by the same distance, and the first of all those that are ahead. From then on its
 * turn k must come after turn k of both, and before their turn k + 1. Where that always holds and the
 * distances are the same, the accesses of the rows alternate in this order at every turn; what is taken for
 * granted is that they do inside a run, too.
 *
 * Rows are followed one at a time, a round of accesses each: the turns of those that others look at, or that
 * look at others, are replayed in the order of the accesses afterwards (enum pat_ext_mark).
 *
 * Zeroed: none yet. */
struct pat_ext_turns {
    struct pat_ext_row *ahead, *first; /* NULL: none, or no longer */
    uint64_t len;                      /* of a row that is seen: those that were replayed */
    uint64_t begin[2];                 /* the accesses of its first two turns, by their number among all */
    int64_t distance;                  /* from its second turn on */
    uint32_t watchers;                 /* of which rows it is ahead or first */
    uint32_t begun;                    /* how many of the first two there were */
};

/* Which row had its second turn last, by thread, home and distance; others may share the slot: they are then
 * not seen to take turns. */
enum { PAT_EXT_TURN_SLOTS = 4096 };
struct pat_ext_last_turns {
    struct pat_ext_row *rows[PAT_EXT_TURN_SLOTS];
};

/* Must its turns be replayed? Does not change while a round is followed. */
static inline bool pat_ext_turns_seen(const struct pat_ext_turns *t)
{
    return t->len <= 2 || t->ahead || t->watchers;
}

/* Access `number` is one, from now on by this distance. False: that is all; true: it must be replayed. */
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

/* A row that does again what it did before (the sweeps of an iterative solver over one matrix, say): from its
 * second round on that is only checked, run by run. A fingerprint of the last 32 runs is compared with the
 * one at an anchor, which moves on each time that twice as many runs have passed (after Brent, "An Improved
 * Monte Carlo Factorization Algorithm", BIT 20, 1980): so a round is noticed after three times its length at
 * most, whenever it begins. While a row follows its last round its runs are neither kept nor counted; they
 * are when it leaves it. */

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

/* ---- rows ---- */

/* What is known so far of one site on one home in one thread. Where there are many, most of the time goes
 * into fetching them: what an access needs that is like the one before is in one cache line. */

/* A home of many small ranges (the nodes of a list) is one pool: indices then run over all of them. It is
 * one when so many changes of the range came within fewer accesses than so many times that. */
enum { PAT_EXT_POOL_SWITCHES = 64, PAT_EXT_POOL_VISIT = 8 };
/* What is farther than this from the first address of a row that has no range to be relative to, is a row of
 * its own: no machine could replay both in one array. */
#define PAT_EXT_AREA_BYTES (UINT64_C(1) << 36)
enum { PAT_EXT_ROW_LINE_BYTES = 64 };

struct pat_ext_row {
    /* one line: an access like the one before */
    _Alignas(PAT_EXT_ROW_LINE_BYTES) uint64_t lo; /* in [lo, hi) around addr row and range stay the same */
    uint64_t hi;
    uint64_t stamp;    /* event up to which lo, hi and the order of accesses hold */
    uint64_t addr;     /* of the last access */
    int64_t distance;  /* to it from the one before */
    uint64_t run;      /* how often that in succession, not yet in the tally and the stream */
    uint64_t line;     /* the last one that was turned to */
    uint32_t len_less; /* bytes of an access, less one */
    bool goes_on;      /* its accesses may wait to be counted (pat_ext_pending.h) */

    /* one line: it is in another line */
    struct pat_ext_echo *echo; /* NULL: not looked for */
    int64_t line_step;
    struct pat_ext_pages pages;
    uint64_t cost_parts;
    uint32_t id; /* among e's rows, as they were made */
    bool is_store, is_begun, is_pool;
    bool is_cut; /* not all accesses are in the stream */

    /* three lines: the distance is another one */
    uint64_t before_run; /* accesses without those of the run, and those that wait */
    uint64_t kept;       /* accesses in the stream */
    uint64_t jumps;      /* of these: the first one and those that do not follow the one before */
    struct pat_ext_stream stream;
    struct pat_ext_tally tally;
    uint64_t far_bytes, far; /* distances of at least so many bytes */
    struct pat_ext_turns turns;
    struct pat_ext_row *other; /* the site's last one before this */

    uint32_t site, thread, home, range;
    uint64_t anchor;          /* the middle of its area */
    uint32_t number;          /* by first access, once the source has ended */
    uint64_t first_access;    /* its number among all */
    uint64_t range_bytes;     /* of the longest range */
    uint64_t offset_gcd;      /* of the offsets in their ranges at which sequences begin */
    uint64_t cross_gcd;       /* of the distances between ranges */
    int64_t *crossings;       /* the distances between ranges, until it is settled whether it is a pool */
    uint32_t switches;        /* of the range, at most PAT_EXT_POOL_SWITCHES */
    bool has_repeats;         /* in the stream: what it has is read more than once */
    bool has_tally_gap;       /* there was no memory to count a distance at all */
    struct pat_ext_row *next; /* of the same site, home and thread */
};

enum { PAT_EXT_ROW_LINES_TURN = 2, PAT_EXT_ROW_LINES_JUMP = 5 }; /* that an access needs, the first ones */
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
