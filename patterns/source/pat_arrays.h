/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the memory that a trace touches, where the trace has none: the blocks of devices in a profile of the same run
 * (run_h5, /device_blocks), or a text with a line "START LENGTH NAME" for each array.
 *
 * Thread: one at a time.  Signal: not safe. */
#ifndef PAT_ARRAYS_H
#define PAT_ARRAYS_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

struct pat_array {
    uint64_t start, end;
    uint32_t name;
};

/* Rows are in ascending order and do not overlap: memory that several arrays had, one after the other, has a name with
 * the names of all of them. */
struct pat_arrays {
    struct pat_array *rows;
    char **names;
    size_t len, names_len;
};

/* Owns:   the caller ends *out with pat_arrays_fini, also after a failure.
 * Errors: LS_ERR_FORMAT with the line; LS_ERR_USAGE for a profile without such blocks, and for a text without a line; as
 * prof_open and pat_lines_init; LS_ERR_NOMEM. */
ls_err pat_arrays_read(const char *path, struct pat_arrays *out);
void pat_arrays_fini(struct pat_arrays *a);

/* Return the number of the name at addr, names_len where there is none. */
uint32_t pat_arrays_find(const struct pat_arrays *a, uint64_t addr);

#endif
