/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of pat_write.c and what they share. */
#ifndef PAT_WRITERS_H
#define PAT_WRITERS_H

#include "patterns/write/pat_write.h"

extern const struct pat_writer pat_writer_json, pat_writer_spatter, pat_writer_gs, pat_writer_gem5;

uint64_t pat_write_max(const struct pat_write_options *o); /* with its default */
void pat_write_note(const struct pat_write_options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "1,2,3" */
void pat_write_indices(const struct pat_indices *p, FILE *out);

#endif
