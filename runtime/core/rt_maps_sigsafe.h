/* SPDX-License-Identifier: BSD-3-Clause */
/* Records the mappings: pieces of /proc/self/maps in the spool. */
#ifndef RT_MAPS_SIGSAFE_H
#define RT_MAPS_SIGSAFE_H

#include "runtime/core/rt_thread.h"

/* Note that the mappings changed, or are about to, in ways that no record reports (dlopen, dlclose). */
void rt_maps_mark_dirty(void);
bool rt_maps_is_dirty(void);

/* Note that a record of a mapping is about to be written: a later snapshot with the same text as before is not the same. */
void rt_maps_note_record(void);

/* Called by an engine once a burst: write a new snapshot when modules were loaded since the last one or it is
 * old (its own cost stretches the interval: at most half a percent), unless nothing changed, and the growth of the heap.
 * Cheap otherwise.
 * Thread: t is the caller, depth > 0. Keeps errno. */
void rt_maps_poll_sigsafe(struct rt_thread *t, uint64_t now_ns);

/* Write a snapshot now, with time_ns; nothing when another thread is writing one. Uses t->scratch.
 * Thread: t is the caller, depth > 0. Keeps errno. */
void rt_maps_snapshot_sigsafe(struct rt_thread *t, uint64_t time_ns);

/* At the end of the process: a last snapshot unless the first one was just taken and nothing was loaded
 * since, or nothing changed. */
void rt_maps_finish(struct rt_thread *t);

/* In a fork child: its maps are another file. */
void rt_maps_after_fork_child(void);

#endif
