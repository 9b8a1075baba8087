/* SPDX-License-Identifier: BSD-3-Clause */
/* A replay: its settings and its results. */
#ifndef RPL_SESSION_H
#define RPL_SESSION_H

#include "kernels/kn_replay.h"
#include "machine/mach_topology.h"
#include "patterns/pat_config.h"
#include "tools/cli/cli_command.h"

#include <stdio.h>

struct rpl_format;

struct rpl_settings {
    struct kn_options kernel;
    const struct rpl_format *format;
    const char *output; /* HDF5 file, NULL: none */
    const char *plot;   /* picture or page, NULL: none */
    const char *with;   /* files of results to compare with, NULL: none */
    unsigned verbosity; /* Spatter's, 0 to 3 */
    bool aggregate, force, measure_stream;
    bool together; /* all configurations at once, in turn: one result */
};

struct rpl_summary {
    size_t len;
    double min, max, hmean; /* MB/s over the suite */
    double hstderr;         /* Spatter 1's standard error of hmean; NAN below 2 */
    size_t invalid;         /* results that failed their validation */
};

struct rpl_session {
    struct rpl_settings settings;
    struct pat_suite suite;
    struct kn_result *results; /* [suite.len]; the first `done` are filled; rows as in rpl_row.h */
    size_t done;
    double stream_mb_per_s; /* NAN: not measured */
    unsigned threads;       /* that run */
    struct mach_machine machine;
    struct rpl_summary summary;
};

/* How results are printed; rows come as they are measured. */
struct rpl_format {
    const char *name;
    bool is_text;      /* for people: closing words may follow */
    bool shows_stream; /* STREAM is measured for it */
    void (*begin)(const struct rpl_session *s, FILE *out);
    void (*row)(const struct rpl_session *s, size_t i, FILE *out);
    void (*end)(const struct rpl_session *s, FILE *out);
};

/* By name, in the order of --format's choices; end with NULL. */
extern const struct rpl_format *const rpl_formats[];
extern const struct rpl_format rpl_format_table, rpl_format_spatter, rpl_format_json, rpl_format_csv;

/* Over all results of s. */
struct rpl_summary rpl_summarise(const struct rpl_session *s);

#endif
