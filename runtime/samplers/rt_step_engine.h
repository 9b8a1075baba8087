/* SPDX-License-Identifier: BSD-3-Clause */
/* The step engine's life: start once per process image, open and close once per thread. */
#ifndef RT_STEP_ENGINE_H
#define RT_STEP_ENGINE_H

#include "runtime/samplers/rt_step_engine_sigsafe.h"

struct rt_step_options {
    double share;                /* overhead budget */
    uint64_t period_min_ns;      /* 0: none */
    uint64_t burst_instructions; /* 0: default */
    uint64_t seed;
    const char *trigger; /* "auto", "perf" or "timer" */
    bool paused;         /* begin with sampling off */
};

/* Why the engine cannot work here, in words, or NULL. trigger as in the options; *out_why_not is then what is
 * known against the better trigger ("" when the best one is used). Text is static or kept by the engine. */
const char *rt_step_engine_start(const struct rt_step_options *options, const char **out_why_not);
const char *rt_step_engine_trigger_name(void);

/* Sample the calling thread into writer from now on; *hook_depth (may be NULL) is not 0 while the runtime
 * works for itself in this thread. Returns 0 or an errno. Owns: writer and hook_depth stay the caller's until
 * rt_step_thread_close. */
int rt_step_thread_open(struct spool_writer *writer, volatile uint32_t *hook_depth);
/* The calling thread ends, or is no longer sampled. */
void rt_step_thread_close(void);
/* In a fork child, for its only thread, with its new writer. Returns 0 or an errno. */
int rt_step_engine_fork_child(struct spool_writer *writer);

/* Begin and stop bursts in all threads. */
void rt_step_engine_enable(bool on);
/* The system is about to forbid (seccomp): no trigger and no system call of ours from here on. */
void rt_step_engine_quiet(void);

#endif
