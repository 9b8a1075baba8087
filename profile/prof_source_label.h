/* SPDX-License-Identifier: BSD-3-Clause */
/* Which variable a source line puts memory into: `double *A = malloc(n)` is A, `x->field = calloc(...)` is
 * x->field, `std::vector<double> v(n)` and `v.resize(n)` are v, `posix_memalign(&p, ...)` is p, Fortran's
 * `allocate(a(n))` is a. It reads text, not programs: where more than one variable could be meant it says
 * none. */
#ifndef PROF_SOURCE_LABEL_H
#define PROF_SOURCE_LABEL_H

#include <stdbool.h>
#include <stddef.h>

enum { PROF_LABEL_BYTES = 96, PROF_LABEL_LINES_MAX = 6 };

/* lines[0..len): source lines, the last one is where the call is. Those before it are read only as far as its
 * statement reaches back.  True: out is the variable's name. */
bool prof_source_label(const char *const *lines, size_t len, bool is_fortran, char out[PROF_LABEL_BYTES]);

/* By the ending of its name. */
bool prof_is_fortran(const char *path);

#endif
