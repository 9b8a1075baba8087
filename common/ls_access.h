/* SPDX-License-Identifier: BSD-3-Clause */
/* Sources and latencies of an access as hardware reports them, shared by decoders (perf/), the spool and
 * run.h5. Files store the numbers: new rows go to the end.
 *
 * Thread: any.  Signal: safe. */
#ifndef LS_ACCESS_H
#define LS_ACCESS_H

#include <stdint.h>

#define LS_NOT_REPORTED UINT8_MAX

/* Where the data came from. X(id, text, level): level 0 L1, 1 L2, 2 L3, 3 memory; LS_NOT_REPORTED: no level. */
#define LS_SOURCE_LIST(X)                                                                                  \
    X(L1, "L1", 0)                                                                                         \
    X(LFB, "line fill buffer", LS_NOT_REPORTED) /* already being fetched by an earlier access: no level */ \
    X(L2, "L2", 1)                                                                                         \
    X(L3, "L3", 2)                                                                                         \
    X(L4, "L4", 2)                                                                                         \
    X(PEER_CACHE, "cache of another core", 2)                                                              \
    X(REMOTE_CACHE, "cache of another NUMA node", 3)                                                       \
    X(DRAM, "memory", 3)                                                                                   \
    X(REMOTE_DRAM, "memory of another NUMA node", 3)                                                       \
    X(PMEM, "persistent memory", 3)                                                                        \
    X(CXL, "CXL memory", 3)                                                                                \
    X(IO, "device", LS_NOT_REPORTED)                                                                       \
    X(UNCACHED, "uncached memory", 3)                                                                      \
    X(ANY_CACHE, "some cache", LS_NOT_REPORTED)

#define LS_SOURCE_ENUM(id, text, level) LS_SOURCE_##id,
enum ls_source { LS_SOURCE_LIST(LS_SOURCE_ENUM) LS_SOURCE_COUNT };
#undef LS_SOURCE_ENUM

/* Start and end of a latency, which differ between vendors (doc/hardware.md). X(id, text) */
#define LS_LATENCY_LIST(X)                                                                  \
    X(NONE, "")                                                                             \
    X(USE, "from the issue of the load to its data, queueing included (PEBS)")              \
    X(L1_MISS, "from the miss of L1 to the return of the line; hits of L1 have none (IBS)") \
    X(TOTAL, "from issue to completion of the operation (SPE)")                             \
    X(THRESHOLD, "the threshold counter, from its start to its end event (POWER)")

#define LS_LATENCY_ENUM(id, text) LS_LATENCY_##id,
enum ls_latency { LS_LATENCY_LIST(LS_LATENCY_ENUM) LS_LATENCY_COUNT };
#undef LS_LATENCY_ENUM

/* The text and the coarse level of a source; an unknown number gives "not reported" and LS_NOT_REPORTED. */
const char *ls_source_text(unsigned source);
uint8_t ls_source_level(unsigned source);
/* Definition of this kind of latency, for reports and files; "" for an unknown kind. */
const char *ls_latency_text(unsigned latency);

#endif
