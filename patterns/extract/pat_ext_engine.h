/* SPDX-License-Identifier: BSD-3-Clause */
/* The one pass of extraction: batches of accesses become rows (patterns/extract/pat_ext_row.h) within a
 * budget. */
#ifndef PAT_EXT_ENGINE_H
#define PAT_EXT_ENGINE_H

#include "patterns/extract/pat_ext_arena.h"
#include "patterns/extract/pat_ext_cost.h"
#include "patterns/extract/pat_ext_pending.h"
#include "patterns/extract/pat_ext_published.h"
#include "patterns/extract/pat_ext_ranges.h"
#include "patterns/extract/pat_ext_round.h"
#include "patterns/extract/pat_ext_row.h"
#include "patterns/extract/pat_extract.h"

enum { PAT_EXT_SLAB_LOG2 = 16, PAT_EXT_SLAB_ROWS = (1 << PAT_EXT_SLAB_LOG2) / sizeof(struct pat_ext_row) };

struct pat_ext_thread {
    uint64_t broken;                 /* stamp of its last break */
    uint64_t lines;                  /* that it turned to */
    uint64_t salt;                   /* its lines in the model of costs */
    struct pat_ext_windows *windows; /* published modes */
};

struct pat_ext_slab {
    struct pat_ext_row rows[PAT_EXT_SLAB_ROWS];
};

struct pat_ext {
    const struct pat_extract_options *options; /* with the defaults filled in */
    const struct pat_tables *tables;           /* of the source, at this batch */
    struct pat_ext_arena arena;
    struct pat_ext_budget budget, counts; /* counts: of distances and pages, so that sequences keep room */
    uint64_t held_bytes;                  /* at the end: by rows, and by the sequences made of them */
    struct pat_ext_cost cost;
    struct pat_ext_ranges ranges;
    struct pat_ext_thread *threads;
    size_t threads_len;
    struct pat_ext_slab **slabs;
    size_t slabs_len, slabs_cap, rows_len;
    struct pat_ext_row **found; /* open addressing, by site, home and thread */
    uint8_t found_log2;
    uint64_t now;           /* events so far */
    uint64_t ranges_stamp;  /* of the last birth or death */
    uint64_t kept_max;      /* accesses in one stream */
    uint32_t reclaim_pause; /* calls of pat_ext_reclaim for which it is known to help little */
    struct pat_ext_appearances appearances; /* published modes */
    struct pat_ext_last_turns last_turns;
    struct pat_ext_round round;
    struct pat_ext_pending pending;
    uint64_t accesses, unplaced; /* unplaced: no memory for a row of their own */
    ls_err err;                  /* of what cannot return one */
};

/* options, with all defaults filled in, must outlive e.
 * Owns:   the caller ends e with pat_ext_fini, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_init(struct pat_ext *e, const struct pat_extract_options *options);
void pat_ext_fini(struct pat_ext *e);

/* Errors: LS_ERR_NOMEM; LS_ERR_FORMAT when the batch names rows that the tables do not have. */
ls_err pat_ext_batch(struct pat_ext *e, const struct pat_tables *t, const struct pat_batch *b);

/* The source has ended: what is pending gets its place.  Errors: LS_ERR_NOMEM. */
ls_err pat_ext_end(struct pat_ext *e);

#endif
