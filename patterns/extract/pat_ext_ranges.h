/* SPDX-License-Identifier: BSD-3-Clause */
/* Which range is the innermost living one at an address, and how far around it that is so: callers keep the
 * answer until something in it changes. */
#ifndef PAT_EXT_RANGES_H
#define PAT_EXT_RANGES_H

#include "patterns/pat_access.h"
#include "patterns/extract/pat_ext_home_pages.h"
#include "smrtree/smr_index.h"

enum { PAT_EXT_CHANGES = 64 };

struct pat_ext_change {
    uint64_t stamp, start, end;
};

/* Set up by pat_ext_ranges_init. */
struct pat_ext_ranges {
    struct smr_avl live; /* value: row of the source's ranges */
    smr_index *frozen;   /* of live, NULL: changed since */
    uint64_t looked_up;  /* since the last change */
    struct pat_ext_change changes[PAT_EXT_CHANGES];
    uint64_t changes_len; /* of all that there were */
    struct pat_ext_home_pages pages;
};

/* [lo, hi) around an address where the innermost living range is this one. */
struct pat_ext_spot {
    uint64_t lo, hi;
    uint32_t range; /* PAT_NONE: no range lives here */
};

void pat_ext_ranges_init(struct pat_ext_ranges *r);
void pat_ext_ranges_fini(struct pat_ext_ranges *r, struct pat_ext_budget *b);

/* Row `what` of the tables is born or dies; the source's stamp of this event grows from one to the next.
 * What cannot be (an empty range, a row that is not there) is passed over; living ranges that partly overlap
 * a new one have ended, though nobody said so.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_ext_ranges_event(struct pat_ext_ranges *r, struct pat_ext_budget *b, const struct pat_tables *t,
                            const struct pat_event *event, uint64_t stamp);

/* Errors: LS_ERR_NOMEM is not reported: look-ups are slower then. */
struct pat_ext_spot pat_ext_ranges_find(struct pat_ext_ranges *r, const struct pat_tables *t, uint64_t addr);

/* The same when the innermost living range at addr, or PAT_NONE, is known already. */
struct pat_ext_spot pat_ext_ranges_around(const struct pat_ext_ranges *r, const struct pat_tables *t,
                                          uint64_t addr, uint32_t range);

/* The innermost living ranges at many addresses, PAT_NONE where there is none.
 * Errors: false while there is no index; nothing is looked up. */
bool pat_ext_ranges_bulk(const struct pat_ext_ranges *r, const uint64_t *addrs, size_t len, uint32_t *out);

/* Is it known that nothing in [lo, hi) changed after stamp? */
bool pat_ext_ranges_same(const struct pat_ext_ranges *r, uint64_t stamp, uint64_t lo, uint64_t hi);

#endif
