/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the accesses of a burst as ACCESSES records, and stacks as STACK_DIFF, sites as SITE_DIFF
 * (spool_pack.h).
 *
 * Thread: the owner of w.  Signal: safe; errno is kept. */
#ifndef SPOOL_PACKER_SIGSAFE_H
#define SPOOL_PACKER_SIGSAFE_H

#include "spool/spool_pack.h"
#include "spool/spool_put_sigsafe.h"

enum { SPOOL_PACKER_BYTES = 2048 };

struct spool_packer {
    struct spool_writer *w;
    struct spool_accesses head;
    struct spool_pack pack;
    uint8_t bytes[SPOOL_PACKER_BYTES];
};

/* Begin the record of a burst that took tsc_cycles for `instructions`. */
void spool_packer_begin(struct spool_packer *p, struct spool_writer *w, uint64_t tsc_cycles,
                        uint32_t instructions);
/* r->tsc_delta is spool_pack_tsc_delta of its position. */
void spool_packer_add(struct spool_packer *p, uint16_t flags, const struct spool_access *r);
/* Write the accesses that were added since the last record. */
void spool_packer_end(struct spool_packer *p);

/* Zero at first. */
struct spool_stack_packer {
    struct spool_stack_pack last;
    uint32_t tid, stream; /* stream to which `last` belongs */
    uint32_t left;        /* records until the next complete one, so that damage affects few records */
};

/* Write a stack of s->bytes_len bytes, at most SPOOL_STACK_LEAF_BYTES, without links. False: dropped and counted. */
bool spool_packer_put_stack(struct spool_stack_packer *p, struct spool_writer *w, const struct spool_stack *s,
                            const void *bytes);

/* Zero at first. */
struct spool_site_packer {
    struct spool_site_pack last;
    uint32_t stream; /* number of the thread's stream to which `last` belongs; 0: none */
    uint8_t bytes[SPOOL_PACK_SITE_MOST_BYTES];
};

/* Write a site as SITE_DIFF; as SITE if it has more than SPOOL_PACK_FRAMES frames. frames: innermost first. stream counts the
 * streams of the thread, from 1. False: dropped and counted. */
bool spool_packer_put_site(struct spool_site_packer *p, struct spool_writer *w, uint32_t stream,
                           const struct spool_site *s, const uint64_t *frames);

#endif
