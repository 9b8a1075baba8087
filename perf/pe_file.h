/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.data: the output of perf record and perf mem record, as a file or through a pipe. Untrusted bytes in
 * this machine's byte order. Format: tools/perf/Documentation/perf.data-file-format.txt of Linux.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef PE_FILE_H
#define PE_FILE_H

#include "common/ls_error.h"
#include "common/ls_span.h"
#include "perf/pe_record.h"

#include <linux/perf_event.h>
#include <sys/types.h>

/* --- AUX areas ---
 *
 * Description of the AUX areas of a perf.data: kind of packets, clock, processors that wrote them, and the
 * position of the bytes in the file. Untrusted bytes. */

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
    bool is_reported, is_short; /* is_short: only the bits of mask count, from cycles on */
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
    uint32_t kind;     /* enum pe_trace_kind, or an unknown value */
    uint32_t pmu_type; /* perf_event_attr.type of its event */
    struct pe_trace_clock clock;
    struct pe_trace_cpu *cpus;
    size_t cpus_len;
    struct pe_trace_piece *pieces; /* in the order of the file */
    size_t pieces_len, pieces_room;
    uint64_t bytes; /* total of all pieces by their records; less is present in a truncated file */
};

/* Take the body of a PERF_RECORD_AUXTRACE_INFO, _TIME_CONV or _AUXTRACE; the last one also takes its payload,
 * the bytes after the record.
 * Errors: LS_ERR_FORMAT (the body is shorter than it announces; the caller adds file and offset),
 * LS_ERR_NOMEM. */
ls_err pe_trace_take_info(struct pe_trace *t, struct ls_span body);
ls_err pe_trace_take_clock(struct pe_trace *t, struct ls_span body);
ls_err pe_trace_add(struct pe_trace *t, struct ls_span body, struct ls_span data, uint64_t at_bytes);
void pe_trace_fini(struct pe_trace *t);

uint64_t pe_trace_time_ns(const struct pe_trace_clock *clock, uint64_t ticks);
/* Get the MIDR of a CPU. UINT32_MAX (no CPU number): the MIDR of all CPUs if they are equal. False: not
 * known. */
bool pe_trace_midr(const struct pe_trace *t, uint32_t cpu, uint64_t *out);
/* "Arm SPE", "Intel PT", ... */
const char *pe_trace_name(uint32_t kind);

typedef struct pe_file pe_file;

/* An event that was sampled. */
struct pe_file_event {
    struct perf_event_attr attr;
    struct pe_layout layout;
    uint64_t *ids;
    size_t ids_len;
};

/* Texts are "" when the file does not have them. */
struct pe_file_about {
    const char *host, *release, *arch, *cpu, *command, *perf_version, *cpuid;
};

/* A record with its event. Its bytes live as long as the file. */
struct pe_file_record {
    struct pe_record rec;
    const struct pe_file_event *event; /* the event whose layout it has */
    uint32_t event_row;
    uint64_t time_ns; /* 0: not known */
    uint64_t number;  /* in the file, from 0 */
};

/* Open and read the whole file: attributes, features, and the position of each record. Compressed records
 * (Zstandard) are unpacked. A file that ends inside a record, as when perf was killed, is read up to there:
 * pe_file_truncated.
 * Owns:   pe_file_free ends *out.
 * Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION, LS_ERR_IO; LS_ERR_FORMAT (no perf.data, or sections outside of
 * the file; the text names the offset); LS_ERR_UNSUPPORTED (the other byte order, a directory, compressed and
 * built without Zstandard; with the remedy); LS_ERR_NOMEM. */
ls_err pe_file_open(const char *path, pe_file **out);
void pe_file_free(pe_file *f); /* NULL-safe */

const struct pe_file_event *pe_file_events(const pe_file *f, size_t *out_len);
/* The author of the file (ls_owner.h). */
uid_t pe_file_author(const pe_file *f);
const struct pe_file_about *pe_file_about(const pe_file *f);
/* Records in the order of time; records without a time come first. */
const struct pe_file_record *pe_file_records(const pe_file *f, size_t *out_len);
/* Number of samples that were left out: without an event in the file, or longer than their record. */
uint64_t pe_file_broken(const pe_file *f);
/* AUX areas (SPE, PT), undecoded; the SPE ones are read below. */
const struct pe_trace *pe_file_trace(const pe_file *f);
/* Bytes at the end that are not a complete record; 0: none. */
uint64_t pe_file_truncated(const pe_file *f);
/* The build id of the file that was mapped from path, hexadecimal; "" when it is not known. */
const char *pe_file_build_id(const pe_file *f, const char *path);

/* True when the bytes begin like a perf.data. */
int pe_file_probe(const void *head, size_t len_bytes);

struct pe_unpacked {
    uint8_t *bytes;
    size_t len_bytes, room_bytes;
};
/* Unpack one Zstandard stream that spans several records. */
typedef struct pe_unpack pe_unpack;
struct pe_unpacking {
    ls_err (*open)(pe_unpack **out);
    /* Append the unpacked bytes to *out, which is the caller's malloc'ed buffer.  Errors: LS_ERR_FORMAT,
     * LS_ERR_NOMEM. */
    ls_err (*more)(pe_unpack *u, const void *bytes, size_t len_bytes, struct pe_unpacked *out);
    void (*close)(pe_unpack *u); /* NULL-safe */
};
extern const struct pe_unpacking pe_unpacking_zstd; /* in builds with libzstd */

/* --- SPE in AUX areas ---
 *
 * Loads and stores that Arm's SPE sampled, from the AUX areas of a perf.data, merged over all areas in the
 * order of time. PERF_RECORD_AUX reports which bytes were written at once, their time, and their thread. */

typedef struct pe_file_spe pe_file_spe;

struct pe_spe_access {
    struct pe_sample s; /* its TID, if any, is from the packets: the thread id only */
    uint64_t time_ns;   /* on the clock of the records */
    /* process and thread of the AUX record; UINT32_MAX: not known */
    uint32_t aux_pid, aux_tid;
    /* thread of the whole area; UINT32_MAX: the area is not of one thread */
    uint32_t area_tid;
};

/* Counts over the packets read so far. */
struct pe_spe_totals {
    uint64_t operations, others;           /* sampled, of any kind; neither loads nor stores */
    uint64_t broken;                       /* bytes that begin no packet, and operations that are cut off */
    uint64_t broken_at_bytes;              /* offset in the file; the first broken bytes are at or after it */
    uint64_t truncated, partial, collided; /* pieces with this flag: the kernel lost packets */
    uint64_t timeless;                     /* operations that got the time of their record */
};

/* Owns:   pe_file_spe_free ends *out; f must live as long. Errors: LS_ERR_NOMEM, LS_ERR_FORMAT (too many
 * areas). */
ls_err pe_file_spe_new(const pe_file *f, pe_file_spe **out);
void pe_file_spe_free(pe_file_spe *s); /* NULL-safe */

/* Return the next access; NULL at the end. It is valid until pe_file_spe_take, which moves on.
 * Errors of pe_file_spe_take: LS_ERR_NOMEM. */
const struct pe_spe_access *pe_file_spe_peek(const pe_file_spe *s);
ls_err pe_file_spe_take(pe_file_spe *s);

const struct pe_spe_totals *pe_file_spe_totals(const pe_file_spe *s);

#endif
