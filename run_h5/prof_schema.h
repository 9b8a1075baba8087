/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h5, schema 2: the one description of its columns. C structs, writer, reader with its checks, merge, and
 * doc/run-h5.md (by a test) follow these lists. */
#ifndef PROF_SCHEMA_H
#define PROF_SCHEMA_H

#include <stdint.h>

#define PROF_SCHEMA 2

/* --- numbers with names; files store the numbers: new ones go to the end --- */

/* X(name, text): coarse levels of the memory hierarchy. */
#define PROF_LEVELS(X) X(L1, "L1") X(L2, "L2") X(L3, "L3") X(DRAM, "DRAM")

/* X(name, text, precise): kinds of /nodes. The root is node 0. precise: a home of this kind names the very
 * thing that was accessed (this global, this allocation site, this thread's stack), or, for memory that comes
 * from a file, the file and which part of it (mapped file, section or constants of a module, vdso); the
 * others are coarse, they name an area that holds many things. */
#define PROF_NODE_KINDS(X)                                                                                   \
    X(ROOT, "root", 0)                                                                                       \
    X(PROCESS, "process", 0)           /* only when several processes registered ranges */                   \
    X(GROUP, "group", 0)               /* createSMRGroup */                                                  \
    X(RANGE, "range", 1)               /* addSMR */                                                          \
    X(UNREGISTERED, "unregistered", 0) /* the one parent of all homes below */                               \
    X(STATIC, "static", 0)             /* data segments of one module */                                     \
    X(HEAP, "heap", 0)                 /* recorded heap blocks */                                            \
    X(HEAP_SMALL, "heap-small", 0)     /* heap memory outside recorded blocks: blocks below the threshold */ \
    X(STACK, "stack", 1)               /* one thread's stack */                                              \
    X(FILE, "file", 1)                 /* one mapped file */                                                 \
    X(CODE, "code", 1) /* read-only and executable segments of a module (constants, jump tables) */          \
    X(ANONYMOUS, "anonymous", 0) /* other anonymous memory */                                                \
    X(KERNEL, "kernel", 1)       /* vdso, vvar, vsyscall */                                                  \
    X(UNMAPPED, "unmapped", 0)   /* no mapping known: the reason is in the label */                          \
    X(SITE, "site", 1)           /* heap blocks allocated at one call path; below heap */                    \
    X(BLOCK, "block", 1)         /* one heap block; below its site */                                        \
    X(SYMBOL, "symbol", 1)       /* one global or static variable; below static or code */                   \
    X(SECTION, "section", 1)     /* one ELF section of a module without symbols; below static or code */     \
    X(TLS, "tls", 1)             /* thread-local storage: a module's, or one variable */                     \
    X(FRAME, "frame", 1)         /* stack frames of one function; below the stack of its thread */           \
    X(JIT, "jit", 0)             /* anonymous executable memory: code generated at run time */               \
    X(DEVICE, "device", 0)       /* memory of devices, below it the sites that allocated it */

/* X(name, text): causes of kernel time in /kernel. */
#define PROF_KERNEL_CAUSES(X)                  \
    X(FAULT, "page faults")                    \
    X(HUGE_FAULT, "page faults of huge pages") \
    X(MAP, "mmap")                             \
    X(UNMAP, "munmap")                         \
    X(BREAK, "brk")                            \
    X(READ, "read")                            \
    X(WRITE, "write")                          \
    X(CALL, "other system calls")              \
    X(OTHER, "kernel, other")

/* X(name, text): why a burst ended. The spool has the same numbers. */
#define PROF_BURST_ENDS(X)        \
    X(BUDGET, "budget")           \
    X(SYSCALL, "syscall")         \
    X(FLAGS, "flags")             \
    X(TSX, "tsx")                 \
    X(MASKED, "masked")           \
    X(DECODE, "decode")           \
    X(LOST, "lost")               \
    X(RSEQ, "rseq")               \
    X(TIME, "time")               \
    X(FULL, "full")               \
    X(FAULT, "fault")             \
    X(PREEMPTED, "preempted")     \
    X(STOPPED, "stopped")         \
    X(SIGNAL, "signal")           \
    X(UNSUPPORTED, "unsupported") \
    X(CODE, "code")               \
    X(REACH, "reach")             \
    X(CACHE, "cache")             \
    X(LOCKED, "locked")           \
    X(COLD, "cold")               \
    X(LENGTH, "length")

/* X(name, text): how the instructions of a burst were executed. The spool has the same numbers. */
#define PROF_METHODS(X) X(STEP, "step") X(TRANSLATE, "translate")

/* X(name, text): which ranks of a job have their samples in the file, and rows of /sums. */
#define PROF_RANK_KEPT(X) X(SUMMED, "no") X(REGULAR, "one in many") X(OUTLIER, "outlier")
#define PROF_SUM_KINDS(X) X(ACCESSES, "accesses") X(BURSTS, "bursts")

/* X(name, text): how a process began. */
#define PROF_ORIGINS(X) X(START, "start") X(FORK, "fork") X(EXEC, "exec")

/* X(name, text): how a process ended. UNKNOWN: killed, or still running. EXEC: went on as the next image. */
#define PROF_ENDS(X) X(UNKNOWN, "unknown") X(EXIT, "exit") X(SIGNAL, "signal") X(EXEC, "exec")

/* X(name, text): kinds of /types and of /members. */
#define PROF_TYPE_KINDS(X) X(STRUCT, "struct") X(CLASS, "class") X(UNION, "union") X(SCALAR, "scalar")
#define PROF_MEMBER_KINDS(X)     \
    X(WHOLE, "type")             \
    X(FIELD, "member")           \
    X(BASE, "base class")        \
    X(ANONYMOUS, "without name") \
    X(BITS, "bit fields")

/* X(name, text): how the type of a site's blocks was found. */
#define PROF_TYPINGS(X)                                 \
    X(NOT, "not found")                                 \
    X(VARIABLE, "variable")                             \
    X(CONTAINER, "template arguments of the allocator") \
    X(NEW, "new expression")                            \
    X(SIZEOF, "sizeof")                                 \
    X(POINTER, "declared pointer")                      \
    X(RETURN, "return type")                            \
    X(VOID, "void pointer")                             \
    X(TOO_LARGE, "larger than its blocks")              \
    X(ACCESS, "pointer in a register")                  \
    X(LOST, "lost (debugging information too large or damaged)")

