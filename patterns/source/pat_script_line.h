/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines as perf script prints them (process_event() and perf_sample__fprintf_start() of Linux'
 * tools/perf/builtin-script.c, sample__fprintf_sym() of util/evsel_fprintf.c). A line does not name its
 * fields (perf script -F): their order, form and width identify them. */
#ifndef PAT_SCRIPT_LINE_H
#define PAT_SCRIPT_LINE_H

#include "patterns/pat_access.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the current line; len 0: absent. */
struct pat_span {
    const char *at;
    size_t len;
};

struct pat_script_location {
    uint64_t addr;                  /* UINT64_MAX: absent */
    struct pat_span symbol, module; /* without the offset "+0x10"; empty also for [unknown] */
};

struct pat_script_sample {
    struct pat_span comm, event;
    struct pat_script_location data, code; /* the address of the access, of the instruction */
    uint64_t time_ns;                      /* UINT64_MAX: absent */
    uint64_t period_events;                /* 0: absent */
    uint64_t data_src;                     /* raw word */
    bool has_data_src;
    uint64_t weight;        /* UINT64_MAX: absent */
    uint32_t pid, tid, cpu; /* UINT32_MAX: absent */
};

/* Parse the line of a sample. False: it is not one; out is then unusable. */
bool pat_script_sample_of(const char *line, struct pat_script_sample *out);

/* True for a sample that names its event or has a data source, as the first lines of such a text do. */
bool pat_script_is_sample(const char *line);

/* Classify as load or store, by the data source, else by the event's name: events of stores have no data
 * source on most processors (mem_uops_retired.all_stores). False: neither decides. */
bool pat_script_op(const struct pat_script_sample *s, enum pat_op *out);

/* A frame of a call chain: an address, its symbol and module. */
bool pat_script_frame_of(const char *line, struct pat_script_location *out);

/* The source line below an instruction (field srcline); file empty where perf does not know it. */
bool pat_script_source_of(const char *line, struct pat_span *file, uint32_t *number);

#endif
