/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples summed by node, source line, thread, slice of time, kind of access and latency at once: a viewer
 * can filter by any of them and still show the sums that a report prints.
 *
 * Where samples are on a natural domain, their field and place in it are coordinates, too.
 *
 * Bursts without accesses have tiles of the class NO_ACCESS. Each burst has a second time in a tile of the
 * class AN_CLASS_ORIGIN, by the line where it began: for views of code, as an_table has them by origin.
 *
 * Only combinations that occur are kept. Where they are too many the resolution goes down step by step:
 * larger places, longer slices, wider latency bins, then the lines, nodes and threads that cost least are
 * merged. Sums stay complete; merged ones are counted. */
#ifndef AN_TILES_H
#define AN_TILES_H

#include "analyse/an_calls.h"
#include "analyse/an_cost.h"
#include "analyse/an_keys.h"
#include "common/ls_index.h"

/* X(class, words): kind of an access, and how well it is known. The first four are PROF_LEVEL_*. */
#define AN_CLASS_LIST(X)                    \
    X(L1, "L1")                             \
    X(L2, "L2")                             \
    X(L3, "L3")                             \
    X(DRAM, "DRAM")                         \
    X(LEVEL_UNKNOWN, "load, level unknown") \
    X(UNMEASURED, "load without a latency") \
    X(STORE, "store")                       \
    X(OTHER, "other access")                \
    X(NO_ACCESS, "no data (computing)")

#define AN_CLASS_ENUM(id, words) AN_CLASS_##id,
enum an_class { AN_CLASS_LIST(AN_CLASS_ENUM) AN_CLASSES, AN_CLASS_ORIGIN = AN_CLASSES };
#undef AN_CLASS_ENUM
extern const char *const an_class_names[AN_CLASSES];

enum { AN_TILE_SLICES = 64, AN_TILE_BINS_PER_OCTAVE = 4, AN_TILE_NO_BIN = 255 };

struct an_tile {
    uint32_t node, line,
        thread;            /* numbers of the keys; their len: not known; len + 1: merged, for node no data */
    uint32_t slice;        /* slices: not known */
    uint32_t field, place; /* as an_places has them; 0: none */
    uint8_t access;        /* enum an_class */
    uint8_t bin;           /* bin of the latency, AN_TILE_NO_BIN without a measurement */
    uint64_t samples;
    double time_ns, stall_ns;
    double latency_cycles; /* sum of the measured ones */
};

/* The places of samples on natural domains, borrowed. Places of all domains are numbered consecutively. */
enum { AN_PLACE_LEVELS = 8 };
struct an_places {
    const uint32_t *field_of_sample; /* 1 + number of the field; 0: none */
    const uint32_t *place_of_sample; /* 1 + number of the place; 0: none */
    /* by place, the one that represents it where places are twice as long along each axis, four times, ... */
    const uint32_t *coarser[AN_PLACE_LEVELS];
    uint32_t len;
};

/* --- sums by call stack --- */

/* Costs of the samples of one piece of data below one call, or of bursts as a whole. */
struct an_stack {
    uint32_t call;                      /* row of calls; calls_len: no call stack was taken */
    uint32_t node, line, thread, slice; /* as in struct an_tile; a burst has the line where it began */
    bool is_origin;                     /* a burst as a whole, for views of code */
    double time_ns, stall_ns;
};

enum an_stacks_level { AN_STACKS_ALL, AN_STACKS_NO_SLICE, AN_STACKS_NO_LINE, AN_STACKS_NO_THREAD };

/* Calls with too little time are merged into their callers. */
struct an_stacks {
    struct an_call *calls; /* callers before the functions they call; texts are borrowed from the tables */
    uint32_t calls_len;
    struct an_stack *rows; /* sorted by call, is_origin, node, line, thread, slice */
    size_t len;
    enum an_stacks_level level; /* coordinates that are left out (not known), to have fewer rows */
};

struct an_tiles {
    struct an_stacks stacks;
    struct an_keys node, line, thread; /* without the numbers of samples and bursts */
    uint32_t slices;                   /* equal parts of the run */
    uint32_t bins_per_octave; /* bin 0: below 1 cycle; bin b: from 2^((b - 1) / bins_per_octave) cycles on */
    uint32_t lines_folded, nodes_folded, threads_folded;
    uint32_t place_level; /* places are 2^level as long along each axis */
    struct an_places places;
    struct an_tile *tiles; /* sorted by node, line, thread, access, bin, slice, field, place */
    size_t len;
};

