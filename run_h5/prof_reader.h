/* SPDX-License-Identifier: BSD-3-Clause */
/* Read run.h5: the only module that does. Everything a reader returns lives until prof_close.
 *
 * Thread: one of the process at a time (HDF5 is not thread-safe); any thread may read the returned data until
 * prof_close. */
#ifndef PROF_READER_H
#define PROF_READER_H

#include "common/ls_error.h"
#include "run_h5/prof_schema.h"

#include <stddef.h>
#include <stdint.h>

typedef struct prof_profile prof_profile;

struct prof_node {
    uint32_t id, parent;
    uint32_t kind;    /* enum prof_node_kind */
    uint32_t process; /* row of processes, UINT32_MAX for shared nodes */
    const char *label;
    uint64_t base, end, elem_size_bytes, dims;
    uint64_t born_ns, died_ns; /* [born, died); died UINT64_MAX while alive at the end */
};
struct prof_thread {
    uint32_t process;
    uint32_t tid;
    const char *name;
    uint64_t begin_ns, end_ns, cpu_ns, spent_ns;
};
#define PROF_NO_PROCESS UINT32_MAX
enum prof_origin { PROF_ORIGIN_START, PROF_ORIGIN_FORK, PROF_ORIGIN_EXEC, PROF_ORIGIN_COUNT };
enum prof_ended {
    PROF_ENDED_UNKNOWN, /* killed, or still running */
    PROF_ENDED_EXIT,
    PROF_ENDED_SIGNAL,
    PROF_ENDED_EXEC, /* the same process went on with the next image */
    PROF_ENDED_COUNT
};
struct prof_process {
    uint32_t pid, parent_pid, image;
    uint32_t parent;       /* row, PROF_NO_PROCESS where no recorded one started it */
    uint32_t origin;       /* enum prof_origin; UINT32_MAX: not known */
    uint32_t ended;        /* enum prof_ended; UINT32_MAX: not known */
    uint32_t exit_code;    /* UINT32_MAX: not known */
    uint32_t exit_signal;  /* UINT32_MAX: none known */
    int32_t rank;          /* -1: none */
    uint32_t ranks_len;    /* ranks of the job, 0: not known */
    const char *rank_from; /* environment variable with the rank */
    uint64_t peak_bytes;   /* most memory that was resident; UINT64_MAX: not known */
    const char *exe, *cmdline;
    const char *engine, *trigger, *why;
    uint64_t begin_ns, end_ns, bursts_ns, hooks_ns;
    /* CPU time of all threads while sampling was on, UINT64_MAX where not known: user, kernel and recording
     * itself add up to cpu_ns; bursts represent represented_ns of user_ns. */
    uint64_t cpu_ns, user_ns, kernel_ns, recording_ns, represented_ns;
};
struct prof_burst {
    uint32_t thread, cpu;
    uint64_t time_ns, weight_ns, spent_ns, ip;
    uint32_t instructions, end_why;
    uint64_t first_sample;
    uint32_t samples_len;
    uint32_t frame; /* row of frames: the call stack at the trigger; UINT32_MAX when none was taken */
    uint32_t phase; /* id in phases of the thread at the trigger; UINT32_MAX: none */
    /* CPU time that its accesses represent. Differs from weight_ns if a burst was cut short before its loads
     * could be timed: then other bursts of the same function represent it. */
    uint64_t data_weight_ns;
};
/* Kernel time of one process by cause. Rows without a node, line or frame: UINT32_MAX. */
struct prof_kernel {
    uint32_t process;
    uint32_t cause;           /* enum prof_kernel_cause */
    uint32_t node;            /* data that was mapped, faulted in or released */
    uint32_t line;            /* row of lines: the instruction or the call */
    uint32_t frame;           /* row of frames: the call path */
    uint64_t calls, bytes;    /* calls or faults, and the memory in them; estimated where sampled */
    double time_ns, error_ns; /* error: half of the 95 % interval */
};
/* Instructions that the step engine stepped in place, by their mnemonics. */
struct prof_in_place {
    uint32_t process;
    const char *instruction;
    uint64_t count;
};
struct prof_module {
    uint32_t process;
    const char *path, *build_id;
    uint64_t base, end, bias;
};
/* One distinct ip, sampled or of a frame: where it is. Missing strings are "". */
struct prof_line {
    uint32_t process;
    uint64_t ip;
    const char *module, *function, *file; /* function: the innermost inlined one that holds ip */
    uint32_t line;
    const char
        *symbol; /* the function that the machine code belongs to, module+0xoffset where no name is known */
    uint64_t until_ns; /* the module was unloaded then: later samples are another row's; UINT64_MAX: never */
};
/* A function that others were inlined into: one step out of the function of a line. */
struct prof_inline {
    uint32_t line;  /* row of lines */
    uint32_t depth; /* 1: the one that called the line's function; the last one is the symbol */
    const char *function, *file;
    uint32_t line_number; /* line of the call */
};
struct prof_phase {
    uint32_t id, parent;
    const char *name;
};
/* A phase from its begin to its end in one thread. */
struct prof_phase_span {
    uint32_t phase, thread;
    uint64_t begin_ns, end_ns; /* end UINT64_MAX: still open when the recording ended */
};
/* A value of a time series. */
struct prof_point {
    uint32_t process;
    uint64_t time_ns, value;
};
/* One line of source text around a sampled one; sorted by file, line. */
struct prof_source {
    const char *file;
    uint32_t line;
    const char *text;
};
/* A frame of a call path. Paths that begin alike share their outer frames: a path is named by the row of its
 * innermost frame. */
