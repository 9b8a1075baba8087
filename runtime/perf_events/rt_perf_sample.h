/* SPDX-License-Identifier: BSD-3-Clause */
/* From a sample of the kernel to records of the spool: what all engines have in common, and call stacks.
 *
 * Thread: one at a time.  Signal: safe. */
#ifndef RT_PERF_SAMPLE_H
#define RT_PERF_SAMPLE_H

#include "perf/pe_record.h"
#include "spool/spool_put_sigsafe.h"

/* Fields of attr that the call stack takes, by the name of --callstack. */
void rt_perf_sample_attr(struct perf_event_attr *attr, const char *callstack);
/* The common part of the record. What happened inside a system call is put where the program called it. */
void rt_perf_sample_begin(const struct pe_layout *layout, const struct pe_sample *s, struct spool_sample *out,
                          unsigned *out_flags);
/* The stack behind the record, if it was asked for. */
void rt_perf_sample_stack(struct spool_writer *w, const struct pe_layout *layout, const struct pe_sample *s,
                          const struct spool_sample *rec);

/* The registers of an unwinder: mask of perf's numbers (asm/perf_regs.h), 0 where stacks are not copied; and
 * perf's number of each of SPOOL_REGS. */
extern const uint64_t rt_perf_regs_mask;
extern const uint8_t rt_perf_regs_numbers[SPOOL_REGS];

#endif
