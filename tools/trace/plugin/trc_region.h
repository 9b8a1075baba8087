/* SPDX-License-Identifier: BSD-3-Clause */
/* The code whose accesses are recorded: stretches of files.
 *
 * Thread: any once they are read.  Signal: not needed. */
#ifndef TRC_REGION_H
#define TRC_REGION_H

#include <stdbool.h>
#include <stdint.h>

/* Read stretches from the file at path: lines of "START END FILE", hexadecimal offsets in FILE. Without them
 * all code is recorded.  0 or an errno; EINVAL: not such lines. */
int trc_region_read(const char *path);

/* Return whether the instruction at this offset of a file is wanted.  path: "" for code in no file. */
bool trc_region_holds(const char *path, uint32_t path_len, uint64_t offset_bytes);

#endif
