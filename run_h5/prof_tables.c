/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_h5/prof_tables.h"

#include "run_h5/prof_reader.h"

#define PROF_FIELD(row, member, type, text)                  \
    {                                                        \
#member, type, 1, offsetof(struct row, member), text \
    }
#define PROF_LEVELS(row, member, text)                                          \
    {                                                                           \
#member, PROF_F64, PROF_LEVEL_COUNT, offsetof(struct row, member), text \
    }
#define PROF_LEN(array) (sizeof(array) / sizeof((array)[0]))

static const struct prof_field prof_node_fields[] = {
    PROF_FIELD(prof_node, id, PROF_U32, "row number"),
    PROF_FIELD(prof_node, parent, PROF_U32,
               "id of the containing node, smaller than id; missing for the root"),
    PROF_FIELD(prof_node, kind, PROF_U32, "index into the attribute kinds"),
    PROF_FIELD(prof_node, process, PROF_U32, "row of /processes; missing for nodes that processes share"),
    PROF_FIELD(prof_node, label, PROF_TEXT, "name"),
    PROF_FIELD(prof_node, base, PROF_U64, "first address; 0 where the node is no single range"),
    PROF_FIELD(prof_node, end, PROF_U64, "first address behind it"),
    PROF_FIELD(prof_node, elem_size_bytes, PROF_U64, "bytes of an element; 0 without elements"),
    PROF_FIELD(prof_node, dims, PROF_U64, "components of an element"),
    PROF_FIELD(prof_node, born_ns, PROF_U64, "start of life, ns since start_mono_ns"),
    PROF_FIELD(prof_node, died_ns, PROF_U64, "end of life; missing while alive at the end"),
};
static const struct prof_field prof_thread_fields[] = {
    PROF_FIELD(prof_thread, process, PROF_U32, "row of /processes"),
    PROF_FIELD(prof_thread, tid, PROF_U32, "thread id of the kernel"),
    PROF_FIELD(prof_thread, name, PROF_TEXT, "name of the thread"),
    PROF_FIELD(prof_thread, begin_ns, PROF_U64,
               "first record, ns since start_mono_ns; missing when no record could be read"),
    PROF_FIELD(prof_thread, end_ns, PROF_U64, "last record"),
    PROF_FIELD(prof_thread, cpu_ns, PROF_U64,
               "CPU time, Loadstone's part included; missing when the thread was killed"),
    PROF_FIELD(prof_thread, spent_ns, PROF_U64, "Loadstone's part"),
};
static const struct prof_field prof_process_fields[] = {
    PROF_FIELD(prof_process, pid, PROF_U32, "process id"),
    PROF_FIELD(prof_process, parent_pid, PROF_U32, "process id of the parent"),
    PROF_FIELD(prof_process, image, PROF_U32, "program images this process ran before (exec)"),
    PROF_FIELD(prof_process, parent, PROF_U32,
               "row of the image that forked or started this one; missing where none was recorded"),
    PROF_FIELD(prof_process, origin, PROF_U32, "index into the attribute origins"),
    PROF_FIELD(prof_process, ended, PROF_U32, "index into the attribute ends"),
    PROF_FIELD(prof_process, exit_code, PROF_U32, "status of exit; missing where not known"),
    PROF_FIELD(prof_process, exit_signal, PROF_U32, "signal that killed it; missing where none is known"),
    PROF_FIELD(prof_process, rank, PROF_I32, "rank in an MPI job, -1 without one"),
    PROF_FIELD(prof_process, ranks_len, PROF_U32, "ranks of that job, 0 when not known"),
    PROF_FIELD(prof_process, peak_bytes, PROF_U64,
               "most memory that was resident; missing where the process did not end by itself"),
    PROF_FIELD(prof_process, rank_from, PROF_TEXT, "environment variable that told the rank"),
    PROF_FIELD(prof_process, exe, PROF_TEXT, "program file"),
    PROF_FIELD(prof_process, cmdline, PROF_TEXT, "command line"),
    PROF_FIELD(prof_process, engine, PROF_TEXT, "sampling engine"),
    PROF_FIELD(prof_process, trigger, PROF_TEXT, "what started its bursts"),
    PROF_FIELD(prof_process, why, PROF_TEXT, "why no better engine or trigger was taken"),
    PROF_FIELD(prof_process, begin_ns, PROF_U64, "first record, ns since start_mono_ns"),
    PROF_FIELD(prof_process, end_ns, PROF_U64, "last record"),
    PROF_FIELD(prof_process, bursts_ns, PROF_U64, "time spent in bursts, summed over threads"),
    PROF_FIELD(prof_process, hooks_ns, PROF_U64, "estimated time spent in hooks and in starts of threads"),
    PROF_FIELD(prof_process, cpu_ns, PROF_U64, "CPU time of all threads while sampling was on"),
    PROF_FIELD(prof_process, user_ns, PROF_U64,
               "part of cpu_ns that the program spent outside of the kernel"),
    PROF_FIELD(prof_process, kernel_ns, PROF_U64, "part of cpu_ns that the kernel spent for the program"),
    PROF_FIELD(prof_process, recording_ns, PROF_U64, "part of cpu_ns that recording itself took"),
    PROF_FIELD(prof_process, represented_ns, PROF_U64, "part of user_ns that bursts represent"),
};
static const struct prof_field prof_burst_fields[] = {
    PROF_FIELD(prof_burst, thread, PROF_U32, "row of /threads"),
    PROF_FIELD(prof_burst, cpu, PROF_U32, "logical CPU at the trigger"),
    PROF_FIELD(prof_burst, time_ns, PROF_U64, "of the trigger, ns since start_mono_ns"),
    PROF_FIELD(prof_burst, weight_ns, PROF_U64,
               "CPU time that the burst represents, at the instruction where it began"),
    PROF_FIELD(prof_burst, spent_ns, PROF_U64, "cost of the burst"),
    PROF_FIELD(prof_burst, ip, PROF_U64, "interrupted instruction"),
    PROF_FIELD(prof_burst, instructions, PROF_U32, "stepped"),
    PROF_FIELD(prof_burst, end_why, PROF_U32,
               "index into the attribute ends; missing when the program was killed in it"),
    PROF_FIELD(prof_burst, first_sample, PROF_U64, "row of its first sample"),
    PROF_FIELD(prof_burst, samples_len, PROF_U32, "number of its samples"),
    PROF_FIELD(prof_burst, frame, PROF_U32,
               "row of /frames: call stack at the trigger; missing when none was taken"),
    PROF_FIELD(prof_burst, phase, PROF_U32, "id in /phases at the trigger, the innermost one"),
    PROF_FIELD(
        prof_burst, data_weight_ns, PROF_U64,
        "CPU time that its accesses represent: bursts that were cut short before their loads could be timed "
        "leave theirs to other bursts that began in the same function"),
};
static const struct prof_field prof_module_fields[] = {
    PROF_FIELD(prof_module, process, PROF_U32, "row of /processes"),
    PROF_FIELD(prof_module, path, PROF_TEXT, "file"),
    PROF_FIELD(prof_module, build_id, PROF_TEXT, "build id in hexadecimal, empty when there is none"),
    PROF_FIELD(prof_module, base, PROF_U64, "first address of its mappings"),
    PROF_FIELD(prof_module, end, PROF_U64, "first address behind them"),
    PROF_FIELD(prof_module, bias, PROF_U64, "address minus address in the file's own view"),
};
static const struct prof_field prof_line_fields[] = {
    PROF_FIELD(prof_line, process, PROF_U32, "row of /processes"),
    PROF_FIELD(prof_line, ip, PROF_U64, "sampled instruction, or one of /frames"),
    PROF_FIELD(prof_line, module, PROF_TEXT, "file it lies in"),
    PROF_FIELD(prof_line, function, PROF_TEXT,
               "innermost function, inlined ones included; empty when not known"),
    PROF_FIELD(prof_line, file, PROF_TEXT, "source file, empty when not known"),
    PROF_FIELD(prof_line, line, PROF_U32, "source line, 0 when not known"),
    PROF_FIELD(prof_line, symbol, PROF_TEXT,
               "function that the machine code belongs to; module+0xoffset when not known"),
    PROF_FIELD(prof_line, until_ns, PROF_U64,
               "when the module was unloaded; missing: never. Later samples are another row's"),
};
static const struct prof_field prof_inline_fields[] = {
    PROF_FIELD(prof_inline, line, PROF_U32, "row of /lines"),
    PROF_FIELD(prof_inline, depth, PROF_U32, "steps out of the inlined function of the line, from 1"),
    PROF_FIELD(prof_inline, function, PROF_TEXT, "function that the one before was inlined into"),
    PROF_FIELD(prof_inline, file, PROF_TEXT, "source file of the call, empty when not known"),
    PROF_FIELD(prof_inline, line_number, PROF_U32, "source line of the call, 0 when not known"),
};
static const struct prof_field prof_phase_fields[] = {
    PROF_FIELD(prof_phase, id, PROF_U32, "row number"),
    PROF_FIELD(prof_phase, parent, PROF_U32, "id of the enclosing phase; missing at the top"),
    PROF_FIELD(prof_phase, name, PROF_TEXT, "name given by the program"),
};
static const struct prof_field prof_phase_span_fields[] = {
    PROF_FIELD(prof_phase_span, phase, PROF_U32, "id in /phases"),
    PROF_FIELD(prof_phase_span, thread, PROF_U32, "row of /threads"),
    PROF_FIELD(prof_phase_span, begin_ns, PROF_U64, "ns since start_mono_ns"),
    PROF_FIELD(prof_phase_span, end_ns, PROF_U64, "missing while open when the recording ended"),
};
#define PROF_SERIES_FIELDS(text)                                                 \
    {                                                                            \
        PROF_FIELD(prof_point, process, PROF_U32, "row of /processes"),          \
            PROF_FIELD(prof_point, time_ns, PROF_U64, "ns since start_mono_ns"), \
            PROF_FIELD(prof_point, value, PROF_U64, text),                       \
    }
