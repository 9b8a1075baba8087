/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling through perf_event, for any kind of sample: events of every CPU that the program's threads
 * inherit, or where that is not possible events of each thread; one reader thread of ours that empties the
 * rings into a separate file; the rate that the budget allows. Engines on top (faults, watch, hw) choose the
 * events and define a sample.
 *
 * The rings are not inherited over fork: a child makes its own events, ring and reader, or none (a child of
 * _Fork, where no thread may be made).
 *
 * Unless noted otherwise: Thread: any, depth > 0.  Signal: not safe. */
#ifndef RT_PERF_H
#define RT_PERF_H

#include "perf/pe_advice.h"
#include "perf/pe_open.h"
#include "perf/pe_record.h"
#include "runtime/core/rt_sampler.h"
#include "runtime/core/rt_thread.h"
#include "runtime/perf_events/rt_perf_pace.h"
#include "spool/spool_put_sigsafe.h"

/* Definition of an engine; constant while it runs. */
struct rt_perf_engine {
    struct pe_open_spec spec;
    uint64_t periods[RT_PERF_GEARS_MAX]; /* one per gear, 1 at least */
    unsigned gears_len;
    uint32_t sample_cost_ns;   /* assumed cost of one sample in the kernel */
    const char *events;        /* description of a sample, in words */
    uint32_t latency_kind;     /* enum ls_latency of its samples */
    bool by_thread;            /* events are opened for threads only, by rt_perf_open_thread */
    bool is_dutied;            /* slower gears by switching on and off: rt_perf_pace.h */
    struct pe_refusal refusal; /* of rt_perf_probe */
    /* Convert s: fill kind, source and so on of out (time, ip, addr, ids, size of the page and call stack are
     * done); false: leave it out. */
    bool (*sample)(const struct pe_channel *channel, const struct pe_sample *s, struct spool_sample *out,
                   unsigned *out_flags);
    /* NULL, or called at every look of the reader: duty cycles. Under the lock. */
    void (*tick)(uint64_t now_ns);
    /* NULL, or called when sampling was switched on or off; for engines that open by thread. Under the
     * lock. */
    void (*switched)(bool is_on);
};

/* Base of an attr: inherited by threads, times of CLOCK_MONOTONIC, the fields that every engine needs, and
 * the fields for --callstack. */
struct perf_event_attr rt_perf_attr(uint32_t type, uint64_t config, uint64_t period_events);

/* Can the events of e be opened? Returns 0 or the errno; reduces e->spec to the fields that this kernel
 * takes, and sets *weak to the removed ones (enum pe_weakening); e->refusal has the details. Leaves nothing
 * open. */
int rt_perf_probe(struct rt_perf_engine *e, unsigned *weak);

/* Write why the events of e do not open, and a remedy, in at most why_len bytes. known: facts that the engine
 * has beyond its attributes (pmu and so on). */
void rt_perf_why(const struct rt_perf_engine *e, struct pe_facts known, char *why, size_t why_len);

/* "TEXT; one costs 0.8 us, measured (or assumed)", into out. */
void rt_perf_cost_text(const char *text, uint32_t cost_ns, const char *how, char *out, size_t out_len);

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

/* For engines that open by thread: under the lock of the channels. rt_perf_open_thread returns NULL when the
 * kernel refuses or all descriptors of our share are used, which is counted; the channel's events are off. */
void rt_perf_lock(void);
void rt_perf_unlock(void);
struct pe_channel *rt_perf_open_thread(const struct pe_open_spec *spec, int tid);
/* Return the event of a sample, NULL: not known. Its row may differ from the one in the engine's spec: fewer
 * may be open. */
const struct pe_open_event *rt_perf_event_of(const struct pe_channel *channel, const struct pe_sample *s);
/* All channels, open ones and others. */
struct pe_channel *rt_perf_channels(size_t *out_len);
const struct pe_kernel *rt_perf_kernel(void);
/* Empty the rings and close one channel, or all. */
void rt_perf_close_channel(struct pe_channel *l);
/* Is sampling wanted now? As of the reader's last look. */
bool rt_perf_is_on(void);
/* Does the engine want to be called often (tick)? */
bool rt_perf_ticks(void);
/* The writer of the reader's file; NULL while there is none. Under the lock. */
struct spool_writer *rt_perf_writer(void);

