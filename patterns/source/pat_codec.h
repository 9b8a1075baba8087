/* SPDX-License-Identifier: BSD-3-Clause */
/* Codecs for the chunks of a trace. Files store the numbers of enum pat_codec_id. */
#ifndef PAT_CODEC_H
#define PAT_CODEC_H

#include "common/ls_error.h"

#include <stddef.h>
#include <stdint.h>

enum pat_codec_id { PAT_CODEC_NONE, PAT_CODEC_ZLIB, PAT_CODEC_ZSTD, PAT_CODEC_COUNT };

/* The best codec of this build. */
extern const enum pat_codec_id pat_codec_best;

typedef struct pat_codec pat_codec;

/* Create a packer with the best codec of this build; it unpacks the data of every codec. level 0: the default
 * level.
 * Owns:   the caller ends *out with pat_codec_free.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_codec_new(int level, pat_codec **out);
void pat_codec_free(pat_codec *c); /* NULL-safe */

/* Largest number of bytes that packing len_bytes may take. */
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

/* The functions of a codec that needs an external library; each such codec has its own file. */
struct pat_codec_row {
    ls_err (*open)(int level, void **out_self); /* level 0: a fast one */
    size_t (*bound)(size_t len_bytes);
    ls_err (*pack)(void *self, const void *in, size_t len_bytes, struct pat_packed *out);
    ls_err (*unpack)(void *self, const struct pat_packed *in, uint8_t *out, size_t len_bytes);
    void (*close)(void *self); /* NULL-safe */
};
extern const struct pat_codec_row pat_codec_zstd;

#endif
