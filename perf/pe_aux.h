/* SPDX-License-Identifier: BSD-3-Clause */
/* The AUX area of an event (SPE): the hardware writes packets into it, and a record in the ring reports which
 * bytes are complete.
 *
 * Protocol (linux/perf_event.h, struct perf_event_mmap_page; kernel/events/ring_buffer.c): aux_offset and
 * aux_size are written before the area is mapped; bytes that an AUX record names were written before the
 * record was; aux_tail is stored with release order when they are no longer needed. Offsets only grow; the
 * area wraps around at each multiple of its size. Between two records the driver may have skipped bytes.
 *
 * Thread: one at a time for one area.  Signal: safe. */
#ifndef PE_AUX_H
#define PE_AUX_H

#include "perf/pe_ring.h"
#include "perf/pe_spe.h"

#include <stdbool.h>
#include <stdint.h>

/* --- the clock of SPE packets ---
 *
 * Convert the counter that time stamps of SPE packets come from (CNTVCT_EL0) to CLOCK_MONOTONIC. */

/* One instant on both clocks. Taken again for each drain, so that adjustments of the clock do not add up. */
struct pe_ticks {
    uint64_t hz; /* 0: the counter cannot be read */
    uint64_t ticks, time_ns;
};

/* Read both clocks now. Without such a counter (any machine but Arm's), ticks are CLOCK_MONOTONIC in ns. */
struct pe_ticks pe_ticks_now(void);

/* Time at which the counter was at ticks, before or after t. */
uint64_t pe_ticks_time_ns(const struct pe_ticks *t, uint64_t ticks);

enum {
    PE_AUX_MIN_BYTES = 8192,        /* SPE takes two pages at least (arm_spe_pmu_setup_aux) */
    PE_SPE_RECORD_MAX_BYTES = 2048, /* records of one operation: PMSIDR_EL1.MaxSize, arm_spe_pmu_dev_probe */
};

struct pe_aux {
    const uint8_t *data; /* NULL: not mapped */
    size_t len_bytes;    /* a power of two */
    uint64_t pos, end;   /* the bytes being read; equal: none */
    struct pe_sample of; /* fields that the record gives for all these bytes: thread, CPU, time, id */
    enum pe_spe_sources sources;
    bool is_stopped; /* the kernel switched the event off because the area was full */
};

/* Map the AUX area of fd, after its ring in the file, with len_bytes (a power of two, PE_AUX_MIN_BYTES or
 * more). Returns 0 or an errno (EPERM, ENOMEM: the allowance of locked memory is used up); a is unmapped
 * then. */
int pe_aux_map(struct pe_aux *a, const struct pe_ring *ring, const struct pe_kernel *k, int fd,
               size_t len_bytes);
/* Idempotent; call it before the ring is unmapped. */
void pe_aux_unmap(struct pe_aux *a, const struct pe_kernel *k);

/* Start to read the bytes that a PERF_RECORD_AUX reports, and count its flags. False when there are none, or
 * when the record is impossible (counted as broken). */
bool pe_aux_begin(struct pe_aux *a, const struct pe_layout *layout, const struct pe_record *r,
                  struct pe_counts *counts);

/* Read the next load or store of those bytes, with its time computed from ticks; false at their end. An
 * operation that is cut off is counted as broken. */
bool pe_aux_next(struct pe_aux *a, const struct pe_ticks *ticks, struct pe_sample *out,
                 struct pe_counts *counts);

/* Give the bytes that were read back to the kernel. If the area was almost full, the kernel may have switched
 * the event off without a record (perf_aux_output_begin, when a thread is scheduled onto the CPU): is_stopped
 * is set then as well. */
void pe_aux_release(struct pe_aux *a, const struct pe_ring *ring);

#endif
