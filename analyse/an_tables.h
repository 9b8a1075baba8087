/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a profile that analyses refer to; borrowed from the reader, or made by a test. */
#ifndef AN_TABLES_H
#define AN_TABLES_H

#include "run_h5/prof_reader.h"

#include <stdbool.h>

/* A table that the file does not have has length 0. */
struct an_tables {
    const struct prof_node *nodes; /* row number = id, parents first */
    const struct prof_thread *threads;
    const struct prof_process *processes;
    const struct prof_burst *bursts;
    const struct prof_phase *phases;
    const struct prof_line *lines;     /* sorted by process, ip */
    const struct prof_frame *frames;   /* callers before those they call */
    const struct prof_inline *inlines; /* sorted by line, depth */
    const struct prof_module *modules;
    const struct prof_type_row *types;
    const struct prof_member *members; /* sorted by type, the type itself first */
    size_t frames_len, inlines_len, modules_len, types_len, members_len;
    /* NULL without call stacks, or before an_calls_init */
    const struct an_call_tree *calls, *callers;
    size_t nodes_len, threads_len, processes_len, bursts_len, phases_len, lines_len;
    const struct prof_run *run;
    uint64_t duration_ns; /* duration of the run, in whole slices; 0: not known */
    uint32_t slices;      /* equal parts of the duration, the keys of the dimension slice */
    bool by_file;         /* the dimension function separates equal names by source file */
};

enum { AN_SLICES = 20, AN_SLICES_MAX = 1 << 24 };

/* Borrow all of p's tables.
 * Owns:   nothing; p must outlive t. */
void an_tables_init(struct an_tables *t, const prof_profile *p);

/* Cut the run into slices parts, or (slice_ns not 0) into parts of slice_ns. */
void an_tables_slice(struct an_tables *t, uint64_t slices, uint64_t slice_ns);

/* Row of lines for an instruction of a process, UINT32_MAX: none. */
uint32_t an_tables_line(const struct an_tables *t, uint32_t process, uint64_t ip);
/* Do other rows have the same process and ip (modules that were unloaded)? Then return the row at this time. */
bool an_tables_line_changes(const struct an_tables *t, uint32_t row);
uint32_t an_tables_line_then(const struct an_tables *t, uint32_t row, uint64_t time_ns);
/* Process of a thread, UINT32_MAX: none. */
uint32_t an_tables_process(const struct an_tables *t, uint32_t thread);

#endif
