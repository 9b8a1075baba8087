/* SPDX-License-Identifier: BSD-3-Clause */
/* Patterns as extraction would find them in a program, made by hand. */
#ifndef FOUND_FIXTURE_H
#define FOUND_FIXTURE_H

#include "patterns/compact/pat_found.h"

/* Rows of found_fixture, in the order of findings. */
enum {
    FOUND_GATHER,  /* x through col: 3 rows of a band matrix, exact, count 4, delta 3 */
    FOUND_TURNS,   /* a list of deltas: columns of a matrix, again and again */
    FOUND_BACK,    /* delta below 0 */
    FOUND_FIELD,   /* the first field of structures of 24 bytes */
    FOUND_RANDOM,  /* 3000 indices of a hash table, full */
    FOUND_SCATTER, /* a histogram: stores of 4 bytes, nothing known of names */
    FOUND_LEN
};

/* Owns:   the caller ends f with pat_findings_fini. Stops the test without memory. */
void found_fixture(struct pat_findings *f);

#endif