#define PROF_LEVEL_ENUM(name, text) PROF_LEVEL_##name,
enum prof_level { PROF_LEVELS(PROF_LEVEL_ENUM) PROF_LEVEL_COUNT };
#define PROF_KIND_ENUM(name, text, precise) PROF_NODE_##name,
enum prof_node_kind { PROF_NODE_KINDS(PROF_KIND_ENUM) PROF_NODE_KIND_COUNT };
#define PROF_CAUSE_ENUM(name, text) PROF_KERNEL_##name,
enum prof_kernel_cause { PROF_KERNEL_CAUSES(PROF_CAUSE_ENUM) PROF_KERNEL_CAUSE_COUNT };
#define PROF_BURST_END_ENUM(name, text) PROF_BURST_END_##name,
enum prof_burst_end { PROF_BURST_ENDS(PROF_BURST_END_ENUM) PROF_BURST_END_COUNT };
#define PROF_TYPE_KIND_ENUM(name, text) PROF_TYPE_##name,
enum prof_type_kind { PROF_TYPE_KINDS(PROF_TYPE_KIND_ENUM) PROF_TYPE_KIND_COUNT };
#define PROF_MEMBER_KIND_ENUM(name, text) PROF_MEMBER_##name,
enum prof_member_kind { PROF_MEMBER_KINDS(PROF_MEMBER_KIND_ENUM) PROF_MEMBER_KIND_COUNT };
#define PROF_TYPING_ENUM(name, text) PROF_TYPING_##name,
enum prof_typing_how { PROF_TYPINGS(PROF_TYPING_ENUM) PROF_TYPING_COUNT };
#define PROF_METHOD_ENUM(name, text) PROF_METHOD_##name,
enum prof_method { PROF_METHODS(PROF_METHOD_ENUM) PROF_METHOD_COUNT };
#define PROF_ORIGIN_ENUM(name, text) PROF_ORIGIN_##name,
enum prof_origin { PROF_ORIGINS(PROF_ORIGIN_ENUM) PROF_ORIGIN_COUNT };
#define PROF_KEPT_ENUM(name, text) PROF_KEPT_##name,
enum prof_rank_kept { PROF_RANK_KEPT(PROF_KEPT_ENUM) PROF_KEPT_COUNT };
#define PROF_SUM_ENUM(name, text) PROF_SUM_##name,
enum prof_sum_kind { PROF_SUM_KINDS(PROF_SUM_ENUM) PROF_SUM_KIND_COUNT };
#define PROF_ENDED_ENUM(name, text) PROF_ENDED_##name,
enum prof_ended { PROF_ENDS(PROF_ENDED_ENUM) PROF_ENDED_COUNT };

/* --- columns ---
 *
 * A column's meaning is one of these; the reader checks it, and a merge of files moves rows and times:
 *   VALUE              a number or text
 *   TIME               ns since start_mono_ns of /run
 *   ID                 the row's own number
 *   EARLIER            an earlier row of the same table, missing in the first row; EARLIER_OR_NONE: in any
 *   ROW(table)         a row of a table; ROW_OR_NONE: or missing
 *   SAMPLE             a row of /samples
 *   FIELD              number of a field of /fields, or missing
 *   CODE(codes)        a number with a name, see PROF_CODE_LIST; CODE_OR_NONE: or missing
 *   LABEL(codes)       the same, but later versions may add numbers: others are kept */

/* /samples: 1-D data sets of equal length. X(name, C type, fill value = "missing", meaning, text) */
#define PROF_SAMPLE_COLUMNS(X)                                                                             \
    X(time_ns, uint64_t, UINT64_MAX, TIME, "CLOCK_MONOTONIC at the sample, ns since /run start_mono_ns")   \
    X(thread, uint32_t, UINT32_MAX, ROW_OR_NONE(threads), "row of /threads")                               \
    X(cpu, uint32_t, UINT32_MAX, VALUE, "logical CPU")                                                     \
    X(ip, uint64_t, 0, VALUE, "address of the instruction")                                                \
    X(addr, uint64_t, UINT64_MAX, VALUE, "virtual address accessed")                                       \
    X(size, uint16_t, 0, VALUE, "bytes accessed")                                                          \
    X(op, uint8_t, UINT8_MAX, CODE_OR_NONE(ops), "0 load, 1 store, 2 prefetch")                            \
    X(latency_cycles, int32_t, INT32_MIN, VALUE,                                                           \
      "load latency in TSC cycles; missing where not measured; a coarse counter makes some negative")      \
    X(latency_valid, uint8_t, 0, CODE(flags), "1: latency_cycles is a measurement free of run-ahead bias") \
    X(level, uint8_t, UINT8_MAX, CODE_OR_NONE(levels),                                                     \
      "index into the attribute levels: L1 L2 L3 DRAM; inferred by the step engine")                       \
    X(tlb, uint8_t, UINT8_MAX, VALUE,                                                                      \
      "0 miss, 1 L1 hit, 2 L2 hit; missing where the engine does not record it")                           \
    X(snoop, uint8_t, UINT8_MAX, VALUE,                                                                    \
      "0 none, 1 hit, 2 hit modified, 3 miss, 4 forwarded, 5 from a peer; missing where the engine "       \
      "does not record it")                                                                                \
    X(weight_ns, uint64_t, UINT64_MAX, VALUE,                                                              \
      "CPU time that the sample's burst represents (the same for all its samples)")                        \
    X(node, uint32_t, UINT32_MAX, ROW_OR_NONE(nodes), "id in /nodes")                                      \
    X(element, uint64_t, UINT64_MAX, VALUE, "element index inside the node")                               \
    X(component, uint32_t, UINT32_MAX, VALUE, "component of the element")                                  \
    X(phase, uint32_t, UINT32_MAX, ROW_OR_NONE(phases), "id in /phases")                                   \
    X(burst, uint32_t, UINT32_MAX, ROW_OR_NONE(bursts), "row of /bursts")                                  \
    X(position, uint32_t, UINT32_MAX, VALUE, "instructions since the trigger")                             \
    X(numa, uint8_t, UINT8_MAX, VALUE, "NUMA node of the page; missing on machines with one node")         \
    X(events, uint64_t, UINT64_MAX, VALUE,                                                                 \
      "accesses that the sample represents (the sampling period); missing for the step engine")            \
    X(source, uint8_t, UINT8_MAX, LABEL(sources),                                                          \
      "index into the attribute sources: where the data came from, as the hardware recorded it")           \
    X(fault, uint8_t, UINT8_MAX, VALUE, "page faults: 0 minor, 1 major (waited for a disk)")               \
    X(page_bytes, uint32_t, 0, VALUE, "size of the page that was touched")                                 \
    X(field, uint32_t, UINT32_MAX, FIELD,                                                                  \
      "number of the field (attribute number in /fields) that the access is in; missing where its "        \
      "node is on no natural domain")                                                                      \
    X(value, uint32_t, UINT32_MAX, VALUE,                                                                  \
      "cell or point of that field, x fastest; missing in ghost layers, padding and nowhere")              \
    X(locked, uint8_t, UINT8_MAX, VALUE,                                                                   \
      "1: by an atomic instruction (LOCK prefix, xchg with memory; of Arm atomic or exclusive), 0: "       \
      "not; missing where the hardware does not record it")                                                \
    X(drain_cycles, uint32_t, UINT32_MAX, VALUE,                                                           \
      "TSC cycles until all older instructions were done, before the load was timed; missing where not "   \
      "measured")                                                                                          \
    X(member, uint32_t, UINT32_MAX, ROW_OR_NONE(members),                                                  \
      "row of /members: the innermost member that the access is in, or its type as a whole; missing "      \
      "where the type of the object is not known")                                                         \
    X(type_offset, uint64_t, UINT64_MAX, VALUE,                                                            \
      "bytes from the begin of the object of that type; of an array, of its element")                      \
    X(count, uint32_t, UINT32_MAX, VALUE,                                                                  \
      "profiles of jobs: accesses that the row is the sum of; missing: one access")                        \
    X(cost_ns, uint64_t, UINT64_MAX, VALUE,                                                                \
      "profiles of jobs: CPU time of the access, from all samples of its process; missing elsewhere")      \
    X(stall_ns, uint64_t, UINT64_MAX, VALUE, "profiles of jobs: the part of it that waited for memory")

