/* SPDX-License-Identifier: BSD-3-Clause */
/* State that burst engines share: one per process, one per thread. A method runs the instructions of a burst,
 * chosen when the burst begins. */
#ifndef RT_BURST_ENGINE_SIGSAFE_H
#define RT_BURST_ENGINE_SIGSAFE_H

#include "runtime/bursts/rt_burst_decode_sigsafe.h"
#include "runtime/bursts/rt_burst_devices_sigsafe.h"
#include "runtime/bursts/rt_burst_governor_sigsafe.h"
#include "runtime/bursts/rt_burst_numa_sigsafe.h"
#include "runtime/bursts/rt_burst_stack_sigsafe.h"
#include "runtime/bursts/rt_burst_xstate_sigsafe.h"
#include "runtime/core/rt_thread.h"

#include "common/ls_compat.h"

#include <signal.h>
#include <ucontext.h>

struct rt_burst_thread;

/* A mechanism that begins bursts. */
struct rt_burst_trigger {
    const char *name;
    bool repeats; /* an interval that ends in the kernel starts again; else the trigger comes late */
    /* 0 or an errno: why it does not work here. */
    int (*probe)(void);
    /* For the calling thread; 0 or an errno. */
    int (*open)(struct rt_burst_thread *t);
    /* Arm one trigger after interval_ns of the thread's CPU time.  Thread: its own. */
    void (*arm)(struct rt_burst_thread *t, uint64_t interval_ns);
    /* Cancel the trigger.  Thread: any of the process. */
    void (*disarm)(struct rt_burst_thread *t);
    /* Thread: any of the process. */
    void (*close)(struct rt_burst_thread *t);
    /* Forget the parent's triggers in a fork child. */
    void (*disown)(struct rt_burst_thread *t);
};
extern const struct rt_burst_trigger rt_burst_trigger_perf, rt_burst_trigger_timer;

/* Methods that run the instructions of a burst. Each can be missing but STEP, which runs the bursts that
 * another one refuses. */
enum { RT_BURST_METHODS = SPOOL_METHOD_LAST + 1 };

/* A method: one row an engine. Its functions run in signal handlers of t's thread.  Signal: safe. */
struct rt_burst_method {
    enum spool_method id;
    size_t thread_bytes;    /* of rt_burst_thread.own[id] */
    uint64_t first_cost_ns; /* cost of a burst, assumed until the first one was measured */
    uint64_t after_ns;      /* that a burst costs the program after its handler */
    bool is_whole;          /* run returns or leaves the handler when the burst is over: none is ever lost */

    /* A burst begins: forget the last one. Its first record is not written yet. */
    void (*begin)(struct rt_burst_thread *t);
    /* Go on from uc, the program's context, before the first instruction of the burst. May leave the handler
     * by itself, after rt_burst_leave. */
    void (*run)(struct rt_burst_thread *t, ucontext_t *uc);
    /* A single-step trap before the instruction at uc's ip, or at the end of code that take_back
     * recognised. */
    void (*step)(struct rt_burst_thread *t, ucontext_t *uc);
    /* At the entry of every handler: move a context from the method's own code back to the program's code.
     * True: it was in such code. */
    bool (*take_back)(struct rt_burst_thread *t, ucontext_t *uc);
    /* A fault, or a signal sent by hand that is not blocked. True: it belongs to the method, which changed
     * uc. May be NULL. */
    bool (*fault)(struct rt_burst_thread *t, const siginfo_t *info, ucontext_t *uc);
    /* A signal of perf interrupted the instructions of a whole burst. Return the program's instruction at
     * which it did, or 0: between two of them, in code of the method's own. May be NULL. */
    uint64_t (*interrupted)(struct rt_burst_thread *t, const siginfo_t *info, ucontext_t *uc);
    /* The burst was lost: its context may come back later from a signal frame, or never. */
    void (*abandon)(struct rt_burst_thread *t);
    /* The burst ends: add the method's counts. */
    void (*end)(const struct rt_burst_thread *t, struct spool_burst_end *r);
};

extern const struct rt_burst_method rt_step_method, rt_translate_method;

/* Marks signals of our triggers. */
#define RT_BURST_TRIGGER_MAGIC UINT64_C(0x4c6f616473746f6e)

