/* SPDX-License-Identifier: BSD-3-Clause */
/* Loadstone for C programs: tell what memory means (loadstone/smr.h) and when to sample.
 * These calls do nothing when the program is not being recorded. */
#ifndef LOADSTONE_LOADSTONE_H
#define LOADSTONE_LOADSTONE_H

#include "loadstone/error.h"
#include "loadstone/smr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Switch sampling on and off. `loadstone record --paused` waits for the first start. */
void loadstone_start(void);
void loadstone_stop(void);

/* What the calling thread does now. Phases nest; name is copied, NULL is ignored. */
void loadstone_phase_begin(const char *name);
void loadstone_phase_end(const char *name);

#ifdef __cplusplus
}
#endif
#endif
