/* SPDX-License-Identifier: BSD-3-Clause */
/* One thread of the program in the runtime, and the guard against recursion into the runtime. */
#ifndef RT_THREAD_H
#define RT_THREAD_H

#include "common/ls_compat.h"
#include "runtime/core/rt_paths_sigsafe.h"
#include "runtime/core/rt_poisson_sigsafe.h"
#include "runtime/core/rt_state.h"
#include "spool/spool_packer_sigsafe.h"
#include "spool/spool_writer_sigsafe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { RT_SCRATCH_BYTES = 16384 };

struct rt_tap;

/* Kinds of calls that are sampled by themselves (rt_timed.h). */
enum rt_timed_kind {
    RT_TIMED_MAP,
    RT_TIMED_UNMAP,
    RT_TIMED_ALLOC,
    RT_TIMED_FREE,
    RT_TIMED_READ,
    RT_TIMED_WRITE,
    RT_TIMED_START, /* start of a thread */
    RT_TIMED_OTHER,
    RT_TIMED_KINDS
};

/* The code that a frame of Python had when it was read (rt_python.h). */
struct rt_python_code {
    uint64_t frame, code;
    uint64_t hash, units;
};
enum { RT_PYTHON_CODES = 64 };

/* Has a separate mapping that is never unmapped: blocks of ended threads are reused, so the list of all of
 * them can be walked at any time without a lock. */
struct rt_thread {
    struct rt_thread *next; /* list of all blocks, rt_state.threads */
    uint32_t in_use;        /* atomic: belongs to a thread */
    uint32_t streams;       /* that it began in the spool so far */
    uint32_t epoch;         /* rt_state.epoch when its writer was last known to be of this recording */
    pid_t tid;
    bool opening;       /* its stream is being begun: records that come now are dropped */
    bool open_failed;   /* no stream for this thread: drop, do not try again */
    bool engine_open;   /* the engine's thread_open ran */
    uint8_t key_rounds; /* destructor rounds of the thread that are over */
    uint64_t begin_ns;
    uint64_t spent_ns;        /* Loadstone's part of this thread's time: the engine adds its bursts */
    uint32_t untimed_hooks;   /* recorded hook calls until one is timed */
    uint32_t untimed_unwinds; /* those among them that unwind a stack, which are timed more often */
    uint32_t hook_bytes, allocs, large_allocs; /* as in rt_budget, not yet there */
    uint64_t tls_seen;              /* its blocks of thread-local storage that were written, mixed */
    uint64_t stack_base, stack_end; /* [base, end), 0 0 when not known */
    struct spool_writer writer;
    struct rt_tap *tap; /* its samples for callbacks (rt_tap_sigsafe.h); stays with the block. NULL: none */
    bool own;           /* Loadstone's, not the program's: it is not sampled */
    void *engine;       /* rt_sampler.thread_bytes bytes, zeroed when the thread begins; NULL when 0 */
    void *(*start_routine)(void *); /* argument of pthread_create, until the thread runs */
    void *start_arg;
    uint64_t start_blocked; /* rt_tls.blocked of the thread that called pthread_create */
    uint32_t
        timed_means[RT_TIMED_KINDS]; /* calls that the next timed one represents; 0: none was drawn yet */
    struct rt_paths paths;           /* call paths its stream gave */
    struct rt_paths lines;           /* lines of interpreted programs that it gave */
    struct spool_site_packer sites;  /* that it gave */
    struct rt_python_code codes[RT_PYTHON_CODES];  /* of frames that were read before */
    _Alignas(8) uint8_t scratch[RT_SCRATCH_BYTES]; /* instead of large arrays on stacks that may be tiny;
                                          valid between rt_enter and rt_leave */
};

