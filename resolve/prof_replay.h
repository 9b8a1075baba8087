/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a run, and of one process image in the second pass over it: follow the address space,
 * attribute every sample, write it. prof_replay.c dispatches records; the functions that handle some kinds of
 * them, and the parts that they fill in, are declared here, too. */
#ifndef PROF_REPLAY_H
#define PROF_REPLAY_H

#include "common/ls_error.h"
#include "common/ls_index.h"
#include "common/ls_vector.h"
#include "machine/mach_calibration.h"
#include "resolve/prof_calls.h"
#include "resolve/prof_devices.h"
#include "resolve/prof_domains.h"
#include "resolve/prof_forks.h"
#include "resolve/prof_frames.h"
#include "resolve/prof_functions.h"
#include "resolve/prof_kernel.h"
#include "resolve/prof_lines.h"
#include "resolve/prof_maps.h"
#include "resolve/prof_phases.h"
#include "resolve/prof_scripts.h"
#include "resolve/prof_sites.h"
#include "resolve/prof_space.h"
#include "resolve/prof_survey.h"
#include "resolve/prof_types.h"
#include "run_h5/prof_names.h"
#include "run_h5/prof_reader.h"
#include "run_h5/prof_tree.h"
#include "run_h5/prof_writer.h"
#include "spool/spool_dir.h"
#include "spool/spool_format.h"
#include "spool/spool_merge.h"
#include "symbols/sym_files.h"

#include <stddef.h>
#include <stdint.h>

/* --- latencies ---
 *
 * From the probe's readings to latencies. */

/* State of one process image. */
struct prof_latency {
    const struct mach_calibration *calibration; /* NULL: no levels */
    uint64_t subtracted_cycles;                 /* from every reading, before it went to the spool */
    uint64_t control_cycles, control_len;       /* totals of all bursts so far */
    double carry_cycles;                        /* remainder of rounding */
};

/* The part of a reading that is not latency: the mean of the controls so far (before the first of them: the
 * calibration's) without the latency of L1. */
double prof_latency_cost_cycles(const struct prof_latency *l);
/* Add the controls of a burst. */
void prof_latency_learn(struct prof_latency *l, const struct spool_burst_end *end);
/* Latency and level of an access, into s; s is unchanged where nothing was measured. Latencies are whole
 * cycles, rounded so that their sum is kept; where the counter is coarse one may be negative. */
void prof_latency_set(struct prof_latency *l, const struct spool_access *a, struct prof_sample *s);

/* --- CPU time ---
 *
 * Accounting: CPU time of all processes while sampling was on = user + kernel + recording, and the share of
 * the user time that the bursts represent.
 *
 * Each burst has the weight 1 / rate at its trigger. These weights estimate the user time without bias, but
 * scatter with the number of bursts; the CPU clocks are more precise. So weights are scaled to the user time
 * of their stratum: a process with at least PROF_STRATUM_BURSTS expected bursts is its own stratum, shorter
 * ones are pooled by program, and pools that are still short join the largest stratum. Scaling each short
 * process by itself would destroy the equal probabilities: a process without a burst would not count at
 * all. */

#define PROF_STRATUM_BURSTS 100

/* CPU time of a process as its last record has it; user_ns UINT64_MAX: not known. */
struct prof_cpu {
    uint64_t user_ns, kernel_ns; /* as the kernel splits it, recording included */
    uint64_t recording_ns, recording_kernel_ns;
    uint64_t tick_ns;   /* between the samples of that split; 0: not known */
    uint64_t passed_ns; /* part of recording_ns that was counted by the triggers that fell into it */
};
#define PROF_CPU_UNKNOWN ((struct prof_cpu){UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 0})

/* Copy the values of a RESOURCES record; counts only grow, so the last record is the one that counts. */
void prof_account_take(struct prof_cpu *cpu, const struct spool_resources *rec);

/* A burst whose pace was measured once more, at its end. */
struct prof_late {
    uint32_t cycles, instructions;
    uint32_t burst;
    bool is_near; /* in the same code */
};

/* Borrowed; cpus is parallel to processes. */
struct prof_account {
    struct prof_process *processes;
    const struct prof_cpu *cpus;
    size_t processes_len;
    const struct prof_thread *threads;
    struct prof_burst *bursts;
    size_t bursts_len;
    const struct prof_late *lates;
    size_t lates_len;
};

/* Fill the CPU times of processes and of run (all but instructions_*), and scale the weights of bursts. The
 * text in run->unrepresented_why is in why. Errors: LS_ERR_NOMEM. */
ls_err prof_account_close(const struct prof_account *a, struct prof_run *run, char *why,
                          size_t why_len_bytes);

