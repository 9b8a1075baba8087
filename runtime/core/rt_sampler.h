/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of a sampling engine. A new engine is one file, a row in rt_sampler.c, one line in local.mk.
 *
 * Thread: the constructor.  Signal: not safe. */
#ifndef RT_SAMPLER_H
#define RT_SAMPLER_H

#include "runtime/core/rt_state.h"
#include "runtime/core/rt_thread.h"

#include <stdbool.h>
#include <stddef.h>

struct smr_event_node;

/* Engines never abort, exit or print: on failure they go quiet and count it (rt_event_count_sigsafe).
 * All but probe and process_start may be NULL. Functions about a thread run on that thread with rt_tls.depth
 * > 0. */
struct rt_sampler {
    const char *name;
    size_t thread_bytes;     /* of rt_thread.engine */
    bool splits_kernel_time; /* the process's CPU time is accounted for: kernel time gets causes */
    bool reads_tags;         /* its samples have the site tags of heap blocks (rt_tags_sigsafe.h) */

    /* Return whether the engine can work here. If not, give the reason (with the errno and the remedy) in at
     * most why_len bytes. Releases all it took. Runs once. */
    bool (*probe)(char *why, size_t why_len);
    /* Take the process over (signal handlers, libraries); fills rt_state.facts. 0 or an errno: the next
     * engine is tried. Runs once, before any thread_open; the program may have other threads. */
    int (*process_start)(struct rt_engine_facts *facts);

    void (*thread_open)(struct rt_thread *t); /* t->engine is zeroed */
    void (*thread_close)(
        struct rt_thread *t); /* before the thread's file is closed; t may be inside a burst */

    void (*start)(void); /* sampling was switched on (any thread; also after the delay is set up); */
    void (*stop)(void);  /* ... off. rt_control_update() returns the state of the moment */
    /* Another recording of the process begins, whose settings may differ; no thread is sampled now, and those
     * that were opened stay open. NULL: a process can be recorded once.  Thread: depth > 0. */
    void (*resume)(void);
    void (*drain)(void); /* before a synchronous stop returns and at exit: nothing in flight afterwards */
    void (*flush)(void); /* turn events that wait in the kernel into samples, so that all events until now are
                          * in the rings of rt_tap_sigsafe.h; depth > 0 */
    /* Do the work that signal handlers cannot do. Runs regularly, on the collector thread t
     * (runtime/core/rt_collector.h), and once more for every drain. An engine that has this gets the thread
     * from the start. */
    void (*collect)(struct rt_thread *t);
    void (*describe)(struct rt_engine_facts *facts); /* again, when facts changed since process_start */

    /* The program mapped path at [base, end); depth > 0. */
    void (*mapped)(uint64_t base, uint64_t end, const char *path);
    /* Mappings in [base, end) ended, were replaced or got another protection: protection, 0 where there is none or it is
     * not known.  Thread: any, depth > 0. */
    void (*remapped)(uint64_t base, uint64_t end, int protection);
    /* dlclose begins, or is over.  Thread: any, depth > 0. */
    void (*unloading)(bool begins);
    /* A piece of a snapshot of /proc/self/maps in whole lines, flags as in its record. False: another snapshot
     * is needed.  Signal: called in handlers, too. */
    bool (*maps)(const char *text, uint32_t len_bytes, unsigned flags);

    /* A range was registered, or covers other memory from now on; it ended.  Thread: any, depth > 0. */
    void (*range)(const struct smr_event_node *e);
    void (*range_ended)(uint32_t node);

    void (*before_fork)(struct rt_thread *t); /* t: the forking thread, NULL when not known */
    void (*after_fork_parent)(struct rt_thread *t);
    /* The child has one thread, t; its files are gone (new ones come by themselves), its timers are the
     * engine's to remake: t->engine still holds the parent's content. */
    void (*after_fork_child)(struct rt_thread *t);

    /* Prepare for seccomp: from here on make only system calls that the engine made already, preferably none,
     * and go quiet. */
    void (*seal)(void);
};

extern const struct rt_sampler rt_sampler_null;
extern const struct rt_sampler rt_sampler_faults;
extern const struct rt_sampler rt_sampler_watch;
extern const struct rt_sampler rt_sampler_hw;
extern const struct rt_sampler rt_sampler_step;
extern const struct rt_sampler rt_sampler_translate;

/* Notify the engine of a change of mappings. */
static inline void rt_sampler_remapped(const void *addr, size_t len_bytes, int protection)
{
    enum { PAGE_MASK = 4095 };
    const uint64_t base = (uint64_t)(uintptr_t)addr;
    if (!rt_state.engine || !rt_state.engine->remapped || !rt_is_recording()) return;
    rt_quiet_begin();
    rt_state.engine->remapped(base, (base + len_bytes + PAGE_MASK) & ~(uint64_t)PAGE_MASK, protection);
    rt_quiet_end();
}
static inline void rt_sampler_unloading(bool begins)
{
    if (!rt_state.engine || !rt_state.engine->unloading) return;
    rt_quiet_begin();
    rt_state.engine->unloading(begins);
    rt_quiet_end();
}

/* Put the engine named ("auto": the first whose probe and process_start succeed) into rt_state.engine and the
 * reasons against the better ones into facts->why. If it cannot work, use null. */
void rt_sampler_choose(const char *name, struct rt_engine_facts *facts);

#endif
