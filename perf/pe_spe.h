/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of Arm's statistical profiling extension, from an AUX area: untrusted bytes.
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_SPE_H
#define PE_SPE_H

#include "common/ls_span.h"
#include "perf/pe_sample.h"

#include <stdbool.h>

struct pe_spe_counts {
    uint64_t records; /* sampled operations, of any kind */
    uint64_t others;  /* of them neither loads nor stores */
    uint64_t broken;  /* bytes that begin no packet: passed over one by one */
};

/* Read packets up to the end of the next sampled load or store; false when the bytes end before one does (the
 * cursor then stands where the unfinished record begins). out->time is the counter of the timestamp packet
 * (0: none), in its own ticks; out->tid and pid are the context packet's when has says PERF_SAMPLE_TID.
 * has_sources: the data source packets follow Arm's common encoding (Neoverse N1 and later); otherwise levels
 * come from the event bits. */
bool pe_spe_next(struct ls_cursor *c, bool has_sources, struct pe_sample *out, struct pe_spe_counts *counts);

/* Do the data source packets of this core (MIDR_EL1) follow that encoding? */
bool pe_spe_has_sources(uint64_t midr);

#endif
