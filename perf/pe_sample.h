/* SPDX-License-Identifier: BSD-3-Clause */
/* One sampled access, whoever sampled it: PEBS, IBS, SPE, POWER, a page fault, a breakpoint, live or from a
 * file. Missing is missing: has tells which fields a record gave, and every class has an own number for "not
 * told".
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_SAMPLE_H
#define PE_SAMPLE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* perf_event.h of Linux 5.12 and later. */
#define PE_SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
/* What gives a record a weight. */
#define PE_SAMPLE_WEIGHTS (PERF_SAMPLE_WEIGHT | PE_SAMPLE_WEIGHT_STRUCT)

#define PE_NOT_TOLD UINT8_MAX

enum pe_op { PE_OP_LOAD, PE_OP_STORE, PE_OP_PREFETCH };

/* Where the data came from. X(id, text, coarse level: 0 L1, 1 L2, 2 L3, 3 memory, PE_NOT_TOLD none of them).
 * Files store the numbers: new ones go to the end. */
#define PE_SOURCE_LIST(X)                                                                     \
    X(L1, "L1", 0)                                                                            \
    X(LFB, "line fill buffer", PE_NOT_TOLD) /* on its way already, from wherever: no level */ \
    X(L2, "L2", 1)                                                                            \
    X(L3, "L3", 2)                                                                            \
    X(L4, "L4", 2)                                                                            \
    X(PEER_CACHE, "cache of another core", 2)                                                 \
    X(REMOTE_CACHE, "cache of another NUMA node", 3)                                          \
    X(DRAM, "memory", 3)                                                                      \
    X(REMOTE_DRAM, "memory of another NUMA node", 3)                                          \
    X(PMEM, "persistent memory", 3)                                                           \
    X(CXL, "CXL memory", 3)                                                                   \
    X(IO, "device", PE_NOT_TOLD)                                                              \
    X(UNCACHED, "uncached memory", 3)                                                         \
    X(ANY_CACHE, "some cache", PE_NOT_TOLD)

#define PE_SOURCE_ENUM(id, text, level) PE_SOURCE_##id,
enum pe_source { PE_SOURCE_LIST(PE_SOURCE_ENUM) PE_SOURCE_COUNT };
#undef PE_SOURCE_ENUM

enum pe_snoop { PE_SNOOP_NONE, PE_SNOOP_HIT, PE_SNOOP_HITM, PE_SNOOP_MISS, PE_SNOOP_FORWARD, PE_SNOOP_PEER };
enum pe_tlb { PE_TLB_MISS, PE_TLB_L1_HIT, PE_TLB_L2_HIT };

/* What a latency counts, which vendors do not agree on (doc/hardware.md). */
enum pe_latency_kind {
    PE_LATENCY_NONE,
    PE_LATENCY_USE,      /* PEBS: from the load's issue to its data, core cycles, queueing included */
    PE_LATENCY_L1_MISS,  /* IBS: from the miss of L1 to the return of the line, core cycles; 0 on a hit */
    PE_LATENCY_TOTAL,    /* SPE: from issue to completion of the operation, core cycles */
    PE_LATENCY_THRESHOLD /* POWER: the threshold counter, start to end event, core cycles */
};

/* Pointers lead into the record it was read from and die with it. */
struct pe_sample {
    uint64_t has; /* PERF_SAMPLE_* bits of the fields that the record gave */
    uint64_t time, ip, addr, id, stream_id, period_events;
    uint32_t pid, tid, cpu;
    uint16_t misc;             /* of the record: PERF_RECORD_MISC_* */
    uint64_t data_src, weight; /* raw words */
    uint64_t phys_addr, cgroup, transaction, data_page_bytes, code_page_bytes;
    /* decoded, by pe_data_src.h, pe_ibs.h, pe_spe.h */
    uint8_t op, source, level, snoop, tlb, locked; /* PE_NOT_TOLD; locked 0 or 1 */
    uint8_t latency_kind;                          /* enum pe_latency_kind */
    uint32_t latency_cycles;                       /* with a latency_kind */
    uint32_t other_cycles;    /* a second one where the hardware has it: retirement, translation; 0 none */
    const uint8_t *callchain; /* callchain_len u64, possibly not aligned */
    uint32_t callchain_len;
    const uint8_t *raw;
    uint32_t raw_len_bytes;
    uint64_t regs_abi;   /* enum perf_sample_regs_abi */
    const uint8_t *regs; /* one u64 for each bit of the layout's regs_user */
    const uint8_t *stack;
    uint64_t stack_len_bytes; /* that are really there */
};

/* Nothing is known. */
static inline struct pe_sample pe_sample_missing(void)
{
    return (struct pe_sample){.op = PE_NOT_TOLD,
                              .source = PE_NOT_TOLD,
                              .level = PE_NOT_TOLD,
                              .snoop = PE_NOT_TOLD,
                              .tlb = PE_NOT_TOLD,
                              .locked = PE_NOT_TOLD};
}

/* The text and the coarse level (0 L1, 1 L2, 2 L3, 3 memory, PE_NOT_TOLD) of a source; of any other number
 * "not told". */
const char *pe_source_text(unsigned source);
uint8_t pe_source_level(unsigned source);
/* What latencies of this kind count, for reports and files; "" for none. */
const char *pe_latency_text(enum pe_latency_kind kind);

#endif