/* Fill data_weight_ns, once weights are scaled, and let bursts have the pace that bursts of their function have at their
 * ends: soon after a trigger, the processor may be slower. A burst that lost the processor, or was ended from outside,
 * before its loads could be timed shows where the program was, but not which data it accesses. Its accesses
 * are represented by the bursts that began in the same function of the same process and continued, or, if
 * there are none, by such bursts of other processes of the same program. If there are none either, it keeps
 * its weight. lines are sorted by process and ip. Errors: LS_ERR_NOMEM. */
ls_err prof_account_functions(const struct prof_account *a, const prof_line_list *lines);

/* --- dumps ---
 *
 * Files that the program requested (loadstone_dump_samples, SMRTree::dumpAllSamples): the timed loads of its
 * process until then, in the columns of MemAxes (run_h5/prof_memaxes.h). */

struct prof_dump {
    const char *path;
    uint32_t process; /* row */
    uint64_t time_ns; /* since the start of the run */
    uint32_t extents[3];
    uint64_t threshold_cycles; /* loads below it are left out */
};
typedef LS_VECTOR(struct prof_dump) prof_dump_list;

/* Write d from the profile p.  force: overwrite a file.
 * Owns:   nothing; the file appears whole or not at all.
 * Errors: LS_ERR_FORMAT (no absolute path), LS_ERR_EXISTS without force, LS_ERR_FULL, LS_ERR_PERMISSION,
 * LS_ERR_IO. */
ls_err prof_dump_write(prof_profile *p, const struct prof_dump *d, int force);

/* --- time series ---
 *
 * Time series of the run: /series/<name>. A new one is a row of enum, table and prof_series_add. */

enum prof_series_id {
    PROF_SERIES_RESIDENT,
    PROF_SERIES_MINOR_FAULTS,
    PROF_SERIES_MAJOR_FAULTS,
    PROF_SERIES_COUNT
};

/* Zeroed is empty. */
struct prof_series {
    LS_VECTOR(struct prof_point) points[PROF_SERIES_COUNT];
};

/* Values of one moment; at has process and time.
 * Owns:   s grows; end with prof_series_fini.  Errors: LS_ERR_NOMEM. */
ls_err prof_series_add(struct prof_series *s, struct prof_point at, const struct spool_resources *r);
/* Errors: as of prof_writer_table. */
ls_err prof_series_write(struct prof_series *s, prof_writer *w);
void prof_series_fini(struct prof_series *s);

/* --- the run --- */

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
    LS_VECTOR(struct prof_late) lates;
    struct prof_phase_tables phases;
    struct prof_forks *forks;
    struct prof_series series;
    struct prof_domains domains;
    prof_dump_list dumps;
    LS_VECTOR(struct prof_child_end) child_ends;
    LS_VECTOR(struct prof_event) events;
    LS_VECTOR(struct prof_watch) watches;
    LS_VECTOR(struct prof_kernel) kernels;
    LS_VECTOR(struct prof_in_place) in_places;
    LS_VECTOR(struct prof_device_block) device_blocks;
    LS_VECTOR(struct prof_device_copy) device_copies;
    const char *latency_meaning, *events_sampled; /* NULL: not recorded */
    struct prof_frames frames;                    /* the current process's are the last ones */
    struct prof_sites sites;
    struct prof_typing typing;
    prof_line_list lines;
    prof_inline_list inlines;
    struct prof_source_columns columns;
    struct prof_scripts scripts;
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

/* Write the counters that the launcher sampled; an unreadable file of them is warned of and left out.
 * Errors: as of prof_writer_table; LS_ERR_NOMEM. */
struct prof_resolve_options;
ls_err prof_counters_write(const struct prof_resolve_options *o, struct prof_run_state *run);

/* A time of the spool as run.h5 has it. */
static inline uint64_t prof_since_start(const struct prof_run_state *run, uint64_t time_ns)
{
    return time_ns > run->start_ns ? time_ns - run->start_ns : 0;
}

/* Errors: LS_ERR_NOMEM, LS_ERR_VERSION, and as of prof_writer_add. */
ls_err prof_replay_image(struct prof_run_state *run, const struct spool_image *image,
                         struct prof_survey *survey, uint32_t process);

/* --- one process image ---
 *
 * State of its replay. */

#define PROF_NO_BURST UINT32_MAX

/* One thread file. */
struct prof_stream {
    uint32_t thread; /* row */
    uint32_t burst;  /* row of the open burst, or PROF_NO_BURST */
    uint32_t cpu;
    double core_cycle;        /* in TSC cycles, as its bursts measured it last; 0: not known */
    bool sampled_ip_is_after; /* the ip of that SAMPLE is after the access */
    uint32_t sampled;         /* row of the burst of its last SAMPLE, or PROF_NO_BURST */
    uint64_t stack_base, stack_end;
    struct prof_calls_thread calls;
    struct prof_phase_stack phases;
    struct prof_kernel_announced announced;
    struct prof_snapshot maps;
    LS_VECTOR(struct prof_sample)
    samples; /* samples of the open burst, written together so that bursts are contiguous */
};

