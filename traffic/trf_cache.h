/* SPDX-License-Identifier: BSD-3-Clause */
/* A model of the caches of one core: set-associative, least recently used, write-back, write-allocate. It
 * counts the lines that pass between the last level and memory, for each piece of data (an owner).
 *
 * A level that misses asks the next one; a line that leaves a level dirty goes to the next one, and from the
 * last one to memory. Levels are neither inclusive nor exclusive, as in cachegrind. Prefetchers, other cores
 * and the kernel are not modelled.
 *
 * Thread: the owner of the model. */
#ifndef TRF_CACHE_H
#define TRF_CACHE_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

enum { TRF_LEVELS_MAX = 3, TRF_LINE_BYTES = 64 };

struct trf_level {
    uint64_t size_bytes;
    unsigned ways;
};

struct trf_geometry {
    struct trf_level levels[TRF_LEVELS_MAX]; /* the nearest one first */
    unsigned len;
};

/* Parse "32K/8,512K/16": sizes and ways, the nearest level first.
 * Errors: LS_ERR_USAGE with the place, also for sizes that are no multiple of ways x 64 bytes. */
ls_err trf_geometry_parse(const char *text, struct trf_geometry *out);
/* Write g in the same form; cut where it does not fit. */
void trf_geometry_text(const struct trf_geometry *g, char *out, size_t out_bytes);

/* Traffic of one owner. Bytes between the last level and memory are lines x 64. */
struct trf_traffic {
    uint64_t accesses;
    uint64_t misses[TRF_LEVELS_MAX]; /* lines that a level did not hold, the nearest one first */
    uint64_t read_lines;             /* filled from memory: by loads, and by stores that allocate */
    uint64_t written_lines;          /* written back, or past the caches by non-temporal stores */
    uint64_t used_bytes;             /* bytes of the filled lines that were accessed before the lines left */
};

enum trf_op { TRF_LOAD, TRF_STORE, TRF_STORE_NONTEMPORAL };

typedef struct trf_cache trf_cache;

/* Errors: LS_ERR_NOMEM. */
ls_err trf_cache_new(const struct trf_geometry *g, trf_cache **out);
void trf_cache_free(trf_cache *c);

/* Access [addr, addr + len_bytes) of `owner`; owners are small numbers. An access that crosses a line touches
 * both.  Errors: LS_ERR_NOMEM for a new owner. */
ls_err trf_cache_access(trf_cache *c, uint64_t addr, uint32_t len_bytes, enum trf_op op, uint32_t owner);

/* Write all dirty lines back and empty the caches, as at the end of a long run. */
ls_err trf_cache_flush(trf_cache *c);

/* Traffic so far by owner; *len is one more than the largest owner. Borrowed until the next access. */
const struct trf_traffic *trf_cache_traffic(const trf_cache *c, size_t *len);

#endif