/* The latency bin of a measured load. */
uint8_t an_tile_bin(int32_t latency_cycles, uint32_t bins_per_octave);

/* A single sample with the numbers of the tiles' keys; their len: not known. The caller sets sample and
 * addr. */
struct an_tile_row {
    uint64_t sample, addr;
    uint32_t node, line, thread;
    uint32_t place; /* as in the tiles */
    uint8_t access;
    int32_t latency_cycles; /* INT32_MIN without a measurement */
    uint64_t time_ns;
};

/* Sum all samples into tiles; if there are more than about len_max, merge some. Columns needed: as for the
 * dimensions node, line, thread and slice, and op, latency_cycles, latency_valid, level; for call stacks burst.
 * t has the number of slices.
 * Owns:   the caller ends out with an_tiles_fini, also after a failure; out borrows from->places, and texts of
 *         the tables.
 * Errors: LS_ERR_NOMEM. */
struct an_tiles_input {
    const struct an_tables *tables;
    const struct an_input *in;
    const struct an_costs *costs;
    const struct an_places *places; /* NULL: no natural domains */
    size_t len_max, stacks_len_max; /* stacks_len_max 0: no sums by call stack */
    struct an_tile_row *rows;       /* filled in */
    size_t rows_len;
};
ls_err an_tiles_init(struct an_tiles *out, const struct an_tiles_input *from);
/* Owns:   frees the contents of t. */
void an_tiles_fini(struct an_tiles *t);

/* Pick rows of len at random without replacement, all equally likely, in rising order; the seed is fixed.
 * out has room for rows; returns how many were picked: rows, or len when there are fewer. */
size_t an_pick_rows(uint64_t *out, size_t rows, uint64_t len);

/* --- making the sums by call stack --- */

struct an_stacks_sum {
    struct an_stacks *out;
    const struct an_tables *tables;
    const struct an_costs *costs;
    uint32_t *to;     /* by row of the call tree, the row of out->calls */
    double *stall_ns; /* by burst, of its samples */
    size_t room, len_max;
    struct ls_index by_key;
};

/* Choose the calls. Owns: the caller ends s with an_stacks_sum_fini, also after a failure; s borrows all else.
 * Errors: LS_ERR_NOMEM. */
ls_err an_stacks_sum_init(struct an_stacks_sum *s, const struct an_input *in);
void an_stacks_sum_fini(struct an_stacks_sum *s);
/* Add the tile of a sample (its latency, level and place do not matter) or, of class ORIGIN, of a whole burst;
 * all samples come before the bursts.  Errors: LS_ERR_NOMEM. */
ls_err an_stacks_add(struct an_stacks_sum *s, const struct an_tile *t, uint32_t burst);
/* Sort the rows and return true; or, when there are too many, leave out a coordinate, forget all rows and
 * return false: add everything again. */
bool an_stacks_end(struct an_stacks_sum *s);

/* --- fewer tiles ---
 *
 * Fewer tiles: coarser slices and latency bins, and the cheapest keys merged. Keys are ranked by the cost of
 * all samples, which is counted first. So tiles may be coarsened while samples are still being summed, with
 * the same result as afterwards. */

/* The keys of one coordinate. */
struct an_fold_axis {
    double *cost_ns; /* by number */
    uint32_t *to;    /* by number: the number it is merged into */
    uint32_t len;
};
/* How far tiles are coarsened. */
struct an_fold {
    const struct an_tables *tables;
    struct an_fold_axis node, line, thread;
    size_t steps;
};

/* Owns:   the caller ends f with an_fold_fini, also after a failure; f borrows tables.
 * Errors: LS_ERR_NOMEM. */
ls_err an_fold_init(struct an_fold *f, const struct an_tiles *t, const struct an_tables *tables);
void an_fold_fini(struct an_fold *f);
/* Add the cost of a tile to that of its keys. */
void an_fold_count(struct an_fold *f, const struct an_tile *t);
/* Coarsen a tile of full resolution as the tiles of t are. */
void an_fold_tile(const struct an_fold *f, const struct an_tiles *t, struct an_tile *tile);
/* Is nothing left to coarsen? */
bool an_fold_is_done(const struct an_fold *f);

/* Add from's sums to t's. */
void an_tile_add(struct an_tile *t, const struct an_tile *from);
/* Sort t's tiles, and coarsen them until there are at most len_max, or nothing is left to coarsen.
 * Errors: LS_ERR_NOMEM. */
ls_err an_tiles_fold(struct an_tiles *t, struct an_fold *f, size_t len_max);

#endif
