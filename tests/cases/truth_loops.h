/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose patterns follow from their algorithms, so that the result of extraction is known beforehand
 * (truth_expected.py derives it independently).
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef TRUTH_LOOPS_H
#define TRUTH_LOOPS_H

#include <stddef.h>

struct truth_loop {
    const char *name;
    size_t size;                /* where none is given */
    void *(*make)(size_t size); /* its data, registered by name, for the rest of the run */
    double (*run)(void *data);
};

/* NULL if there is no loop of that name. */
const struct truth_loop *truth_loop_find(const char *name);

#endif
