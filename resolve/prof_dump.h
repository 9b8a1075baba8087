/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that the program requested (loadstone_dump_samples, SMRTree::dumpAllSamples): the samples of its
 * process until then, as text with one column per value. */
#ifndef PROF_DUMP_H
#define PROF_DUMP_H

#include "common/ls_error.h"
#include "common/ls_vector.h"
#include "run_h5/prof_reader.h"

#include <stdint.h>

struct prof_dump {
    const char *path;
    uint32_t process; /* row */
    uint64_t time_ns; /* since the start of the run */
    uint32_t extents[3];
    uint64_t threshold_cycles; /* threshold for loads; 0: all accesses */
};
typedef LS_VECTOR(struct prof_dump) prof_dump_list;

/* Write d from the profile p.  force: overwrite a file.
 * Owns:   nothing; the file appears whole or not at all.
 * Errors: LS_ERR_FORMAT (no absolute path), LS_ERR_EXISTS without force, LS_ERR_FULL, LS_ERR_PERMISSION,
 * LS_ERR_IO. */
ls_err prof_dump_write(prof_profile *p, const struct prof_dump *d, int force);

#endif
