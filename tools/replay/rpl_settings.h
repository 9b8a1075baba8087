/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of loadstone replay: Spatter's, as they are, and ours. */
#ifndef RPL_SETTINGS_H
#define RPL_SETTINGS_H

#include "tools/replay/rpl_session.h"

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
    RPL_RANDOM,
    RPL_NAME,
    RPL_RUNS,
    RPL_MAX_COUNT,
    RPL_MAX_RUNS,
    RPL_BACKEND,
    RPL_THREADS,
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
    RPL_LOCAL_WORK_SIZE,
    RPL_SHARED_MEMORY,
    RPL_OP,
    RPL_OPTIONS
};

extern const struct cli_option rpl_options[RPL_OPTIONS];

/* Settings and suite of s from the command line; messages about options without effect go to standard error.
 * Owns:   s->suite is the caller's, also after a failure; texts point into argv.
 * Errors: LS_ERR_USAGE for options, LS_ERR_FORMAT and others of pat_json_read for patterns and their files. */
ls_err rpl_settings_read(const struct cli_value *v, char **operands, struct rpl_session *s);

#endif