struct rt_burst_engine {
    struct rt_burst_governor governor;
    struct rt_burst_zydis zydis;
    struct rt_burst_xlayout xlayout;
    struct rt_burst_devices devices;
    const struct rt_burst_method *methods[RT_BURST_METHODS]; /* by enum spool_method; NULL: not in use */
    const struct rt_burst_method *method;                    /* the one that bursts begin with */
    const struct rt_burst_trigger *trigger;
    const struct rt_burst_stack_mode *stack_mode;
    uint64_t seed;
    uint64_t start_cpu_ns;        /* CPU time of the process when recording began in it */
    uint64_t rseq_area_offset;    /* from the thread pointer, as an unsigned wrap-around */
    uint64_t clock_tsc, clock_ns; /* the same instant, at the start */
    uint32_t tsc_per_us;          /* 0: not known yet */
    int timer_signal;             /* 0: none */
    bool has_rseq, has_fsgsbase, has_rdtscp, has_bmi2, has_shadow_stack;
    bool has_memory_nodes; /* several: the kernel is asked for the nodes of pages */
    /* The system no longer allows sampling: make no system call from handlers. */
    volatile uint32_t quiet;
    /* By atomics, all threads: */
    uint64_t mean_cost_ns;
    uint64_t interrupt_ns, rearm_ns; /* cost of a trigger outside of its handler; 0: not measured yet */
    uint32_t interrupts_measured;    /* bursts that asked for it */
    uint64_t late_ns, lates;         /* delays of triggers: sum, and number */
    /* Work until the latest trigger; the part of it in which nothing was sampled; the cost of that part. */
    uint64_t worked_ns, unsampled_ns, unsampled_spent_ns;
    uint32_t is_thinned;                  /* since the spool is half full */
    uint32_t threads_live, running_milli; /* threads that use a CPU, in thousandths */
    uint32_t window_busy;
    uint64_t window_wall_ns, window_cpu_ns;
    uint64_t eintr_restarted, eintr_seen;
    uint32_t traced, traced_uses; /* uses of the last look at /proc/self/status */
    uint64_t traced_triggers;
    uint64_t traced_checked_ns;
};
extern struct rt_burst_engine rt_burst_engine;

/* SUSPENDED: the runtime works for itself in the thread, and the method goes on afterwards. */
enum rt_burst_state { RT_BURST_IDLE, RT_BURST_RUNNING, RT_BURST_SUSPENDED };

struct rt_burst_thread {
    struct rt_thread *rt;
    int tid, trigger_fd, timer_id;
    int faults_fd;        /* rt_burst_faults_sigsafe.h; -1: none */
    uint32_t faults_mean; /* page faults that the next sample represents */
    bool faults_open;     /* their signals may interrupt the burst */
    bool timer_open;
    bool is_off;   /* the perf event is disabled, and armed by enabling it */
    bool outside;  /* the handler interrupted the program, not the runtime's own work */
    bool deaf;     /* a trigger that came while SIGTRAP was blocked came inside a burst: ignore one */
    uint8_t state; /* enum rt_burst_state */
    bool stale;    /* a burst was lost: its trap flag may come back from a signal frame */
    uint64_t random;
    bool in_kernel; /* the timer interrupted a system call */
    /* Where the system call returns that a handler of the program ended last, and when; 0: none. */
    uint64_t ended_call_ip, ended_call_rsp, ended_call_cpu_ns;
    uint64_t mean_ns, drawn_ns, armed_cpu_ns; /* the interval under way */
    uint64_t burst_tsc, burst_begin_ns, burst_begin_cpu_ns;
    uint64_t trigger_ns;                  /* cost of its trigger */
    uint64_t handler_tsc, handlers_tsc;   /* begin of the handler under way; time in all of this burst */
    uint64_t program_ns;                  /* CPU time of the burst in which the program itself went on */
    uint32_t program_faults;              /* page faults in it */
    uint64_t inside_ns;                   /* CPU time of signals that interrupted a whole burst */
    int saved_errno;                      /* the program's, at the begin of the handler under way */
    const struct rt_burst_method *method; /* executes the burst */
    uint32_t number;                      /* bursts that the thread began */
    uint32_t position, recorded;          /* instructions of the burst; its accesses that are in the spool */
    stack_t altstack_ours, altstack_view; /* view: the one that the program believes to have set */
    struct rt_burst_thread *next;         /* list of the process */
    struct spool_stack_packer stacks;     /* of the bursts so far */
    struct rt_paths callers;              /* that the spool has */
    /* From here on the content stays when another thread takes the block over; all before is zeroed. */
    void *own[RT_BURST_METHODS]; /* the methods' */
    struct spool_link links[RT_BURST_LINKS_MAX];
    struct rt_burst_numa numa;
};

/* The calling thread's state, NULL when it is not sampled. */
extern _Thread_local struct rt_burst_thread *rt_burst_self LS_TLS_INITIAL_EXEC;

/* Without the C library: errno stays as it is. */
static inline uint64_t rt_burst_cpu_ns(clockid_t clock)
{
    struct timespec t = {0};
    ls_syscall(SYS_clock_gettime, clock, &t);
    return (uint64_t)t.tv_sec * LS_NS_PER_S + (uint64_t)t.tv_nsec;
}

static inline int rt_burst_gettid(void)
{
    return (int)ls_syscall(SYS_gettid);
}

#endif
