/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a burst engine in the process and its threads. An engine is a row of rt_sampler.h made of these
 * functions, and of methods.
 *
 * Thread: as in struct rt_sampler. */
#ifndef RT_BURST_ENGINE_H
#define RT_BURST_ENGINE_H

#include "runtime/bursts/rt_burst_engine_sigsafe.h"

/* The functions of a method that run outside of handlers. */
struct rt_burst_life {
    const struct rt_burst_method *method;
    /* NULL or why it cannot work here. Once, in the constructor. */
    const char *(*open)(void);
    /* For the calling thread. is_new: own is zeroed; else it is as another thread left it. */
    void (*thread_open)(struct rt_burst_thread *t, bool is_new);
    void (*drain)(void);            /* as in struct rt_sampler; may be NULL, like the next one */
    void (*after_fork_child)(void); /* before the child's first burst */
};
extern const struct rt_burst_life rt_step_life;

/* Prepare bursts by this method. Return whether it can run here. With another method than stepping,
 * bursts begin with it and are stepped where it refuses. */
bool rt_burst_probe(const struct rt_burst_life *life, char *why, size_t why_len);

/* As in struct rt_sampler, which documents when they are called and on which thread. */
int rt_burst_process_start(struct rt_engine_facts *facts);
void rt_burst_thread_open(struct rt_thread *t);
void rt_burst_thread_close(struct rt_thread *t);
void rt_burst_wake(void); /* start */
void rt_burst_resume(void);
void rt_burst_drain(void);
void rt_burst_mapped(uint64_t base, uint64_t end, const char *path);
void rt_burst_after_fork_child(struct rt_thread *t);
void rt_burst_seal(void);

#endif
