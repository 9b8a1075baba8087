/* SPDX-License-Identifier: BSD-3-Clause */
/* The spool: the records that the runtime writes and resolve reads. Little-endian, append-only.
 *
 * Layout of a spool directory:
 *   DIR/spool.conf                  key=value text written by the launcher (absent when preloaded by hand)
 *   DIR/p<pid>.<image>.t0.0         the first records of all threads; <image> counts the program images that
 *                                   this pid ran (exec)
 *   DIR/p<pid>.<image>.t<tid>.<n>   further records of a thread that has many
 *
 * A file is a spool_file_header followed by chunks of chunk_len_bytes. Chunk k covers file bytes
 * [k * chunk_len_bytes, (k + 1) * chunk_len_bytes); the header is at the start of chunk 0. Records are 8-byte
 * aligned, never straddle a chunk and become visible by the release store of their 8-byte spool_rec_header,
 * written last. A zero header ends the written records: the record that a killed process was writing is not
 * visible, all earlier ones are. Times are CLOCK_MONOTONIC ns.
 *
 * The records of one thread, from its begin to its end, are a stream: its pieces in the shared file (chunks
 * of SPOOL_SHARED_CHUNK_BYTES) in the order of their sequence numbers, then its own file (chunks of
 * SPOOL_CHUNK_BYTES, SPOOL_REC_PAD fills the rest of each but the last), when it has one. A piece begins with
 * a PIECE record and reaches to the next one, to a zero header or to the end of its chunk; a zero header ends
 * the chunk, not the file. An own file that begins with a PIECE record continues a stream of the shared file;
 * any other own file is a separate stream. Records of a stream are in time order (see SPOOL_SAMPLING_LATE).
 *
 * Layouts and constants.  Thread: any.  Signal: safe. */
#ifndef SPOOL_FORMAT_H
#define SPOOL_FORMAT_H

#include <stdint.h>

#define SPOOL_MAGIC UINT64_C(0x314c505354534c00) /* "\0LSTSPL1" */
#define SPOOL_VERSION 3
#define SPOOL_CHUNK_BYTES (256u * 1024u)
#define SPOOL_SHARED_CHUNK_BYTES (16u * 1024u)
#define SPOOL_SHARED_PIECES 4u /* maximum per stream, where the thread can have a separate file */
#define SPOOL_REC_MAX_BYTES (64u * 1024u)
#define SPOOL_AXES 3 /* axes of a natural domain */

struct spool_file_header {
    uint64_t magic;
    uint16_t version;
    uint16_t header_len_bytes; /* records begin here */
    uint32_t chunk_len_bytes;
    uint32_t pid;
    uint32_t tid; /* 0: the file of all threads */
    uint32_t parent_pid;
    uint32_t image;   /* as in the directory name */
    uint64_t mono_ns; /* the same instant on three clocks */
    uint64_t realtime_ns;
    uint64_t tsc;
    uint64_t features; /* bits a reader must know; none so far */
};
_Static_assert(sizeof(struct spool_file_header) == 64, "on-disk layout");

/* p<pid>.<image>.t<tid>.<stream>: the name of a file in the spool's directory. */
struct spool_name {
    uint32_t pid, image;
    uint32_t tid, stream; /* 0 and 0: the file of all threads */
};
enum { SPOOL_NAME_BYTES = 48 }; /* four numbers of ten digits, five letters and dots, NUL */

struct spool_rec_header {
    uint16_t type;
    uint16_t flags;
    uint32_t len_bytes; /* whole record, header included, multiple of 8 */
};
_Static_assert(sizeof(struct spool_rec_header) == 8, "written by one store");

