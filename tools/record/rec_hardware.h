/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of record that are about the hw engine: checked against this machine's PMUs before the program
 * starts, then passed to the runtime as LOADSTONE_* variables. */
#ifndef REC_HARDWARE_H
#define REC_HARDWARE_H

#include "common/ls_error.h"

/* As the user wrote them; NULL: not given. */
struct rec_hardware_options {
    const char *engine;
    const char *event;
    const char *period; /* 20ms: the step engine's; 100003: events between two samples of hw */
    const char *freq;
    const char *ldlat;
    const char *stores; /* no, also, only */
};

/* Set the variables. Names of libpfm4 become numbers, so that the runtime needs no library. Notes and
 * warnings are printed. Errors: LS_ERR_USAGE, LS_ERR_ARG, LS_ERR_RANGE, LS_ERR_NOT_FOUND: an option cannot be
 * as written (the text names it, its valid values and the remedy); LS_ERR_UNSUPPORTED: --engine hw where no
 * PMU samples loads. */
ls_err rec_hardware_prepare(const struct rec_hardware_options *o);

#endif
