/* SPDX-License-Identifier: BSD-3-Clause */
/* perf.data: the output of perf record and perf mem record, as a file or through a pipe. Untrusted bytes in
 * this machine's byte order. Format: tools/perf/Documentation/perf.data-file-format.txt of Linux.
 *
 * Unless noted otherwise: Thread: one at a time for one object.  Signal: not safe. */
#ifndef PE_FILE_H
#define PE_FILE_H

#include "common/ls_error.h"
#include "perf/pe_file_trace.h"
#include "perf/pe_record.h"

#include <linux/perf_event.h>

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
const struct pe_file_about *pe_file_about(const pe_file *f);
/* Records in the order of time; records without a time come first. */
const struct pe_file_record *pe_file_records(const pe_file *f, size_t *out_len);
/* Number of samples that were left out: without an event in the file, or longer than their record. */
uint64_t pe_file_broken(const pe_file *f);
/* AUX areas (SPE, PT), undecoded: pe_file_spe.h reads the SPE ones. */
const struct pe_trace *pe_file_trace(const pe_file *f);
/* Bytes at the end that are no complete record; 0: none. */
uint64_t pe_file_truncated(const pe_file *f);
/* The build id of the file that was mapped from path, hexadecimal; "" when it is not known. */
const char *pe_file_build_id(const pe_file *f, const char *path);

/* True when the bytes begin like a perf.data. */
int pe_file_probe(const void *head, size_t len_bytes);

/* Unpack one Zstandard stream that spans several records. pe_unpack_zstd.c, or pe_unpack_none.c, which
 * refuses. */
typedef struct pe_unpack pe_unpack;
ls_err pe_unpack_new(pe_unpack **out);
void pe_unpack_free(pe_unpack *u);
/* Append the unpacked bytes to *out, which is the caller's malloc'ed buffer.  Errors: LS_ERR_FORMAT,
 * LS_ERR_NOMEM. */
struct pe_unpacked {
    uint8_t *bytes;
    size_t len_bytes, room_bytes;
};
ls_err pe_unpack_more(pe_unpack *u, const void *bytes, size_t len_bytes, struct pe_unpacked *out);

#endif