/* X(name, number, payload struct) */
#define SPOOL_REC_LIST(X)                                                                            \
    X(PAD, 1)           /* payload without meaning */                                                \
    X(PROCESS, 2)       /* spool_process: first record of the first thread of an image */            \
    X(THREAD_BEGIN, 3)  /* spool_thread_begin */                                                     \
    X(THREAD_END, 4)    /* spool_thread_end */                                                       \
    X(MAPS, 5)          /* spool_maps: a piece of /proc/self/maps as text */                         \
    X(MMAP, 6)          /* spool_mmap */                                                             \
    X(MUNMAP, 7)        /* spool_extent */                                                           \
    X(ALLOC, 8)         /* spool_alloc */                                                            \
    X(FREE, 9)          /* spool_extent: base only */                                                \
    X(NODE_ADD, 10)     /* spool_node: a range of the semantic tree, or a group (end == base) */     \
    X(NODE_RANGE, 11)   /* spool_node: the same node now covers another range; label empty */        \
    X(NODE_REMOVE, 12)  /* spool_node_remove */                                                      \
    X(NODE_MEMBER, 13)  /* spool_node_member */                                                      \
    X(PHASE, 14)        /* spool_phase */                                                            \
    X(BURST_BEGIN, 15)  /* spool_burst_begin */                                                      \
    X(ACCESS, 16)       /* spool_access: belongs to the last BURST_BEGIN of its stream */            \
    X(BURST_END, 17)    /* spool_burst_end */                                                        \
    X(EVENT, 18)        /* spool_event */                                                            \
    X(STACK, 19)        /* spool_stack: belongs to the last BURST_BEGIN of its stream */             \
    X(PAGES, 20)        /* spool_pages: NUMA nodes of pages that the burst touched */                \
    X(IMAGE, 21)        /* spool_image_bytes: an ELF image that is in no file (the vdso) */          \
    X(ANCESTOR, 22)     /* spool_ancestor: after PROCESS, where it is known */                       \
    X(RANK, 23)         /* spool_rank: after PROCESS, where the environment names a rank */          \
    X(EXITED, 24)       /* spool_exited */                                                           \
    X(RESOURCES, 25)    /* spool_resources */                                                        \
    X(DUMP, 26)         /* spool_dump: the program asks resolve for a file */                        \
    X(SETTING, 27)      /* spool_setting: requested by the program */                                \
    X(TLS_MODULES, 28)  /* spool_tls_modules */                                                      \
    X(TLS_BLOCKS, 29)   /* spool_tls_blocks */                                                       \
    X(CHILD_ENDED, 30)  /* spool_child_ended: status that the parent got by waiting */               \
    X(DOMAIN, 31)       /* spool_domain: a grid or mesh of the natural domain */                     \
    X(DOMAIN_DATA, 32)  /* spool_domain_data: a piece of data of domains and maps */                 \
    X(MAP, 33)          /* spool_map: positions of elements in a domain */                           \
    X(POINT, 34)        /* spool_point: points that a callback returned for accesses of one burst */ \
    X(NODE_MAP, 35)     /* spool_node_map */                                                         \
    X(DOMAIN_END, 36)   /* spool_domain_end */                                                       \
    X(CALLBACK, 37)     /* spool_callback */                                                         \
    X(PIECE, 38)        /* spool_piece: owner of the records after it */                             \
    X(SAMPLE, 40)       /* spool_sample: an access that the kernel or the hardware sampled */        \
    X(CHAIN, 41)        /* spool_chain: call stack of the SAMPLE or burst before it */               \
    X(SAMPLING, 42)     /* spool_sampling: kind of the samples from here on */                       \
    X(COST, 43)         /* spool_cost: cost of sampling so far */                                    \
    X(WATCH, 44)        /* spool_watch: an element that is watched, or no longer */                  \
    X(FAULT, 45)        /* spool_kernel_fault: a sampled page fault */                               \
    X(CALL, 46)         /* spool_kernel_call: a sampled system call */                               \
    X(IN_PLACE, 47)     /* spool_in_place: instructions that were stepped in place */                \
    X(ACCESSES, 48)     /* spool_accesses: several accesses; readers return each as ACCESS */        \
    X(STACK_DIFF, 49)   /* spool_stack_diff: difference of a STACK; readers return a STACK */        \
    X(SITE, 50)         /* spool_site: call path of a site that accesses have */                     \
    X(MPI, 51)          /* spool_mpi: belongs to the last BURST_BEGIN of its stream */               \
    X(DEVICE_BLOCK, 52) /* spool_device_block: memory of a device is born */                         \
    X(DEVICE_FREE, 53)  /* spool_extent: base only */                                                \
    X(DEVICE_COPY, 54)  /* spool_device_copy: a copy has ended, or was put into a queue */           \
    X(SCRIPT, 55)       /* spool_script: line of an interpreted program, which call paths have */    \
    X(SITE_DIFF, 56)    /* spool_site_diff: difference of a SITE; readers return a SITE */           \
    X(BURST_LATE, 57)   /* spool_burst_late: before the BURST_END of its burst */

#define SPOOL_REC_ENUM(name, number) SPOOL_REC_##name = number,
enum spool_rec_type { SPOOL_REC_LIST(SPOOL_REC_ENUM) };
#undef SPOOL_REC_ENUM

struct spool_piece {
    struct spool_rec_header rec;
    uint32_t tid;
    uint32_t stream;   /* number of the stream in its image, because tids are reused */
    uint32_t sequence; /* number of the piece in its stream, from 0 */
    uint32_t reserved;
};

/* Strings follow the fixed part: lengths in the struct, no NUL, padded with zeros to 8. */
struct spool_process {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t pid, parent_pid;
    uint64_t overhead_ppm; /* the budget asked for */
    uint64_t burst_instructions;
    uint64_t tsc_hz;            /* 0: not known in the process */
    uint64_t tick_ns;           /* between the samples that the kernel uses to split user and kernel time */
    uint32_t probe_cost_cycles; /* already subtracted from every latency_cycles; 0: not subtracted */
    uint16_t engine_len, trigger_len, why_len, exe_len, cmdline_len,
        cwd_len; /* engine name; trigger name; why not a better one */
};
/* The nearest process above this image that wrote records: the parent, or whoever started it. */
struct spool_ancestor {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t fork_ns; /* this image began as a fork: it has the memory that the ancestor had then. 0: exec */
    uint32_t pid;
    uint32_t image; /* 0 with fork_ns 0: its latest image */
    uint32_t tid;   /* its thread that forked */
    uint32_t reserved;
};
struct spool_rank {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t rank;
    uint32_t ranks_len; /* 0: not known */
    uint32_t name_len;  /* length of the environment variable's name */
    uint32_t reserved;
};
#define SPOOL_STATUS_UNKNOWN UINT32_MAX
struct spool_exited {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t status; /* exit status, 0..255, or SPOOL_STATUS_UNKNOWN */
    uint32_t reserved;
    uint64_t peak_bytes; /* largest resident memory; 0: not known */
};
struct spool_child_ended {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t pid;
    uint32_t status; /* as of wait(2), of a child that exited or was killed */
};
/* Counts since the process began. CPU times are totals over all its threads while sampling was on, so far;
 * UINT64_MAX: not known. A fork child counts from its fork, a program image from its start. */
