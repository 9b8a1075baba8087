/* SPDX-License-Identifier: BSD-3-Clause */
/* The step engine's life: start once per process image, open and close once per thread.
 *
 * Where nothing else is said: Thread: probe and start: the constructor; open, close and fork_child: the
 * thread concerned; wake, quiet and note_device: any.  Signal: not safe. */
#ifndef RT_STEP_ENGINE_H
#define RT_STEP_ENGINE_H

#include "runtime/samplers/rt_step_engine_sigsafe.h"

struct rt_step_options {
    double share;                /* overhead budget */
    uint64_t period_min_ns;      /* 0: none */
    uint64_t burst_instructions; /* 0: default */
    uint64_t seed;
    const char *trigger;   /* "auto", "perf" or "timer" */
    const char *callstack; /* name of a rt_step_stack_mode */
};

/* Why the engine cannot work here, in words, or NULL. Leaves nothing behind. */
const char *rt_step_engine_probe(const char *trigger);
/* Take the process over. Returns why not, or NULL; *out_why_not is then what is known against the better
 * trigger ("" when the best one is used). Texts are static. */
const char *rt_step_engine_start(const struct rt_step_options *options, const char **out_why_not);
const char *rt_step_engine_trigger_name(void);

/* Sample the calling thread, whose block is rt. Returns 0 or an errno. */
int rt_step_thread_open(struct rt_thread *rt);
/* The calling thread ends, or is no longer sampled. */
void rt_step_thread_close(void);
/* In a fork child, for its only thread. Returns 0 or an errno. */
int rt_step_engine_fork_child(struct rt_thread *rt);

/* Never read [base, end) twice from now on.  Thread: any. */
void rt_step_engine_note_device(uint64_t base, uint64_t end);

/* Sampling was switched on: threads without a trigger get one. */
void rt_step_engine_wake(void);
/* The system is about to forbid (seccomp): no trigger and no system call of ours from here on. */
void rt_step_engine_quiet(void);

#endif
