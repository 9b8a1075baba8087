/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples as MemAxes (github.com/LLNL/MemAxes) reads them: a CSV file of loads with a latency. Its reader splits at
 * every comma and takes numbers only, so names have none, and loads without a measured latency are left out. */
#ifndef PROF_MEMAXES_H
#define PROF_MEMAXES_H

#include "run_h5/prof_reader.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PROF_MEMAXES_COLUMNS                                                                       \
    (PROF_MASK(thread) | PROF_MASK(ip) | PROF_MASK(time_ns) | PROF_MASK(node) | PROF_MASK(phase) | \
     PROF_MASK(op) | PROF_MASK(latency_cycles) | PROF_MASK(latency_valid) | PROF_MASK(level) |     \
     PROF_MASK(source) | PROF_MASK(snoop) | PROF_MASK(cpu) | PROF_MASK(numa) | PROF_MASK(element))

extern const char prof_memaxes_head[]; /* the first line, with its end */

struct prof_memaxes_row {
    const char *variable;         /* label of the node */
    const struct prof_line *line; /* NULL: not known */
    const uint64_t *cell;         /* x, y and z in a grid; NULL: in no grid */
};

/* Return whether sample i has a row: a load with a measured latency on a known processor. */
bool prof_memaxes_has(const struct prof_samples *s, uint64_t i);
/* Write the row of sample i.  Errors: none; errors of out stay in it. */
void prof_memaxes_put(const struct prof_memaxes_row *r, const struct prof_samples *s, uint64_t i, FILE *out);

#endif