static const struct prof_field prof_resident_fields[] = PROF_SERIES_FIELDS("bytes in memory");
static const struct prof_field prof_minor_fields[] =
    PROF_SERIES_FIELDS("page faults without a disk access, since the process began");
static const struct prof_field prof_major_fields[] =
    PROF_SERIES_FIELDS("page faults that waited for a disk, since the process began");
static const struct prof_field prof_event_fields[] = {
    PROF_FIELD(prof_event, process, PROF_U32, "row of /processes; missing for the run as a whole"),
    PROF_FIELD(prof_event, time_ns, PROF_U64, "ns since start_mono_ns"),
    PROF_FIELD(prof_event, kind, PROF_TEXT, "name of the incident"),
    PROF_FIELD(prof_event, text, PROF_TEXT, "what it means"),
    PROF_FIELD(prof_event, count, PROF_U64, "how many, or how many bytes"),
    PROF_FIELD(prof_event, detail_errno, PROF_I32, "errno, 0 without one"),
};
static const struct prof_field prof_source_fields[] = {
    PROF_FIELD(prof_source, file, PROF_TEXT, "source file, as in /lines"),
    PROF_FIELD(prof_source, line, PROF_U32, "line number, from 1"),
    PROF_FIELD(prof_source, text, PROF_TEXT, "the line"),
};

