/* SPDX-License-Identifier: BSD-3-Clause */
/* Loadstone's trace file, version 1; doc/traces.md describes it byte by byte. All numbers are little-endian.
 *
 *   header, chunk, chunk, ..., tail
 *
 * A chunk holds four streams of bytes, packed together: operations, sites, addresses, and rest. The streams
 * are one sequence over all chunks: predictions and tables go on from chunk to chunk.
 *
 * Constants and layouts. */
#ifndef PAT_TRACE_FORMAT_H
#define PAT_TRACE_FORMAT_H

#include <stdint.h>

#define PAT_TRACE_MAGIC "\x7fLStrace" /* 8 bytes */
#define PAT_TRACE_VERSION 1
#define PAT_TRACE_CHUNK UINT32_C(0x4b4e4843) /* "CHNK" */
#define PAT_TRACE_TAIL UINT32_C(0x4c494154)  /* "TAIL" */

/* Bits of features_needed: a reader refuses unknown ones. None so far. */
#define PAT_TRACE_NEEDED_KNOWN UINT32_C(0)
/* Bits of features: a reader may ignore unknown ones. */
#define PAT_TRACE_SAMPLED UINT32_C(1) /* bursts, not all accesses */

struct pat_trace_header {
    char magic[8];
    uint32_t version;
    uint32_t features_needed, features;
    uint32_t header_bytes; /* readers skip the bytes after the fields they know */
    double scale;          /* accesses that one access represents, NAN: not known */
};

enum pat_trace_stream { PAT_STREAM_OPS, PAT_STREAM_SITES, PAT_STREAM_ADDRS, PAT_STREAM_REST, PAT_STREAMS };

struct pat_trace_chunk {
    uint32_t magic;
    uint32_t codec; /* enum pat_codec_id */
    uint32_t packed_bytes;
    uint32_t stream_bytes[PAT_STREAMS]; /* unpacked, in this order */
    uint32_t accesses;
    uint32_t reserved; /* 0 */
    uint32_t crc;      /* CRC-32 of zlib over the fields above and the packed bytes */
};

/* The bytes after a chunk header with the magic TAIL; its codec is PAT_CODEC_NONE. */
struct pat_trace_tail {
    uint64_t accesses, skipped, lost;
};

_Static_assert(sizeof(struct pat_trace_header) == 32, "the header has 32 bytes");
_Static_assert(sizeof(struct pat_trace_chunk) == 40, "a chunk's header has 40 bytes");
_Static_assert(sizeof(struct pat_trace_tail) == 24, "the tail has 24 bytes");

/* An operation is a byte. Its low four bits: 0 to 8 are an access, and the number of bytes that its address
 * takes in the stream of addresses (0: it is as predicted). */
enum {
    PAT_TRACE_ADDR_MAX = 8,
    PAT_TRACE_REST = 9, /* an event or a row: its tag and fields are in the stream of the rest */
    PAT_TRACE_THREAD =
        10, /* the accesses that follow are this thread's: its number is in the stream of sites */
    PAT_TRACE_KIND = 15, /* mask */
    PAT_TRACE_SITE = 16  /* bit: the site is not the predicted one, its number is in the stream of sites */
};

/* Tags in the stream of the rest. Below PAT_TRACE_ROW_SITE: an enum pat_event_kind. */
enum {
    PAT_TRACE_ROW_SITE = 16,
    PAT_TRACE_ROW_MODULE,
    PAT_TRACE_ROW_HOME,
    PAT_TRACE_ROW_RANGE,
    PAT_TRACE_ROW_THREAD,
    PAT_TRACE_ROW_PHASE,
    PAT_TRACE_HOME_LABEL
};

enum {
    PAT_TRACE_CHUNK_OPS = 1 << 17,       /* a writer closes a chunk then */
    PAT_TRACE_CHUNK_BYTES_MAX = 1 << 26, /* unpacked; more is damage */
    PAT_TRACE_TEXT_MAX = 1 << 16         /* longer texts are cut */
};

#endif