struct spool_resources {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t resident_bytes;
    uint64_t minor_faults, major_faults;
    uint64_t user_ns, kernel_ns;  /* as the kernel splits it, recording included */
    uint64_t recording_ns;        /* part of both that recording took */
    uint64_t recording_kernel_ns; /* part of that in the kernel */
    uint64_t passed_ns;           /* part of it that was counted by the triggers that fell into it */
};
struct spool_dump {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t extents[3]; /* extents of the grid that element indices count through, x fastest; 0: no grid */
    uint32_t path_len;   /* absolute */
};
struct spool_setting {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t text_len; /* name=value */
    uint32_t reserved;
};
/* Thread-local storage: each module that has some has a number, each thread a block for each number. */
struct spool_tls_row {
    uint64_t id; /* the module's number, from 1 */
    uint64_t at; /* TLS_MODULES: an address in the module; TLS_BLOCKS: where the thread's block begins */
};
struct spool_tls_modules { /* valid from the last unloading of a module to the next one */
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t rows_len; /* spool_tls_row */
    uint32_t reserved;
};
struct spool_tls_blocks { /* all blocks of the stream's thread at this time */
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t thread_pointer; /* its control block begins there */
    uint32_t rows_len;       /* spool_tls_row */
    uint32_t reserved;
};
#define SPOOL_THREAD_OWN 1u /* rec.flags: a thread of Loadstone's, not of the program's */
struct spool_thread_begin {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t stack_base, stack_end; /* [base, end), 0 0 when not known */
    uint32_t tid;
    uint32_t name_len;
};
struct spool_thread_end {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t cpu_ns;   /* CPU time of the thread, Loadstone's part included */
    uint64_t spent_ns; /* Loadstone's part: bursts and hooks */
};
#define SPOOL_MAPS_FIRST 1u /* rec.flags: begins a new snapshot, which replaces the older one */
#define SPOOL_MAPS_LAST 2u
struct spool_maps {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t text_len;
    uint32_t reserved;
};
#define SPOOL_MMAP_FROM 1u /* rec.flags: made by mremap from the mapping that is or was at offset_bytes */
struct spool_mmap {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t base, len_bytes;
    uint64_t offset_bytes; /* of the file */
    uint32_t prot, map_flags;
    uint32_t path_len; /* 0: anonymous or not known */
    uint32_t reserved;
};
struct spool_extent {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t base, len_bytes;
};
/* rec.flags of ALLOC: the function called, enum spool_alloc_call, and SPOOL_ALLOC_KNOWN_PATH */
enum spool_alloc_call {
    SPOOL_ALLOC_MALLOC,
    SPOOL_ALLOC_CALLOC,
    SPOOL_ALLOC_REALLOC,
    SPOOL_ALLOC_ALIGNED,
    SPOOL_ALLOC_OTHER,
    SPOOL_ALLOC_MMAP,  /* anonymous memory that the program mapped; an MMAP record precedes it */
    SPOOL_ALLOC_ARENA, /* anonymous memory that an allocator mapped for later use */
};
#define SPOOL_ALLOC_CALL_MASK 0xfu
/* The only frame is spool_path_hash (spool/spool_path.h) of a path that this stream contains before. */
#define SPOOL_ALLOC_KNOWN_PATH 0x10u
struct spool_alloc {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t base, len_bytes;
    uint32_t frames_len; /* u64 return addresses after the fixed part, innermost first; 0: no call path */
    uint32_t sample_period_bytes; /* 0, 1: every block like this is recorded. More: it was hit by a Poisson
                                   * process with a mean distance of this many allocated bytes, so it
                                   * represents 1 / (1 - exp(-len_bytes / sample_period_bytes)) blocks */
};
/* rec.flags of DEVICE_BLOCK and DEVICE_COPY: enum ls_device_api, SPOOL_ALLOC_KNOWN_PATH, and: */
#define SPOOL_DEVICE_API_MASK 0xfu
#define SPOOL_DEVICE_HANDLE 0x20u /* base is a handle (cl_mem), not an address */
#define SPOOL_DEVICE_QUEUED 0x40u /* the call need not wait for the end of the copy */
struct spool_device_block {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t base, len_bytes;
    uint32_t frames_len; /* as of spool_alloc */
    uint32_t memory;     /* enum ls_device_memory */
};
struct spool_device_copy {
    struct spool_rec_header rec;
    uint64_t time_ns;             /* end of the call */
    uint64_t took_ns;             /* wall time of the call */
    uint64_t to, from, len_bytes; /* addresses or handles; 0: not known */
    uint32_t frames_len;          /* as of spool_alloc */
    uint32_t direction;           /* enum ls_device_direction */
};
/* Sites are numbered within the image; a fork child continues the numbers of its parent. */
struct spool_site {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t len_bytes;  /* length of the block that was first allocated there */
    uint32_t site;       /* from 1, less than SPOOL_SITE_OTHERS */
    uint32_t frames_len; /* u64 return addresses after the fixed part, innermost first */
};
enum { SPOOL_SITE_FIRST = 1 }; /* flag of SITE_DIFF: it does not build on earlier ones */
/* After the fixed part: bytes_len bytes (spool_pack.h). */
struct spool_site_diff {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t site;
    uint16_t sequence; /* number of the record in its stream, from the last one with SPOOL_SITE_FIRST on */
    uint16_t bytes_len;
};
/* A frame of an interpreted program (spool_path_script), as it is in call paths of allocations. */
struct spool_script {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t ip;                 /* the word of the paths - 1, as of return addresses */
    uint32_t line, end_line;     /* of the expression that was evaluated; 0: not known */
    uint16_t column, end_column; /* bytes before its begin and its end in these lines, plus 1; 0: not known */
    uint16_t file_len, name_len; /* source file; function */
};
struct spool_node {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t node;   /* id within the process image, from 1 */
    uint32_t parent; /* containing node or group, 0: top level */
    uint64_t base, end;
    uint64_t elem_size_bytes; /* size of an element, all its components */
    uint64_t dims;            /* components of an element */
    uint32_t is_group;
    uint32_t label_len;
};
enum spool_node_end { SPOOL_NODE_REMOVED, SPOOL_NODE_FREED };
struct spool_node_remove {
    struct spool_rec_header rec; /* flags: enum spool_node_end */
    uint64_t time_ns;
    uint32_t node;
    uint32_t reserved;
};
struct spool_node_member {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t group, member;
};
#define SPOOL_PHASE_BEGIN 1u /* rec.flags; otherwise it ends */
struct spool_phase {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t name_len;
    uint32_t reserved;
};
struct spool_burst_begin {
    struct spool_rec_header rec;
    uint64_t time_ns;   /* time of the trigger */
    uint64_t tsc;       /* at the trigger */
    uint64_t weight_ns; /* CPU time that the burst represents: 1 / the rate of triggers at its time */
    uint64_t ip;        /* interrupted instruction */
    uint32_t cpu;
    uint32_t number; /* burst number in this thread, from 0 */
};
/* The burst began in a function of MPI; rec.flags: enum ls_mpi_call. */
struct spool_mpi {
    struct spool_rec_header rec;
    uint64_t ip; /* the last byte of the call */
};
enum spool_op {
    SPOOL_OP_LOAD = 0,
    SPOOL_OP_STORE = 1,
    SPOOL_OP_PREFETCH = 2
}; /* a read-modify-write gives two records */
/* rec.flags of ACCESS */
#define SPOOL_ACCESS_OP_MASK 0x3u
#define SPOOL_ACCESS_LATENCY_VALID 0x4u /* measured, past the run-ahead window */
#define SPOOL_ACCESS_LINE_SEEN 0x8u     /* this burst touched the line before: natively in L1 */
#define SPOOL_ACCESS_FAULTED 0x10u      /* the probe faulted: no latency */
#define SPOOL_ACCESS_NO_PROBE 0x20u     /* device or unknown mapping: never read twice */
#define SPOOL_ACCESS_CALL 0x40u         /* the return address that a call pushes */
#define SPOOL_ACCESS_RETURN 0x80u       /* the return address that a return pops */
#define SPOOL_ACCESS_DRAIN_VALID 0x400u
#define SPOOL_ACCESS_AFTER_GAP 0x800u /* instructions before it, and their calls, are not all recorded */
/* rec.flags of ACCESS and SAMPLE: was it by an atomic instruction? Neither: unknown. */
#define SPOOL_LOCKED_NO 0x100u
#define SPOOL_LOCKED_YES 0x200u
static inline unsigned spool_flags_of_locked(uint8_t locked)
{
    return locked > 1 ? 0 : locked ? SPOOL_LOCKED_YES : SPOOL_LOCKED_NO;
}
/* Return 0, 1, or UINT8_MAX: unknown. */
static inline uint8_t spool_locked_of_flags(unsigned flags)
{
    if (flags & SPOOL_LOCKED_YES) return 1;
    return flags & SPOOL_LOCKED_NO ? 0 : UINT8_MAX;
}
struct spool_access {
    struct spool_rec_header rec;
    uint64_t ip, addr;
    uint32_t tsc_delta;      /* cycles since the burst's tsc (saturates) */
    uint32_t latency_cycles; /* reading of the probe in TSC cycles, its cost included; with LATENCY_VALID */
    uint32_t position;       /* instructions executed in this burst before this one */
    uint16_t size_bytes;     /* size of the access; a gather gives one record a lane */
    uint16_t lane;           /* lane of a gather or scatter, else 0 */
    uint32_t drain_cycles; /* until all older instructions were complete, before the load; with DRAIN_VALID */
    uint16_t site;         /* heap block that contained addr, by the number of its SITE; 0: not known */
    uint16_t site_units;   /* distance from the block's begin in units of 16 bytes; with a site */
};
_Static_assert(sizeof(struct spool_access) == 48, "on-disk layout");
#define SPOOL_SITE_OTHERS 32767u            /* a site without a number, because all were used */
#define SPOOL_SITE_UNITS_UNKNOWN UINT16_MAX /* the begin of the block is not known */
/* After the fixed part: bytes_len bytes as of spool_pack.h. */
struct spool_accesses {
    struct spool_rec_header rec;
    uint32_t accesses_len, bytes_len;
    uint64_t tsc_cycles; /* length of the whole burst, which has this number of instructions */
    uint32_t instructions;
    uint32_t reserved;
};
/* How the instructions of a burst were executed. */
enum spool_method {
    SPOOL_METHOD_STEP,      /* one trap an instruction */
    SPOOL_METHOD_TRANSLATE, /* by translated copies, at nearly native pace */
    SPOOL_METHOD_LAST = SPOOL_METHOD_TRANSLATE
};
enum spool_burst_end_why {
    SPOOL_BURST_BUDGET,
    SPOOL_BURST_SYSCALL,
    SPOOL_BURST_FLAGS,
    SPOOL_BURST_TSX,
    SPOOL_BURST_MASKED,
    SPOOL_BURST_DECODE,
    SPOOL_BURST_LOST,
    SPOOL_BURST_RSEQ,
    SPOOL_BURST_TIME,
    SPOOL_BURST_FULL,
    SPOOL_BURST_FAULT,
    SPOOL_BURST_PREEMPTED, /* something else ran on the processor, so the program's lines may have left the caches */
    SPOOL_BURST_STOPPED, /* sampling was switched off */
    SPOOL_BURST_SIGNAL,  /* a handler of the program is about to run */
    /* ends of translated bursts, before an instruction */
    SPOOL_BURST_UNSUPPORTED, /* that cannot be translated */
    SPOOL_BURST_CODE,        /* in code that is not translated: generated, writable, or Loadstone's own */
    SPOOL_BURST_REACH,       /* too far from all memory for translations */
    SPOOL_BURST_CACHE,       /* the cache of translations is full */
    SPOOL_BURST_LOCKED,      /* another thread translates */
    SPOOL_BURST_COLD,        /* too much code was not translated yet */
    SPOOL_BURST_LENGTH,      /* too many instructions passed without the loads looked for */
    SPOOL_BURST_LAST = SPOOL_BURST_LENGTH
};
struct spool_burst_end {
    struct spool_rec_header rec; /* flags: enum spool_burst_end_why */
    uint64_t time_ns;
    uint64_t spent_ns;     /* cost of this burst: CPU time of the thread, without program_ns */
    uint64_t hooks_ns;     /* estimated cost of hooks of the whole process so far */
    uint64_t all_spent_ns; /* bursts of the whole process so far */
    uint32_t
        instructions; /* executed in the burst, and translated ones one for each 64 bytes of a repeated string instruction */
    uint32_t method;         /* enum spool_method */
    uint64_t control_cycles; /* sum of readings of the probe at a line in L1, as latency_cycles are read */
    uint32_t control_len;    /* readings in it; 0: none */
    uint32_t in_place;       /* part of `instructions` stepped in place: loads after them are not timed */
    uint64_t program_ns;     /* CPU time in which the program progressed: a part of the time of the burst */
    uint64_t pace_cycles;    /* TSC cycles of pace_instructions instructions at nearly native pace */
    uint32_t pace_instructions; /* 0: not measured */
    uint32_t pace_discarded;    /* interrupted windows */
    uint32_t translate_ns;
    uint32_t probe_loads; /* mean distance of timed loads, in loads; 0: all possible loads were timed */
    uint32_t faults;      /* page faults in program_ns, which the kernel handled */
    uint16_t
        pace_least_millicycles; /* core cycles of an instruction of the window with all data in L1; 0: unknown */
    uint16_t pace_rest_waits; /* 1: longer than that it takes only where it waits for data */
};
/* The pace once more, at the end of a translated burst, long after its trigger. */
#define SPOOL_LATE_NEAR 1u /* rec.flags: in the same code as the first, within 4096 bytes */
struct spool_burst_late {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t cycles; /* TSC; neither is 0 */
    uint16_t instructions;
    uint16_t core_millicycles; /* TSC cycles of a thousand cycles of the core afterwards; 0: not known */
};
/* After the fixed part: rows_len spool_in_place_row, most frequent first. Counts are since the last such
 * record of the process. */
