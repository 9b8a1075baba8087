/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoders for two words of a sample: the data source (union perf_mem_data_src) and the latency
 * (PERF_SAMPLE_WEIGHT, PERF_SAMPLE_WEIGHT_STRUCT).
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_DATA_SRC_H
#define PE_DATA_SRC_H

#include "perf/pe_sample.h"

/* Fill op, source, level, snoop, tlb and locked from the word. The composite fields (lvl_num, remote, hops,
 * snoopx, region) come first, the older mem_lvl where they are empty. kind identifies the vendor that filled
 * the word, as for weights: vendors differ in the lock field and in the names of the caches beside a core. */
void pe_data_src_decode(uint64_t word, enum ls_latency kind, struct pe_sample *s);

/* Fill the latencies from s->weight; kind identifies the vendor that filled it. A weight of 0 is no
 * latency. */
void pe_weight_decode(enum ls_latency kind, struct pe_sample *s);

/* The latency kind of a vendor as pe_encode.h names them ("intel", "amd", "arm", "power"). */
enum ls_latency pe_latency_kind_of(const char *vendor);

#endif
