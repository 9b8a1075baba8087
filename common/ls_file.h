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

#endif
