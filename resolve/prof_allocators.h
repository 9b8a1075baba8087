/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that hand out memory for others: malloc's wrappers, operator new, containers, language run times.
 * The place that an allocation is named after is the first one outside of them. */
#ifndef PROF_ALLOCATORS_H
#define PROF_ALLOCATORS_H

#include <stdbool.h>

/* module and file are paths, function is as in the symbol table or the debug information; "" is not known. */
bool prof_is_allocator(const char *module, const char *function, const char *file);

#endif
