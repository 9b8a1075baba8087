/* SPDX-License-Identifier: BSD-3-Clause */
/* A pattern as comparison sees it, wherever it comes from: a name, what it does, and its accesses. */
#ifndef PAT_COMPARE_ITEM_H
#define PAT_COMPARE_ITEM_H

#include "patterns/compare/pat_compare_resample.h"

/* Patterns of different kinds are not compared: their distance is 1. */
enum pat_kind { PAT_KIND_READS, PAT_KIND_WRITES, PAT_KIND_BOTH };

enum { PAT_BLOCK_LENS = 7 /* 16 to 1024 */ };

struct pat_item {
    char *name; /* for people */
    char *key;  /* what tells it in another run: the place in the program and the data; "" for none */
    char *thread;
    enum pat_kind kind;
    uint32_t threads;         /* that do this */
    double share;             /* of the cost of everything; NAN: not known */
    uint32_t input;           /* number of the file it is from */
    struct pat_walk walks[2]; /* what is read and what is written of PAT_KIND_BOTH */
    size_t walks_len;
    struct pat_sketch *sketches[2][PAT_BLOCK_LENS]; /* made when first needed */
};

struct pat_items {
    struct pat_item *rows;
    size_t len;
};

/* Kind and accesses of a new item are those of c, which must outlive it.
 * Errors: those of pat_walk_config. */
ls_err pat_item_set_config(struct pat_item *item, const struct pat_config *c);

/* The items of a suite, one a configuration. The key is what it was found as, its name where that is not
 * told.
 * Owns:   the caller ends *out with pat_items_fini; s must outlive it.
 * Errors: LS_ERR_NOMEM, those of pat_walk_config; *out is then empty. */
ls_err pat_items_of_suite(const struct pat_suite *s, struct pat_items *out);
void pat_items_fini(struct pat_items *items);

/* Room for one more item, all zero but its texts, which are copied.
 * Owns:   items; *out until the next one.  Errors: LS_ERR_NOMEM. */
ls_err pat_items_add(struct pat_items *items, const char *name, const char *key, struct pat_item **out);

/* Move all items of from behind those of to, as from input number `input`.
 * Owns:   to; from is empty afterwards.  Errors: LS_ERR_NOMEM; both are then unchanged. */
ls_err pat_items_move(struct pat_items *from, struct pat_items *to, uint32_t input);

/* Distance at the block length that suits both; of PAT_KIND_BOTH the mean of reading and writing.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_item_distance(struct pat_item *a, struct pat_item *b, double *out);

struct pat_item_comparison {
    struct pat_comparison total; /* of both sides: means, and twice the smaller p-value */
    bool same;                   /* the same accesses */
};

/* The same with what it is worth. a and b are of one kind.
 * Errors: LS_ERR_NOMEM; *out is then unchanged. */
ls_err pat_item_compare(const struct pat_item *a, const struct pat_item *b, uint64_t seed,
                        struct pat_item_comparison *out);

#endif
