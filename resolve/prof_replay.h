/* SPDX-License-Identifier: BSD-3-Clause */
/* Second pass over a process image: follow the address space, attribute every sample, write it. */
#ifndef PROF_REPLAY_H
#define PROF_REPLAY_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "machine/mach_calibration.h"
#include "resolve/prof_account.h"
#include "resolve/prof_domains.h"
#include "resolve/prof_dump.h"
#include "resolve/prof_frames.h"
#include "resolve/prof_lines.h"
#include "resolve/prof_series.h"
#include "resolve/prof_sites.h"
#include "resolve/prof_survey.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_tree.h"
#include "run_h5/prof_writer.h"
#include "spool/spool_dir.h"
#include "symbols/sym_files.h"

#include <stdint.h>

struct prof_forks;

/* End of a child, as its parent learned it by waiting; time_ns since the start of the run. */
struct prof_child_end {
    uint32_t pid, status; /* status as of wait(2) */
    uint64_t time_ns;
};

/* State shared by all images of a run. */
struct prof_run_state {
    prof_names *names;
    prof_tree *tree;
    prof_writer *writer;
    const struct mach_calibration *calibration; /* NULL: no levels */
    uint64_t start_ns;
    LS_VECTOR(struct prof_process) processes;
    LS_VECTOR(struct prof_cpu) cpus; /* beside processes */
    LS_VECTOR(struct prof_thread) threads;
    LS_VECTOR(struct prof_burst) bursts;
    LS_VECTOR(struct prof_phase) phases;
    struct ls_index phase_ids; /* by parent and name */
    LS_VECTOR(struct prof_phase_span) phase_spans;
    uint64_t phases_hidden; /* nested too deep */
    struct prof_forks *forks;
    struct prof_series series;
    struct prof_domains domains;
    prof_dump_list dumps;
    LS_VECTOR(struct prof_child_end) child_ends;
    LS_VECTOR(struct prof_event) events;
    LS_VECTOR(struct prof_watch) watches;
    LS_VECTOR(struct prof_kernel) kernels;
    LS_VECTOR(struct prof_in_place) in_places;
    const char *latency_meaning, *events_sampled; /* NULL: not recorded */
    struct prof_frames frames;                    /* the current process's are the last ones */
    struct prof_sites sites;
    prof_line_list lines;
    prof_inline_list inlines;
    prof_module_list modules;
    sym_files *files;
    uint64_t samples_len, samples_precise, samples_unmapped;
    uint64_t instructions_stepped, instructions_in_place;
    uint64_t lost_records, dropped_bytes, damaged_files, throttled;
    uint64_t tsc_hz, probe_cost_cycles, burst_instructions;
    double overhead_asked;
    uint64_t records_done, records_all; /* for progress */
    void (*progress)(void *user, double done);
    void *user;
};

/* A time of the spool as run.h5 has it. */
static inline uint64_t prof_since_start(const struct prof_run_state *run, uint64_t time_ns)
{
    return time_ns > run->start_ns ? time_ns - run->start_ns : 0;
}

/* Errors: LS_ERR_NOMEM, LS_ERR_VERSION, and as of prof_writer_add. */
ls_err prof_replay_image(struct prof_run_state *run, const struct spool_image *image,
                         struct prof_survey *survey, uint32_t process);

#endif
