/* SPDX-License-Identifier: BSD-3-Clause */
/* study weak and strong: the results of jobs of different numbers of ranks, as curves over these numbers. */
#ifndef STD_SCALE_H
#define STD_SCALE_H

#include "common/ls_vector.h"
#include "tools/study/std_fit.h"
#include "tools/study/std_print.h"
#include "tools/study/std_study.h"
#include "viz-export/charts/vx_results.h"

/* ---- options ---- */

struct std_scale_options {
    const struct std_study *study;
    bool is_strong;
    const char *ranks;      /* "1,2,4" or the largest number; NULL: all cores */
    const char *kernels;    /* for stream; NULL: STD_KERNELS unless there are patterns */
    const char *launcher;   /* "srun -n {ranks}"; NULL: found */
    const char *collect;    /* directory of results of earlier jobs, which are read instead of running jobs */
    const char *keep;       /* directory for the results of the jobs; NULL: a temporary one */
    char **patterns;        /* files for replay; ends with NULL */
    const char **of_stream; /* further words of the commands of the jobs; end with NULL */
    const char **of_replay;
    struct kn_options run;
    uint64_t elements; /* weak: a rank's, strong: all ranks'; 0: by STREAM's run rule */
    bool is_shmem, force;
};

#define STD_KERNELS "copy,triad,gather-copy"
enum { STD_RANKS_MAX = 1 << 20 };

/* ---- points ---- */

/* The results of a job. */
struct std_file {
    char *path;
    unsigned ranks;
    struct vx_results results;
};

/* The results of a kernel or pattern by a number of ranks. */
struct std_scale_point {
    const struct std_file *file; /* the fastest of its jobs */
    size_t row;                  /* in its results */
    unsigned ranks, nodes, jobs;
    double rate;                               /* MB/s */
    double rank_least, rank_median, rank_most; /* MB/s of single ranks; NAN: not known */
    double speedup, efficiency;                /* to the least number of ranks */
    double roof_share;                         /* NAN: there is no roof */
    bool shares_processors;                    /* not in the fit */
};

struct std_curve {
    char label[STD_SERIES_BYTES];
    LS_VECTOR(struct std_scale_point) points; /* ascending in ranks */
    struct std_fit fit;
    const struct std_scale_point *saturated; /* the first one that has the rate of the roof; NULL: none */
    unsigned nodes_most;
};

struct std_job_failure {
    unsigned ranks;
    char *command;
    char why[64];
};

struct std_scale {
    const struct std_scale_options *options;
    LS_VECTOR(struct std_file) files; /* ascending in ranks, then by name */
    LS_VECTOR(struct std_curve) curves;
    LS_VECTOR(struct std_job_failure) failures;
    LS_VECTOR(unsigned) ranks; /* the numbers of ranks that were asked for, ascending */
    char *command;             /* command of the jobs, with {ranks}; NULL: they were started elsewhere */
    int status;                /* enum cli_exit, of failures that were printed and leave something out */
};

/* Read "1,2,4", or the largest number; NULL: the largest is `cores`. A largest number means all numbers up to 8, then
 * the powers of two, and itself.
 * Errors: LS_ERR_USAGE, LS_ERR_NOMEM. */
ls_err std_scale_ranks(const char *text, unsigned cores, struct std_scale *s);

/* Run the jobs, and read their results. Jobs that fail are printed and noted.
 * Errors: LS_ERR_UNSUPPORTED and LS_ERR_USAGE without launcher; LS_ERR_NOMEM where the arrays do not fit; others before the
 * first job. */
ls_err std_jobs_run(struct std_scale *s);

/* Read the results that are in a directory. Files that cannot be used are printed.
 * Errors: as opendir; LS_ERR_NOT_FOUND without any result. */
ls_err std_collect(struct std_scale *s);

/* Add the results of a job; s takes path, from malloc, and *results, also after a failure.  Errors: LS_ERR_NOMEM. */
ls_err std_scale_add(struct std_scale *s, char *path, struct vx_results *results);

/* ---- printing and drawing ---- */

void std_scale_print(const struct std_scale *s, enum std_format format, FILE *out);

/* Draw the curves to picture and keep the points in output; NULL: not.  Errors: as std_plot_publish. */
ls_err std_scale_publish(const struct std_scale *s, const char *picture, const char *output);

#endif
