/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of /processes: parents, the end of each image, its rank in a job. */
#ifndef PROF_PROCESSES_H
#define PROF_PROCESSES_H

#include "common/ls_error.h"
#include "resolve/prof_forks.h"
#include "resolve/prof_replay.h"

/* End of the process that the launcher started, as the launcher saw it. */
struct prof_launched {
    uint32_t pid; /* 0: not known */
    int exit_code, exit_signal;
};

/* Append a row for each image to run->processes (empty before).  Errors: LS_ERR_NOMEM. */
ls_err prof_processes_add(struct prof_run_state *run, const struct spool_image *images,
                          const struct prof_survey *surveys, size_t images_len);
/* Fill in parents and ends, once replay has filled in each image's parent_pid. */
void prof_processes_link(struct prof_run_state *run, const struct prof_forks *forks,
                         const struct prof_survey_origin *origins, const struct prof_launched *launched);

/* A command line from arguments that each end in NUL, as /proc has them: blanks between them.
 * Owns:   the text is names'.  Errors: "" without memory. */
const char *prof_process_cmdline(prof_names *names, const char *arguments, size_t len);

#endif