/* --- Parts of rt_perf.c, for itself and for the reader. --- */

/* rt_perf_open.c: */

/* Remove the events of slower gears, which follow the events of the first one. */
void rt_perf_keep_first_gear(struct pe_open_spec *spec);
/* The same events for one thread: they are not inherited, and change their rate by their period. */
void rt_perf_make_by_thread(struct pe_open_spec *spec);
/* Attributes of the first event that samples. */
const struct perf_event_attr *rt_perf_first_sampling(const struct pe_open_spec *spec);

enum { RT_PERF_CHANNELS_MAX = 4096 };

struct rt_perf_channels {
    struct pe_channel *rows; /* RT_PERF_CHANNELS_MAX; rows with events_len 0 are free */
    unsigned len;            /* used up to here */
};

/* May the events of spec be open on each CPU? A quarter of the limit of descriptors is ours. */
bool rt_perf_channels_have_room_for_cpus(const struct rt_perf_channels *t, const struct pe_open_spec *spec);

/* Open one channel for each CPU that exists, all with the same sizes: spec's, halved until they fit into the
 * allowance of locked memory; spec gets the sizes used. 0 or an errno; then none is open. */
int rt_perf_channels_open_cpus(struct rt_perf_channels *t, struct pe_open_spec *spec);
/* One channel for a thread; its sizes may be smaller. 0 or an errno. */
int rt_perf_channels_open_thread(struct rt_perf_channels *t, const struct pe_open_spec *spec, int tid,
                                 struct pe_channel **out);
/* The open channel of a thread, NULL: none. */
struct pe_channel *rt_perf_channels_of_thread(const struct rt_perf_channels *t, int tid);
void rt_perf_channels_close_all(struct rt_perf_channels *t);

/* rt_perf_records.c: */

/* Fields of attr that the call stack takes, by the name of --callstack. */
void rt_perf_sample_attr(struct perf_event_attr *attr, const char *callstack);
/* Fill the common part of the record. A sample inside a system call is attributed to its call site. */
void rt_perf_sample_begin(const struct pe_sample *s, struct spool_sample *out, unsigned *out_flags);
/* Write the stack after the record, if it was asked for. */
void rt_perf_sample_stack(struct spool_writer *w, const struct pe_layout *layout, const struct pe_sample *s,
                          const struct spool_sample *rec);

/* Values that are recorded already. Zeroed: none. */
struct rt_perf_reported {
    struct pe_counts counts;
    uint64_t cost_ns;
    bool has_sampling;
    bool is_late; /* samples are not in the order of time */
};

/* Record the kind of the samples of e; weak: the kernel's part may be excluded. */
void rt_perf_put_sampling(struct rt_perf_reported *t, struct spool_writer *w, uint64_t time_ns,
                          const struct rt_perf_engine *e, unsigned weak);
/* Record losses and damages since the last time, as events. */
void rt_perf_put_counts(struct rt_perf_reported *t, const struct pe_counts *now);
/* Record the total cost of sampling, up to time_ns. */
void rt_perf_put_cost(struct rt_perf_reported *t, struct spool_writer *w, uint64_t time_ns, uint64_t all_ns);

/* rt_perf_reader.c, the thread that empties the rings: all signals blocked (but the ones that the C library
 * needs to change ids of all threads), outside of all hooks, not sampled. It sleeps until a ring is a quarter
 * full, and looks at least ten times a second. */

/* 0 or an errno. */
int rt_perf_reader_start(void);
/* Wait until it has begun and has its number, or does not run. */
void rt_perf_reader_wait_begun(void);
/* End it, and wait for that. Idempotent. */
void rt_perf_reader_end(void);
/* In a fork child: there is none. */
void rt_perf_reader_forget(void);

/* rt_perf.c, for the reader: */
void rt_perf_look(uint64_t now_ns, bool is_last);
struct rt_thread *rt_perf_own(void);
/* How full the fullest ring was at the last look. */
size_t rt_perf_fullest_permille(void);

#endif
