/* SPDX-License-Identifier: BSD-3-Clause */
/* State of the step engine: one per process, one per thread. */
#ifndef RT_STEP_ENGINE_SIGSAFE_H
#define RT_STEP_ENGINE_SIGSAFE_H

#include "runtime/core/rt_thread.h"
#include "runtime/samplers/rt_step_access_sigsafe.h"
#include "runtime/samplers/rt_step_code_sigsafe.h"
#include "runtime/samplers/rt_step_devices_sigsafe.h"
#include "runtime/samplers/rt_step_governor_sigsafe.h"
#include "runtime/samplers/rt_step_isolate_sigsafe.h"
#include "runtime/samplers/rt_step_lines_sigsafe.h"
#include "runtime/samplers/rt_step_numa_sigsafe.h"
#include "runtime/samplers/rt_step_pages_sigsafe.h"
#include "runtime/samplers/rt_step_stack_sigsafe.h"

#include "common/ls_compat.h"

#include <signal.h>
#include <ucontext.h>

struct rt_step_thread;

/* What begins bursts: one row a mechanism. */
struct rt_step_trigger {
    const char *name;
    bool repeats; /* an interval that ends in the kernel starts again; else the trigger comes late */
    /* 0 or an errno: why it does not work here. */
    int (*probe)(void);
    /* For the calling thread; 0 or an errno. */
    int (*open)(struct rt_step_thread *t);
    /* One trigger after interval_ns of the thread's CPU time.  Thread: its own.  Signal: safe. */
    void (*arm)(struct rt_step_thread *t, uint64_t interval_ns);
    /* No more triggers.  Thread: any of the process.  Signal: safe. */
    void (*disarm)(struct rt_step_thread *t);
    /* Thread: any of the process. */
    void (*close)(struct rt_step_thread *t);
    /* In a fork child: forget what belongs to the parent. */
    void (*disown)(struct rt_step_thread *t);
};
extern const struct rt_step_trigger rt_step_trigger_perf, rt_step_trigger_timer;

/* Marks signals of our triggers. */
#define RT_STEP_TRIGGER_MAGIC UINT64_C(0x4c6f616473746f6e)

enum {
    RT_STEP_RUN_AHEAD = 600
}; /* instructions that the core may have issued before the trigger: one reorder buffer */
enum {
    RT_STEP_IN_PLACE_AHEAD = 64
}; /* instructions that may be issued behind one that is stepped in place */

struct rt_step_engine {
    struct rt_step_governor governor;
    struct rt_step_zydis zydis;
    struct rt_step_xlayout xlayout;
    struct rt_step_devices devices;
    const struct rt_step_trigger *trigger;
    const struct rt_step_stack_mode *stack_mode;
    uint64_t seed;
    uint64_t start_cpu_ns;     /* of the process, when recording began in it */
    uint64_t rseq_area_offset; /* from the thread pointer, as an unsigned wrap-around */
    uint64_t burst_max_ns;
    uint32_t burst_instructions;
    uint32_t tsc_per_us; /* 0: not known before the first burst has ended */
    int timer_signal;    /* 0: none */
    bool has_rseq, has_fsgsbase, has_shadow_stack;
    bool has_memory_nodes; /* several: the kernel is asked where pages lie */
    volatile uint32_t
        quiet; /* the system no longer allows what sampling needs: no system call from handlers */
    /* By atomics, all threads: */
    uint64_t mean_cost_ns;
    uint32_t threads_live, running_milli; /* threads that use a CPU, in thousandths */
    uint32_t window_busy;
    uint64_t window_wall_ns, window_cpu_ns;
    uint64_t eintr_restarted, eintr_seen, lost;
    uint32_t traced;
    uint64_t traced_triggers;
    uint64_t traced_checked_ns;
    uint64_t in_place[ZYDIS_MNEMONIC_MAX_VALUE + 1]; /* instructions stepped in place, by mnemonic */
};
extern struct rt_step_engine rt_step_engine;

/* What timing a load needs to know of the burst so far. */
struct rt_step_probe {
    uint64_t control_line;   /* always in L1 */
    uint64_t control_cycles; /* sum over the controls of this burst */
    uint32_t control_len;
    struct rt_step_pages pages;
    struct rt_step_lines lines;
};

enum rt_step_burst_state { RT_STEP_IDLE, RT_STEP_STEPPING, RT_STEP_SUSPENDED };

struct rt_step_thread {
    struct rt_thread *rt;
    int tid, trigger_fd, timer_id;
    int faults_fd;        /* rt_step_faults_sigsafe.h; -1: none */
    uint32_t faults_mean; /* page faults that the next sample represents */
    uint64_t faults_last_ns;
    bool timer_open;
    bool outside;  /* the handler interrupted the program, not the runtime's own work */
    uint8_t state; /* enum rt_step_burst_state */
    bool stale;    /* a burst was lost: its trap flag may come back from a signal frame */
    uint64_t random;
    uint64_t switches;                        /* context switches up to the last look */
    uint64_t step_tsc;                        /* when the last step of the burst was taken; 0: none was */
    bool in_kernel;                           /* the timer interrupted a system call */
    uint64_t mean_ns, drawn_ns, armed_cpu_ns; /* of the interval under way */
    uint64_t burst_tsc, burst_begin_ns, burst_begin_cpu_ns;
    uint64_t handler_tsc, handlers_tsc; /* begin of the handler under way; time in all of this burst */
    uint32_t valid_from;                /* first position whose loads nothing has issued early */
    uint32_t position, own_steps, number;
    uint32_t in_place;                    /* instructions of the burst that were stepped in place */
    uint32_t recorded;                    /* accesses of the burst that are in the spool */
    stack_t altstack_ours, altstack_view; /* view: what the program believes to have set */
    struct rt_step_thread *next;          /* list of the process */
    /* From here on it stays as it is when another thread takes it over, which finds all before zeroed. */
    struct rt_step_access accesses[RT_STEP_ACCESS_MAX];
    struct rt_step_slots slots;
    struct rt_step_probe probe;
    struct rt_step_code code;
    struct spool_link links[RT_STEP_LINKS_MAX];
    struct rt_step_numa numa;
};

/* The calling thread's, NULL when it is not sampled. */
extern _Thread_local struct rt_step_thread *rt_step_self LS_TLS_INITIAL_EXEC;

#endif