static const struct prof_field prof_frame_fields[] = {
    PROF_FIELD(prof_frame, parent, PROF_U32,
               "row of the calling frame, smaller than its own; missing for the outermost"),
    PROF_FIELD(prof_frame, process, PROF_U32, "row of /processes"),
    PROF_FIELD(prof_frame, ip, PROF_U64, "instruction; of a caller the last byte of its call instruction"),
    PROF_FIELD(prof_frame, line, PROF_U32, "row of /lines; missing when it has none"),
};

static const struct prof_field prof_site_fields[] = {
    PROF_FIELD(prof_site, id, PROF_U32, "row number"),
    PROF_FIELD(prof_site, process, PROF_U32, "row of /processes"),
    PROF_FIELD(prof_site, frame, PROF_U32, "call path: row of /frames"),
    PROF_FIELD(prof_site, label_frame, PROF_U32, "frame of the path that the label is from"),
    PROF_FIELD(prof_site, node, PROF_U32, "row of /nodes; missing when no sample hit its blocks"),
    PROF_FIELD(prof_site, label, PROF_TEXT,
               "variable that the source line assigns to, or function:line, or module+offset"),
    PROF_FIELD(prof_site, blocks, PROF_U64, "blocks ever allocated; estimated unless sample_rate is 1"),
    PROF_FIELD(prof_site, bytes, PROF_U64, "bytes ever allocated; estimated unless sample_rate is 1"),
    PROF_FIELD(prof_site, recorded, PROF_U64, "blocks that the recording holds"),
    PROF_FIELD(prof_site, sample_rate, PROF_F64, "blocks that a recorded one stands for on average"),
};

