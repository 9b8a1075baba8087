/* SPDX-License-Identifier: BSD-3-Clause */
/* Backends that run a kernel on threads or on a device. A new backend is a file and a row of the table in
 * kn_backend.c. */
#ifndef KN_BACKEND_H
#define KN_BACKEND_H

#include "kernels/kn_options.h"

/* ---- backends ---- */

/* The share of one thread; every share 0..shares-1 runs once. */
typedef void kn_task(void *arg, unsigned share);

/* Runs in succession between two readings of the clock. */
struct kn_turn {
    unsigned repeats;
    /* Read only the wall clock, without system calls, which take as long as many short runs: the CPU time is then the wall
     * time, and interruptions are not noticed. */
    bool wall_only;
};

/* The use of its processor by a thread, from before timed runs until after them. */
struct kn_usage {
    uint64_t wall_ns, cpu_ns;
    uint64_t queued_ns;      /* ready to run, while others had the processor; or KN_QUEUED_UNKNOWN */
    uint64_t late_ns;        /* the part of wall_ns after the end of the timed runs */
    long waits, preemptions; /* context switches by the thread's own waiting, and by others */
};
#define KN_QUEUED_UNKNOWN UINT64_MAX

/* Return the part of the timed runs in which other programs had the thread's processor. A thread that sleeps until the others
 * have ended does not count until it is woken, and a wake-up after the end does not count at all. Where the time in the
 * queue is unknown, all of the sleep counts if the thread was also preempted, and none of it otherwise. */
uint64_t kn_usage_lost_ns(const struct kn_usage *u);

/* Runs to be timed, and their times. */
struct kn_timing {
    kn_task *task;
    void *arg;
    unsigned shares;
    struct kn_turn turn;
    uint64_t begin_ns, end_ns;
    uint64_t cpu_ns;  /* CPU time of the thread with the most of it, including its waiting for others */
    bool interrupted; /* a thread was kept from its processor for more than a 20th of the time */
};

/* Drivers of devices (kernels/gpu/kn_gpu.h). */
struct kn_gpu_driver;

struct kn_backend {
    const char *name;
    const char *summary;
    enum kn_method method; /* method that selects this backend; AUTO: none */
    bool (*built)(void);
    unsigned (*threads_max)(void);     /* that the machine has for this process */
    unsigned (*threads_default)(void); /* from the environment, else all */
    /* Run task on shares threads at once and return when all are done; with fewer threads some run several
     * shares. */
    void (*parallel)(unsigned shares, kn_task *task, void *arg);
    /* Run t->task t->turn.repeats times, each time after all shares have ended the one before, and set the times
     * of t. */
    void (*time)(struct kn_timing *t);
    /* Call body in the calling thread while the other threads wait for its calls of parallel and time; NULL: threads
     * need no start. */
    void (*engage)(unsigned threads, void (*body)(void *arg), void *arg);
    /* Kernels run on a device, and threads fill and check arrays only; NULL: they run on threads. */
    const struct kn_gpu_driver *device;
};

extern const struct kn_backend kn_backend_serial, kn_backend_scalar;

/* One run, or the mean of several between two readings of the clock. */
struct kn_span {
    double seconds; /* wall time from the moment when all threads are ready until all have ended; never 0 */
    double cpu_seconds; /* CPU time of the busiest thread, including its waiting for others; never 0 */
    bool interrupted;   /* other programs had a processor of the threads for more than a 20th of the time */
    uint64_t begin_ns, end_ns; /* the runs together, by the monotonic clock of this machine */
};

/* Run task on shares threads, turn.repeats times. Between the readings of the clock, only task and waiting threads make
 * system calls. */
struct kn_span kn_backend_time(const struct kn_backend *b, unsigned shares, struct kn_turn turn,
                               kn_task *task, void *arg);

/* Call body in the calling thread, with the threads of b at hand for its calls of parallel and time (kn_backend.engage). */
void kn_backend_engage(const struct kn_backend *b, unsigned threads, void (*body)(void *arg), void *arg);

/* Every backend; ends with NULL. */
extern const struct kn_backend *const kn_backends[];

/* Find the backend and the number of threads that o requests.
 * Errors: LS_ERR_UNSUPPORTED for a name that there is not, one that was not built, or more threads than there
 * are, unless o clamps them. */
ls_err kn_backend_choose(const struct kn_options *o, const struct kn_backend **out, unsigned *out_threads);

/* Return the number of threads before o clamps it: by o, by the environment, or the share of a rank. */
unsigned kn_backend_threads_asked(const struct kn_options *o, const struct kn_backend *b);

/* Do these threads and other programs need more processors than there are, now or up to a second ago?
 * Thread: one at a time in a process.  Signal: not safe. */
bool kn_is_crowded(unsigned threads);

/* ---- threads bound to processors ---- */

/* Bind the threads of a backend to processors, and release them again. */

typedef struct kn_pins kn_pins;

/* Bind share s of threads to a separate processor of the caller's affinity mask. AUTO binds when there is a
 * thread for each of these processors, so that a thread that waits at the end of a run does not keep another
 * from its processor, and no other program runs: a bound thread could not evade it. *out is NULL when nothing is bound.
 * Owns:   the caller ends *out with kn_unpin.
 * Errors: LS_ERR_UNSUPPORTED when the system does not bind (AUTO: then nothing is bound), LS_ERR_NOMEM.
 * Thread: one at a time in a process.  Signal: not safe. */
ls_err kn_pin(const struct kn_backend *b, unsigned threads, enum kn_pin how, kn_pins **out);
/* Return how the threads were bound.  NULL-safe. */
enum kn_pin kn_pinned(const kn_pins *p);
/* Restore the affinity that the caller had when kn_pin was called.  NULL-safe. */
void kn_unpin(kn_pins *p);

#endif