struct spool_in_place {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t rows_len;
    uint32_t reserved;
};
enum { SPOOL_IN_PLACE_ROWS_MOST = 16 };
struct spool_in_place_row {
    char instruction[24]; /* mnemonic in lower case, padded with zeros */
    uint64_t count;
};
/* The thread at the trigger. regs by their DWARF numbers (x86-64 psABI, figure 3.36): rax rdx rcx rbx rsi rdi
 * rbp rsp r8-r15, then the instruction pointer. After the fixed part: links_len spool_link, then bytes_len
 * bytes of the stack from rsp on. */
enum { SPOOL_REG_RBP = 6, SPOOL_REG_RSP = 7, SPOOL_REG_IP = 16, SPOOL_REGS = 17 };
#define SPOOL_STACK_CALLS 1u /* rec.flags: the call stack was requested */
struct spool_stack {
    struct spool_rec_header rec;
    uint64_t time_ns; /* time of the burst */
    uint64_t regs[SPOOL_REGS];
    uint32_t links_len, bytes_len;
};
/* A STACK without links, as its difference from the one before it in its stream. After the fixed part: bytes_len
 * bytes as of spool_pack.h. */
#define SPOOL_STACK_FIRST 1u /* rec.flags: the first one, stored completely */
enum { SPOOL_STACK_LEAF_BYTES = 512 };
struct spool_stack_diff {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t sequence; /* since the last SPOOL_STACK_FIRST, which has 0 */
    uint32_t bytes_len;
    uint32_t stack_len_bytes; /* at most SPOOL_STACK_LEAF_BYTES */
    uint32_t reserved;
};
/* A link of the frame-pointer chain after the copied bytes, innermost first: the caller's frame pointer is at
 * address frame, and ip, the return address, above it. */
