/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache lines that several threads touch and one of them writes, inferred from addresses: without a PMU it is
 * unknown which accesses found the line modified in another core's cache.
 *
 * Two threads share a line when one writes to it, the other touches it, and each does so while the other
 * still does: a burst of one is between bursts of the other. (Memory that one thread hands to the next, or
 * frees and another gets, is not shared.) The sharing is true where they touch the same bytes, false where
 * they do not. */
#ifndef AN_SHARING_H
#define AN_SHARING_H

#include "analyse/an_cost.h"
#include "analyse/an_tables.h"

enum { AN_CACHE_LINE_BYTES = 64 };
enum an_sharing_kind { AN_SHARING_FALSE, AN_SHARING_TRUE, AN_SHARING_BOTH };

/* Accesses of one thread by one instruction's line to the same bytes. */
struct an_shared_use {
    uint32_t thread;
    uint32_t line; /* row of the table of lines, UINT32_MAX: not known */
    uint8_t offset_bytes, len_bytes;
    uint64_t reads, writes;
};

struct an_shared_line {
    uint64_t base;
    uint32_t process;
    uint32_t node, node_last; /* nodes of its first and of its last touched byte */
    enum an_sharing_kind kind;
    uint32_t threads;
    uint64_t reads, writes, bursts;
    size_t first_use, uses_len; /* in uses, by offset, thread */
};

struct an_sharing {
    struct an_shared_line *lines; /* in no order that matters */
    uint32_t lines_len;
    struct an_shared_use *uses;
    size_t uses_len;
    uint32_t *row_of_sample; /* row of lines, UINT32_MAX: the sample is in none */
    uint64_t unclear;        /* lines that several threads touched and one wrote, but not at the same time */
};

/* Columns needed: addr, size, op, thread, node, ip. keep: samples whose byte is 0 are left out; NULL: none
 * is. Owns:   the caller ends out with an_sharing_fini, also after a failure. Errors: LS_ERR_NOMEM. */
ls_err an_sharing_init(struct an_sharing *out, const struct an_input *in, const struct an_tables *t,
                       const uint8_t *keep);
/* Owns:   frees the contents of s. */
void an_sharing_fini(struct an_sharing *s);

#endif
