/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose code and data to trace by a recording: the costliest functions, and the data that they access.
 *
 * Thread: one of the process at a time (HDF5).  Signal: not safe. */
#ifndef TRC_HOT_H
#define TRC_HOT_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct trc_hot {
    size_t bursts;    /* bursts in the recording */
    size_t functions; /* chosen; 0: everything is to be traced */
    double share;     /* their share of the time */
    char names[256];  /* names of the first functions */
    char **labels;    /* labels of the data that they access */
    size_t labels_room;
    size_t labels_len;   /* 0: all data, because most of it is unnamed */
    double labels_share; /* share of their time spent on this data */
    char label_names[256];
};

/* Append to out the address ranges of the functions that have 90 % of the time of the profile at path. They
 * include variants for other processors ("sin_fma", "sin_sse2"). A function without a symbol in its file is
 * replaced by all code of the file. functions is 0 if there are too few bursts or the code is not on this
 * machine.
 * Owns:   the caller ends found with trc_hot_fini, also after a failure.
 * Errors: as prof_open and prof_load_samples; LS_ERR_NOMEM. */
ls_err trc_hot_code(const char *path, FILE *out, struct trc_hot *found);
void trc_hot_fini(struct trc_hot *found);
/* Return whether there were enough bursts to choose by. */
bool trc_hot_can_choose(const struct trc_hot *found);

/* Record the program argv to the profile at path, with /dev/null as its input and output.
 * Errors: LS_ERR_IO when it cannot be started or recorded. */
ls_err trc_hot_record(char **argv, const char *path);

#endif
