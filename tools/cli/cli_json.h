/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON output: commas, indentation and escapes; numbers that JSON cannot say become null.
 *
 * Thread: the main one.  Signal: not safe. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cli_json {
    FILE *out;
    int depth;
    bool filled; /* the open object or array has a member */
};

/* key is NULL inside arrays and for the outermost value. */
void cli_json_open(struct cli_json *j, const char *key, char bracket);
void cli_json_close(struct cli_json *j, char bracket);
void cli_json_text(struct cli_json *j, const char *key, const char *text);
void cli_json_u64(struct cli_json *j, const char *key, uint64_t number);
void cli_json_i64(struct cli_json *j, const char *key, int64_t number);
void cli_json_double(struct cli_json *j, const char *key, double number);
void cli_json_bool(struct cli_json *j, const char *key, bool value);

#endif