struct prof_frame {
    uint32_t parent; /* row of the caller, before its own; UINT32_MAX for the outermost */
    uint32_t process;
    uint64_t ip;   /* for a caller: return address - 1, so that its line is the call's */
    uint32_t line; /* row of lines, UINT32_MAX: none */
};
/* Blocks allocated at one call path. */
struct prof_site {
    uint32_t id, process;
    uint32_t frame;       /* innermost frame of the path, UINT32_MAX: not known */
    uint32_t label_frame; /* the frame that the label is from: not an allocator's own */
    uint32_t node;        /* UINT32_MAX: no sample hit any of its blocks */
    const char *label;
    uint64_t blocks, bytes; /* ever allocated; estimated where sample_rate is not 1 */
    uint64_t recorded;      /* blocks in the recording */
    double sample_rate;     /* average number of blocks that a recorded one represents */
};
struct prof_event {
    uint32_t process;
    uint64_t time_ns;
    const char *kind, *text;
    uint64_t count;
    int detail_errno;
};

/* An element that breakpoints watched. Threads add up in on_ns and wanted_ns: touches in all were about
 * hits * wanted_ns / on_ns. */
struct prof_watch {
    uint32_t process;
    const char *name; /* as asked for */
    uint64_t base, len_bytes, element;
    uint64_t begin_ns, end_ns; /* end UINT64_MAX: the process was killed */
    uint64_t on_ns, wanted_ns, hits;
};

/* Attributes of /run.  Missing numbers: NAN or UINT64_MAX; missing strings: "". */
struct prof_run {
    uint64_t schema;
    const char *command, *host, *cpu, *topology; /* topology: hwloc summary, one line */
    const char *engine, *trigger, *why, *version;
    uint64_t start_realtime_ns, start_mono_ns, duration_ns;
    uint64_t exit_code, exit_signal;
    uint64_t tsc_hz, tsc_step_cycles, probe_cost_cycles, burst_instructions;
    double overhead_asked, overhead_achieved; /* shares of wall time; achieved: bursts and hooks, summed over
                                                 threads, of the worst process */
    uint64_t lost_records, dropped_bytes, throttled;
    double level_latency_cycles[PROF_LEVEL_COUNT]; /* calibration: median load latency inside each level */
    double level_limit_cycles[PROF_LEVEL_COUNT]; /* a latency below limit[l] is at level l or nearer; last is
                                                    +inf */
    double issue_width;                          /* instructions per cycle assumed by the stall estimate */
    double coverage_precise,
        coverage_coarse; /* shares of samples in precise / in coarse homes; the rest is unmapped */
    const char *events_sampled, *latency_meaning; /* "": the step engine's */
    /* CPU time of all recorded processes while sampling was on: cpu = user + kernel + recording, and bursts
     * represent represented_ns of user_ns, all but unrepresented_ns. kernel_error_ns is half of the 95 %
     * interval of the split into user and kernel, which most kernels know by samples only. */
    uint64_t cpu_ns, user_ns, kernel_ns, kernel_error_ns, recording_ns, represented_ns, unrepresented_ns;
    const char *unrepresented_why; /* "": all is represented */
    double weights_found;          /* sum of the weights before they were scaled / user_ns; 1 is expected */
    uint64_t instructions_stepped, instructions_in_place;
};

