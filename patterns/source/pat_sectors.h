/* SPDX-License-Identifier: BSD-3-Clause */
/* Sectors that the warps of a GPU move, against the bytes that they need: by instruction and by region of memory.
 *
 * A sector has 32 bytes; a warp moves each sector once that one of its active lanes touches. Local (shared) memory has 32 banks of 4 bytes;
 * a warp takes a pass for each different word that a bank has to give, in groups of lanes that fill all banks. */
#ifndef PAT_SECTORS_H
#define PAT_SECTORS_H

#include "patterns/source/pat_arrays.h"
#include "patterns/source/pat_warps.h"

enum { PAT_SECTOR_BYTES = 32 };

/* Arrangement of the lanes of a warp. X(id, name) */
#define PAT_LANES_LIST(X)                                                              \
    X(BROADCAST, "broadcast") /* all on one address */                                 \
    X(COALESCED, "coalesced") /* at most one sector more than the needed bytes fill */ \
    X(STRIDED, "strided")     /* one distance from lane to lane */                     \
    X(SCATTERED, "scattered")
#define PAT_LANES_ENUM(id, name) PAT_LANES_##id,
enum pat_lanes { PAT_LANES_LIST(PAT_LANES_ENUM) PAT_LANES_COUNT };
#undef PAT_LANES_ENUM

struct pat_sector_sums {
    uint64_t warps, lanes;          /* accesses of warps, and their active lanes; lanes 0: not known */
    uint64_t needed_bytes, sectors; /* sums over warps of distinct bytes and sectors; without shared memory */
    uint64_t moved_bytes;           /* bytes of these sectors */
    uint64_t passes,
        passes_least; /* passes of shared memory: actual number, and number without bank conflicts */
    uint64_t classes[PAT_LANES_COUNT]; /* warps */
};

struct pat_sector_row {
    uint32_t id; /* number of the instruction for pat_sector_use */
    uint64_t ip;
    char *opcode, *line, *kernel; /* "" where not known */
    enum pat_warp_space space;
    uint16_t size_bytes;
    bool is_store, is_atomic;
    struct pat_sector_sums sums;
};

/* Accesses of one instruction to one array. Sectors and bytes are those in the array; a warp that touches several arrays
 * counts for each. */
struct pat_sector_use {
    uint32_t id;    /* the instruction */
    uint32_t array; /* number of its name; names_len: in none */
    struct pat_sector_sums sums;
};

/* Memory that warps touch, up to a gap of 64 KiB at least. */
struct pat_sector_region {
    uint64_t start, end;
    uint64_t needed_bytes, sectors;
};

struct pat_sectors {
    struct pat_sector_row *rows; /* most unneeded bytes first, then most bank conflicts */
    size_t len;
    struct pat_sector_region *regions; /* by address */
    size_t regions_len;
    struct pat_sector_sums all;
    struct pat_sector_use *uses; /* where arrays are given; by instruction */
    size_t uses_len;
    struct pat_sector_sums *arrays; /* beside the names, and one more: in none; NULL without arrays */
    size_t arrays_len;
    uint64_t partial; /* warps with inactive lanes (address 0) */
    uint64_t skipped; /* records that are no accesses, and accesses without an active lane */
};

/* Read a trace of warps, or the JSON of omniprobe's analysis (pat_sectors_omniprobe.c). arrays: names of memory, NULL: none.
 * Owns:   the caller ends *out with pat_sectors_fini, also after a failure.
 * Errors: as pat_warps_open and pat_warps_next; LS_ERR_USAGE for arrays with a file that has no addresses; LS_ERR_NOMEM. */
ls_err pat_sectors_read(const char *path, const struct pat_arrays *arrays, struct pat_sectors *out);

/* Is it a file of omniprobe's analysis? The first bytes of a file. */
bool pat_sectors_is_omniprobe(const void *bytes, size_t len);
/* Errors: LS_ERR_FORMAT with the line; LS_ERR_TRUNCATED; as pat_lines_init; LS_ERR_NOMEM. */
ls_err pat_sectors_read_omniprobe(const char *path, struct pat_sectors *out);
/* Order rows by their cost. */
void pat_sectors_sort(struct pat_sectors *s);
void pat_sectors_add(struct pat_sector_sums *to, const struct pat_sector_sums *one);
void pat_sectors_fini(struct pat_sectors *s);

/* Return the most frequent class. */
enum pat_lanes pat_sector_class(const struct pat_sector_sums *s);

#endif
