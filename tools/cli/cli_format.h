/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers for people. Each writes into out and returns it; NAN and missing become "-". */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum { CLI_CELL_BYTES = 32 };

const char *cli_format_count(char out[CLI_CELL_BYTES], double n);       /* 950, 12.3k, 4.56M */
const char *cli_format_grouped(char out[CLI_CELL_BYTES], uint64_t n);   /* 1,234,567 */
const char *cli_format_time(char out[CLI_CELL_BYTES], double ns);       /* 12.3 ms */
const char *cli_format_bytes(char out[CLI_CELL_BYTES], double bytes);   /* 8.0 KiB */
const char *cli_format_percent(char out[CLI_CELL_BYTES], double share); /* 12.3, without sign */
const char *cli_format_cycles(char out[CLI_CELL_BYTES], double cycles); /* 718, 1.2k */

#endif