struct spool_link {
    uint64_t frame, ip;
};
/* After the fixed part: pages_len numbers, each a page address (a multiple of 4096) plus its NUMA node. */
#define SPOOL_PAGE_NODE_MASK UINT64_C(0xfff)
struct spool_pages {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t pages_len;
    uint32_t reserved;
};
/* After the fixed part: len_bytes bytes of memory from address base. */
struct spool_image_bytes {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t base;
    uint32_t len_bytes;
    uint32_t reserved;
};
/* The natural domain (include/loadstone/ndm.h). Numbers of domains, maps and data count from 1 within a
 * process image; a fork child continues its parent's. The contents of domains and maps are in data, as
 * ndm/ndm_wire.h writes them. */
/* Bytes [first_byte, first_byte + bytes_len) of an array of total_bytes, from now on. All pieces of a new
 * array are in one file, before the first record that names it; later pieces replace the changed bytes. */
struct spool_domain_data {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t total_bytes, first_byte;
    uint32_t data;
    uint32_t bytes_len;
};
struct spool_domain { /* the same number again: this is its content from now on */
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t domain;
    uint32_t data;
};
struct spool_domain_end { /* it is no longer used; its maps have ended before */
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t domain;
    uint32_t reserved;
};
struct spool_map { /* the same number again: this is its content from now on */
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t map;
    uint32_t domain; /* 0: none (a callback that keeps the accesses itself) */
    uint32_t data;   /* several maps may have the same */
    uint32_t reserved;
};
/* Positions of the elements of a node from now on; valid until the node ends. */
struct spool_node_map {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t node;
    uint32_t map; /* 0: it is no longer mapped */
};
/* After the fixed part: points_len spool_point_row, in the order of access. The burst is the one in file
 * t<tid>.* whose BURST_BEGIN has burst_ns; the record may come much later than it. */