/* Initialisers for a process, and for a run, whose CPU time is not known. */
#define PROF_PROCESS_CPU_UNKNOWN                                                                      \
    .cpu_ns = UINT64_MAX, .user_ns = UINT64_MAX, .kernel_ns = UINT64_MAX, .recording_ns = UINT64_MAX, \
    .represented_ns = UINT64_MAX
#define PROF_RUN_CPU_UNKNOWN                                                                 \
    PROF_PROCESS_CPU_UNKNOWN, .kernel_error_ns = UINT64_MAX, .unrepresented_ns = UINT64_MAX, \
                              .unrepresented_why = "", .weights_found = NAN,                 \
                              .instructions_stepped = UINT64_MAX, .instructions_in_place = UINT64_MAX

/* Columns asked for; the others stay NULL. */
struct prof_samples {
    uint64_t len;
#define PROF_COLUMN_FIELD(name, type, fill, text) const type *name;
    PROF_SAMPLE_COLUMNS(PROF_COLUMN_FIELD)
#undef PROF_COLUMN_FIELD
};
#define PROF_MASK(name) (UINT64_C(1) << PROF_COL_##name)

/* Errors: LS_ERR_NOT_FOUND, LS_ERR_FORMAT (not HDF5, or no Loadstone file), LS_ERR_VERSION, LS_ERR_TRUNCATED. */
ls_err prof_open(const char *path, prof_profile **out);
void prof_close(prof_profile *p);
const struct prof_run *prof_run_of(const prof_profile *p);
const struct prof_node *
prof_nodes(const prof_profile *p,
           size_t *out_len); /* row i has id i; parents before children; the root's parent is UINT32_MAX */
const struct prof_thread *prof_threads(const prof_profile *p, size_t *out_len);
const struct prof_process *prof_processes(const prof_profile *p, size_t *out_len);
const struct prof_burst *prof_bursts(const prof_profile *p, size_t *out_len);
const struct prof_module *prof_modules(const prof_profile *p, size_t *out_len);
const struct prof_line *prof_lines(const prof_profile *p, size_t *out_len);     /* sorted by process, ip */
const struct prof_inline *prof_inlines(const prof_profile *p, size_t *out_len); /* sorted by line, depth */
const struct prof_phase *prof_phases(const prof_profile *p, size_t *out_len);
const struct prof_phase_span *prof_phase_spans(const prof_profile *p, size_t *out_len);
/* In time order within a process. */
const struct prof_point *prof_resident_bytes(const prof_profile *p, size_t *out_len);
const struct prof_point *prof_minor_faults(const prof_profile *p, size_t *out_len);
const struct prof_point *prof_major_faults(const prof_profile *p, size_t *out_len);
const struct prof_event *prof_events(const prof_profile *p, size_t *out_len);
const struct prof_frame *prof_frames(const prof_profile *p, size_t *out_len);
const struct prof_watch *prof_watches(const prof_profile *p, size_t *out_len);
const struct prof_site *prof_sites(const prof_profile *p, size_t *out_len);
const struct prof_kernel *prof_kernels(const prof_profile *p, size_t *out_len);
const struct prof_in_place *prof_in_places(const prof_profile *p, size_t *out_len);
const struct prof_source *prof_sources(const prof_profile *p, size_t *out_len);
/* Load the columns of mask (PROF_MASK(ip) | ...); loading twice is free. Samples are grouped by burst, in
 * order. */
ls_err prof_load_samples(prof_profile *p, uint64_t mask, struct prof_samples *out);
/* Call use for all samples in order, some at a time, with the columns of mask: only these are in memory.
 * Errors: as above, and those of use. */
typedef ls_err prof_part_use(void *user, const struct prof_samples *part);
ls_err prof_each_part(prof_profile *p, uint64_t mask, prof_part_use *use, void *user);
#define PROF_MASK_ALL ((UINT64_C(1) << PROF_COL_COUNT) - 1)
/* Free the columns in mask, and clear them in s. */
void prof_drop_samples(prof_profile *p, uint64_t mask, struct prof_samples *s);

#endif
