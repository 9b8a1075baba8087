/* SPDX-License-Identifier: BSD-3-Clause */
/* The homes and ranges of one process of a profile, as its samples hit them. Nodes give the addresses of most
 * data; where they do not (a symbol that other processes have elsewhere, a stack), the samples do. */
#ifndef PAT_RUN_RANGES_H
#define PAT_RUN_RANGES_H

#include "patterns/source/pat_collect.h"
#include "run_h5/prof_reader.h"

struct pat_run_range {
    uint64_t start, end, born_ns, died_ns;
    uint32_t node, row; /* row in /nodes, row in the source's table of ranges */
    bool is_reported;   /* range given by the node, not derived from samples */
    bool is_living;
};

/* All zero: empty. */
struct pat_run_ranges {
    struct pat_run_range *rows; /* by born_ns */
    size_t len, room, born;     /* number of ranges that are or were living */
    struct pat_intern homes;    /* homes of the run */
};

/* Bursts of one process: indices into bursts. */
struct pat_run_part {
    const struct prof_node *nodes;
    size_t nodes_len;
    const struct prof_burst *bursts;
    const uint32_t *order;
    size_t order_len;
    const struct prof_samples *samples;
};

/* Begin a process: its ranges replace the previous ones; its homes and rows of ranges join c's tables.
 * Errors: LS_ERR_NOMEM, LS_ERR_RANGE. */
ls_err pat_run_ranges_of(struct pat_run_ranges *r, const struct pat_run_part *part, struct pat_collect *c);

/* Report to c the births of ranges until born_ns and the deaths until died_ns. Both UINT64_MAX, after
 * everything else was reported: the process ends.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_run_ranges_events(struct pat_run_ranges *r, uint64_t born_ns, uint64_t died_ns,
                             struct pat_collect *c);
void pat_run_ranges_fini(struct pat_run_ranges *r);

#endif
