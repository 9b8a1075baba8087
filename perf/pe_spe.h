/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of Arm's statistical profiling extension, from an AUX area: untrusted bytes.
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_SPE_H
#define PE_SPE_H

#include "common/ls_span.h"
#include "perf/pe_sample.h"

#include <stdbool.h>

/* Numbering of data source packets, which each maker of cores chooses. */
enum pe_spe_sources {
    PE_SPE_SOURCES_NONE,   /* not known: levels come from the event bits */
    PE_SPE_SOURCES_COMMON, /* Arm's own: Neoverse N1 and later */
    PE_SPE_SOURCES_AMPEREONE,
    PE_SPE_SOURCES_COUNT
};

struct pe_spe_counts {
    uint64_t records; /* sampled operations, of any kind */
    uint64_t others;  /* records that are neither loads nor stores */
    uint64_t broken;  /* bytes that begin no packet, skipped one by one */
};

/* Read packets up to the end of the next sampled load or store; false when the bytes end before it does (the
 * cursor is then at the start of the unfinished record). out->time is the counter of the timestamp packet (0:
 * none), in its own ticks; out->tid and pid are from the context packet when `has` contains
 * PERF_SAMPLE_TID. */
bool pe_spe_next(struct ls_cursor *c, enum pe_spe_sources sources, struct pe_sample *out,
                 struct pe_spe_counts *counts);

/* Return the numbering of a core by its MIDR_EL1. */
enum pe_spe_sources pe_spe_sources_of(uint64_t midr);

#endif
