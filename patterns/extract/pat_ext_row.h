/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known so far of one site on one home in one thread. Where there are many, most of the time goes
 * into fetching them: what an access needs that is like the one before is in one cache line. */
#ifndef PAT_EXT_ROW_H
#define PAT_EXT_ROW_H

#include "patterns/extract/pat_ext_echo.h"
#include "patterns/extract/pat_ext_pages.h"
#include "patterns/extract/pat_ext_stream.h"
#include "patterns/extract/pat_ext_tally.h"
#include "patterns/extract/pat_ext_turns.h"

#include <stddef.h>

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
