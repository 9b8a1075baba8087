/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantities as people write them: 3%, 20ms, 1G. Shared by the options and the environment.
 *
 * Thread: any.  Signal: not safe. */
#ifndef LS_QUANTITY_H
#define LS_QUANTITY_H

#include "common/ls_error.h"

#include <stdint.h>

/* "64", "4K", "1.5G" (powers of 1024; a trailing B or iB is allowed) to bytes.  Errors: LS_ERR_ARG,
 * LS_ERR_RANGE. */
ls_err ls_parse_bytes(const char *text, uint64_t *out_bytes);
/* "500us", "20ms", "2s", "3m", "1h", "100ns"; a bare number is seconds.  Errors: LS_ERR_ARG, LS_ERR_RANGE. */
ls_err ls_parse_duration(const char *text, uint64_t *out_ns);
/* "3%" or "3" to 0.03; 0 < share <= 1.  Errors: LS_ERR_ARG, LS_ERR_RANGE. */
ls_err ls_parse_percent(const char *text, double *out_share);
/* Decimal or 0x hexadecimal, without trailing characters.  Errors: LS_ERR_ARG, LS_ERR_RANGE. */
ls_err ls_parse_u64(const char *text, uint64_t *out);

#endif
