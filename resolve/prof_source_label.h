/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the variable to which a source line assigns memory: `double *A = malloc(n)` is A, `x->field =
 * calloc(...)` is x->field, `std::vector<double> v(n)` and `v.resize(n)` are v, `posix_memalign(&p, ...)` is
 * p, Fortran's `allocate(a(n))` is a. It reads text, not programs: it returns none if several variables could
 * be meant. */
#ifndef PROF_SOURCE_LABEL_H
#define PROF_SOURCE_LABEL_H

#include <stdbool.h>
#include <stddef.h>

enum { PROF_LABEL_BYTES = 96, PROF_LABEL_LINES_MAX = 6 };

/* lines[0..len): source lines, the last one contains the call. Earlier lines are read only as far back as its
 * statement begins.  True: out is the variable's name. */
bool prof_source_label(const char *const *lines, size_t len, bool is_fortran, char out[PROF_LABEL_BYTES]);

/* By the ending of its name. */
bool prof_is_fortran(const char *path);

#endif