struct spool_point {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t burst_ns;
    uint32_t tid, burst;
    uint32_t node, map;
    uint32_t points_len;
    uint32_t reserved;
};
struct spool_point_row {
    uint32_t access; /* among the ACCESS records of its burst, from 0 */
    uint32_t reserved;
    double at[SPOOL_AXES];
};
/* State of a natural-domain callback. */
enum spool_callback_what {
    SPOOL_CALLBACK_RUNS,    /* entered != 0: it is running; if the process crashed, it did so in this call */
    SPOOL_CALLBACK_SLOW,    /* one call took too long: not called again */
    SPOOL_CALLBACK_COSTLY,  /* its calls took more than its part of the budget: not called again */
    SPOOL_CALLBACK_GONE,    /* its code was unloaded: not called again */
    SPOOL_CALLBACK_LEFT,    /* it ended the thread that called it: not called again */
    SPOOL_CALLBACK_WAITING, /* it did not return while the program waited for the last samples */
    SPOOL_CALLBACK_SUMMARY, /* the process ends, or the map */
    SPOOL_CALLBACK_LAST = SPOOL_CALLBACK_SUMMARY
};
/* After the fixed part: the node's label, the function's name or place. */
struct spool_callback {
    struct spool_rec_header rec; /* flags: enum spool_callback_what */
    uint64_t time_ns;
    uint64_t function;
    uint64_t argument;     /* as the program registered it; for a language binding, the function itself */
    uint64_t calls;        /* calls so far; RUNS: unused */
    uint64_t all_ns;       /* time in it so far */
    uint64_t longest_ns;   /* time of the longest call */
    uint64_t all_spent_ns; /* as in BURST_END: bursts and callbacks of the whole process so far */
    uint32_t node;
    uint32_t entered; /* RUNS: changed in place */
    uint32_t label_len, name_len;
};
/* Kind of a sample. */
enum spool_sample_kind {
    SPOOL_SAMPLE_ACCESS, /* a load or store, by the hardware */
    SPOOL_SAMPLE_FAULT_MINOR,
    SPOOL_SAMPLE_FAULT_MAJOR, /* a page fault that waited for a disk */
    SPOOL_SAMPLE_WATCH,       /* a watched element was touched */
    SPOOL_SAMPLE_LAST = SPOOL_SAMPLE_WATCH
};
#define SPOOL_OP_NOT_REPORTED 3u
#define SPOOL_NOT_REPORTED UINT8_MAX
/* rec.flags: the op in the bits of SPOOL_ACCESS_OP_MASK (enum spool_op, SPOOL_OP_NOT_REPORTED), SPOOL_LOCKED_*,
 * and: */
