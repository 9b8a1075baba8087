/* SPDX-License-Identifier: BSD-3-Clause */
/* How the chunks of a trace are packed. Numbers are stored in files. */
#ifndef PAT_CODEC_H
#define PAT_CODEC_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

enum pat_codec_id { PAT_CODEC_NONE, PAT_CODEC_ZLIB, PAT_CODEC_ZSTD, PAT_CODEC_COUNT };

typedef struct pat_codec pat_codec;

/* The best one of this build. level 0: the usual one.
 * Owns:   the caller ends *out with pat_codec_free.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_codec_new(int level, pat_codec **out);
void pat_codec_free(pat_codec *c); /* NULL-safe */

/* Room that packing len_bytes may take. */
size_t pat_codec_bound(size_t len_bytes);

struct pat_packed {
    uint8_t *data;
    size_t room_bytes, len_bytes;
    enum pat_codec_id id;
};
/* Pack in[0, len_bytes) into out, which has room for pat_codec_bound() of it.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_codec_pack(pat_codec *c, const void *in, size_t len_bytes, struct pat_packed *out);
/* Unpack exactly len_bytes.
 * Errors: LS_ERR_FORMAT for damaged bytes, LS_ERR_UNSUPPORTED where this build lacks the library. */
ls_err pat_codec_unpack(pat_codec *c, const struct pat_packed *in, uint8_t *out, size_t len_bytes);

/* The part that needs libzstd, or stands in for it (pat_codec_zstd.c, pat_codec_none.c). */
typedef struct pat_zstd pat_zstd;
extern const enum pat_codec_id pat_codec_best;
/* level 0: a fast one.
 * Owns:   the caller ends *out, NULL in a build without libzstd, with pat_zstd_free.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_zstd_new(int level, pat_zstd **out);
/* Owns:   z is gone; NULL-safe. */
void pat_zstd_free(pat_zstd *z);
/* As pat_codec_bound, for zstd; without libzstd len_bytes. */
size_t pat_zstd_bound(size_t len_bytes);
/* As pat_codec_pack.
 * Out->data is the caller's.
 * Errors: LS_ERR_NOMEM when zstd cannot, also for lack of room in out; LS_ERR_UNSUPPORTED without libzstd. */
ls_err pat_zstd_pack(pat_zstd *z, const void *in, size_t len_bytes, struct pat_packed *out);
/* As pat_codec_unpack.
 * Errors: LS_ERR_FORMAT for damaged bytes and for another length, LS_ERR_UNSUPPORTED without libzstd. */
ls_err pat_zstd_unpack(pat_zstd *z, const struct pat_packed *in, uint8_t *out, size_t len_bytes);

#endif
