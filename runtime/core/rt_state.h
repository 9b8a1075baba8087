/* SPDX-License-Identifier: BSD-3-Clause */
/* The one per-process state of the runtime.
 *
 * Thread: any. */
#ifndef RT_STATE_H
#define RT_STATE_H

#include "common/ls_clock.h"
#include "common/ls_compat.h"
#include "common/ls_env.h"
#include "spool/spool_writer_sigsafe.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rt_thread;
struct rt_sampler;

enum { RT_PATH_BYTES = PATH_MAX, RT_WHY_BYTES = 512 };

/* LOADSTONE_* (common/ls_env.h), parsed once; a value that cannot be read leaves the default and is noted. */
struct rt_config {
    char engine[16];
    char trigger[16];
    char callstack[16];
    char without[16];      /* instructions, separated by commas */
    double overhead_share; /* 0.03: 3 % */
    uint64_t period_ns;    /* 0: the engine decides */
    uint64_t burst_instructions, burst_accesses;
    uint64_t seed; /* meaningful with has_seed */
    uint64_t alloc_min_bytes;
    uint64_t spool_max_bytes;
    uint64_t delay_ns, duration_ns; /* duration 0: until the end */
    uint64_t start_ns;              /* begin of delay and duration; 0: start of this program */
    int control_signal;             /* 0: none */
    bool has_seed, paused, children, debug, tags;
    bool traced; /* a tracer listens to markers (rt_marker_sigsafe.h) */
};

/* CPU time of recording; changed by relaxed atomics. The engine adds bursts, rt_leave adds hooks. */
struct rt_budget {
    uint64_t start_ns; /* when recording began in this process */
    uint64_t start_ticks;
    uint64_t spent_ns;        /* bursts, summed over threads */
    uint64_t spent_kernel_ns; /* part of it in the kernel: traps, signals, fault samples */
    uint64_t after_ns;     /* that interrupts cost the program afterwards, estimated; no part of spent_ns */
    uint64_t starts_ns;    /* starts of threads and of the process */
    uint64_t hooks_ns;     /* hooks that recorded, estimated from timed ones */
    uint64_t copies_ns;    /* copying natural domains to the spool */
    uint64_t looked_calls; /* allocator calls that were only looked at */
    uint64_t passed_ns;    /* these and tags, by the triggers that fell into them */
    uint64_t hook_bytes;   /* records of allocations */
    uint64_t allocs, large_allocs; /* recorded; the subset recorded for its length */
    uint32_t live_threads;
};

/* Facts that the engine reports after process_start. */
struct rt_engine_facts {
    char trigger[32];       /* "" for engines without one */
    char why[RT_WHY_BYTES]; /* why no better engine or trigger */
    uint64_t tsc_hz;        /* 0: not known */
    uint32_t probe_cost_cycles;
};

/* The process's own directory is made with its first record. */
enum rt_image_open { RT_IMAGE_CLOSED, RT_IMAGE_OPENING, RT_IMAGE_OPEN, RT_IMAGE_FAILED };

/* LOADSTONE_* as this image received them, for programs started with a cleared environment. */
struct rt_saved_env {
    const char *entries[LS_ENV_COUNT + 1]; /* NAME=value, NULL at the end */
    char text[RT_PATH_BYTES * 3];
    char ld_preload[RT_PATH_BYTES + 16]; /* LD_PRELOAD=our path */
};

/* The nearest process above this one that wrote records, in its state at the fork or exec. */
struct rt_ancestor {
    pid_t pid; /* 0: not known */
    uint32_t image;
    pid_t tid;        /* its thread that forked */
    uint64_t fork_ns; /* 0: not by fork */
};

/* OFF and IDLE: nothing was recorded, or no more is; IDLE: record --pid may begin a recording (runtime/attach/).
 * SEALED, ENDED: the recording is over; ENDED becomes IDLE where requests are waited for. */
enum rt_phase { RT_OFF, RT_IDLE, RT_RECORDING, RT_SEALED, RT_ENDED };

