/* SPDX-License-Identifier: BSD-3-Clause */
/* Index files without a format: little-endian 64-bit integers, as GS Patterns writes them (.sbin), packed by
 * gzip or not. */
#ifndef PAT_RAW_H
#define PAT_RAW_H

#include "patterns/source/pat_input.h"
#include "patterns/pat_list.h"

/* All integers of in.
 * Owns:   the caller frees out->data; what out held before is freed.
 * Errors: LS_ERR_TRUNCATED when the length is no multiple of 8, LS_ERR_FORMAT for an empty file or a negative
 * index (with its place), those of pat_input_read, LS_ERR_NOMEM. *out is then unchanged. */
ls_err pat_raw_read(pat_input *in, struct pat_indices *out);

/* pat_raw_read of a file.  Errors: also those of pat_input_open. */
ls_err pat_raw_read_file(const char *path, struct pat_indices *out);

#endif