#define SPOOL_SAMPLE_IP_AFTER 0x4u /* ip is the instruction after the one that accessed */
/* One access of thread tid, written by another thread (the collector): the record is complete by itself,
 * without a burst. source, snoop, tlb, latency_kind are numbers of perf/pe_sample.h. */
struct spool_sample {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t ip, addr;
    uint64_t events;         /* number of events that it represents: the sampling period; 0: not known */
    uint32_t tid, cpu;       /* cpu UINT32_MAX: not known */
    uint32_t latency_cycles; /* with a latency_kind */
    uint32_t page_bytes;     /* size of the page; 0: not known */
    uint16_t size_bytes;     /* size of the access; 0: not known */
    uint8_t kind;            /* enum spool_sample_kind */
    uint8_t latency_kind;    /* 0: no latency */
    uint8_t source, snoop, tlb, numa; /* SPOOL_NOT_REPORTED */
};
_Static_assert(sizeof(struct spool_sample) == 64, "on-disk layout");
/* After the fixed part: ips_len u64, innermost first; return addresses except the first. A STACK record after
 * a SAMPLE is also its stack. */
/* rec.flags of CHAIN: in a burst, the callers of the instruction where it began, which is in BURST_BEGIN */
#define SPOOL_CHAIN_CALLERS 1u
/* The one address is spool_path_hash (spool/spool_path.h) of callers that the stream gave before. */
#define SPOOL_CHAIN_KNOWN 2u
#define SPOOL_CHAIN_WHOLE 4u /* complete: the last caller is the start of the program or thread */
struct spool_chain {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t ips_len;
    uint32_t reserved;
};
/* rec.flags: samples of this stream are in the order in which they were reported, possibly long after their
 * time: readers sort them. */
#define SPOOL_SAMPLING_LATE 1u
struct spool_sampling {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t latency_kind; /* enum pe_latency_kind that samples have */
    uint32_t text_len;     /* the events, in words */
};
struct spool_cost {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t spent_ns; /* the collector's CPU time, and the kernel's estimated time for samples */
    uint64_t hooks_ns;
};
#define SPOOL_WATCH_ARMED 1u /* rec.flags; otherwise it ended */
struct spool_watch {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t base, len_bytes;
    uint64_t on_ns,
        life_ns; /* at the end, summed over threads: time for which it was enabled, and for which it was requested */
    uint64_t element;
    uint64_t hits;     /* ended: touches seen */
    uint32_t text_len; /* as written: NODE[INDEX] */
    uint32_t reserved;
};
/* A page fault of the program, drawn as a sample of several. */
#define SPOOL_FAULT_HUGE 1u /* rec.flags: it gave a page of 2 MiB */
struct spool_kernel_fault {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t ip, addr;
    uint32_t faults; /* that it represents */
    uint32_t reserved;
};
/* A call of the program that was timed by the thread's CPU clock. rec.flags: enum spool_kernel_call_kind, and
 * the facts known about the memory at addr. */
enum spool_kernel_call_kind {
    SPOOL_CALL_MAP,
    SPOOL_CALL_UNMAP,
    SPOOL_CALL_BREAK, /* the end of the heap was moved */
    SPOOL_CALL_READ,
    SPOOL_CALL_WRITE,
    SPOOL_CALL_OTHER,
    SPOOL_CALL_KINDS
};
#define SPOOL_CALL_KIND_MASK 0xfu
/* A block of ALLOC begins at addr: the call also represents the calls for the blocks that this block
 * represents. */
