/* SPDX-License-Identifier: BSD-3-Clause */
/* A replay: its options and results, and functions that store and draw them. */
#ifndef RPL_SESSION_H
#define RPL_SESSION_H

#include "kernels/replay/kn_replay.h"
#include "machine/mach_topology.h"
#include "patterns/pat_config.h"
#include "tools/cli/cli_command.h"
#include "patterns/pat_describe.h"
#include "viz-export/charts/vx_results.h"

#include <stdio.h>

/* ---- a session ---- */

/* The next step that is proposed after results in the terminal. */
#define RPL_NEXT "the same with --plot replay.html, or -o FILE.h5 to keep the results"

struct rpl_format;

struct rpl_settings {
    struct kn_options kernel;
    const struct rpl_format *format;
    const char *output; /* HDF5 file, NULL: none */
    const char *plot;   /* picture or page, NULL: none */
    const char *with;   /* files of results to compare with, NULL: none */
    enum kn_scaling scaling;
    unsigned verbosity; /* Spatter's, 0 to 3 */
    bool aggregate, force, measure_stream;
    bool atomic_writes; /* the kind of stores is for scatters, gathers have regular ones */
    bool together;      /* all configurations at once, in turn: one result */
    bool own_threads;   /* configurations run with the number of threads of their program ... */
    unsigned own_most;  /* ... but with as many as would run without it at most */
    char choices[4096]; /* file of remembered variants, "": none */
};

/* A run of fewer bytes takes less than a microsecond: its rate is that of its first accesses. */
enum { RPL_SMALL_BYTES = 4096 };

struct rpl_summary {
    size_t len;
    double min, max, hmean; /* MB/s over the suite */
    double hstderr;         /* Spatter 1's standard error of hmean; NAN below 2 */
    double weighted;        /* all bytes over all time; bytes of the program, where these are known */
    bool is_of_program;     /* they are known */
    size_t small;           /* results of less than RPL_SMALL_BYTES */
    size_t invalid;         /* results that failed their validation */
};

struct rpl_session {
    struct rpl_settings settings;
    struct pat_suite suite;
    struct kn_result *results; /* [suite.len]; the first `done` are filled; rows as in rpl_session.h */
    size_t done;
    double stream_mb_per_s;         /* NAN: not measured */
    double stream_regular_mb_per_s; /* the same with regular stores, as in STREAM's program */
    unsigned threads;               /* that run */
    bool on_device;                 /* they run nothing: a device does */
    struct mach_machine machine;
    struct rpl_summary summary;
};

/* A format of printed results; rows are printed as they are measured. */
struct rpl_format {
    const char *name;
    bool is_text;      /* readable text: closing lines may follow */
    bool shows_stream; /* STREAM is measured for it */
    void (*begin)(const struct rpl_session *s, FILE *out);
    void (*row)(const struct rpl_session *s, size_t i, FILE *out);
    void (*end)(const struct rpl_session *s, FILE *out);
};

/* The formats in the order of --format's choices; NULL ends them. */
extern const struct rpl_format *const rpl_formats[];
extern const struct rpl_format rpl_format_table, rpl_format_spatter, rpl_format_json, rpl_format_csv;

/* Return the options of the kernel for configuration i: with its number of threads, where s follows it, and its kind of
 * stores. */
struct kn_options rpl_options_of(const struct rpl_session *s, size_t i);

/* Over all results of s. */
struct rpl_summary rpl_summarise(const struct rpl_session *s);

/* ---- the subject of a result ---- */

/* Describe the subject of a result: one configuration, or all of them if they take turns. */

struct rpl_row {
    const char *name;             /* name of the configuration, "" if it has none */
    char all[256];                /* in turn: "gather of x in multiply (spmv.c:88) and 3 more" */
    const char *kernel, *word;    /* "scatter"; the same or a more precise word: "update" */
    char pattern[PAT_TEXT_BYTES]; /* "16 x stride 4" */
    char delta[PAT_TEXT_BYTES];   /* "8"; "" if each has another */
    uint64_t count, wrap;
};

/* Fill out from result i of s.  Owns: out points into s and into itself. */
void rpl_row_of(const struct rpl_session *s, size_t i, struct rpl_row *out);

/* Return its name, or its pattern if it has none.  Owns: it is r's. */
const char *rpl_row_name(const struct rpl_row *r);

/* ---- options ---- */

