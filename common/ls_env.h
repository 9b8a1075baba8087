/* SPDX-License-Identifier: BSD-3-Clause */
/* The LOADSTONE_* environment: settings that the launcher passes to the preloaded runtime, and that a user
 * who preloads it by hand can set. This list feeds the runtime's parser, `loadstone record` and the man page
 * loadstone-environment(7).
 *
 * A constant table.  Thread: any.  Signal: safe. */
#ifndef LS_ENV_H
#define LS_ENV_H

#include <stdbool.h>
#include <stdint.h>

/* X(id, variable, default value or "", help) */
#define LS_ENV_LIST(X)                                                                                       \
    X(SPOOL, "LOADSTONE_SPOOL", "",                                                                          \
      "directory that receives the spool, of this user and with mode 0700; made when missing. Default: "     \
      "loadstone-spool-PID-XXXXXX in $XDG_RUNTIME_DIR, $TMPDIR, /tmp or /dev/shm")                           \
    X(SPOOL_MAX, "LOADSTONE_SPOOL_MAX", "1G",                                                                \
      "limit of the spool of one process: bursts become fewer from half of it on; "                          \
      "at the limit recording stops, the program goes on and the loss is counted")                           \
    X(ENGINE, "LOADSTONE_ENGINE", "auto",                                                                    \
      "sampling engine: auto, hw, translate, step, faults, watch or null")                                   \
    X(WATCH, "LOADSTONE_WATCH", "", "engine watch: the element that breakpoints are set on, NAME[INDEX]")    \
    X(WATCH_AT, "LOADSTONE_WATCH_AT", "",                                                                    \
      "where the launcher found the watched variable: its linked address (hexadecimal), bytes of an "        \
      "element, 1 where the file lies where it was linked, and the file")                                    \
    X(TRIGGER, "LOADSTONE_TRIGGER", "auto", "event that starts a burst: auto, perf or timer")                \
    X(OVERHEAD, "LOADSTONE_OVERHEAD", "3%", "share of the run time that Loadstone may use, in percent")      \
    X(PERIOD, "LOADSTONE_PERIOD", "",                                                                        \
      "shortest CPU time between two bursts of a thread, such as 20ms; the budget may stretch it")           \
    X(BURST, "LOADSTONE_BURST", "1200", "instructions in a stepped burst")                                   \
    X(ACCESSES, "LOADSTONE_ACCESSES", "64",                                                                  \
      "consecutive accesses of a translated burst that are recorded, at most 256")                           \
    X(CALLSTACK, "LOADSTONE_CALLSTACK", "auto",                                                              \
      "call stack of each burst or sample: off, fp (frame pointers), unwind (copied stack, unwound by "      \
      "resolve) or auto (of bursts, unwound in place)")                                                      \
    X(SEED, "LOADSTONE_SEED", "", "seed of the random times between bursts, for reproducible runs")          \
    X(ALLOC_MIN, "LOADSTONE_ALLOC_MIN", "4096", "smallest allocation in bytes that is recorded on its own")  \
    X(TAGS, "LOADSTONE_TAGS", "1",                                                                           \
      "0: heap blocks get no site tags, so that only blocks with a record of their own are named")           \
    X(WITHOUT, "LOADSTONE_WITHOUT", "",                                                                      \
      "instructions that bursts do without although the processor has them, separated by commas: "           \
      "fsgsbase, rdtscp, bmi2")                                                                              \
    X(DELAY, "LOADSTONE_DELAY", "0",                                                                         \
      "time after the start of the program before sampling begins, such as 2s")                              \
    X(DURATION, "LOADSTONE_DURATION", "", "sampling ends after this time, such as 30s")                      \
    X(START, "LOADSTONE_START", "",                                                                          \
      "when the recording began, on CLOCK_MONOTONIC in ns, set by the launcher: delay and duration count "   \
      "from there in every program of the recording")                                                        \
    X(CONTROL, "LOADSTONE_CONTROL", "", "signal number that switches sampling on and off")                   \
    X(PAUSED, "LOADSTONE_PAUSED", "0", "1: sampling waits for loadstone_start() or the control signal")      \
    X(CHILDREN, "LOADSTONE_CHILDREN", "1", "0: programs started by the program are not recorded")            \
    X(IDLE, "LOADSTONE_IDLE", "0",                                                                           \
      "1: the preloaded runtime does nothing until loadstone record --pid asks it to; loadstone run sets "   \
      "this")                                                                                                \
    X(PRELOAD, "LOADSTONE_PRELOAD", "",                                                                      \
      "path of the preloaded runtime, set by the launcher so that programs "                                 \
      "started with a cleared environment are followed")                                                     \
    X(EVENT, "LOADSTONE_EVENT", "",                                                                          \
      "event of the hw engine in perf's syntax, such as cpu/mem-loads,ldlat=30/P or r1cd; default: the "     \
      "processor's loads")                                                                                   \
    X(HW_PERIOD, "LOADSTONE_HW_PERIOD", "", "events between two samples of the hw engine")                   \
    X(HW_FREQ, "LOADSTONE_HW_FREQ", "", "samples a second and thread of the hw engine, instead of a period") \
    X(LDLAT, "LOADSTONE_LDLAT", "", "loads that took fewer cycles are not sampled by the hw engine")         \
    X(STORES, "LOADSTONE_STORES", "no", "the hw engine samples stores: no, also or only")                    \
    X(SYSFS, "LOADSTONE_SYSFS", "/sys",                                                                      \
      "where the hw engine reads the kernel's description of PMUs, and record --series its counters")        \
    X(MSR, "LOADSTONE_MSR", "/dev/cpu",                                                                      \
      "where study prefetch finds the registers of the processors: N/msr for processor N")                   \
    X(PADDING, "LOADSTONE_PADDING", "",                                                                      \
      "set by loadstone trace: brings the environment to a number of whole pages")                           \
    X(TRACED, "LOADSTONE_TRACED", "0",                                                                       \
      "1: the program runs under loadstone trace, which sets this: every block is recorded, and the tracer " \
      "hears of it")                                                                                         \
    X(MEMORY, "LOADSTONE_MEMORY", "",                                                                        \
      "memory that the values of one profile may take when it is read, such as 8G; default: 640M, or 7 "     \
      "times the length of the file where that is more")                                                     \
    X(DEBUG, "LOADSTONE_DEBUG", "0",                                                                         \
      "1: the runtime's incidents are also written to the spool directory as text")

#define LS_ENV_ID(id, variable, value, help) LS_ENV_##id,
enum ls_env_id { LS_ENV_LIST(LS_ENV_ID) LS_ENV_COUNT };
#undef LS_ENV_ID

struct ls_env_row {
    const char *variable;
    const char *default_value;
    const char *help;
};

extern const struct ls_env_row ls_env_rows[LS_ENV_COUNT];

/* --- ranks ---
 *
 * The rank of a process in a parallel job, from environment variables of the launcher.
 *
 * Signal: not safe. */

struct ls_rank {
    const char *variable; /* the variable it was read from; NULL: no rank */
    uint32_t rank;
    uint32_t ranks_len; /* number of ranks in the job, 0 when not known */
    uint32_t local_len; /* ranks on this machine, 0 when not known */
};

/* Find the rank in the environment, through get (getenv). False: no parallel job; out->variable is NULL then.
 * Thread: as get. */
bool ls_rank_find(char *(*get)(const char *name), struct ls_rank *out);

#endif