#define SPOOL_CALL_BLOCK 0x10u
#define SPOOL_CALL_ANNOUNCED 0x20u /* announcement before the call: the block at addr is about to end */
#define SPOOL_CALL_ENDED 0x40u     /* the block of the last announcement in this file has ended */
struct spool_kernel_call {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint64_t ip;              /* return address of the call */
    uint64_t addr, len_bytes; /* memory of the call; addr 0: no memory, len_bytes were read or written */
    uint64_t cpu_ns;          /* CPU time of this one call */
    uint32_t calls;           /* that it represents */
    uint32_t reserved;
};
/* X(name, text): incidents; counts add up */
#define SPOOL_EVENT_LIST(X)                                                                                 \
    X(DROPPED_BYTES, "bytes of records dropped: the disk is full or the spool's size cap was reached")      \
    X(SPOOL_CAP, "spool size cap reached: recording stopped")                                               \
    X(DISK_FULL, "no space left for the spool: recording stopped")                                          \
    X(TRIGGER_REFUSED, "the kernel refused the trigger of a thread")                                        \
    X(ENGINE_QUIET,                                                                                         \
      "sampling stopped: the system no longer allows it (seccomp, setuid or chroot after the start)")       \
    X(EINTR_RESTARTED, "system calls interrupted by the timer and restarted")                               \
    X(EINTR_SEEN, "system calls interrupted by the timer that the program may have seen")                   \
    X(TRACED, "a debugger is attached: no stepping")                                                        \
    X(SIGNAL_OWNED, "the program handles SIGTRAP itself: its handler is called for the others")             \
    X(SAMPLING_BEGIN, "sampling switched on")                                                               \
    X(SAMPLING_END, "sampling switched off")                                                                \
    X(HOOK_ERRORS, "hooks that failed and went quiet")                                                      \
    X(ALLOCS_SKIPPED, "allocations left out to hold the overhead budget: others like them represent them")  \
    X(RAW_THREADS, "threads made by clone() itself, not by pthread_create: these are not sampled")          \
    X(CALLBACKS_OFF, "natural-domain callbacks are not called: the system gives no thread for them")        \
    X(CALLBACK_LOST, "accesses that no natural-domain callback saw: the program ended or went on first")    \
    X(DOMAINS_LEFT_OUT,                                                                                     \
      "grids, meshes and maps of the natural domain, or their new versions, that did not fit in the spool") \
    X(SAMPLES_LOST, "samples lost: the ring was full before they were read")                                \
    X(HARDWARE_LOST, "samples that the hardware lost")                                                      \
    X(THROTTLED, "times the kernel throttled sampling: lower the rate (--period)")                          \
    X(AUX_DAMAGED, "pieces of the hardware's trace that were truncated, partial or collided")               \
    X(RECORDS_BROKEN, "records of the kernel that could not be read")                                       \
    X(RATE_LOWERED, "times sampling was thinned out to hold the overhead budget")                           \
    X(RING_HALVED, "rings smaller than asked: the allowance of locked memory is used up "                   \
                   "(sysctl kernel.perf_event_mlock_kb, ulimit -l)")                                        \
    X(KERNEL_UNSEEN, "threads whose accesses inside system calls are not seen "                             \
                     "(sysctl kernel.perf_event_paranoid=1 allows it)")                                     \
    X(EVENTS_REFUSED, "events that the kernel refused for a CPU or thread, which is hence not sampled")     \
    X(WATCH_UNKNOWN, "watched elements that nothing registered has")                                        \
    X(BY_THREAD, "processes whose threads were sampled one by one: events of whole CPUs found no room "     \
                 "(sysctl kernel.perf_event_mlock_kb, ulimit -n)")                                          \
    X(UNTHROTTLED, "times sampling went on after the kernel throttled it")                                  \
    X(FAULTS_REFUSED, "processes whose page faults have no place: the kernel refuses their event "          \
                      "(sysctl kernel.perf_event_paranoid=2 or lower allows it)")                           \
    X(SPOOL_THINNED,                                                                                        \
      "processes whose spool was half full: from then on bursts were rarer, the rarer the less was "        \
      "left (--spool-max allows more)")                                                                     \
    X(TAGS_REFUSED,                                                                                         \
      "times small heap blocks got no site tags, so that only a sample of them is named: the address "      \
      "space is limited to less than the memory (ulimit -v, ulimit -d), or it is used up")                  \
    X(TAGS_OTHERS,                                                                                          \
      "small blocks allocated on call paths after the first 32,766 of a process: they share one row, "      \
      "\"blocks of allocation sites after the first 32,766\" (record --pid on the running program counts "  \
      "from its own begin on; report --by line shows the code)")                                            \
    X(TAGS_CHECKED, "allocations drawn at random whose site tags were checked")                             \
    X(TAGS_WRONG, "of these, allocations with the tag of another call path")                                \
    X(THREADS_NO_ROOM,                                                                                      \
      "threads that are not sampled: Loadstone takes at most a quarter of the descriptors that the "        \
      "program may have (ulimit -n allows more)")                                                           \
    X(FAULTS_NO_ROOM,                                                                                       \
      "threads whose page faults have no place: Loadstone takes at most a quarter of the descriptors that " \
      "the program may have (ulimit -n allows more)")
#define SPOOL_EVENT_ENUM(name, text) SPOOL_EVENT_##name,
enum spool_event_kind { SPOOL_EVENT_LIST(SPOOL_EVENT_ENUM) SPOOL_EVENT_COUNT };
#undef SPOOL_EVENT_ENUM
struct spool_event {
    struct spool_rec_header rec;
    uint64_t time_ns;
    uint32_t kind;
    uint32_t detail_errno;
    uint64_t count;
};

#endif