/* One row of /samples. */
struct prof_sample {
#define PROF_SAMPLE_MEMBER(name, type, fill, meaning, text) type name;
    PROF_SAMPLE_COLUMNS(PROF_SAMPLE_MEMBER)
};

#define PROF_COLUMN_ENUM(name, type, fill, meaning, text) PROF_COL_##name,
enum prof_column { PROF_SAMPLE_COLUMNS(PROF_COLUMN_ENUM) PROF_COL_COUNT };

#define PROF_NO_PROCESS UINT32_MAX
#define PROF_NO_FRAME UINT32_MAX

/* Tables. X(row, type, name, meaning, text): row is the C struct; missing numbers are all ones. */
#define PROF_MEMBER_U32(name) uint32_t name;
#define PROF_MEMBER_U64(name) uint64_t name;
#define PROF_MEMBER_I32(name) int32_t name;
#define PROF_MEMBER_F64(name) double name;
#define PROF_MEMBER_TEXT(name) const char *name;
#define PROF_MEMBER_LEVELS(name) double name[PROF_LEVEL_COUNT];
#define PROF_MEMBER(row, type, name, meaning, text) PROF_MEMBER_##type(name)

/* /nodes: row i has id i, parents come before their children. */
#define PROF_NODE_COLUMNS(X, row)                                                                    \
    X(row, U32, id, ID, "row number")                                                                \
    X(row, U32, parent, EARLIER, "id of the containing node, smaller than id; missing for the root") \
    X(row, U32, kind, CODE(kinds), "index into the attribute kinds")                                 \
    X(row, U32, process, ROW_OR_NONE(processes),                                                     \
      "row of /processes; missing for nodes that processes share")                                   \
    X(row, TEXT, label, VALUE, "name")                                                               \
    X(row, U64, base, VALUE, "first address; 0 where the node is no single range")                   \
    X(row, U64, end, VALUE, "first address after it")                                                \
    X(row, U64, elem_size_bytes, VALUE, "bytes of an element; 0 without elements")                   \
    X(row, U64, dims, VALUE, "components of an element")                                             \
    X(row, U64, born_ns, TIME, "start of life, ns since start_mono_ns")                              \
    X(row, U64, died_ns, TIME, "end of life; missing while alive at the end")
struct prof_node {
    PROF_NODE_COLUMNS(PROF_MEMBER, )
};

/* /threads */
#define PROF_THREAD_COLUMNS(X, row)                                                                       \
    X(row, U32, process, ROW(processes), "row of /processes")                                             \
    X(row, U32, tid, VALUE, "thread id of the kernel")                                                    \
    X(row, TEXT, name, VALUE, "name of the thread")                                                       \
    X(row, U64, begin_ns, TIME,                                                                           \
      "first record, ns since start_mono_ns; missing when no record could be read")                       \
    X(row, U64, end_ns, TIME, "last record")                                                              \
    X(row, U64, cpu_ns, VALUE, "CPU time, Loadstone's part included; missing when the thread was killed") \
    X(row, U64, spent_ns, VALUE, "Loadstone's part")
struct prof_thread {
    PROF_THREAD_COLUMNS(PROF_MEMBER, )
};

/* /processes: program images. CPU times are sums over all threads while sampling was on: user, kernel and
 * recording itself add up to cpu_ns. */
#define PROF_PROCESS_COLUMNS(X, row)                                                           \
    X(row, U32, pid, VALUE, "process id")                                                      \
    X(row, U32, parent_pid, VALUE, "process id of the parent")                                 \
    X(row, U32, image, VALUE, "program images this process ran before (exec)")                 \
    X(row, U32, parent, ROW_OR_NONE(processes),                                                \
      "row of the image that forked or started this one; missing where none was recorded")     \
    X(row, U32, origin, CODE_OR_NONE(origins), "index into the attribute origins")             \
    X(row, U32, ended, CODE_OR_NONE(ended), "index into the attribute ends")                   \
    X(row, U32, exit_code, VALUE, "status of exit; missing where not known")                   \
    X(row, U32, exit_signal, VALUE, "signal that killed it; missing where none is known")      \
    X(row, I32, rank, VALUE, "rank in an MPI job, -1 without one")                             \
    X(row, U32, ranks_len, VALUE, "ranks of that job, 0 when not known")                       \
    X(row, U64, peak_bytes, VALUE,                                                             \
      "most memory that was resident; missing where the process did not end by itself")        \
    X(row, TEXT, rank_from, VALUE, "environment variable that holds the rank")                 \
    X(row, TEXT, exe, VALUE, "program file")                                                   \
    X(row, TEXT, cmdline, VALUE, "command line")                                               \
    X(row, TEXT, engine, VALUE, "sampling engine")                                             \
    X(row, TEXT, trigger, VALUE, "what started its bursts")                                    \
    X(row, TEXT, why, VALUE, "why no better engine or trigger was taken")                      \
    X(row, U64, begin_ns, TIME, "first record, ns since start_mono_ns")                        \
    X(row, U64, end_ns, TIME, "last record")                                                   \
    X(row, U64, bursts_ns, VALUE, "time spent in bursts, summed over threads")                 \
    X(row, U64, hooks_ns, VALUE, "estimated time spent in hooks and in starts of threads")     \
    X(row, U64, cpu_ns, VALUE, "CPU time of all threads while sampling was on")                \
    X(row, U64, user_ns, VALUE, "part of cpu_ns that the program spent outside of the kernel") \
    X(row, U64, kernel_ns, VALUE, "part of cpu_ns that the kernel spent for the program")      \
    X(row, U64, recording_ns, VALUE, "part of cpu_ns that recording itself took")              \
    X(row, U64, represented_ns, VALUE, "part of user_ns that bursts represent")
