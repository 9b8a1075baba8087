/* SPDX-License-Identifier: BSD-3-Clause */
/* Track the process of each thread and the thread on each CPU by records of perf.data, in order of time. */
#ifndef IMP_THREADS_H
#define IMP_THREADS_H

#include "common/ls_index.h"
#include "perf/pe_file.h"

#define IMP_NO_THREAD UINT32_MAX

struct imp_thread {
    uint32_t pid, tid;
};

struct imp_on_cpu {
    struct imp_thread thread; /* tid IMP_NO_THREAD: not known */
    bool is_switched;         /* from a CPU-wide switch record; these cover every change */
};

/* All zero is an empty one. */
struct imp_threads {
    struct imp_thread *rows; /* a later one of a number takes its place */
    size_t len, room;
    struct ls_index by_tid;
    struct imp_on_cpu *on_cpu;
    size_t cpus, cpus_room;
};

/* Apply a record: COMM, FORK, ITRACE_START, SWITCH or SWITCH_CPU_WIDE; others are ignored. Errors:
 * LS_ERR_NOMEM. */
ls_err imp_threads_take(struct imp_threads *t, const struct pe_file_record *r);
/* Return false if no record names this thread. */
bool imp_threads_pid(const struct imp_threads *t, uint32_t tid, uint32_t *pid);
/* Return the thread that runs on the CPU now; tid IMP_NO_THREAD: not known. */
struct imp_on_cpu imp_threads_on_cpu(const struct imp_threads *t, uint32_t cpu);
void imp_threads_fini(struct imp_threads *t);

#endif