struct prof_replay {
    struct prof_run_state *run;
    struct prof_survey *survey;
    struct prof_modules modules;
    struct prof_statics statics;
    struct prof_tls tls;
    sym_session *session; /* for call stacks */
    prof_jit *jit;
    prof_space *space;
    prof_calls *calls;
    struct prof_ip_set ips;
    struct prof_latency latency;
    struct prof_kernel_cells kernel;
    struct prof_devices devices;
    struct prof_stream *streams;
    struct prof_stream *main_stream;         /* stream of the process's first thread; NULL: it has no file */
    struct prof_fork *next_fork, *forks_end; /* still to come */
    uint64_t phases_unmatched, phases_left_open, forks_left_out;
    uint64_t threshold_cycles; /* that the program set for its dumps */
    uint32_t process, threads_begun;
    uint32_t streams_len;
    uint32_t sampled_tid, sampled_thread; /* thread of the last SAMPLE; tid 0: none */
    size_t first_frame;                   /* first frame of this process in run->frames */
};

static inline struct prof_process *prof_process_of(struct prof_replay *r)
{
    return &r->run->processes.rows[r->process];
}

/* A thread without an open phase is in the main thread's. */
static inline uint32_t prof_phase_of_stream(const struct prof_replay *r, const struct prof_stream *stream)
{
    const uint32_t own = prof_phase_now(&stream->phases);
    return own != PROF_NO_PHASE || !r->main_stream ? own : prof_phase_now(&r->main_stream->phases);
}

static inline void prof_count_coverage(struct prof_run_state *run, uint32_t node)
{
    const uint32_t kind = prof_tree_node(run->tree, node)->kind;
    run->samples_precise += prof_kind_is_precise(kind);
    run->samples_unmapped += kind == PROF_NODE_UNMAPPED;
}

/* --- events ---
 *
 * Incidents as rows of /events. */

/* Append event, of this process (row of /processes).
 * Owns:   its texts are borrowed from run->names or constant.  Errors: LS_ERR_NOMEM. */
ls_err prof_event_put(struct prof_run_state *run, uint32_t process, struct prof_event event);

/* Append an event of the process's spool, and count it in run; an unknown kind counts as a lost record.
 * Errors: LS_ERR_NOMEM. */
ls_err prof_event_take(struct prof_run_state *run, uint32_t process, const struct spool_event *e);

/* Append how much generated code got names, from which source, and how much got none.  Errors:
 * LS_ERR_NOMEM. */
ls_err prof_event_generated(struct prof_run_state *run, uint32_t process, const struct prof_jit_counts *n);

/* Append the counts of incidents that the replay of an image found.  Errors: LS_ERR_NOMEM. */
ls_err prof_event_put_own(struct prof_replay *r);

/* Take a CALLBACK record.  Errors: LS_ERR_NOMEM. */
ls_err prof_callback_take(struct prof_replay *r, const struct spool_callback *rec);

/* Append an event for each file that was asked for names and gave none, or not all; warn (may be NULL) gets
 * its text.  Errors: LS_ERR_NOMEM. */
ls_err prof_nameless_warn(struct prof_run_state *run, void (*warn)(void *user, const char *text));

/* --- samples of perf_event ---
 *
 * Samples that represent themselves: hardware, page-fault and breakpoint samples of all threads, in the file
 * of the collector. Each becomes a burst of one sample. */

/* Take a record of a kind that is sampled (SAMPLE, CHAIN, SAMPLING, COST, WATCH, and STACK after a SAMPLE);
 * others change nothing.  Errors: LS_ERR_NOMEM, and as of prof_writer_add. */
ls_err prof_sampled_take(struct prof_replay *r, struct prof_stream *stream, const struct spool_item *item);
/* Set op and locked from the flags of an ACCESS or a SAMPLE. */
void prof_sampled_flags(uint16_t flags, struct prof_sample *out);

/* --- processes ---
 *
 * The rows of /processes: parents, the end of each image, its rank in a job. */

/* End of the process that the launcher started, as the launcher saw it. */
struct prof_launched {
    uint32_t pid; /* 0: not known */
    int exit_code, exit_signal;
};

/* Append a row for each image to run->processes (empty before).  Errors: LS_ERR_NOMEM. */
ls_err prof_processes_add(struct prof_run_state *run, const struct spool_image *images,
                          const struct prof_survey *surveys, size_t images_len);
/* Fill in parents and ends, once replay has filled in each image's parent_pid. */
void prof_processes_link(struct prof_run_state *run, const struct prof_forks *forks,
                         const struct prof_survey_origin *origins, const struct prof_launched *launched);

/* A command line from arguments that each end in NUL, as /proc has them: blanks between them.
 * Owns:   the text is names'.  Errors: "" without memory. */
const char *prof_process_cmdline(prof_names *names, const char *arguments, size_t len);

#endif