struct prof_process {
    PROF_PROCESS_COLUMNS(PROF_MEMBER, )
};

/* /bursts */
#define PROF_BURST_COLUMNS(X, row)                                                                              \
    X(row, U32, thread, ROW(threads), "row of /threads")                                                        \
    X(row, U32, cpu, VALUE, "logical CPU at the trigger")                                                       \
    X(row, U64, time_ns, TIME, "of the trigger, ns since start_mono_ns")                                        \
    X(row, U64, weight_ns, VALUE, "CPU time that the burst represents, at the instruction where it began")      \
    X(row, U64, spent_ns, VALUE, "cost of the burst")                                                           \
    X(row, U64, ip, VALUE, "interrupted instruction")                                                           \
    X(row, U32, instructions, VALUE, "executed in it")                                                          \
    X(row, U32, end_why, LABEL(burst_ends),                                                                     \
      "index into the attribute ends; missing when the program was killed in it")                               \
    X(row, U64, first_sample, SAMPLE, "row of its first sample")                                                \
    X(row, U32, samples_len, VALUE, "number of its samples")                                                    \
    X(row, U32, frame, ROW_OR_NONE(frames),                                                                     \
      "row of /frames: call stack at the trigger; missing when none was taken")                                 \
    X(row, U32, phase, ROW_OR_NONE(phases), "id in /phases at the trigger, the innermost one")                  \
    X(row, U64, data_weight_ns, VALUE,                                                                          \
      "CPU time that its accesses represent: bursts that were cut short before their loads could be "           \
      "timed leave theirs to other bursts that began in the same function")                                     \
    X(row, U32, method, LABEL(methods),                                                                         \
      "index into the attribute methods: how its instructions were executed; missing: of no burst, or no end")  \
    X(row, U32, pace_instructions, VALUE,                                                                       \
      "instructions executed in pace_cycles; 0: the pace was not measured")                                     \
    X(row, U64, pace_cycles, VALUE, "TSC cycles of them, at nearly native pace")                                \
    X(row, U64, pace_least_cycles, VALUE,                                                                       \
      "TSC cycles that they take at least with all data in L1, by the loop's chains, stores and divisions; 0: " \
      "not known")                                                                                              \
    X(row, U32, pace_rest_waits, VALUE,                                                                         \
      "1: they take longer than pace_least_cycles only where they wait for data")                               \
    X(row, U64, program_ns, VALUE,                                                                              \
      "user time in which the program itself continued in the burst: part of weight_ns")                        \
    X(row, U32, probe_loads, VALUE,                                                                             \
      "mean distance of its timed loads, in loads; 0: all loads that could be timed were")                      \
    X(row, U32, count, VALUE, "profiles of jobs: bursts that the row is the sum of; 0: one burst")              \
    X(row, U32, mpi, LABEL(mpi_calls),                                                                          \
      "index into the attribute mpi: the function of MPI that the thread was in at the trigger; 0: none")       \
    X(row, U64, mpi_ip, VALUE, "address of the instruction that called it, 0: none")
struct prof_burst {
    PROF_BURST_COLUMNS(PROF_MEMBER, )
};

/* /modules */
#define PROF_MODULE_COLUMNS(X, row)                                                    \
    X(row, U32, process, ROW(processes), "row of /processes")                          \
    X(row, TEXT, path, VALUE, "file")                                                  \
    X(row, TEXT, build_id, VALUE, "build id in hexadecimal, empty when there is none") \
    X(row, U64, base, VALUE, "first address of its mappings")                          \
    X(row, U64, end, VALUE, "first address after them")                                \
    X(row, U64, bias, VALUE, "address minus address in the file's own view")
struct prof_module {
    PROF_MODULE_COLUMNS(PROF_MEMBER, )
};

/* /lines: one distinct ip, sampled or of a frame, sorted by process, ip and time. Missing texts are "". */
#define PROF_LINE_COLUMNS(X, row)                                                                            \
    X(row, U32, process, ROW(processes), "row of /processes")                                                \
    X(row, U64, ip, VALUE, "sampled instruction, or one of /frames")                                         \
    X(row, TEXT, module, VALUE, "file it lies in")                                                           \
    X(row, TEXT, function, VALUE, "innermost function, inlined ones included; empty when not known")         \
    X(row, TEXT, file, VALUE, "source file, empty when not known")                                           \
    X(row, U32, line, VALUE, "source line, 0 when not known")                                                \
    X(row, TEXT, symbol, VALUE, "function that the machine code belongs to; module+0xoffset when not known") \
    X(row, U64, until_ns, TIME,                                                                              \
      "when the module was unloaded; missing: never. Later samples are another row's")
struct prof_line {
    PROF_LINE_COLUMNS(PROF_MEMBER, )
};

/* /inlines: functions that others were inlined into, sorted by line and depth; the last one of a line is its
 * symbol. */
#define PROF_INLINE_COLUMNS(X, row)                                                    \
    X(row, U32, line, ROW(lines), "row of /lines")                                     \
    X(row, U32, depth, VALUE, "steps out of the inlined function of the line, from 1") \
    X(row, TEXT, function, VALUE, "function that the one before was inlined into")     \
    X(row, TEXT, file, VALUE, "source file of the call, empty when not known")         \
    X(row, U32, line_number, VALUE, "source line of the call, 0 when not known")
struct prof_inline {
    PROF_INLINE_COLUMNS(PROF_MEMBER, )
};

/* /phases */
#define PROF_PHASE_COLUMNS(X, row)                                                        \
    X(row, U32, id, ID, "row number")                                                     \
    X(row, U32, parent, EARLIER_OR_NONE, "id of the enclosing phase; missing at the top") \
    X(row, TEXT, name, VALUE, "name given by the program")
struct prof_phase {
    PROF_PHASE_COLUMNS(PROF_MEMBER, )
};

/* /phase_spans: a phase from its begin to its end in one thread. */
#define PROF_PHASE_SPAN_COLUMNS(X, row)                   \
    X(row, U32, phase, ROW(phases), "id in /phases")      \
    X(row, U32, thread, ROW(threads), "row of /threads")  \
    X(row, U64, begin_ns, TIME, "ns since start_mono_ns") \
    X(row, U64, end_ns, TIME, "missing while open when the recording ended")
struct prof_phase_span {
    PROF_PHASE_SPAN_COLUMNS(PROF_MEMBER, )
};

/* /series/NAME: a value of a time series; in time order within a process. */
#define PROF_POINT_COLUMNS(X, row, text)                      \
    X(row, U32, process, ROW(processes), "row of /processes") \
    X(row, U64, time_ns, TIME, "ns since start_mono_ns")      \
    X(row, U64, value, VALUE, text)
