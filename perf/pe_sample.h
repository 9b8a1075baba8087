/* SPDX-License-Identifier: BSD-3-Clause */
/* One sampled access from any source: PEBS, IBS, SPE, POWER, a page fault, a breakpoint, live or from a file.
 * Missing fields are marked: `has` names the fields that a record gave, and every class has a value for "not
 * known" (LS_NOT_TOLD).
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_SAMPLE_H
#define PE_SAMPLE_H

#include "common/ls_access.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* perf_event.h of Linux 5.12 and later. */
#define PE_SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
/* Either bit gives a record a weight. */
#define PE_SAMPLE_WEIGHTS (PERF_SAMPLE_WEIGHT | PE_SAMPLE_WEIGHT_STRUCT)

enum pe_op { PE_OP_LOAD, PE_OP_STORE, PE_OP_PREFETCH };
enum pe_snoop { PE_SNOOP_NONE, PE_SNOOP_HIT, PE_SNOOP_HITM, PE_SNOOP_MISS, PE_SNOOP_FORWARD, PE_SNOOP_PEER };
enum pe_tlb { PE_TLB_MISS, PE_TLB_L1_HIT, PE_TLB_L2_HIT };

/* Pointers point into the record that the sample was read from and are valid as long as it is. */
struct pe_sample {
    uint64_t has; /* PERF_SAMPLE_* bits of the fields that the record gave */
    uint64_t time, ip, addr, id, stream_id, period_events;
    uint32_t pid, tid, cpu;
    uint16_t misc;             /* misc field of the record: PERF_RECORD_MISC_* */
    uint64_t data_src, weight; /* raw words */
    uint64_t phys_addr, cgroup, transaction, data_page_bytes, code_page_bytes;
    /* decoded, by pe_data_src.h, pe_ibs.h, pe_spe.h */
    uint8_t op, source, level, snoop, tlb; /* LS_NOT_TOLD: unknown */
    uint8_t locked;       /* 1: by an atomic instruction (LOCK prefix, xchg; on Arm, atomic or exclusive), 0,
                             LS_NOT_TOLD */
    uint8_t latency_kind; /* enum ls_latency */
    uint32_t latency_cycles;  /* with a latency_kind */
    uint32_t other_cycles;    /* a second one where the hardware has it: retirement, translation; 0 none */
    const uint8_t *callchain; /* callchain_len u64, possibly not aligned */
    uint32_t callchain_len;
    const uint8_t *raw;
    uint32_t raw_len_bytes;
    uint64_t regs_abi;   /* enum perf_sample_regs_abi */
    const uint8_t *regs; /* one u64 for each bit of the layout's regs_user */
    const uint8_t *stack;
    uint64_t stack_len_bytes; /* number of valid bytes */
};

/* A sample with no known field. */
static inline struct pe_sample pe_sample_missing(void)
{
    return (struct pe_sample){.op = LS_NOT_TOLD,
                              .source = LS_NOT_TOLD,
                              .level = LS_NOT_TOLD,
                              .snoop = LS_NOT_TOLD,
                              .tlb = LS_NOT_TOLD,
                              .locked = LS_NOT_TOLD};
}

#endif