enum rpl_option {
    RPL_PATTERN,
    RPL_PATTERN_GATHER,
    RPL_PATTERN_SCATTER,
    RPL_FILE,
    RPL_KERNEL,
    RPL_OPERATION,
    RPL_DELTA,
    RPL_DELTA_GATHER,
    RPL_DELTA_SCATTER,
    RPL_COUNT,
    RPL_WRAP,
    RPL_PATTERN_SIZE,
    RPL_BOUNDARY,
    RPL_COMPRESS,
    RPL_NAME,
    RPL_RUNS,
    RPL_MAX_COUNT,
    RPL_MAX_RUNS,
    RPL_BACKEND,
    RPL_STRONG_SCALING,
    RPL_RANK_TIMEOUT,
    RPL_THREADS,
    RPL_DEVICE,
    RPL_LOCAL_WORK_SIZE,
    RPL_SHARED_MEMORY,
    RPL_DEVICE_TIMEOUT,
    RPL_METHOD,
    RPL_STORES,
    RPL_INDEX_BITS,
    RPL_ELEMENT_BYTES,
    RPL_PAGES,
    RPL_PIN,
    RPL_WARMUPS,
    RPL_MEMORY,
    RPL_ATOMIC_WRITES,
    RPL_FENCE,
    RPL_DENSE_BUFFERS,
    RPL_COPY,
    RPL_TOGETHER,
    RPL_FORGET,
    RPL_NO_STREAM,
    RPL_LIST,
    RPL_VERBOSITY,
    RPL_FORMAT,
    RPL_JSON,
    RPL_CSV,
    RPL_OUTPUT,
    RPL_PLOT,
    RPL_WITH,
    RPL_FORCE,
    RPL_QUIET,
    RPL_AGGREGATE,
    RPL_RANDOM,
    RPL_OP,
    RPL_OPTIONS
};

extern const struct cli_option rpl_options[RPL_OPTIONS];

/* Settings and suite of s from the command line; messages about options without effect go to standard error.
 * Owns:   s->suite is the caller's, also after a failure; texts point into argv.
 * Errors: LS_ERR_USAGE for options, LS_ERR_FORMAT and others of pat_json_read for patterns and their files. */
ls_err rpl_settings_read(const struct cli_value *v, char **operands, struct rpl_session *s);

/* Return whether a call with these options needs the full program: for results in files, and for files that only
 * libarchive unpacks or that may name such a file. It opens the pattern files. */
bool rpl_needs_full(const struct cli_value *v, char *const *operands);
/* Return whether a pattern file needs the full program. */
bool rpl_file_needs_full(const char *path);

/* ---- results as rows that can be kept, compared and drawn ---- */

/* All results of s with its machine.
 * Owns:   the caller ends *out with vx_results_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err rpl_results_of(const struct rpl_session *s, struct vx_results *out);

/* Machine, command line, version and study ("" for none) of out, which must be all zero; no rows.
 * Owns, Errors: as rpl_results_of. */
ls_err rpl_results_head(const struct mach_machine *m, const char *study, struct vx_results *out);

/* Fill all of a row except its configuration, called name; out->x is unchanged.
 * Errors: LS_ERR_NOMEM. */
ls_err rpl_row_of_result(const struct kn_result *r, const char *name, struct vx_result *out);

/* Append the ranks of result number row to out.
 * Owns, Errors: as rpl_results_of. */
ls_err rpl_results_add_ranks(struct vx_results *out, size_t row, const struct kn_result *r);

/* Label a row for pictures: its name, or kernel, shape and delta if it has none. */
void rpl_row_label(const struct vx_result *r, char *out, size_t room);

/* Label machine m of machines: processor and host, and where another one has the same, the threads or the place
 * in the list. */
void rpl_machine_label(const struct vx_results *machines, size_t len, size_t m, char *out, size_t room);

/* Mean rate of r, weighted by the bytes that the program moved by each pattern; NAN where these are not known. */
double rpl_results_weighted(const struct vx_results *r);
/* Harmonic mean of the rates of r; NAN when there are none. */
double rpl_results_hmean(const struct vx_results *r);

/* Find row i of first in r: the same configuration, and the same one of several equal ones. NULL: r has none. */
const struct vx_result *rpl_result_like(const struct vx_results *r, const struct vx_results *first, size_t i);

/* ---- comparison of machines ---- */

/* Append every file of "a.h5,b.h5" to *machines.
 * Owns:   the caller ends each of *machines with vx_results_fini and frees the array, also after a failure.
 * Errors: as vx_results_read, LS_ERR_NOMEM. */
ls_err rpl_compare_read(const char *files, struct vx_results **machines, size_t *len);
/* Print each machine's means, and the rate of each configuration of the first one on all of them.
 * format: "csv" or "json"; another one or NULL: as text. */
void rpl_compare_print(const struct vx_results *machines, size_t len, const char *format, FILE *out);

/* ---- pictures ---- */

/* Draw machines[0, len) to path: bars with quartiles, a radar of shares of STREAM, and with two machines or
 * more their ratios to the first one, and bandwidth against bandwidth (Spatter paper, figures 4, 7 and 9).
 * Errors: as vx_page_write. */
ls_err rpl_plot(const struct vx_results *machines, size_t len, const char *path);

#endif