/* The one thread-local object of the runtime (initial-exec: no allocation, no call to find it). */
struct rt_tls {
    struct rt_thread *thread; /* NULL: not met yet */
    uint32_t depth;          /* > 0: inside the runtime. A trigger that arrives then is deferred or skipped */
    uint32_t dead;           /* 1: the thread ends, or began before the runtime could serve it */
    uint32_t looked_calls;   /* allocator calls that were only looked at, not yet in the budget */
    uint32_t skipped_allocs; /* left out to hold the budget, not yet reported */
    int64_t sample_left_bytes; /* bytes of small blocks left until one is recorded */
    struct rt_poisson poisson;
    uint64_t stack_end, stack_bytes; /* the thread's stack; 0 0: not known */
    uint64_t hook_begin_ns; /* the thread's CPU clock when the hook call began that is being timed; 0: none */
    uint64_t hook_burst_ns; /* CPU time of the thread's bursts then */
    uint32_t hook_represents;               /* calls that the timed one stands for */
    uint32_t untimed_calls[RT_TIMED_KINDS]; /* until one is timed */
    uint64_t timed_random;
    uint32_t pauses;  /* pauses of the collector that this thread asked for */
    uint64_t fork_ns; /* this thread is forking: since when */
    uint32_t
        maps; /* functions of the next library that map or unmap, which a hook called and the thread is in */
    uint32_t mpi;          /* enum ls_mpi_call: the function of MPI that the thread is in */
    uint64_t mpi_ip;       /* its caller */
    uint64_t mpi_frame;    /* stack frame of the call */
    uint64_t device_frame; /* stack frame of the call to a device's library that the thread is in, 0: none */
    uint64_t blocked;      /* signals that the engine needs, and that the program believes to block */
    void (*resume)(void);  /* not NULL: the engine waits for depth 0 to go on with a burst */
};
extern _Thread_local struct rt_tls rt_tls LS_TLS_INITIAL_EXEC;

/* Order memory accesses for the same thread's signal handlers: they look at depth. */
#define RT_COMPILER_BARRIER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Draw the numbers of hook calls before the next timed ones. */
void rt_budget_draw_untimed(struct rt_thread *t);
/* Time a call. */
void rt_budget_hook_begin(struct rt_thread *t);
void rt_budget_hook_end(const struct rt_thread *t);
/* Do not time the call that the thread is in. */
void rt_budget_hook_forget(void);
/* Before and after the program's own call inside of a hook: its time is not the hook's. */
void rt_budget_call_begin(void);
void rt_budget_call_end(void);
/* The call that t is in unwinds a stack. Such calls are timed more often than others, because their times vary by a
 * factor of a hundred: first ones read tables from disk. */
void rt_budget_hook_unwinds(struct rt_thread *t);

/* Out of line part of rt_enter, in rt_thread_life.c: a thread met for the first time, or the child of a fork
 * that ran no handler. */
struct rt_thread *rt_thread_adopt(void);

/* Begin to record from a hook: the calling thread's block, or NULL when nothing may be recorded now
 * (recursion, ending thread, runtime off or sealed). Every non-NULL return is paired with rt_leave. Thread:
 * any.  Signal: safe only through the engine, which looks at rt_tls.depth first. */
static inline struct rt_thread *rt_enter(void)
{
    if (!rt_is_recording() || rt_tls.depth || rt_tls.dead) return NULL;
    rt_tls.depth = 1;
    RT_COMPILER_BARRIER();
    struct rt_thread *t = rt_tls.thread;
    if (__builtin_expect(!t || !rt_is_own_process() || t->epoch != rt_state.epoch, 0)) t = rt_thread_adopt();
    if (__builtin_expect(!t, 0)) {
        rt_tls.depth = 0;
        return NULL;
    }
    if (__builtin_expect(t->untimed_hooks-- == 0, 0)) rt_budget_hook_begin(t);
    return t;
}

static inline void rt_leave(void)
{
    if (__builtin_expect(rt_tls.hook_begin_ns != 0, 0)) rt_budget_hook_end(rt_tls.thread);
    RT_COMPILER_BARRIER();
    rt_tls.depth = 0;
    if (__builtin_expect(rt_tls.resume != NULL, 0)) rt_tls.resume();
}

/* Keep the runtime (and bursts) out of a section of the calling thread without recording: the program's own
 * call runs in it. Nests. */
static inline void rt_quiet_begin(void)
{
    rt_tls.depth++;
    RT_COMPILER_BARRIER();
}

static inline void rt_quiet_end(void)
{
    RT_COMPILER_BARRIER();
    rt_tls.depth--;
    if (__builtin_expect(rt_tls.resume != NULL, 0) && !rt_tls.depth) rt_tls.resume();
}

/* The calling thread's block when it has one and the process is the one that made it; no side effect.
 * Signal: safe. */
static inline struct rt_thread *rt_thread_self(void)
{
    return rt_is_own_process() ? rt_tls.thread : NULL;
}

#endif
