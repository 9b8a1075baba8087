/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory traffic by groups of samples, estimated from translated bursts (run_h5/prof_cost.h).
 *
 * Thread: any.  Signal: not safe. */
#ifndef AN_TRAFFIC_H
#define AN_TRAFFIC_H

#include "analyse/an_bootstrap.h"

enum {
    AN_TRAFFIC_ROWS = 100,
    AN_TRAFFIC_BURSTS_MIN = 16 /* with fewer, twice the standard error is more than a half */
};

struct an_traffic_row {
    uint32_t group;
    struct an_interval part; /* share of all bytes; NAN: not known, it rests on too few bursts */
    size_t bursts;           /* that have accesses to it */
    bool is_rough;           /* most of its bytes may be off by a factor of 2 */
};

struct an_traffic {
    double bytes, low, high; /* sum over all samples; low and high NAN with fewer than AN_BURSTS_MIN bursts */
    struct an_traffic_row rows[AN_TRAFFIC_ROWS]; /* by bytes, largest first; each has at least 1 % */
    size_t rows_len;
};

/* group_of_sample: below groups_len, or no group. costs->moved_bytes may be NULL: no traffic is known.
 * Errors: LS_ERR_NOMEM. */
ls_err an_traffic_init(struct an_traffic *out, const struct an_input *in, const struct an_costs *costs,
                       const an_bootstrap *b, const uint32_t *group_of_sample, uint32_t groups_len);

#endif
