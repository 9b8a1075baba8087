/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions by the names that users write: the function as in reports, the function without its parameters or template arguments, or
 * one of the two after "file:" or "module:". */
#ifndef AN_FUNCTION_H
#define AN_FUNCTION_H

#include "analyse/an_tables.h"

/* Is the function of this row of lines called name? After "file:", it must be in a source file of this name at this line.
 * unqualified: leave out its name spaces and classes. */
bool an_function_is_named(const struct an_tables *t, uint32_t row, const char *name, bool unqualified);
/* Does name begin with the file of a function? Then it names a part of the lines of equal functions, which an_tables.by_file
 * separates. */
bool an_function_has_file(const struct an_tables *t, const char *name);

#endif
