/* SPDX-License-Identifier: BSD-3-Clause */
/* One sampled access from any source: PEBS, IBS, SPE, POWER, a page fault, a breakpoint, live or from a file.
 * Missing fields are marked: `has` names the fields that a record gave, and every class has a value for "not
 * known" (LS_NOT_REPORTED).
 *
 * Thread: any.  Signal: safe. */
#ifndef PE_SAMPLE_H
#define PE_SAMPLE_H

#include "common/ls_access.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* perf_event.h of Linux 5.12 and later. */
#define PE_SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
/* Records have a weight if either bit is set. */
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
    /* decoded, by the functions below and by pe_spe.h */
    uint8_t op, source, level, snoop, tlb; /* LS_NOT_REPORTED: unknown */
    uint8_t locked;       /* 1: by an atomic instruction (LOCK prefix, xchg; on Arm, atomic or exclusive), 0,
                             LS_NOT_REPORTED */
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
    return (struct pe_sample){.op = LS_NOT_REPORTED,
                              .source = LS_NOT_REPORTED,
                              .level = LS_NOT_REPORTED,
                              .snoop = LS_NOT_REPORTED,
                              .tlb = LS_NOT_REPORTED,
                              .locked = LS_NOT_REPORTED};
}

/* --- data source and weight ---
 *
 * Decoders for two words of a sample: the data source (union perf_mem_data_src) and the latency
 * (PERF_SAMPLE_WEIGHT, PERF_SAMPLE_WEIGHT_STRUCT). */

/* Fill op, source, level, snoop, tlb and locked from the word. The composite fields (lvl_num, remote, hops,
 * snoopx, region) come first, the older mem_lvl where they are empty. kind identifies the vendor that filled
 * the word, as for weights: vendors differ in the lock field and in the names of the caches beside a core. */
void pe_data_src_decode(uint64_t word, enum ls_latency kind, struct pe_sample *s);

/* Fill the latencies from s->weight; kind identifies the vendor that filled it. A weight of 0 is no
 * latency. */
void pe_weight_decode(enum ls_latency kind, struct pe_sample *s);

/* The latency kind of a vendor as pe_encode.h names them ("intel", "amd", "arm", "power"). */
enum ls_latency pe_latency_kind_of(const char *vendor);

/* --- IBS ---
 *
 * The registers of an IBS op sample, as PERF_SAMPLE_RAW carries them. They hold more than the kernel's data
 * source: the size of the access, and all fields on kernels that do not translate them (before 6.1). */

/* Decode s->raw into op, source, level, tlb, locked, addr, phys_addr and latency. *size_bytes is the size of
 * the access, 0 if not known. False when raw is too short to hold IBS op registers; s is unchanged then. A
 * sample of an instruction that is neither load nor store has op LS_NOT_REPORTED. */
bool pe_ibs_decode(struct pe_sample *s, uint32_t *size_bytes);

#endif
