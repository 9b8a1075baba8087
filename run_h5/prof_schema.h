/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h5, schema 2: the one description of its columns, shared by writer, reader and documentation
 * (doc/run-h5.md). */
#ifndef PROF_SCHEMA_H
#define PROF_SCHEMA_H

#include <stdint.h>

#define PROF_SCHEMA 2

/* /samples: 1-D data sets of equal length.  X(name, C type, fill value = "missing", meaning) */
#define PROF_SAMPLE_COLUMNS(X)                                                                            \
    X(time_ns, uint64_t, UINT64_MAX, "CLOCK_MONOTONIC at the sample, ns since /run start_mono_ns")        \
    X(thread, uint32_t, UINT32_MAX, "row of /threads")                                                    \
    X(cpu, uint32_t, UINT32_MAX, "logical CPU")                                                           \
    X(ip, uint64_t, 0, "address of the instruction")                                                      \
    X(addr, uint64_t, UINT64_MAX, "virtual address accessed")                                             \
    X(size, uint16_t, 0, "bytes accessed")                                                                \
    X(op, uint8_t, UINT8_MAX, "0 load, 1 store, 2 prefetch")                                              \
    X(latency_cycles, int32_t, INT32_MIN,                                                                 \
      "load latency in TSC cycles; missing where not measured; a coarse counter makes some negative")     \
    X(latency_valid, uint8_t, 0, "1: latency_cycles is a measurement free of run-ahead bias")             \
    X(level, uint8_t, UINT8_MAX,                                                                          \
      "index into the attribute levels: L1 L2 L3 DRAM; inferred by the step engine")                      \
    X(tlb, uint8_t, UINT8_MAX, "0 miss, 1 L1 hit, 2 L2 hit; missing where the engine does not record it") \
    X(snoop, uint8_t, UINT8_MAX,                                                                          \
      "0 none, 1 hit, 2 hit modified, 3 miss, 4 forwarded, 5 from a peer; missing where the engine does " \
      "not tell")                                                                                         \
    X(weight_ns, uint64_t, UINT64_MAX,                                                                    \
      "CPU time that the sample's burst represents (the same for all its samples)")                       \
    X(node, uint32_t, UINT32_MAX, "id in /nodes")                                                         \
    X(element, uint64_t, UINT64_MAX, "element index inside the node")                                     \
    X(component, uint32_t, UINT32_MAX, "component of the element")                                        \
    X(phase, uint32_t, UINT32_MAX, "id in /phases")                                                       \
    X(burst, uint32_t, UINT32_MAX, "row of /bursts")                                                      \
    X(position, uint32_t, UINT32_MAX, "instructions since the trigger")                                   \
    X(numa, uint8_t, UINT8_MAX, "NUMA node of the page; missing on machines with one node")               \
    X(events, uint64_t, UINT64_MAX,                                                                       \
      "accesses that the sample represents (the sampling period); missing for the step engine")           \
    X(source, uint8_t, UINT8_MAX,                                                                         \
      "index into the attribute sources: where the data came from, as the hardware recorded it")          \
    X(fault, uint8_t, UINT8_MAX, "page faults: 0 minor, 1 major (waited for a disk)")                     \
    X(page_bytes, uint32_t, 0, "size of the page that was touched")                                       \
    X(field, uint32_t, UINT32_MAX,                                                                        \
      "number of the field (attribute number in /fields) that the access is in; missing where its node "  \
      "is on no natural domain")                                                                          \
    X(value, uint32_t, UINT32_MAX,                                                                        \
      "cell or point of that field, x fastest; missing in ghost layers, padding and nowhere")             \
    X(locked, uint8_t, UINT8_MAX,                                                                         \
      "1: by an atomic instruction (LOCK prefix, xchg with memory; of Arm atomic or exclusive), 0: not; " \
      "missing where the hardware does not tell")

#define PROF_COLUMN_ENUM(name, type, fill, text) PROF_COL_##name,
enum prof_column { PROF_SAMPLE_COLUMNS(PROF_COLUMN_ENUM) PROF_COL_COUNT };
#undef PROF_COLUMN_ENUM

enum prof_level { PROF_LEVEL_L1, PROF_LEVEL_L2, PROF_LEVEL_L3, PROF_LEVEL_DRAM, PROF_LEVEL_COUNT };

/* X(name, text, precise): kinds of /nodes.  The root is node 0.  Files store the numbers: new kinds go to the
 * end. precise: a home of this kind names the very thing that was accessed (this global, this allocation
 * site, this thread's stack), or, for memory that comes from a file, the file and which part of it (mapped
 * file, section or constants of a module, vdso); the others are coarse, they name an area that holds many
 * things. */
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
    X(JIT, "jit", 0)             /* anonymous executable memory: code generated at run time */

/* X(name, text): causes of kernel time in /kernel. Files store the numbers: new causes go to the end. */
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

#define PROF_CAUSE_ENUM(name, text) PROF_KERNEL_##name,
enum prof_kernel_cause { PROF_KERNEL_CAUSES(PROF_CAUSE_ENUM) PROF_KERNEL_CAUSE_COUNT };
#undef PROF_CAUSE_ENUM

/* X(name, text): why a burst ended. Files store the numbers, which are those of the spool. */
#define PROF_BURST_ENDS(X)    \
    X(BUDGET, "budget")       \
    X(SYSCALL, "syscall")     \
    X(FLAGS, "flags")         \
    X(TSX, "tsx")             \
    X(MASKED, "masked")       \
    X(DECODE, "decode")       \
    X(LOST, "lost")           \
    X(RSEQ, "rseq")           \
    X(TIME, "time")           \
    X(FULL, "full")           \
    X(FAULT, "fault")         \
    X(PREEMPTED, "preempted") \
    X(STOPPED, "stopped")     \
    X(SIGNAL, "signal")

#define PROF_BURST_END_ENUM(name, text) PROF_BURST_END_##name,
enum prof_burst_end { PROF_BURST_ENDS(PROF_BURST_END_ENUM) PROF_BURST_END_COUNT };
#undef PROF_BURST_END_ENUM

#define PROF_KIND_ENUM(name, text, precise) PROF_NODE_##name,
enum prof_node_kind { PROF_NODE_KINDS(PROF_KIND_ENUM) PROF_NODE_KIND_COUNT };
#undef PROF_KIND_ENUM

#endif
