/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of CPUs or NUMA nodes as the kernel prints them: "0-7,16".
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_CPUS_H
#define LS_CPUS_H

#include <stdbool.h>

/* The next piece "FIRST" or "FIRST-LAST" at *at, which moves behind it and its comma; a line's end is an end.
 * False at the end, with *at there, and where no list goes on, with *at at what is wrong. */
bool ls_cpus_next(const char **at, unsigned *first, unsigned *last);

#endif
