/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions of a program cost most, from a recording: what is worth tracing.
 *
 * Thread: one of the process at a time (HDF5).  Signal: not safe. */
#ifndef TRC_HOT_H
#define TRC_HOT_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdio.h>

struct trc_hot {
    size_t bursts;    /* of the recording */
    size_t functions; /* chosen; 0: too few bursts to choose, everything is to be traced */
    double share;     /* of the time, that they have */
    char names[256];  /* of the first ones */
};

/* Append the stretches of the functions of the profile at path that have 90 % of its time to out.
 * Errors: those of prof_open and prof_load_samples; LS_ERR_NOMEM. */
ls_err trc_hot_code(const char *path, FILE *out, struct trc_hot *found);

/* Record the program argv for that, its input and output being /dev/null, to the profile at path.
 * Errors: LS_ERR_IO when it cannot be started or recorded. */
ls_err trc_hot_record(char **argv, const char *path);

#endif
