/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a pattern file or a trace, packed as a whole (gzip, zip, zstd, lz4: pat_unpack.h) or not. */
#ifndef PAT_INPUT_H
#define PAT_INPUT_H

#include "common/ls_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pat_input pat_input;

/* Open path; "-" is the standard input.
 * Owns:   the caller ends *out with pat_input_free.
 * Errors: LS_ERR_NOT_FOUND, LS_ERR_PERMISSION, LS_ERR_IO, LS_ERR_NOMEM; LS_ERR_UNSUPPORTED where this build
 * lacks the library of the packer. */
ls_err pat_input_open(const char *path, pat_input **out);

/* Read from memory: len_bytes at data stay the caller's.
 * Errors: LS_ERR_NOMEM. */
ls_err pat_input_open_bytes(const void *data, size_t len_bytes, const char *name, pat_input **out);

/* Read the next bytes, as many as fit; *out_len is 0 at the end.
 * Errors: LS_ERR_FORMAT for damaged and LS_ERR_TRUNCATED for cut packed data, both with the position in the
 * file and in the unpacked data, LS_ERR_IO; all name the file. */
ls_err pat_input_read(pat_input *in, void *buffer, size_t room, size_t *out_len);

/* Return the name that was given to open; "standard input" for "-". */
const char *pat_input_name(const pat_input *in);

/* NULL-safe. */
void pat_input_free(pat_input *in);

/* Records of fixed lengths from a file, packed or not, through a large buffer. */
struct pat_records {
    pat_input *input;
    uint8_t *buffer;
    const uint8_t *at;
    size_t left;
    uint64_t at_bytes; /* position of the next record in the unpacked data */
};

/* Owns:   the caller ends r with pat_records_fini, also after a failure.
 * Errors: as pat_input_open, LS_ERR_NOMEM. */
ls_err pat_records_init(struct pat_records *r, const char *path);
void pat_records_fini(struct pat_records *r);

/* Make at least len_bytes (at most 4096) available at r->at, or set *is_end at the end of the file.
 * Errors: LS_ERR_TRUNCATED with the position when the file ends inside a record; as pat_input_read. */
ls_err pat_records_fill(struct pat_records *r, size_t len_bytes, bool *is_end);

/* The next record, NULL at the end of the file. It lives until the next call.  Errors: as fill. */
static inline ls_err pat_records_next(struct pat_records *r, size_t len_bytes, const uint8_t **out)
{
    if (__builtin_expect(r->left < len_bytes, 0)) {
        bool is_end;
        *out = NULL;
        LS_TRY(pat_records_fill(r, len_bytes, &is_end));
        if (is_end) return LS_OK;
    }
    *out = r->at;
    r->at += len_bytes;
    r->left -= len_bytes;
    r->at_bytes += len_bytes;
    return LS_OK;
}

#endif
