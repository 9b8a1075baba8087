/* SPDX-License-Identifier: BSD-3-Clause */
/* Spool to run.h5: replay in time order, attribute every sample, name every address.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe). */
#ifndef PROF_RESOLVE_H
#define PROF_RESOLVE_H

#include "common/ls_error.h"
#include "machine/mach_calibration.h"
#include "symbols/sym_files.h"

#include <stdint.h>
#include <sys/types.h>

/* Facts that are not in the spool. Zero or NULL: not known. */
struct prof_resolve_options {
    const char *spool_dir, *output_path;
    int force;             /* overwrite output_path */
    const char *command;   /* the command line as given */
    const char *why_no_hw; /* why hardware did not sample; printed after the process's reason */
    uint64_t duration_ns;  /* wall time of the program */
    int exit_code, exit_signal;
    uint32_t pid;          /* process that the launcher started */
    uint32_t attached_pid; /* process that ran already; 0: a launcher started it */
    uid_t author;          /* owner of the data in the spool (ls_owner.h) */
    uint32_t slices;       /* equal parts of the run as steps of fields; 0: a step per phase */
    sym_files
        *files; /* symbols that the caller has read already, for a spool made by the caller; NULL: none */
    const struct mach_calibration *calibration;
    const char *host, *cpu;                     /* machine that recorded; NULL: this one */
    void (*progress)(void *user, double done);  /* may be NULL */
    void (*warn)(void *user, const char *text); /* warnings for the user; may be NULL */
    void *user;
};
struct prof_resolve_stats {
    uint64_t samples, bursts, processes, threads, damaged_files;
    uint64_t dropped_bytes; /* records that found no room in the spool */
    uint64_t dumps;         /* files that the program asked for and got */
    uint64_t dumps_failed;  /* ... and did not get; ls_last_error has the reason of the last one */
};

/* Errors: LS_ERR_NOT_FOUND (no spool there), LS_ERR_VERSION, LS_ERR_EXISTS, LS_ERR_FULL, LS_ERR_IO; the
 * output appears whole or not at all. A damaged thread file is read up to the damage, counted and reported in
 * /events. */
ls_err prof_resolve(const struct prof_resolve_options *options, struct prof_resolve_stats *out);

#endif
