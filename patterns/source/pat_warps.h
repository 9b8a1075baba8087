/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of warps as GS Patterns' NVBit tool writes them (nvbit_tracing/gsnv_trace/common.h of its sources): a header of 24 bytes,
 * map entries of 120 (names of operations and lines), records of 312: warp, operation, and the addresses of 32 lanes, 0 for an
 * inactive lane.
 *
 * Thread: one at a time for a reader.  Signal: not safe. */
#ifndef PAT_WARPS_H
#define PAT_WARPS_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAT_WARP_LANES = 32, PAT_WARP_NAME_BYTES = 95 };

/* Memories of a GPU. X(id, name) */
#define PAT_WARP_SPACE_LIST(X) X(GLOBAL, "global") X(SHARED, "shared") X(LOCAL, "local") X(OTHER, "other")
#define PAT_WARP_SPACE_ENUM(id, name) PAT_WARP_SPACE_##id,
enum pat_warp_space { PAT_WARP_SPACE_LIST(PAT_WARP_SPACE_ENUM) PAT_WARP_SPACE_COUNT };
#undef PAT_WARP_SPACE_ENUM

struct pat_warp {
    uint64_t grid, ip;
    int32_t cta[3], warp;
    const char *opcode; /* "LDG.E.64", "" where the trace does not name it */
    const char *line;   /* "/x/kern.cu:10", "" where the trace does not name it */
    uint16_t size_bytes;
    bool is_load, is_store, is_atomic;
    bool is_published;         /* an operation that GS Patterns takes */
    enum pat_warp_space space; /* GLOBAL where the operation has no name */
    const uint64_t *addrs;     /* [PAT_WARP_LANES] */
    uint32_t active;           /* a bit for each lane with an address */
};

typedef struct pat_warps pat_warps;

/* True if these are the first len bytes of such a file. */
bool pat_warps_recognise(const void *bytes, size_t len);

/* Owns:   the caller ends *out with pat_warps_free.
 * Errors: as pat_input_open; LS_ERR_TRUNCATED for an empty file; LS_ERR_NOMEM. */
ls_err pat_warps_open(const char *path, pat_warps **out);
/* Read the next record that is an access; *has_ended is set after the last one. w lives until the next call.
 * Errors: LS_ERR_TRUNCATED with the position, also when there are fewer records than announced; LS_ERR_FORMAT without any access. */
ls_err pat_warps_next(pat_warps *r, struct pat_warp *w, bool *has_ended);
/* Return the number of records so far that are no accesses. */
uint64_t pat_warps_skipped(const pat_warps *r);
void pat_warps_free(pat_warps *r);

#endif