#define PROF_RESIDENT_COLUMNS(X, row) PROF_POINT_COLUMNS(X, row, "bytes in memory")
#define PROF_MINOR_COLUMNS(X, row) \
    PROF_POINT_COLUMNS(X, row, "page faults without a disk access, since the process began")
#define PROF_MAJOR_COLUMNS(X, row) \
    PROF_POINT_COLUMNS(X, row, "page faults that waited for a disk, since the process began")
struct prof_point {
    PROF_POINT_COLUMNS(PROF_MEMBER, , )
};

/* /counters: the counters that the launcher sampled with --series. */
#define PROF_COUNTER_COLUMNS(X, row)                                                                         \
    X(row, TEXT, source, VALUE, "where it was read: perf, resctrl, net, ...")                                \
    X(row, TEXT, name, VALUE, "name, unique in its source")                                                  \
    X(row, TEXT, scope, VALUE, "part of the machine that it counts")                                         \
    X(row, TEXT, unit, VALUE, "unit of its values: B, J, W, ...")                                            \
    X(row, U32, kind, LABEL(counter_kinds), "index into the attribute kinds")                                \
    X(row, U32, is_level, CODE(flags), "1: values are levels at the end of an interval; 0: amounts in it")   \
    X(row, TEXT, verified, VALUE, "how it was compared with known traffic before it was used")               \
    X(row, F64, factor, VALUE, "what it counted of known traffic; not a number: not compared")               \
    X(row, F64, roof_per_s, VALUE, "most that a known kernel moved in a second; not a number: not measured") \
    X(row, U64, interval_ns, VALUE, "time between two readings")                                             \
    X(row, U64, reader_cpu_ns, VALUE, "CPU time of the process that read all counters of the machine")
struct prof_counter {
    PROF_COUNTER_COLUMNS(PROF_MEMBER, )
};

/* /series/counters: values of /counters, in time order within a counter. */
#define PROF_READING_COLUMNS(X, row)                                             \
    X(row, U32, counter, ROW(counters), "row of /counters")                      \
    X(row, U64, begin_ns, TIME, "begin of the interval, ns since start_mono_ns") \
    X(row, U64, end_ns, TIME, "its end")                                         \
    X(row, F64, value, VALUE, "amount or level; not a number in a gap")          \
    X(row, U32, gap, LABEL(gaps), "index into the attribute gaps: why it is none")
struct prof_reading {
    PROF_READING_COLUMNS(PROF_MEMBER, )
};

/* /events */
#define PROF_EVENT_COLUMNS(X, row)                                                                    \
    X(row, U32, process, ROW_OR_NONE(processes), "row of /processes; missing for the run as a whole") \
    X(row, U64, time_ns, TIME, "ns since start_mono_ns")                                              \
    X(row, TEXT, kind, VALUE, "name of the incident")                                                 \
    X(row, TEXT, text, VALUE, "what it means")                                                        \
    X(row, U64, count, VALUE, "how many, or how many bytes")                                          \
    X(row, I32, detail_errno, VALUE, "errno, 0 without one")
struct prof_event {
    PROF_EVENT_COLUMNS(PROF_MEMBER, )
};

/* /sources: source text around sampled lines, sorted by file and line. */
#define PROF_SOURCE_COLUMNS(X, row)                        \
    X(row, TEXT, file, VALUE, "source file, as in /lines") \
    X(row, U32, line, VALUE, "line number, from 1")        \
    X(row, TEXT, text, VALUE, "the line")
struct prof_source {
    PROF_SOURCE_COLUMNS(PROF_MEMBER, )
};

/* /frames: call paths. Paths that begin alike share their outer frames: a path is named by the row of its
 * innermost frame. The ip of a caller is its return address - 1, so that its line is the call's. */
#define PROF_FRAME_COLUMNS(X, row)                                                           \
    X(row, U32, parent, EARLIER_OR_NONE,                                                     \
      "row of the calling frame, smaller than its own; missing for the outermost")           \
    X(row, U32, process, ROW(processes), "row of /processes")                                \
    X(row, U64, ip, VALUE, "instruction; of a caller the last byte of its call instruction") \
    X(row, U32, line, ROW_OR_NONE(lines), "row of /lines; missing when it has none")
struct prof_frame {
    PROF_FRAME_COLUMNS(PROF_MEMBER, )
};

/* /sites: blocks allocated at one call path. label_frame is not an allocator's own. */
#define PROF_SITE_COLUMNS(X, row)                                                                 \
    X(row, U32, id, ID, "row number")                                                             \
    X(row, U32, process, ROW(processes), "row of /processes")                                     \
    X(row, U32, frame, ROW_OR_NONE(frames), "call path: row of /frames")                          \
    X(row, U32, label_frame, ROW_OR_NONE(frames), "frame of the path that the label is from")     \
    X(row, U32, node, ROW_OR_NONE(nodes), "row of /nodes; missing when no sample hit its blocks") \
    X(row, TEXT, label, VALUE,                                                                    \
      "variable that the source line assigns to, or function:line, or module+offset")             \
    X(row, U64, blocks, VALUE, "blocks ever allocated; estimated unless sample_rate is 1")        \
    X(row, U64, bytes, VALUE, "bytes ever allocated; estimated unless sample_rate is 1")          \
    X(row, U64, recorded, VALUE, "blocks that the recording holds")                               \
    X(row, F64, sample_rate, VALUE, "blocks that a recorded one stands for on average")           \
    X(row, U32, type, ROW_OR_NONE(types), "row of /types; missing when it is not known")          \
    X(row, U32, typing, CODE(typings), "index into the attribute typings: how it was found")      \
    X(row, U32, disputed, CODE(flags), "1: other evidence is for another type")
struct prof_site {
    PROF_SITE_COLUMNS(PROF_MEMBER, )
};

/* /types: types of data that samples hit. */
#define PROF_TYPE_COLUMNS(X, row)                                         \
    X(row, U32, id, ID, "row number")                                     \
    X(row, U32, kind, CODE(type_kinds), "index into the attribute kinds") \
    X(row, TEXT, name, VALUE, "name, with namespaces and classes")        \
    X(row, U64, len_bytes, VALUE, "size of an object")                    \
    X(row, U32, lost, VALUE, "members left out: too many, too deep, or without a fixed place")
struct prof_type_row {
    PROF_TYPE_COLUMNS(PROF_MEMBER, )
};

/* /members: the members of /types, sorted by type; the first row of a type is the type itself, parents come
 * before their members. An array of structs has the members of its first element. */
