/* SPDX-License-Identifier: BSD-3-Clause */
/* Suggestions from the samples of one node: inferred, and to be labelled as inferred. */
#ifndef AN_ADVICE_H
#define AN_ADVICE_H

#include "analyse/an_table.h"

#include <stdbool.h>

enum an_access {
    AN_ACCESS_UNKNOWN,
    AN_ACCESS_REPEATED,
    AN_ACCESS_SEQUENTIAL,
    AN_ACCESS_RUNS, /* consecutive addresses from random positions on, like rows selected by an index */
    AN_ACCESS_STRIDED,
    AN_ACCESS_SORTED, /* ascending or descending addresses at irregular distances, as by sorted indices */
    AN_ACCESS_IRREGULAR
};

struct an_finding {
    enum an_access access;
    uint64_t ip;          /* the costliest instruction of the node's costliest line */
    uint64_t sample;      /* one of its samples */
    double stall_part;    /* that line's share of the node's stall (or of its samples, if nothing stalls) */
    int64_t stride_bytes; /* median distance of its consecutive accesses within bursts */
    double stride_part;   /* part of these distances that equal the median */
    double dram_part;     /* DRAM loads as a part of the node's measured loads */
    double memory_part;   /* part of the node's stall by loads from memory; the rest is from cache */
    double run_len;       /* accesses from one jump to the next on average, jumps_len of these */
    double
        first_part; /* stall after jumps as a part of the stall; estimated for loads that were timed alone */
    uint64_t strides_len, jumps_len;
    double lines_part;     /* new lines as a part of the strides: 1 where each access goes to another line */
    bool has_sorted_jumps; /* jumps go to rising, or to falling, addresses only */
    /* traffic with memory of the bursts that executed ip, NAN where it is not known, and their time */
    double loop_bytes, loop_ns;
};

/* Examine the samples whose group is in [group's subtree], as marked in in_group. lines[i]: number of the source line of
 * sample i, or AN_NO_KEY: then its instruction counts by itself. Columns needed: ip, addr, level.
 * Errors: LS_ERR_NOMEM. */
ls_err an_finding_init(struct an_finding *out, const struct an_input *in, const struct an_costs *costs,
                       const uint8_t *in_group, const uint32_t *lines);

#endif
