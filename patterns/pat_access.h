/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses to memory, each thread's in program order, with their sites, homes and events: the form in which
 * every source (patterns/source/pat_source.h) delivers and extraction (patterns/extract/pat_extract.h) takes.
 * Exact traces and the bursts of a profile look alike; between bursts a thread's sequence is broken
 * (PAT_EVENT_BREAK).
 *
 * Numbers index the tables of struct pat_tables. Tables only grow; rows keep their numbers. */
#ifndef PAT_ACCESS_H
#define PAT_ACCESS_H

#include <stddef.h>
#include <stdint.h>

#define PAT_NONE UINT32_MAX /* no row */

enum pat_op { PAT_OP_LOAD, PAT_OP_STORE };

/* One operand of one instruction, with one width: an instruction that loads and stores, that has two memory
 * operands, or that is seen with two widths has several sites. The lanes of a gather are accesses of one
 * site, in the order of the lanes. */
struct pat_site {
    uint64_t ip;         /* address in the process: position-independent code is relocated */
    uint32_t module;     /* module that contains ip; PAT_NONE: not known */
    uint16_t size_bytes; /* width of one access; 0: not given by the source */
    uint8_t operand; /* 0, 1, ... in the order of the accesses of one execution; loads and stores together */
    uint8_t op;      /* enum pat_op */
    uint32_t line;   /* 1 + its row of the lines that the source names; 0: none */
};

/* A loaded object: linked address = address - bias. */
struct pat_module {
    char *path;
    uint64_t start, end, bias;
};

/* Kinds of homes, which name data: a registered range (SMR), an allocation site, a global. */
enum pat_home_kind {
    PAT_HOME_UNKNOWN,
    PAT_HOME_REGISTERED,
    PAT_HOME_HEAP,
    PAT_HOME_GLOBAL,
    PAT_HOME_STACK,
    PAT_HOME_OTHER
};
struct pat_home {
    char *label;              /* may be NULL until the source has ended: names are resolved then */
    uint64_t elem_size_bytes; /* 0: not known */
    uint8_t kind;             /* enum pat_home_kind */
};

/* Memory of a home that lives from its PAT_EVENT_RANGE_BORN to its PAT_EVENT_RANGE_DIED: an allocation site
 * has many. Ranges nest; the innermost counts. */
struct pat_range {
    uint64_t start, end;
    uint32_t home;
};

struct pat_thread {
    char *label; /* "4711", "rank 3 thread 0", "warp 12"; never NULL */
};

struct pat_access {
    uint64_t addr;
    uint32_t site, thread;
};

enum pat_event_kind {
    PAT_EVENT_RANGE_BORN, /* refers to a row of ranges */
    PAT_EVENT_RANGE_DIED, /* refers to a row of ranges */
    PAT_EVENT_BREAK, /* accesses of the thread are missing: between bursts, a loss, or the end of a region */
    PAT_EVENT_PHASE_BEGIN, /* refers to a row of phases */
    PAT_EVENT_PHASE_END    /* refers to a row of phases */
};
struct pat_event {
    uint8_t kind;    /* enum pat_event_kind */
    uint32_t thread; /* the thread it concerns; PAT_NONE: all (ranges) */
    uint32_t what;   /* a row, or the weight of all accesses after a break, 0: PAT_WEIGHT_USUAL */
};

/* Bursts are a sample of the time, not of the accesses: where the program makes few accesses in a second, each access of a burst
 * represents fewer. The mean weight of the accesses of a source. */
#define PAT_WEIGHT_USUAL 256

struct pat_tables {
    struct pat_site *sites;
    struct pat_module *modules;
    struct pat_home *homes;
    struct pat_range *ranges;
    struct pat_thread *threads;
    char **phases;
    char **lines; /* "/x/kern.cu:10" */
    size_t sites_len, modules_len, homes_len, ranges_len, threads_len, phases_len, lines_len;
};

/* All events of a batch come before its accesses. Empty (both 0): the source has ended. */
struct pat_batch {
    const struct pat_event *events;
    size_t events_len;
    const struct pat_access *accesses;
    size_t accesses_len;
};

#endif
