/* SPDX-License-Identifier: BSD-3-Clause */
/* Page faults of the program, a random sample of them: a second perf event for each thread, whose SIGTRAP
 * comes right after the kernel has handled a fault, with its address. Faults in system calls belong to the
 * calls, faults of the runtime itself to recording.
 *
 * Thread: unless noted otherwise, the thread of t. */
#ifndef RT_BURST_FAULTS_SIGSAFE_H
#define RT_BURST_FAULTS_SIGSAFE_H

#include "runtime/bursts/rt_burst_engine_sigsafe.h"

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

/* Marks the signals of these events. */
#define RT_BURST_FAULTS_MAGIC UINT64_C(0x4c6f61646661756c)

/* No event is opened where the kernel refuses, which is counted once a process, or where a tracer would see
 * the signals. */
void rt_burst_faults_begin(struct rt_burst_thread *t);
/* Thread: any of the process. */
void rt_burst_faults_close(struct rt_burst_thread *t);
/* Also around a burst that is stepped: its probes touch pages before the program does, and signals that wait
 * would disturb it. While a burst runs whole, the event goes on and rt_burst_faults_open lets its signals in. */
void rt_burst_faults_stop(struct rt_burst_thread *t);
void rt_burst_faults_go_on(struct rt_burst_thread *t);
/* Disown the event in a fork child: the descriptors are the child's, but refer to the parent's event. */
void rt_burst_faults_disown(struct rt_burst_thread *t);

/* Handle the signal; uc is where the program continues. */
void rt_burst_faults_take(struct rt_burst_thread *t, const siginfo_t *info, const ucontext_t *uc);
/* In a whole burst: between open and shut, signals interrupt it. take_inside handles one at the program's
 * instruction ip, or in the runtime's own code (0). Nothing may write to the spool in between. */
void rt_burst_faults_open(struct rt_burst_thread *t);
void rt_burst_faults_shut(struct rt_burst_thread *t);
void rt_burst_faults_take_inside(struct rt_burst_thread *t, const siginfo_t *info, uint64_t ip);
/* It came and was lost. */
void rt_burst_faults_miss(struct rt_burst_thread *t);

#endif