static const struct prof_field prof_watch_fields[] = {
    PROF_FIELD(prof_watch, process, PROF_U32, "row of /processes"),
    PROF_FIELD(prof_watch, name, PROF_TEXT, "what was asked for: NODE[INDEX]"),
    PROF_FIELD(prof_watch, base, PROF_U64, "first byte watched"),
    PROF_FIELD(prof_watch, len_bytes, PROF_U64, "bytes watched: at most 8, the first of the element"),
    PROF_FIELD(prof_watch, element, PROF_U64, "index of the element"),
    PROF_FIELD(prof_watch, begin_ns, PROF_U64, "watched from, ns since start_mono_ns"),
    PROF_FIELD(prof_watch, end_ns, PROF_U64, "to; missing when the process was killed"),
    PROF_FIELD(prof_watch, on_ns, PROF_U64, "how long it was really watched, summed over threads"),
    PROF_FIELD(prof_watch, wanted_ns, PROF_U64, "how long it would have been without the overhead budget"),
    PROF_FIELD(prof_watch, hits, PROF_U64, "touches seen"),
};

static const struct prof_field prof_kernel_fields[] = {
    PROF_FIELD(prof_kernel, process, PROF_U32, "row of /processes"),
    PROF_FIELD(prof_kernel, cause, PROF_U32, "index into the attribute causes"),
    PROF_FIELD(prof_kernel, node, PROF_U32,
               "id in /nodes: data that was mapped, faulted in or released; missing where not known"),
    PROF_FIELD(prof_kernel, line, PROF_U32,
               "row of /lines: the instruction or the call; missing where not known"),
    PROF_FIELD(prof_kernel, frame, PROF_U32, "row of /frames: call path; missing where none was taken"),
    PROF_FIELD(prof_kernel, calls, PROF_U64, "calls or page faults; estimated where they are sampled"),
    PROF_FIELD(prof_kernel, bytes, PROF_U64, "memory in them"),
    PROF_FIELD(prof_kernel, time_ns, PROF_F64, "CPU time in the kernel"),
    PROF_FIELD(prof_kernel, error_ns, PROF_F64, "half of its 95 % interval"),
};

static const struct prof_field prof_in_place_fields[] = {
    PROF_FIELD(prof_in_place, process, PROF_U32, "row of /processes"),
    PROF_FIELD(prof_in_place, instruction, PROF_TEXT, "mnemonic"),
    PROF_FIELD(prof_in_place, count, PROF_U64, "how often the step engine stepped it in place"),
};

#define PROF_TABLE_ROW(group, fields, row)                  \
    {                                                       \
        group, fields, PROF_LEN(fields), sizeof(struct row) \
    }
const struct prof_table prof_tables[PROF_TABLE_COUNT] = {
    [PROF_TABLE_nodes] = PROF_TABLE_ROW("/nodes", prof_node_fields, prof_node),
    [PROF_TABLE_threads] = PROF_TABLE_ROW("/threads", prof_thread_fields, prof_thread),
    [PROF_TABLE_processes] = PROF_TABLE_ROW("/processes", prof_process_fields, prof_process),
    [PROF_TABLE_bursts] = PROF_TABLE_ROW("/bursts", prof_burst_fields, prof_burst),
    [PROF_TABLE_modules] = PROF_TABLE_ROW("/modules", prof_module_fields, prof_module),
    [PROF_TABLE_lines] = PROF_TABLE_ROW("/lines", prof_line_fields, prof_line),
    [PROF_TABLE_inlines] = PROF_TABLE_ROW("/inlines", prof_inline_fields, prof_inline),
    [PROF_TABLE_phases] = PROF_TABLE_ROW("/phases", prof_phase_fields, prof_phase),
    [PROF_TABLE_phase_spans] = PROF_TABLE_ROW("/phase_spans", prof_phase_span_fields, prof_phase_span),
    [PROF_TABLE_resident_bytes] = PROF_TABLE_ROW("/series/resident_bytes", prof_resident_fields, prof_point),
    [PROF_TABLE_minor_faults] = PROF_TABLE_ROW("/series/minor_faults", prof_minor_fields, prof_point),
    [PROF_TABLE_major_faults] = PROF_TABLE_ROW("/series/major_faults", prof_major_fields, prof_point),
    [PROF_TABLE_events] = PROF_TABLE_ROW("/events", prof_event_fields, prof_event),
    [PROF_TABLE_sources] = PROF_TABLE_ROW("/sources", prof_source_fields, prof_source),
    [PROF_TABLE_sites] = PROF_TABLE_ROW("/sites", prof_site_fields, prof_site),
    [PROF_TABLE_watches] = PROF_TABLE_ROW("/watches", prof_watch_fields, prof_watch),
    [PROF_TABLE_kernels] = PROF_TABLE_ROW("/kernel", prof_kernel_fields, prof_kernel),
    [PROF_TABLE_in_places] = PROF_TABLE_ROW("/in_place", prof_in_place_fields, prof_in_place),
    [PROF_TABLE_frames] = PROF_TABLE_ROW("/frames", prof_frame_fields, prof_frame),
};

