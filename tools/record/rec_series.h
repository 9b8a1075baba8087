/* SPDX-License-Identifier: BSD-3-Clause */
/* record --series: a process beside the program reads counters at equal intervals, into the spool. It is a
 * separate process because libraries of sources change the environment, start threads and may hang. */
#ifndef REC_SERIES_H
#define REC_SERIES_H

#include "common/ls_error.h"
#include "tools/record/rec_spool.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { REC_SERIES_MS_DEFAULT = 10, REC_SERIES_MS_MAX = 100 };

struct rec_series {
    pid_t reader;   /* 0: none */
    int stop_fd;    /* closed: the reader ends */
    int message_fd; /* the reader's reports */
};

struct rec_series_options {
    const char *names; /* as --series has them */
    uint64_t interval_ns;
    uint64_t bytes_max; /* limit of the file of series */
};

/* Check the names. Errors: LS_ERR_USAGE. */
ls_err rec_series_check(const char *names);
/* Start the reader and wait until it has opened the sources, whose problems it prints. Where another rank of
 * the job reads on this machine, nothing is started.
 * Errors: LS_ERR_USAGE: a metric that there is not; LS_ERR_IO. */
ls_err rec_series_start(const struct rec_series_options *o, const struct rec_spool *spool,
                        struct rec_series *out);
/* End the reader, and warn of gaps in the series. */
void rec_series_stop(struct rec_series *s);

#endif
