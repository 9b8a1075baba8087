/* SPDX-License-Identifier: BSD-3-Clause */
/* Description of the AUX areas of a perf.data: kind of packets, clock, processors that wrote them, and the
 * position of the bytes in the file. Untrusted bytes.
 *
 * Thread: one at a time for one object.  Signal: not safe. */
#ifndef PE_FILE_TRACE_H
#define PE_FILE_TRACE_H

#include "common/ls_error.h"
#include "common/ls_span.h"

/* enum auxtrace_type of tools/perf/util/auxtrace.h */
enum pe_trace_kind { PE_TRACE_NONE, PE_TRACE_INTEL_PT, PE_TRACE_INTEL_BTS, PE_TRACE_CORESIGHT, PE_TRACE_SPE };

/* PERF_RECORD_AUXTRACE: bytes that perf copied out of an area at once. */
struct pe_trace_piece {
    const uint8_t *bytes; /* inside the file */
    size_t len_bytes;
    uint64_t offset;   /* in the area, as PERF_RECORD_AUX counts */
    uint64_t at_bytes; /* in the file; 0: it was compressed */
    uint32_t area;     /* pieces of one area have one number */
    uint32_t tid, cpu; /* thread and CPU of the area; UINT32_MAX: all threads, all CPUs */
};

/* PERF_RECORD_TIME_CONV: converts ticks of the packets' counter to times of the records. */
struct pe_trace_clock {
    bool is_told, is_short; /* is_short: only the bits of mask count, from cycles on */
    uint16_t shift;
    uint32_t mult;
    uint64_t zero, cycles, mask;
};

struct pe_trace_cpu {
    uint32_t cpu;
    uint64_t midr; /* MIDR_EL1: identifies the core */
};

/* All zero is an empty trace. */
struct pe_trace {
    uint32_t kind;     /* enum pe_trace_kind, or a later one */
    uint32_t pmu_type; /* perf_event_attr.type of its event */
    struct pe_trace_clock clock;
    struct pe_trace_cpu *cpus;
    size_t cpus_len;
    struct pe_trace_piece *pieces; /* in the order of the file */
    size_t pieces_len, pieces_room;
    uint64_t bytes; /* total by the records of all pieces: more than is present where the file is cut off */
};

/* Take the body of a PERF_RECORD_AUXTRACE_INFO, _TIME_CONV or _AUXTRACE; the last one also takes its payload,
 * the bytes after the record.
 * Errors: LS_ERR_FORMAT (the body is shorter than it announces; the caller adds file and offset),
 * LS_ERR_NOMEM. */
ls_err pe_trace_take_info(struct pe_trace *t, struct ls_span body);
ls_err pe_trace_take_clock(struct pe_trace *t, struct ls_span body);
ls_err pe_trace_add(struct pe_trace *t, struct ls_span body, struct ls_span behind, uint64_t at_bytes);
void pe_trace_fini(struct pe_trace *t);

uint64_t pe_trace_time_ns(const struct pe_trace_clock *clock, uint64_t ticks);
/* Get the MIDR of a CPU. UINT32_MAX (no CPU number): the MIDR of all CPUs if they are equal. False: not
 * known. */
bool pe_trace_midr(const struct pe_trace *t, uint32_t cpu, uint64_t *out);
/* "Arm SPE", "Intel PT", ... */
const char *pe_trace_name(uint32_t kind);

#endif
