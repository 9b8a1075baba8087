/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the accesses of an ACCESSES record the stack of a STACK_DIFF record and the site of a SITE_DIFF
 * record (spool_pack.h). The bytes are untrusted.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef SPOOL_UNPACK_H
#define SPOOL_UNPACK_H

#include "common/ls_span.h"
#include "spool/spool_pack.h"

struct spool_unpack {
    struct spool_accesses head; /* accesses_len counts down to 0 */
    struct spool_pack pack;
    struct ls_cursor bytes; /* borrowed from the record */
};

/* rec is a checked record. */
void spool_unpack_begin(struct spool_unpack *u, const struct spool_accesses *rec);
/* The next access as an ACCESS record; false: the bytes are damaged. Some must be left. */
bool spool_unpack_next(struct spool_unpack *u, struct spool_access *out);

struct spool_whole_stack {
    struct spool_stack head;
    uint8_t bytes[SPOOL_STACK_LEAF_BYTES];
};
enum spool_unpacked {
    SPOOL_UNPACKED,
    SPOOL_UNPACKED_MISSING, /* a record before it */
    SPOOL_UNPACKED_DAMAGED
};
/* rec is a checked record; last is the state after the records of its stream before it, all zero at first. */
enum spool_unpacked spool_unpack_stack(struct spool_stack_pack *last, const struct spool_stack_diff *rec,
                                       struct spool_whole_stack *out);

struct spool_whole_site {
    struct spool_site head;
    uint64_t frames[SPOOL_PACK_FRAMES]; /* innermost first */
};
/* The same for sites. */
enum spool_unpacked spool_unpack_site(struct spool_site_pack *last, const struct spool_site_diff *rec,
                                      struct spool_whole_site *out);

#endif
