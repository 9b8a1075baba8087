/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files that were packed, by their first bytes: one file a packer, one row each in pat_unpack.c. Zip
 * archives are their members one behind the other. */
#ifndef PAT_UNPACK_H
#define PAT_UNPACK_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a step takes and gives: it moves in and out forward. */
struct pat_flow {
    const uint8_t *in;
    size_t in_len;
    uint8_t *out;
    size_t out_len;
    bool may_end; /* the file is whole if nothing follows */
};

struct pat_unpacker {
    const char *name; /* "gzip" */
    /* Are these the first len bytes of one (at least 4 unless the file is shorter)? */
    bool (*recognise)(const uint8_t *bytes, size_t len);
    ls_err (*open)(void **out_self);
    /* Until the input is used up or the output is full; without input: what is left inside.
     * Errors: LS_ERR_FORMAT, LS_ERR_UNSUPPORTED, LS_ERR_NOMEM, without the file's name. */
    ls_err (*step)(void *self, struct pat_flow *flow);
    void (*close)(void *self);
};

/* NULL: not packed. */
const struct pat_unpacker *pat_unpacker_of(const uint8_t *bytes, size_t len);

extern const struct pat_unpacker pat_unpacker_gzip, pat_unpacker_zip, pat_unpacker_zstd, pat_unpacker_lz4;

#endif
