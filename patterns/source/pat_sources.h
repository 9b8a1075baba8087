/* SPDX-License-Identifier: BSD-3-Clause */
/* Every source of accesses: a file pat_src_*.c with its row, which pat_source.c lists.
 *
 * Tables that never change. */
#ifndef PAT_SOURCES_H
#define PAT_SOURCES_H

#include "patterns/source/pat_source.h"

extern const struct pat_source_format pat_source_drmemtrace, pat_source_gem5, pat_source_lackey,
    pat_source_memtrace, pat_source_nvbit, pat_source_perf_script, pat_source_run_h5, pat_source_trace;

#endif
