/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files of /proc and /sys, read by plain system calls into the caller's memory: no stream, no
 * allocation. */
#ifndef LS_FILE_H
#define LS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read the first bytes of a file as a string; the rest is left out if it does not fit. Returns the length, 0
 * when it is empty or cannot be read (out is then "").
 * Thread: any.  Signal: safe. */
size_t ls_file_read(const char *path, char *out, size_t out_bytes);

/* Read the number at the start of a file.  Thread: any.  Signal: safe. */
bool ls_file_number(const char *path, int64_t *out);

/* --- lists of CPUs ---
 *
 * Lists of CPUs or NUMA nodes as the kernel prints them: "0-7,16". */

/* Read the next piece "FIRST" or "FIRST-LAST" at *at, and move *at past it and its comma; the list ends at
 * the end of the line. False at the end, and at a syntax error; *at then points there. */
bool ls_cpus_next(const char **at, unsigned *first, unsigned *last);

#endif