#define PROF_MEMBER_COLUMNS(X, row)                                                                  \
    X(row, U32, type, ROW(types), "row of /types")                                                   \
    X(row, U32, parent, EARLIER_OR_NONE, "row of the member around it; missing for the type itself") \
    X(row, U32, kind, CODE(member_kinds), "index into the attribute kinds")                          \
    X(row, TEXT, path, VALUE, "as the source accesses it; a base class has the path of its object")  \
    X(row, TEXT, type_name, VALUE, "its type")                                                       \
    X(row, U64, offset_bytes, VALUE, "from the begin of an object")                                  \
    X(row, U64, len_bytes, VALUE, "size; 0: an array of open length")                                \
    X(row, U64, elem_len_bytes, VALUE, "size of an element of an array, 0: no array")                \
    X(row, U32, first_bit, VALUE, "of a bit field, counted from offset_bytes")                       \
    X(row, U32, bits_len, VALUE, "bits of a bit field, 0: none")
struct prof_member {
    PROF_MEMBER_COLUMNS(PROF_MEMBER, )
};

/* /watches: elements that breakpoints watched. Threads add up in on_ns and wanted_ns: touches in all were
 * about hits * wanted_ns / on_ns. */
#define PROF_WATCH_COLUMNS(X, row)                                                           \
    X(row, U32, process, ROW(processes), "row of /processes")                                \
    X(row, TEXT, name, VALUE, "what was asked for: NODE[INDEX]")                             \
    X(row, U64, base, VALUE, "first byte watched")                                           \
    X(row, U64, len_bytes, VALUE, "bytes watched: at most 8, the first of the element")      \
    X(row, U64, element, VALUE, "index of the element")                                      \
    X(row, U64, begin_ns, TIME, "watched from, ns since start_mono_ns")                      \
    X(row, U64, end_ns, TIME, "to; missing when the process was killed")                     \
    X(row, U64, on_ns, VALUE, "how long it was really watched, summed over threads")         \
    X(row, U64, wanted_ns, VALUE, "how long it would have been without the overhead budget") \
    X(row, U64, hits, VALUE, "touches seen")
struct prof_watch {
    PROF_WATCH_COLUMNS(PROF_MEMBER, )
};

/* /kernel: kernel time of one process by cause. */
#define PROF_KERNEL_COLUMNS(X, row)                                                                    \
    X(row, U32, process, ROW(processes), "row of /processes")                                          \
    X(row, U32, cause, CODE(causes), "index into the attribute causes")                                \
    X(row, U32, node, ROW_OR_NONE(nodes),                                                              \
      "id in /nodes: data that was mapped, faulted in or released; missing where not known")           \
    X(row, U32, line, ROW_OR_NONE(lines),                                                              \
      "row of /lines: the instruction or the call; missing where not known")                           \
    X(row, U32, frame, ROW_OR_NONE(frames), "row of /frames: call path; missing where none was taken") \
    X(row, U64, calls, VALUE, "calls or page faults; estimated where they are sampled")                \
    X(row, U64, bytes, VALUE, "memory in them")                                                        \
    X(row, F64, time_ns, VALUE, "CPU time in the kernel")                                              \
    X(row, F64, error_ns, VALUE, "half of its 95 % interval")
struct prof_kernel {
    PROF_KERNEL_COLUMNS(PROF_MEMBER, )
};

/* /in_place: instructions that the step engine stepped in place, by their mnemonics. */
#define PROF_IN_PLACE_COLUMNS(X, row)                         \
    X(row, U32, process, ROW(processes), "row of /processes") \
    X(row, TEXT, instruction, VALUE, "mnemonic")              \
    X(row, U64, count, VALUE, "how often the step engine stepped it in place")
struct prof_in_place {
    PROF_IN_PLACE_COLUMNS(PROF_MEMBER, )
};

/* /device_blocks: memory of devices (GPUs) that the program allocated. */
#define PROF_DEVICE_BLOCK_COLUMNS(X, row)                                                         \
    X(row, U32, process, ROW(processes), "row of /processes")                                     \
    X(row, U32, site, ROW_OR_NONE(sites), "row of /sites: where it was allocated")                \
    X(row, U32, node, ROW_OR_NONE(nodes), "id in /nodes: the node of the site")                   \
    X(row, U32, api, LABEL(device_apis), "index into the attribute apis: the interface called")   \
    X(row, U32, memory, LABEL(device_memories), "index into the attribute memories: where it is") \
    X(row, U64, base, VALUE, "address, or the handle of an OpenCL buffer")                        \
    X(row, U64, len_bytes, VALUE, "size")                                                         \
    X(row, U64, born_ns, TIME, "allocated, ns since start_mono_ns")                               \
    X(row, U64, died_ns, TIME, "released; missing while alive at the end")                        \
    X(row, U64, copied_in_bytes, VALUE, "copied to it")                                           \
    X(row, U64, copied_out_bytes, VALUE, "copied from it")
struct prof_device_block {
    PROF_DEVICE_BLOCK_COLUMNS(PROF_MEMBER, )
};

/* /device_copies: copies to, from and on devices, and waiting for devices, summed by call path, direction and data. */
#define PROF_DEVICE_COPY_COLUMNS(X, row)                                                              \
    X(row, U32, process, ROW(processes), "row of /processes")                                         \
    X(row, U32, frame, ROW_OR_NONE(frames), "call path: row of /frames")                              \
    X(row, U32, label_frame, ROW_OR_NONE(frames), "frame of the path that is the program's own")      \
    X(row, U32, api, LABEL(device_apis), "index into the attribute apis: the interface called")       \
    X(row, U32, direction, LABEL(device_directions),                                                  \
      "index into the attribute directions; of a wait nothing is copied")                             \
    X(row, U32, queued, CODE(flags),                                                                  \
      "1: the call may return before the end of the copy, so that time_ns is not the copy's")         \
    X(row, U32, to, ROW_OR_NONE(nodes), "id in /nodes: the block copied to; missing where not known") \
    X(row, U32, from, ROW_OR_NONE(nodes), "the same for the block copied from")                       \
    X(row, U64, calls, VALUE, "number of calls")                                                      \
    X(row, U64, bytes, VALUE, "bytes copied")                                                         \
    X(row, U64, time_ns, VALUE, "wall time of the calls in their threads")                            \
    X(row, U64, longest_ns, VALUE, "of the longest call")                                             \
    X(row, U64, first_ns, TIME, "end of the first call, ns since start_mono_ns")                      \
    X(row, U64, last_ns, TIME, "end of the last call")
struct prof_device_copy {
    PROF_DEVICE_COPY_COLUMNS(PROF_MEMBER, )
};

