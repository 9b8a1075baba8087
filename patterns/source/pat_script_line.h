/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of what perf script prints (process_event() and perf_sample__fprintf_start() of Linux'
 * tools/perf/builtin-script.c, sample__fprintf_sym() of util/evsel_fprintf.c). Which fields a line has is not
 * said in it (perf script -F): they are told by their order, their form and their width. */
#ifndef PAT_SCRIPT_LINE_H
#define PAT_SCRIPT_LINE_H

#include "patterns/pat_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the line that was read; len 0: not told. */
struct pat_span {
    const char *at;
    size_t len;
};

struct pat_script_place {
    uint64_t addr;                  /* UINT64_MAX: not told */
    struct pat_span symbol, module; /* without "+0x10" behind; empty also for [unknown] */
};

struct pat_script_sample {
    struct pat_span comm, event;
    struct pat_script_place data, code; /* the address of the access, of the instruction */
    uint64_t time_ns;                   /* UINT64_MAX: not told */
    uint64_t period_events;             /* 0: not told */
    uint64_t data_src;                  /* raw word */
    bool has_data_src;
    uint64_t weight;        /* UINT64_MAX: not told */
    uint32_t pid, tid, cpu; /* UINT32_MAX: not told */
};

/* The line of a sample. False: it is not one; out is then of no use. */
bool pat_script_sample_of(const char *line, struct pat_script_sample *out);

/* Does a text of such lines begin like this? A sample that names its event or has a data source. */
bool pat_script_is_sample(const char *line);

/* Load or store, by the data source, else by the event's name: events of stores have no data source on most
 * processors (mem_uops_retired.all_stores). False: neither tells. */
bool pat_script_op(const struct pat_script_sample *s, enum pat_op *out);

/* A frame of a call chain: an address, its symbol and module. */
bool pat_script_frame_of(const char *line, struct pat_script_place *out);

/* The source line below an instruction (field srcline); file empty where perf does not know it. */
bool pat_script_source_of(const char *line, struct pat_span *file, uint32_t *number);

#endif
