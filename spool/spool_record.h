/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a record before its contents are used.
 *
 * Unless noted otherwise: Thread: one at a time for one object, any for different ones.  Signal: not safe. */
#ifndef SPOOL_RECORD_H
#define SPOOL_RECORD_H

#include "spool/spool_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is name that of a file with records? Set out if so. Thread: any. */
bool spool_file_name_parse(const char *name, struct spool_name *out);

/* Return NULL if rec (rec->len_bytes are readable) is a whole record of a known type whose strings
 * are inside; otherwise a description of the error. Thread: any.  Signal: safe. */
const char *spool_rec_fault(const struct spool_rec_header *rec);

/* "MMAP", or "unknown". */
const char *spool_rec_name(uint16_t type);

/* Every record but PAD, PIECE, ACCESS and ACCESSES has its time after the header. */
static inline bool spool_rec_has_time(const struct spool_rec_header *rec)
{
    return rec->type != SPOOL_REC_PAD && rec->type != SPOOL_REC_PIECE && rec->type != SPOOL_REC_ACCESS &&
           rec->type != SPOOL_REC_ACCESSES;
}

static inline uint64_t spool_rec_time_ns(const struct spool_rec_header *rec)
{
    return *(const uint64_t *)(const void *)(rec + 1);
}

/* The bytes after the fixed part of a checked record. */
#define SPOOL_REC_TAIL(record) ((const char *)((record) + 1))

#endif
