/* SPDX-License-Identifier: BSD-3-Clause */
/* Loadstone for C programs: tell what memory means (loadstone/smr.h) and when to sample.
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

/* Switch sampling on and off. `loadstone record --paused` waits for the first start. A burst that the step
 * engine has begun in the calling thread ends with loadstone_stop, those of other threads within 16
 * instructions. */
void loadstone_start(void);
void loadstone_stop(void);

/* What the calling thread does now. Phases nest; name is copied, NULL is ignored. A thread that is in no
 * phase of its own is in the main thread's, so that a phase around a parallel loop holds for its workers;
 * what such a thread begins is inside that one. What a thread leaves open ends with it; an end without a
 * begin in the same thread is counted and does nothing. */
void loadstone_phase_begin(const char *name);
void loadstone_phase_end(const char *name);

/* Ask for a text file (CSV) of the samples that this process took so far. The program writes nothing itself:
 * resolve makes the file when the recording is resolved. nx, ny and nz tell the grid that element indices
 * count through, x fastest; zeros for none. A relative path counts from the directory that the process is in
 * now. */
void loadstone_dump_samples(const char *path, uint32_t nx, uint32_t ny, uint32_t nz);

/* Something about the recording that the program wants kept with it. "threshold": a latency in cycles, loads
 * below it are left out of dumped samples. Other names are kept as they are, in /events. */
void loadstone_set(const char *name, const char *value);

#ifdef __cplusplus
}
#endif
#endif