static const struct prof_field prof_run_fields[] = {
    PROF_FIELD(prof_run, schema, PROF_U64, "version of this layout"),
    PROF_FIELD(prof_run, command, PROF_TEXT, "command line as given"),
    PROF_FIELD(prof_run, host, PROF_TEXT, "name of the machine"),
    PROF_FIELD(prof_run, cpu, PROF_TEXT, "CPU model"),
    PROF_FIELD(prof_run, topology, PROF_TEXT, "packages, cores and caches in one line"),
    PROF_FIELD(prof_run, engine, PROF_TEXT, "sampling engine"),
    PROF_FIELD(prof_run, trigger, PROF_TEXT, "what started its bursts"),
    PROF_FIELD(prof_run, why, PROF_TEXT, "why no better one was taken"),
    PROF_FIELD(prof_run, version, PROF_TEXT, "Loadstone that wrote the file"),
    PROF_FIELD(prof_run, start_realtime_ns, PROF_U64, "start in ns since 1970"),
    PROF_FIELD(prof_run, start_mono_ns, PROF_U64,
               "the same instant on CLOCK_MONOTONIC: 0 of all times in the file"),
    PROF_FIELD(prof_run, duration_ns, PROF_U64, "wall time of the program"),
    PROF_FIELD(prof_run, exit_code, PROF_U64, "status of the program"),
    PROF_FIELD(prof_run, exit_signal, PROF_U64, "signal that killed it, 0 when none did"),
    PROF_FIELD(prof_run, tsc_hz, PROF_U64, "TSC cycles a second"),
    PROF_FIELD(
        prof_run, tsc_step_cycles, PROF_U64,
        "the time stamp counter advances in steps of this many cycles: single latencies are so coarse"),
    PROF_FIELD(prof_run, probe_cost_cycles, PROF_U64,
               "cost of the latency probe, subtracted from every latency"),
    PROF_FIELD(prof_run, burst_instructions, PROF_U64, "instructions of a full burst"),
    PROF_FIELD(prof_run, overhead_asked, PROF_F64, "share of wall time that Loadstone might use"),
    PROF_FIELD(prof_run, overhead_achieved, PROF_F64,
               "share it used: bursts and hooks, summed over threads, of the worst process of 0.1 s or more"),
    PROF_FIELD(prof_run, lost_records, PROF_U64, "records that could not be used"),
    PROF_FIELD(prof_run, dropped_bytes, PROF_U64, "bytes of records dropped for want of space"),
    PROF_FIELD(prof_run, throttled, PROF_U64, "times the kernel throttled the engine"),
    PROF_LEVELS(prof_run, level_latency_cycles, "calibration: median load latency inside each level"),
    PROF_LEVELS(prof_run, level_limit_cycles, "a latency below limit[l] is at level l or nearer"),
    PROF_FIELD(prof_run, issue_width, PROF_F64, "instructions a cycle assumed by the stall estimate"),
    PROF_FIELD(
        prof_run, coverage_precise, PROF_F64,
        "share of samples in precise homes: registered ranges and kinds of /nodes that name one thing"),
    PROF_FIELD(
        prof_run, coverage_coarse, PROF_F64,
        "share of samples in coarse homes (areas that hold many things); the rest hit no known mapping"),
    PROF_FIELD(prof_run, events_sampled, PROF_TEXT,
               "what a sample is, in words; empty for the step engine: a load or store of a burst"),
    PROF_FIELD(prof_run, latency_meaning, PROF_TEXT,
               "what latency_cycles counts, where the hardware told it; "
               "empty for the step engine: the load alone, TSC cycles"),
    PROF_FIELD(prof_run, cpu_ns, PROF_U64, "CPU time of all recorded processes while sampling was on"),
    PROF_FIELD(prof_run, user_ns, PROF_U64, "part of cpu_ns that the programs spent outside of the kernel"),
    PROF_FIELD(prof_run, kernel_ns, PROF_U64, "part of cpu_ns that the kernel spent for the programs"),
    PROF_FIELD(prof_run, kernel_error_ns, PROF_U64,
               "half of the 95 % interval of the split into user and kernel"),
    PROF_FIELD(prof_run, recording_ns, PROF_U64, "part of cpu_ns that recording itself took"),
    PROF_FIELD(prof_run, represented_ns, PROF_U64, "part of user_ns that bursts represent"),
    PROF_FIELD(prof_run, unrepresented_ns, PROF_U64, "the rest of user_ns"),
    PROF_FIELD(prof_run, unrepresented_why, PROF_TEXT, "why it is not represented; empty where it is"),
    PROF_FIELD(prof_run, weights_found, PROF_F64,
               "sum of the weights of bursts before they were scaled, as a share of user_ns; 1 is expected"),
    PROF_FIELD(prof_run, instructions_stepped, PROF_U64, "instructions in bursts"),
    PROF_FIELD(prof_run, instructions_in_place, PROF_U64,
               "those of them that were stepped in place, which switches latencies off for a moment"),
};
const struct prof_table prof_run_table = PROF_TABLE_ROW("/run", prof_run_fields, prof_run);

