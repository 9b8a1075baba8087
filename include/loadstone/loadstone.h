/* SPDX-License-Identifier: BSD-3-Clause */
/* Loadstone for C programs: declare the meaning of memory (loadstone/smr.h), and control when to sample.
 * These calls do nothing when the program is not being recorded.
 *
 * Thread: any.  Signal: not safe. */
#ifndef LOADSTONE_LOADSTONE_H
#define LOADSTONE_LOADSTONE_H

#include "loadstone/error.h"
#include "loadstone/smr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Switch sampling on and off. `loadstone record --paused` waits for the first start. If the step engine is in
 * a burst, loadstone_stop ends the burst of the calling thread immediately, and bursts of other threads
 * within 16 instructions. */
void loadstone_start(void);
void loadstone_stop(void);

/* Mark the begin and the end of a phase of the calling thread. Phases nest; name is copied, NULL is ignored.
 * A thread that is in no phase is assigned to the main thread's phase, so that a phase around a parallel loop
 * includes its workers; a phase that such a thread begins is inside that one. Phases that are still open end
 * with their thread. An end without a begin in the same thread is counted, but has no other effect. */
void loadstone_phase_begin(const char *name);
void loadstone_phase_end(const char *name);

/* Request a text file (CSV) of the loads with a latency that this process has sampled so far, in the columns of
 * MemAxes: the same as of `loadstone export -f memaxes`, and `loadstone import` reads them. The program itself does not
 * write the file: it is created when the recording is resolved. nx, ny and nz are the extents of the grid
 * that element indices count through, x fastest; use zeros for no grid. A relative path is relative to the
 * current directory of the process. */
void loadstone_dump_samples(const char *path, uint32_t nx, uint32_t ny, uint32_t nz);

/* Store a setting with the recording. "threshold" is a latency in cycles: loads below it are omitted from
 * dumped samples. Other names are only stored, in /events. */
void loadstone_set(const char *name, const char *value);

#ifdef __cplusplus
}
#endif
#endif
