/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a burst engine in the process and its threads. An engine is a row of rt_sampler.h made of these
 * functions, and a method.
 *
 * Thread: as in struct rt_sampler. */
#ifndef RT_BURST_ENGINE_H
#define RT_BURST_ENGINE_H

#include "runtime/bursts/rt_burst_engine_sigsafe.h"

/* As in struct rt_sampler, which documents when they are called and on which thread. */
bool rt_burst_probe(char *why, size_t why_len);
int rt_burst_process_start(const struct rt_burst_method *method, struct rt_engine_facts *facts);
void rt_burst_thread_open(struct rt_thread *t);
void rt_burst_thread_close(struct rt_thread *t);
void rt_burst_wake(void); /* start */
void rt_burst_drain(void);
void rt_burst_mapped(uint64_t base, uint64_t end, const char *path);
void rt_burst_after_fork_child(struct rt_thread *t);
void rt_burst_seal(void);

#endif