/* /ranks: ranks of a job, in a profile that sums them up; sorted by rank. */
#define PROF_RANK_COLUMNS(X, row)                                                                     \
    X(row, U32, id, ID, "row number")                                                                 \
    X(row, U32, rank, VALUE, "number of the rank in its job")                                         \
    X(row, U32, ranks_len, VALUE, "ranks of that job, 0 when not known")                              \
    X(row, TEXT, host, VALUE, "machine that it ran on")                                               \
    X(row, U32, pid, VALUE, "process id of its first program")                                        \
    X(row, U32, kept, CODE(rank_kept), "index into the attribute kept: are its samples in the file")  \
    X(row, U32, process, ROW_OR_NONE(processes), "its first program, where they are")                 \
    X(row, U32, exit_code, VALUE, "status of its program; missing where not known")                   \
    X(row, U32, exit_signal, VALUE, "signal that killed it; missing where none is known")             \
    X(row, U64, begin_ns, TIME, "first record, ns since start_mono_ns")                               \
    X(row, U64, end_ns, TIME, "last record")                                                          \
    X(row, U64, cpu_ns, VALUE, "CPU time while sampling was on; missing when not known")              \
    X(row, U64, user_ns, VALUE, "part of cpu_ns outside of the kernel")                               \
    X(row, U64, kernel_ns, VALUE, "part of cpu_ns in the kernel")                                     \
    X(row, U64, recording_ns, VALUE, "part of cpu_ns that recording took")                            \
    X(row, U64, time_ns, VALUE, "CPU time that its bursts represent")                                 \
    X(row, U64, stall_ns, VALUE, "the part of it that waited for memory")                             \
    X(row, U64, mpi_wait_ns, VALUE, "the part of it in functions of MPI that wait or are collective") \
    X(row, U64, mpi_other_ns, VALUE, "the part of it in other functions of MPI: transfers")           \
    X(row, U64, bursts, VALUE, "its bursts")                                                          \
    X(row, U64, samples, VALUE, "its samples")
struct prof_rank {
    PROF_RANK_COLUMNS(PROF_MEMBER, )
};

/* /sums: bursts and accesses of all ranks, summed by the columns from kind to mpi_line. The part of ranks whose samples
 * are not in the file is also in /bursts and /samples, as rows of one process without a rank. */
#define PROF_SUM_COLUMNS(X, row)                                                                         \
    X(row, U32, kind, CODE(sum_kinds), "index into the attribute kinds: accesses, or bursts as a whole") \
    X(row, U32, node, ROW_OR_NONE(nodes), "accesses: the data")                                          \
    X(row, U32, line, ROW_OR_NONE(lines), "source line of the accesses, or where the bursts began")      \
    X(row, U32, op, VALUE, "accesses: 0 load, 1 store, 2 prefetch")                                      \
    X(row, U32, level, VALUE, "accesses: as of /samples; missing where not known")                       \
    X(row, U32, timed, CODE(flags), "accesses: 1: loads with a latency")                                 \
    X(row, U32, member, ROW_OR_NONE(members), "accesses: member of a type")                              \
    X(row, U32, phase, ROW_OR_NONE(phases), "id in /phases")                                             \
    X(row, U32, mpi, LABEL(mpi_calls), "function of MPI, as of /bursts")                                 \
    X(row, U32, mpi_line, ROW_OR_NONE(lines), "source line that called it")                              \
    X(row, U64, count, VALUE, "accesses or bursts of all ranks")                                         \
    X(row, U64, time_ns, VALUE, "CPU time that they represent")                                          \
    X(row, U64, stall_ns, VALUE, "accesses: waiting for memory; bursts: time without accesses")          \
    X(row, U64, latency_cycles, VALUE, "accesses: sum of the latencies")                                 \
    X(row, U32, latency_most_cycles, VALUE, "accesses: largest latency")                                 \
    X(row, U32, ranks, VALUE, "ranks with at least one of them")                                         \
    X(row, U64, rank_least_ns, VALUE, "least time of such a rank; another rank has none")                \
    X(row, U64, rank_most_ns, VALUE, "most time of a rank")                                              \
    X(row, U32, rank_of_most, VALUE, "number of that rank; the lowest of several")                       \
    X(row, U64, rest_count, VALUE, "of ranks whose samples are not in the file: accesses or bursts")     \
    X(row, U64, rest_time_ns, VALUE, "of these ranks: CPU time")                                         \
    X(row, U64, rest_stall_ns, VALUE, "of these ranks: as stall_ns")                                     \
    X(row, U64, rest_latency_cycles, VALUE, "of these ranks: sum of the latencies")
struct prof_sum {
    PROF_SUM_COLUMNS(PROF_MEMBER, )
};

/* /rank_data: time of each rank by data, where it has any; sorted by rank. */
#define PROF_RANK_DATUM_COLUMNS(X, row)                      \
    X(row, U32, rank, ROW(ranks), "row of /ranks")           \
    X(row, U32, node, ROW_OR_NONE(nodes), "id in /nodes")    \
    X(row, U64, time_ns, VALUE, "CPU time of its accesses")  \
    X(row, U64, stall_ns, VALUE, "waiting for memory in it") \
    X(row, U64, samples, VALUE, "samples")
struct prof_rank_datum {
    PROF_RANK_DATUM_COLUMNS(PROF_MEMBER, )
};

/* Attributes of /run. Missing numbers: NAN or UINT64_MAX; missing texts: "". Most kernels know the split into
 * user and kernel by samples only: kernel_error_ns. The last of level_limit_cycles is +inf. */
