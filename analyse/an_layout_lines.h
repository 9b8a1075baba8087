/* SPDX-License-Identifier: BSD-3-Clause */
/* Visits to the objects of a type, and the cache lines that they touch in an order of its members.
 *
 * A visit is the accesses to one object within one burst. Objects of a burst that are neighbours in memory form a
 * run; a run of many objects is a sweep. The lines of a visit within a run are counted as if a run of typical length
 * continued beyond the ends of the burst, so that a line that several objects share counts once for all of them. All
 * other visits, as to random objects, are counted by the distinct lines that they touch within their burst. */
#ifndef AN_LAYOUT_LINES_H
#define AN_LAYOUT_LINES_H

#include "common/ls_index.h"
#include "common/ls_vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AN_LAYOUT_LINE_BYTES = 64, AN_POINTER_BYTES = 8 };

/* An access to the type; rows of the layout. */
struct an_touch {
    uint64_t object, offset_bytes, len_bytes, at; /* at: its number in the burst */
    uint64_t unit_offset_bytes;
    uint32_t row, unit; /* unit: the row directly in the type */
};

/* Bytes of a unit that a visit accesses. */
struct an_piece {
    uint64_t from, to;
    uint32_t unit;
};

struct an_shape {
    uint32_t first, len; /* pieces */
    uint64_t bytes;
};

/* Visits of one shape in a run whose objects lie `step` objects apart. */
struct an_swept {
    uint32_t shape, step, walk;
    uint64_t visits;
};

/* A visit outside of runs. */
struct an_single {
    uint64_t object;
    uint32_t shape, burst;
};

/* Steps to a neighbour and jumps elsewhere, of all bursts that walk alike in one function. */
struct an_walk {
    uint64_t steps, jumps;
    uint32_t step, votes; /* the most frequent step, by majority */
};

struct an_visits {
    LS_VECTOR(struct an_piece) pieces;
    LS_VECTOR(struct an_shape) shapes;
    LS_VECTOR(struct an_swept) swept;
    LS_VECTOR(struct an_single) singles;
    LS_VECTOR(struct an_walk) walks;
    LS_VECTOR(uint64_t) lines; /* scratch */
    struct ls_index shape_by_hash, swept_by_key, walk_by_key;
    uint64_t len, accesses;  /* visits, and their accesses */
    uint64_t in_runs, bytes; /* visits in runs; bytes that all visits use */
    /* distances between objects of a burst; multiples of the size among them, and the size itself */
    uint64_t gaps, whole_gaps, next_gaps;
    uint64_t len_bytes; /* size of an object */
    uint64_t
        base; /* address of an object modulo the largest power of two that divides the size, at most a line */
};

/* Where the members of an order are. */
struct an_places {
    const uint64_t *of_unit;  /* by row: begin in its part */
    const bool *is_elsewhere; /* by row: in the other part */
    uint64_t len_bytes, elsewhere_bytes;
    bool has_pointer; /* the last member of the first part leads to the other one */
};

/* The accesses of a burst that follow each other, by object and offset. */
struct an_touches {
    const struct an_touch *rows;
    size_t len;
    uint64_t code; /* the same for bursts in one function */
    uint32_t burst;
};

/* Take the typical walks from a burst; call it for all bursts before the first an_visits_add.
 * Errors: LS_ERR_NOMEM. */
ls_err an_visits_learn(struct an_visits *v, const struct an_touches *t);
/* Add the visits of a burst.  Errors: LS_ERR_NOMEM. */
ls_err an_visits_add(struct an_visits *v, const struct an_touches *t);
void an_visits_fini(struct an_visits *v);

/* Are the objects elements of arrays, which an index finds? */
bool an_visits_are_in_arrays(const struct an_visits *v);
/* Objects in a run on average, over the visits in runs; 1 without any. */
double an_visits_run_len(const struct an_visits *v);

/* The lines that all visits touch.  Errors: LS_ERR_NOMEM. */
ls_err an_visits_lines(struct an_visits *v, const struct an_places *p, double *out);

#endif
