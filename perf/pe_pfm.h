/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of libpfm4 (MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=30) as events in perf's syntax. Only the tools use
 * it; the runtime in the program gets the numbers.
 *
 * Thread: the main one (libpfm4 keeps state).  Signal: not safe. */
#ifndef PE_PFM_H
#define PE_PFM_H

#include "perf/pe_encode.h"

/* Built with libpfm4. */
bool pe_pfm_is_there(void);

/* Translate a name. precise: the level to use when the name has none (libpfm4 encodes 0 for load latency).
 * Errors: LS_ERR_NOT_FOUND (libpfm4 does not know the event on this processor, or it belongs to another PMU:
 * the text names the PMUs that are here), LS_ERR_UNSUPPORTED (built without it), LS_ERR_IO (libpfm4 cannot
 * start). */
ls_err pe_pfm_event(const char *name, unsigned precise, char out[PE_EVENT_BYTES]);

/* Translate a name into an attr: sets type, config words and precise_ip. */
ls_err pe_pfm_attr(const char *name, struct perf_event_attr *out);

/* libpfm4's name for the loads (or stores) of the processor it sees, tried one by one: NULL when it knows
 * none. */
const char *pe_pfm_memory_name(bool stores);

#endif
