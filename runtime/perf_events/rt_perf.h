/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling through perf_event, whatever is sampled: events of every CPU that the program's threads inherit,
 * or where that is not possible events of each thread; one reader thread of ours that empties the rings into
 * a file of its own; the rate that the budget allows. Engines on top (faults, watch, hw) say which events and
 * what a sample is.
 *
 * The rings are not inherited over fork: a child makes its own events, ring and reader, or none (a child of
 * _Fork, where no thread may be made).
 *
 * Where nothing else is said: Thread: any, depth > 0.  Signal: not safe. */
#ifndef RT_PERF_H
#define RT_PERF_H

#include "perf/pe_advice.h"
#include "perf/pe_drain.h"
#include "runtime/core/rt_thread.h"
#include "runtime/perf_events/rt_perf_pace.h"
#include "runtime/core/rt_sampler.h"

/* What an engine is made of; constant while it runs. */
struct rt_perf_engine {
    struct pe_open_spec spec;
    uint64_t periods[RT_PERF_GEARS_MAX]; /* of its gears, 1 at least */
    unsigned gears_len;
    uint32_t sample_cost_ns;   /* what the kernel is taken to use for one */
    const char *events;        /* what a sample is, in words */
    uint32_t latency_kind;     /* enum ls_latency of its samples */
    bool by_thread;            /* events are opened for threads only, by rt_perf_open_thread */
    bool is_dutied;            /* slower gears by switching on and off: rt_perf_duty.h */
    struct pe_refusal refusal; /* of rt_perf_probe */
    /* What s is: fill kind, source and so on of out (time, ip, addr, ids, size of the page and call stack are
     * done); false: leave it out. */
    bool (*sample)(const struct pe_lane *lane, const struct pe_sample *s, struct spool_sample *out,
                   unsigned *out_flags);
    /* NULL, or every look of the reader: duty cycles. Under the lock. */
    void (*tick)(uint64_t now_ns);
    /* NULL, or: sampling was switched on or off; for engines that open by thread. Under the lock. */
    void (*switched)(bool is_on);
};

/* Base of an attr: inherited by threads, times of CLOCK_MONOTONIC, the fields that every engine needs, and
 * what --callstack asks for. */
struct perf_event_attr rt_perf_attr(uint32_t type, uint64_t config, uint64_t period_events);

/* Can the events of e be opened? 0, or the errno; e->spec is what this kernel takes, and *weak what had to
 * go (enum pe_weakening); e->refusal tells more. Leaves nothing behind. */
int rt_perf_probe(struct rt_perf_engine *e, unsigned *weak);

/* Why the events of e do not open, and what helps, in at most why_len bytes. known: what the engine knows
 * beyond its attributes (pmu and so on). */
void rt_perf_why(const struct rt_perf_engine *e, struct pe_facts known, char *why, size_t why_len);

/* The parts of a struct rt_sampler. e lives as long as the process. */
int rt_perf_process_start(const struct rt_perf_engine *e, unsigned weak);
void rt_perf_thread_open(struct rt_thread *t);
void rt_perf_thread_close(struct rt_thread *t);
void rt_perf_start(void);
void rt_perf_stop(void);
void rt_perf_drain(void);
void rt_perf_flush(void);
void rt_perf_before_fork(struct rt_thread *t);
void rt_perf_after_fork_parent(struct rt_thread *t);
void rt_perf_after_fork_child(struct rt_thread *t);
void rt_perf_seal(void);

/* For engines that open by thread: under the lock of the lanes. rt_perf_open_thread returns NULL when the
 * kernel refuses or all descriptors of our share are used, which is counted; the lane's events are off. */
void rt_perf_lock(void);
void rt_perf_unlock(void);
struct pe_lane *rt_perf_open_thread(const struct pe_open_spec *spec, int tid);
/* The event of a sample, NULL: not known. Its row is not that of the engine's spec: fewer may be open. */
const struct pe_open_event *rt_perf_event_of(const struct pe_lane *lane, const struct pe_sample *s);
/* All lanes, open ones and others. */
struct pe_lane *rt_perf_lanes(size_t *out_len);
const struct pe_kernel *rt_perf_kernel(void);
/* Empty the rings and close one lane, or all. */
void rt_perf_close_lane(struct pe_lane *l);
/* Is sampling wanted now? As of the reader's last look. */
bool rt_perf_is_on(void);
/* Does the engine want to be called often (tick)? */
bool rt_perf_ticks(void);
/* The writer of the reader's file; NULL while there is none. Under the lock. */
struct spool_writer *rt_perf_writer(void);

/* Pieces of rt_perf.c for the reader (rt_perf_reader.c). */
void rt_perf_look(uint64_t now_ns, bool is_last);
struct rt_thread *rt_perf_own(void);
/* How full the fullest ring was at the last look. */
size_t rt_perf_fullest_permille(void);

#endif