#define PROF_RUN_COLUMNS(X, row)                                                                         \
    X(row, U64, schema, VALUE, "version of this layout")                                                 \
    X(row, TEXT, command, VALUE, "command line as given")                                                \
    X(row, TEXT, host, VALUE, "name of the machine")                                                     \
    X(row, TEXT, cpu, VALUE, "CPU model")                                                                \
    X(row, TEXT, topology, VALUE, "packages, cores and caches in one line")                              \
    X(row, TEXT, engine, VALUE, "sampling engine")                                                       \
    X(row, TEXT, trigger, VALUE, "what started its bursts")                                              \
    X(row, TEXT, why, VALUE, "why no better one was taken")                                              \
    X(row, TEXT, version, VALUE, "Loadstone that wrote the file")                                        \
    X(row, U64, start_realtime_ns, VALUE, "start in ns since 1970")                                      \
    X(row, U64, start_mono_ns, VALUE, "the same instant on CLOCK_MONOTONIC: 0 of all times in the file") \
    X(row, U64, duration_ns, VALUE, "wall time of the program")                                          \
    X(row, U64, exit_code, VALUE, "status of the program")                                               \
    X(row, U64, exit_signal, VALUE, "signal that killed it, 0 when none did")                            \
    X(row, U64, attached_pid, VALUE, "process that record --pid recorded, 0 when record started it")     \
    X(row, U64, tsc_hz, VALUE, "TSC cycles a second")                                                    \
    X(row, U64, tsc_step_cycles, VALUE,                                                                  \
      "the time stamp counter advances in steps of this many cycles: single latencies are so coarse")    \
    X(row, U64, probe_cost_cycles, VALUE, "cost of the latency probe, subtracted from every latency")    \
    X(row, U64, burst_instructions, VALUE, "instructions of a full burst")                               \
    X(row, F64, overhead_asked, VALUE, "share of wall time that Loadstone might use")                    \
    X(row, F64, overhead_achieved, VALUE,                                                                \
      "share it used: bursts and hooks, summed over threads, of the worst process of 0.1 s or more")     \
    X(row, U64, lost_records, VALUE, "records that could not be used")                                   \
    X(row, U64, dropped_bytes, VALUE, "bytes of records dropped for want of space")                      \
    X(row, U64, throttled, VALUE, "times the kernel throttled the engine")                               \
    X(row, LEVELS, level_latency_cycles, VALUE, "calibration: median load latency inside each level")    \
    X(row, LEVELS, level_limit_cycles, VALUE, "a latency below limit[l] is at level l or nearer")        \
    X(row, LEVELS, level_bytes, VALUE, "capacity of each cache; the last: 0")                            \
    X(row, LEVELS, level_line_cycles, VALUE,                                                             \
      "calibration: TSC cycles between two lines of a sweep by one thread through each level")           \
    X(row, F64, line_cycles_all, VALUE, "the same through memory while line_cpus CPUs sweep at once")    \
    X(row, U64, line_cpus, VALUE, "CPUs that swept")                                                     \
    X(row, F64, issue_width, VALUE, "instructions a cycle assumed by the stall estimate")                \
    X(row, F64, coverage_precise, VALUE,                                                                 \
      "share of samples in precise homes: registered ranges and kinds of /nodes that name one thing")    \
    X(row, F64, coverage_coarse, VALUE,                                                                  \
      "share of samples in coarse homes (areas that hold many things); the rest hit no known mapping")   \
    X(row, TEXT, events_sampled, VALUE,                                                                  \
      "what a sample is, in words; empty for the step engine: a load or store of a burst")               \
    X(row, TEXT, latency_meaning, VALUE,                                                                 \
      "what latency_cycles counts, as the hardware defines it; empty for the step engine: the load "     \
      "alone, TSC cycles")                                                                               \
    X(row, U64, cpu_ns, VALUE, "CPU time of all recorded processes while sampling was on")               \
    X(row, U64, user_ns, VALUE, "part of cpu_ns that the programs spent outside of the kernel")          \
    X(row, U64, kernel_ns, VALUE, "part of cpu_ns that the kernel spent for the programs")               \
    X(row, U64, kernel_error_ns, VALUE, "half of the 95 % interval of the split into user and kernel")   \
    X(row, U64, recording_ns, VALUE, "part of cpu_ns that recording itself took")                        \
    X(row, U64, represented_ns, VALUE, "part of user_ns that bursts represent")                          \
    X(row, U64, unrepresented_ns, VALUE, "the rest of user_ns")                                          \
    X(row, TEXT, unrepresented_why, VALUE, "why it is not represented; empty where it is")               \
    X(row, F64, weights_found, VALUE,                                                                    \
      "sum of the weights of bursts before they were scaled, as a share of user_ns; 1 is expected")      \
    X(row, U64, instructions_stepped, VALUE, "instructions in bursts")                                   \
    X(row, U64, instructions_in_place, VALUE,                                                            \
      "those of them that were stepped in place, which switches latencies off for a moment")             \
    X(row, U64, ranks, VALUE, "ranks of a job that the profile sums up; 0: it sums up none")
struct prof_run {
    PROF_RUN_COLUMNS(PROF_MEMBER, )
};

/* X(id, C struct of a row, group, columns) */
#define PROF_TABLE_LIST(X)                                                           \
    X(nodes, prof_node, "/nodes", PROF_NODE_COLUMNS)                                 \
    X(threads, prof_thread, "/threads", PROF_THREAD_COLUMNS)                         \
    X(processes, prof_process, "/processes", PROF_PROCESS_COLUMNS)                   \
    X(bursts, prof_burst, "/bursts", PROF_BURST_COLUMNS)                             \
    X(modules, prof_module, "/modules", PROF_MODULE_COLUMNS)                         \
    X(lines, prof_line, "/lines", PROF_LINE_COLUMNS)                                 \
    X(inlines, prof_inline, "/inlines", PROF_INLINE_COLUMNS)                         \
    X(phases, prof_phase, "/phases", PROF_PHASE_COLUMNS)                             \
    X(phase_spans, prof_phase_span, "/phase_spans", PROF_PHASE_SPAN_COLUMNS)         \
    X(resident_bytes, prof_point, "/series/resident_bytes", PROF_RESIDENT_COLUMNS)   \
    X(minor_faults, prof_point, "/series/minor_faults", PROF_MINOR_COLUMNS)          \
    X(major_faults, prof_point, "/series/major_faults", PROF_MAJOR_COLUMNS)          \
    X(counters, prof_counter, "/counters", PROF_COUNTER_COLUMNS)                     \
    X(readings, prof_reading, "/series/counters", PROF_READING_COLUMNS)              \
    X(events, prof_event, "/events", PROF_EVENT_COLUMNS)                             \
    X(sources, prof_source, "/sources", PROF_SOURCE_COLUMNS)                         \
    X(frames, prof_frame, "/frames", PROF_FRAME_COLUMNS)                             \
    X(sites, prof_site, "/sites", PROF_SITE_COLUMNS)                                 \
    X(types, prof_type_row, "/types", PROF_TYPE_COLUMNS)                             \
    X(members, prof_member, "/members", PROF_MEMBER_COLUMNS)                         \
    X(watches, prof_watch, "/watches", PROF_WATCH_COLUMNS)                           \
    X(kernels, prof_kernel, "/kernel", PROF_KERNEL_COLUMNS)                          \
    X(in_places, prof_in_place, "/in_place", PROF_IN_PLACE_COLUMNS)                  \
    X(device_blocks, prof_device_block, "/device_blocks", PROF_DEVICE_BLOCK_COLUMNS) \
    X(device_copies, prof_device_copy, "/device_copies", PROF_DEVICE_COPY_COLUMNS)   \
    X(ranks, prof_rank, "/ranks", PROF_RANK_COLUMNS)                                 \
    X(sums, prof_sum, "/sums", PROF_SUM_COLUMNS)                                     \
    X(rank_data, prof_rank_datum, "/rank_data", PROF_RANK_DATUM_COLUMNS)

#define PROF_TABLE_ENUM(id, row, group, columns) PROF_TABLE_##id,
enum prof_table_id { PROF_TABLE_LIST(PROF_TABLE_ENUM) PROF_TABLE_COUNT };

#endif
