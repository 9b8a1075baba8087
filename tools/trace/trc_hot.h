/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions of a program cost most, and the data that they do it on, from a recording: what is worth
 * tracing.
 *
 * Thread: one of the process at a time (HDF5).  Signal: not safe. */
#ifndef TRC_HOT_H
#define TRC_HOT_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct trc_hot {
    size_t bursts;    /* of the recording */
    size_t functions; /* chosen; 0: everything is to be traced */
    double share;     /* of the time, that they have */
    char names[256];  /* of the first ones */
    char **labels;    /* of the data that they access */
    size_t labels_room;
    size_t labels_len;   /* 0: all data, most of it has no name of its own */
    double labels_share; /* of their time, that this data has */
    char label_names[256];
};

/* Append the stretches of the functions of the profile at path that have 90 % of its time to out. They
 * include what other processors have in their place ("sin_fma", "sin_sse2"); functions that a file does not
 * show bring all code of the file. Too few bursts to choose by, or none of that code here: functions is 0.
 * Owns:   the caller ends found with trc_hot_fini, also after a failure.
 * Errors: those of prof_open and prof_load_samples; LS_ERR_NOMEM. */
ls_err trc_hot_code(const char *path, FILE *out, struct trc_hot *found);
void trc_hot_fini(struct trc_hot *found);
/* Were there bursts enough to choose by? */
bool trc_hot_can_choose(const struct trc_hot *found);

/* Record the program argv for that, its input and output being /dev/null, to the profile at path.
 * Errors: LS_ERR_IO when it cannot be started or recorded. */
ls_err trc_hot_record(char **argv, const char *path);

#endif
