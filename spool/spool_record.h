/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record must look like before anybody looks inside.
 *
 * Unless noted otherwise: Thread: one at a time for one object, any for different ones.  Signal: not
 * safe. */
#ifndef SPOOL_RECORD_H
#define SPOOL_RECORD_H

#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* NULL when rec, of which rec->len_bytes are readable, is a whole record of a known type whose strings lie
 * inside; else what is wrong with it, in words. Thread: any.  Signal: safe. */
const char *spool_rec_fault(const struct spool_rec_header *rec);

/* "MMAP", or "unknown". */
const char *spool_rec_name(uint16_t type);

/* Every record but PAD, PIECE and ACCESS carries its time behind the header. */
static inline bool spool_rec_has_time(const struct spool_rec_header *rec)
{
    return rec->type != SPOOL_REC_PAD && rec->type != SPOOL_REC_PIECE && rec->type != SPOOL_REC_ACCESS;
}

static inline uint64_t spool_rec_time_ns(const struct spool_rec_header *rec)
{
    return *(const uint64_t *)(const void *)(rec + 1);
}

/* The bytes behind the fixed part of a checked record. */
#define SPOOL_REC_TAIL(record) ((const char *)((record) + 1))

#endif