struct rt_state {
    uint32_t phase; /* atomic, enum rt_phase */
    uint32_t epoch; /* atomic: late recordings so far; streams of older ones are let go of */
    pid_t pid;
    pid_t parent_pid;
    struct rt_ancestor ancestor;
    struct ls_rank rank; /* rank in an MPI job */
    const volatile uint32_t
        *own_mark; /* 1 in the process that wrote it, 0 in a fork child (MADV_WIPEONFORK) */
    struct rt_config config;
    struct spool_cap cap;
    struct rt_budget budget;
    uint64_t tick_ns;                /* length of a kernel tick */
    const struct rt_sampler *engine; /* NULL until chosen */
    struct rt_engine_facts facts;
    /* allocations of at least alloc_always_bytes are recorded (>= config.alloc_min_bytes, 0 until the runtime
     * is ready); shorter ones are sampled by a Poisson process with a mean of alloc_period_bytes per hit */
    uint64_t alloc_always_bytes, alloc_period_bytes;
    uint32_t is_over_budget;    /* atomic: hooks have spent more than their part */
    int spool_fd;               /* the spool directory, -1 */
    int maps_fd;                /* /proc/self/maps, -1 */
    int statm_fd;               /* /proc/self/statm, -1 */
    struct spool_shared shared; /* the file of all threads */
    uint32_t image;
    uint32_t image_open;                        /* atomic, enum rt_image_open */
    uintptr_t text_base, text_end;              /* our own code: [base, end) */
    bool is_injected;                           /* loaded by record --pid, not preloaded */
    uintptr_t vdso_base;                        /* 0: none */
    struct rt_thread *threads;                  /* atomic list, grows only */
    uint64_t pending_events[SPOOL_EVENT_COUNT]; /* incidents that no file could take yet */
    char spool_path[RT_PATH_BYTES];             /* absolute */
    char preload_path[RT_PATH_BYTES];           /* absolute, of this object; "" when not known */
    struct rt_saved_env saved_env;
};
extern struct rt_state rt_state LS_HIDDEN;

static inline bool rt_is_recording(void)
{
    return __builtin_expect(__atomic_load_n(&rt_state.phase, __ATOMIC_RELAXED) == RT_RECORDING, 1);
}

/* False in a child made by fork, _Fork or clone that has not been taken over yet. (A vfork child shares our
 * memory and is not recognized here.)  Signal: safe. */
static inline bool rt_is_own_process(void)
{
    return *rt_state.own_mark != 0;
}

/* Hooks that look at a few words and jump to the program's function: translated bursts run through them. The
 * linker gives the limits of the section. */
#define RT_QUICK_HOOK __attribute__((section("rt_quick_hooks")))
extern const char __start_rt_quick_hooks[] __attribute__((weak, visibility("hidden")));
extern const char __stop_rt_quick_hooks[] __attribute__((weak, visibility("hidden")));

/* Is ip in the runtime's own code? */
static inline bool rt_is_own_text(uintptr_t ip)
{
    return ip >= rt_state.text_base && ip < rt_state.text_end;
}

static inline uint64_t rt_ticks(void)
{
    return ls_cpu_ticks();
}

/* Estimate the CPU time of all hooks of the process so far, including the calling thread's part that is not
 * added yet. Also updates the limit of allocations.  Thread: any, depth > 0.  Signal: safe. */
uint64_t rt_budget_hooks_ns(void);
/* CPU time of hooks that is not in rt_budget_hooks_ns: tags, mostly.  Signal: safe. */
uint64_t rt_budget_more_hooks_ns(void);
/* How many events one sample represents, of a process. Atomic; mean 0: nothing was sampled yet. */
struct rt_budget_rate {
    uint64_t last_ns; /* CPU time of the process at the last sample */
    uint32_t mean;
};
/* A sample was taken: move the mean towards one sample in usual_ns of CPU time at the default overhead, for
 * each thread.  Returns it.  Signal: safe. */
uint32_t rt_budget_adapt(struct rt_budget_rate *r, uint64_t usual_ns);
/* Return the time to read the thread's CPU clock.  Signal: safe. */
uint64_t rt_budget_clock_ns(void);
/* Called now and then, when allocations are recorded: update the limits of allocations.  Thread: any, depth >
 * 0. Signal: safe. */
void rt_budget_look(uint64_t now_ns);

/* Read the calling thread's CPU clock: a difference is the cost of a start, a fork or an end, and part of the
 * budget. Signal: safe. */
static inline uint64_t rt_cpu_now(void)
{
    return ls_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}
static inline void rt_budget_charge(uint64_t began_cpu_ns)
{
    __atomic_fetch_add(&rt_state.budget.starts_ns, rt_cpu_now() - began_cpu_ns, __ATOMIC_RELAXED);
}

#endif
