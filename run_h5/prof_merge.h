/* SPDX-License-Identifier: BSD-3-Clause */
/* Join several profiles: the ranks of a job on several machines, or runs that belong together. Every
 * row keeps its contents; only row numbers and times change. Phases and shared nodes of one name become one.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef PROF_MERGE_H
#define PROF_MERGE_H

#include "common/ls_error.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prof_merge_options {
    const char *const *paths; /* profiles; the row numbers of the first one do not change */
    size_t paths_len;
    const char *output_path;
    bool force;
    /* Receives warnings; may be NULL. */
    void (*warn)(void *user, const char *text);
    void *user;
};
struct prof_merge_stats {
    uint64_t samples, processes;
};

/* Times are since the earliest start, by the wall clocks of the machines.
 * Errors: as of prof_open and prof_writer_new; LS_ERR_FORMAT: profiles whose numbers mean different things
 * (engine, meaning of a sample, length of a cycle), LS_ERR_USAGE: one is named twice. Nothing is written
 * then. */
ls_err prof_merge(const struct prof_merge_options *o, struct prof_merge_stats *out);

/* --- /run of several files --- */

struct prof_merge_named {
    const char *path;
    const struct prof_run *run;
};
/* Errors: LS_ERR_FORMAT: their numbers mean different things. */
ls_err prof_merge_run_check(const struct prof_merge_named *first, const struct prof_merge_named *other);
/* Combine texts, sums and maxima; starts, lengths and coverage are left to the caller.
 * Owns:   texts are names, or belong to from. */
void prof_merge_run_add(prof_names *names, struct prof_run *to, const struct prof_run *from);

#endif
