/* SPDX-License-Identifier: BSD-3-Clause */
/* How the members of one type are accessed: counts, members that are accessed together, cache lines, and the
 * lines that another order of the members would touch.
 *
 * Counts and lines rest on accesses that were seen one after the other: the begin of a translated burst, before it
 * samples single loads, and all of other bursts. A visit is the accesses to one object within one burst. Lines of visits
 * to runs of neighbouring objects are counted as if the run went on (analyse/an_layout_lines.h). For all others bursts are
 * short: members that are accessed together after a burst's end are missed, so that lines per access are lower bounds of
 * the gain. */
#ifndef AN_LAYOUT_H
#define AN_LAYOUT_H

#include "analyse/an_cost.h"
#include "analyse/an_tables.h"

#include <stdbool.h>

enum { AN_LAYOUT_FIELDS_MAX = 64, AN_LAYOUT_LINES_MAX = 64, AN_LAYOUT_UNITS_MAX = 256 };

/* An order of the members that are directly in the type. */
struct an_order {
    uint32_t members[AN_LAYOUT_UNITS_MAX]; /* rows of the layout */
    uint32_t len, hot_len;          /* the first hot_len stay together; the others go elsewhere, if split */
    uint64_t len_bytes, cold_bytes; /* size of an object, and of the part that moves elsewhere */
    bool has_pointer;               /* from the first part to the other; otherwise they have one index */
    double lines;                   /* touched per access */
    bool is_better;                 /* by a tenth at least */
};

struct an_layout {
    uint32_t type, first, len; /* row of types; first row of members, and how many */
    uint32_t *row_of_sample;   /* row of the layout: row of members minus first; UINT32_MAX: another type */
    uint64_t *loads, *stores;  /* by row */
    bool *is_cold;             /* by row: less than 1 % of the accesses */
    uint64_t accesses, visits, samples;
    /* visits whose lines are counted, their accesses, and those to runs of neighbouring objects
     * (analyse/an_layout_lines.h) */
    uint64_t whole_visits, whole_accesses, in_runs;
    double run_len;           /* objects in such a run, on average */
    bool is_array;            /* the objects are elements of arrays */
    double lines, bytes_used; /* touched per access; used of each touched line */
    /* the most accessed rows, and the visits in which two of them were accessed (diagonal: in which one was) */
    uint32_t fields[AN_LAYOUT_FIELDS_MAX], fields_len;
    uint64_t together[AN_LAYOUT_FIELDS_MAX][AN_LAYOUT_FIELDS_MAX];
    struct {
        uint64_t visits, bytes;   /* that touch the line; bytes of it that they use */
    } parts[AN_LAYOUT_LINES_MAX]; /* 64 bytes each from the begin of the object */
    struct an_order order, split;
    bool is_movable; /* a struct or class whose members can be moved */
};

/* Columns that are needed. */
#define AN_LAYOUT_COLUMNS                                                                             \
    (PROF_MASK(member) | PROF_MASK(type_offset) | PROF_MASK(addr) | PROF_MASK(size) | PROF_MASK(op) | \
     PROF_MASK(position) | PROF_MASK(ip) | PROF_MASK(thread) | PROF_MASK(latency_cycles) |            \
     PROF_MASK(latency_valid))

/* keep: samples whose byte is 0 are left out; NULL: none is. Owns: the caller ends out with an_layout_fini,
 * also after a failure. Errors: LS_ERR_NOMEM. */
ls_err an_layout_init(struct an_layout *out, const struct an_input *in, const struct an_tables *t,
                      uint32_t type, const uint8_t *keep);
void an_layout_fini(struct an_layout *l);

/* Nesting of a row: 0 for the type itself. */
uint32_t an_layout_depth(const struct an_layout *l, const struct an_tables *t, uint32_t row);

#endif
