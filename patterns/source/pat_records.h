/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of fixed lengths from a file, packed or not, through a large buffer. */
#ifndef PAT_RECORDS_H
#define PAT_RECORDS_H

#include "patterns/source/pat_input.h"

#include <stdbool.h>

struct pat_records {
    pat_input *input;
    uint8_t *buffer;
    const uint8_t *at;
    size_t left;
    uint64_t at_bytes; /* of the next record, in what is unpacked */
};

/* Owns:   the caller ends r with pat_records_fini, also after a failure.
 * Errors: those of pat_input_open, LS_ERR_NOMEM. */
ls_err pat_records_init(struct pat_records *r, const char *path);
void pat_records_fini(struct pat_records *r);

/* At least len_bytes (at most 4096) at r->at, or *is_end at the end of the file.
 * Errors: LS_ERR_TRUNCATED with the position when the file ends inside a record; those of pat_input_read. */
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
