/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of run_h5/prof_reuse.h: bursts, loops, nodes, and the use that a loop makes of a node. */
#ifndef PROF_REUSE_PARTS_H
#define PROF_REUSE_PARTS_H

#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "run_h5/prof_cost.h"

enum {
    PROF_REUSE_ITEMS = 16,   /* pairs of instruction and node that identify the loop of a burst */
    PROF_REUSE_PAGE_BITS = 6 /* lines of a page, as a power of two */
};

/* A sample in its burst. */
struct prof_reuse_point {
    uint64_t ip, addr, line;
    uint32_t node, position;
    bool is_listed, is_new,
        is_dirtied; /* the last two: first access, first store to the line among the listed ones */
};

/* Translated bursts, in order of time. */
struct prof_reuse_burst {
    const struct prof_burst *burst;
    struct prof_cost_samples samples;
    uint64_t listed;
    double instructions; /* that the listed accesses go over */
    double cycles;       /* TSC, that the burst represents */
    double represented;  /* instructions; 0: its pace is not known, until prof_reuse_fill_represented */
    uint32_t loop;
    uint32_t items[PROF_REUSE_ITEMS], counts[PROF_REUSE_ITEMS], items_len;
};

struct prof_reuse_loop {
    uint64_t ip;        /* the lowest one */
    double represented; /* instructions */
    double sweeps;      /* through its walks, an instruction */
    double lines;       /* touched anew, an instruction */
    double part;        /* its cycles, as a part of all cycles */
    size_t first, len;  /* its bursts, in by_loop */
};

struct prof_reuse_node {
    double lines; /* 0: not used */
    uint64_t low;
    double range;                 /* lines from low on */
    bool is_counted;              /* the lines are, not estimated by pages or the range */
    double sweeps;                /* by all loops, while it lives */
    bool is_rough;                /* its traffic is */
    uint32_t first, last, bursts; /* the first and the last one, and their number */
    size_t uses, uses_len;
};

/* A loop's use of a node. */
struct prof_use {
    uint32_t loop, node;
    double xx, xy, yy; /* sums of squares of position and line within pairs of a burst */
    double points, pairs;
    /* represented accesses: all listed, to lines that are new in the burst, and stores that make a line dirty */
    double accesses, fresh, stores;
    /* sums over bursts: twice the distance of the quartiles of its lines, and its part of a range by chance */
    double span, spans;
    double rate;            /* sweeps a second, from the places in successive bursts; 0: not known */
    uint64_t stride_bytes;  /* between successive accesses of one instruction, if several lines; 0: none */
    double strided, bursts; /* bursts that have the stride, and all */
    double speed;           /* lines an instruction, 0: not a walk */
    double touched;         /* lines that it touches anew, represented */
    double trailing;        /* lines that another stream of the walk touched too long ago, represented */
    double sweeps;          /* visits to each of its lines while the node lives */
    double frequency;       /* sweeps per instruction of the program */
    double dirty;           /* part of the visits that store */
    bool is_random, is_comb;
    /* gaps before its visits: since any visit to the line, and since one that stored */
    size_t gaps, gaps_len, store_gaps, store_gaps_len;
};

/* A part of the visits comes after a time, in instructions, that is spread evenly from low to high. */
struct prof_reuse_gap {
    double part, low, high;
};

struct prof_reuse {
    LS_VECTOR(struct prof_reuse_burst) bursts;
    LS_VECTOR(struct prof_use) uses;
    struct prof_reuse_loop *loops;
    size_t loops_len;
    uint32_t *order; /* loops, by address */
    LS_VECTOR(struct prof_reuse_gap) gaps;
    uint64_t *lines; /* scratch, for the samples of a burst */
    struct prof_reuse_node *nodes;
    size_t nodes_len;
    double *until;      /* instructions before each burst, and all */
    uint32_t *by_loop;  /* bursts, by loop */
    double *loop_until; /* instructions of the loop up to and with each of by_loop */
    struct ls_index use_by_key;
};

/* The points of a burst by instruction and node; room for its samples. Return how many have a node. */
size_t prof_reuse_points(const struct prof_reuse_burst *b, struct prof_reuse_point *out);
/* Return how many points from the first one on have its instruction and node. */
size_t prof_reuse_group(const struct prof_reuse_point *p, size_t len);

/* Return the instructions of a loop in the bursts from `from` to before `to`. */
double prof_reuse_loop_between(const struct prof_reuse *r, uint32_t loop, size_t from, size_t to);

/* Return the bytes between the first accesses of one instruction, where they are several lines and the same each time, and 0 elsewhere. */
uint64_t prof_reuse_stride(const struct prof_reuse_point *p, size_t len);
/* Sort the lines of points into r->lines. */
void prof_reuse_sort_lines(const struct prof_reuse *r, const struct prof_reuse_point *p, size_t len);
/* Return the line, above the first one, below which a part of the sorted lines is. */
double prof_reuse_quantile(const struct prof_reuse *r, size_t len, double part);

/* Find the sweeps of each loop, and the walks that are combs; judge the walks before. points: room for a burst.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_reuse_find_sweeps(struct prof_reuse *r, struct prof_reuse_point *points, double cache_lines);

/* Find the gaps before the visits of each use that is not random. Errors: LS_ERR_NOMEM. */
ls_err prof_reuse_find_gaps(struct prof_reuse *r);
/* Return the part of u's visits whose gap is longer than t; only_stores: the gap since a store. */
double prof_reuse_part_after(const struct prof_reuse *r, const struct prof_use *u, double t,
                             bool only_stores);
/* Return the probability that no visit came to a line of n within t, at a random time. */
double prof_reuse_untouched(const struct prof_reuse *r, const struct prof_reuse_node *n, double t);

/* Find the lines of each node, and its first and last burst. Errors: LS_ERR_NOMEM. */
ls_err prof_reuse_find_nodes(struct prof_reuse *r);

/* Find the loop of each burst. Errors: LS_ERR_NOMEM. */
ls_err prof_reuse_find_loops(struct prof_reuse *r, struct prof_reuse_point *points);
/* Is sample i of a burst the first access, or the first store, to its line? */
bool prof_reuse_is_first(const struct prof_cost_samples *s, uint64_t i, bool only_stores);

/* Let bursts without a pace represent as many instructions a cycle as the others of their loop together, or as all
 * bursts where the loop has no pace at all. Where this leaves less than half of the time in which the listed lines arrive, the pace is
 * that of other code, and the lines alone count. A loop without any pace is rare, so that its lines come from the level that holds
 * all data of the program. Errors: LS_ERR_NOMEM. */
ls_err prof_reuse_fill_represented(struct prof_reuse *r, const struct prof_cost_model *m);

#endif
