/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of one or more hand-written sequences, and its patterns.
 *
 * Thread: one at a time for one object. */
#ifndef PAT_PROGRAM_H
#define PAT_PROGRAM_H

#include "patterns/compact/pat_compact.h"

enum { PAT_PROGRAM_ROOM = 1 << 18, PAT_PROGRAM_SITES = 8 };

struct pat_program {
    struct pat_site sites[PAT_PROGRAM_SITES];
    struct pat_module modules[2];
    struct pat_home homes[3];
    struct pat_thread threads[1];
    struct pat_tables tables;
    struct pat_sequence rows[PAT_PROGRAM_SITES];
    struct pat_sequences all;
    struct pat_findings found;
};

/* Homes x, col and an unknown one; loads of 8 bytes; no sequences yet. */
void pat_program_init(struct pat_program *p);
void pat_program_fini(struct pat_program *p);
/* The next sequence, of the site with its number. */
struct pat_sequence *pat_program_sequence(struct pat_program *p);
void pat_program_put(struct pat_sequence *s, int64_t index);
void pat_program_break(struct pat_sequence *s);
/* Compact; the pattern of the first sequence. */
const struct pat_found *pat_program_compact(struct pat_program *p, const struct pat_compact_options *o);

#endif
