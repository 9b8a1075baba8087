/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of CPUs or NUMA nodes as the kernel prints them: "0-7,16".
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_CPUS_H
#define LS_CPUS_H

#include <stdbool.h>

/* Read the next piece "FIRST" or "FIRST-LAST" at *at, and move *at past it and its comma; the list ends at
 * the end of the line. False at the end, and at a syntax error; *at then points there. */
bool ls_cpus_next(const char **at, unsigned *first, unsigned *last);

#endif