#define PROF_TYPE_OF(type)        \
    _Generic((type)0, uint8_t     \
             : PROF_U8, uint16_t  \
             : PROF_U16, uint32_t \
             : PROF_U32, uint64_t \
             : PROF_U64, int32_t  \
             : PROF_I32)
#define PROF_COLUMN_ROW(name, type, fill, text) {#name, PROF_TYPE_OF(type), fill, text},
const struct prof_column_row prof_column_rows[PROF_COL_COUNT] = {PROF_SAMPLE_COLUMNS(PROF_COLUMN_ROW)};

const char *const prof_level_names[PROF_LEVEL_COUNT] = {"L1", "L2", "L3", "DRAM"};
#define PROF_SOURCE_NAME(id, text, level) text,
const char *const prof_source_names[LS_SOURCE_COUNT] = {LS_SOURCE_LIST(PROF_SOURCE_NAME)};
#define PROF_KIND_NAME(name, text, precise) text,
const char *const prof_kind_names[PROF_NODE_KIND_COUNT] = {PROF_NODE_KINDS(PROF_KIND_NAME)};

bool prof_kind_is_precise(uint32_t kind)
{
#define PROF_KIND_PRECISE(name, text, precise) precise,
    static const bool is_precise[PROF_NODE_KIND_COUNT] = {PROF_NODE_KINDS(PROF_KIND_PRECISE)};
#undef PROF_KIND_PRECISE
    return kind < PROF_NODE_KIND_COUNT && is_precise[kind];
}

const char *const prof_origin_names[PROF_ORIGIN_COUNT] = {"start", "fork", "exec"};
#define PROF_CAUSE_NAME(name, text) text,
const char *const prof_cause_names[PROF_KERNEL_CAUSE_COUNT] = {PROF_KERNEL_CAUSES(PROF_CAUSE_NAME)};
const char *const prof_ended_names[PROF_ENDED_COUNT] = {"unknown", "exit", "signal", "exec"};

size_t prof_type_bytes(enum prof_type type)
{
    static const uint8_t bytes[] = {[PROF_U8] = 1,
                                    [PROF_U16] = 2,
                                    [PROF_U32] = 4,
                                    [PROF_U64] = 8,
                                    [PROF_I32] = 4,
                                    [PROF_F64] = 8,
                                    [PROF_TEXT] = sizeof(char *)};
    return bytes[type];
}
