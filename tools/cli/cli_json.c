/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/cli/cli_json.h"

#include "common/ls_put.h"

#include <inttypes.h>
#include <math.h>

static void cli_json_key(struct cli_json *j, const char *key)
{
    if (j->filled) fputc(',', j->out);
    if (j->depth) fprintf(j->out, "\n%*s", 2 * j->depth, "");
    if (key) {
        ls_put_json(j->out, key, "");
        fputs(": ", j->out);
    }
    j->filled = true;
}

void cli_json_open(struct cli_json *j, const char *key, char bracket)
{
    cli_json_key(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

void cli_json_close(struct cli_json *j, char bracket)
{
    j->depth--;
    if (j->filled) fprintf(j->out, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->out);
    j->filled = true;
    if (j->depth == 0) fputc('\n', j->out);
}

void cli_json_text(struct cli_json *j, const char *key, const char *text)
{
    cli_json_key(j, key);
    ls_put_json(j->out, text ? text : "", "");
}

void cli_json_u64(struct cli_json *j, const char *key, uint64_t number)
{
    cli_json_key(j, key);
    fprintf(j->out, "%" PRIu64, number);
}

void cli_json_i64(struct cli_json *j, const char *key, int64_t number)
{
    cli_json_key(j, key);
    fprintf(j->out, "%" PRId64, number);
}

void cli_json_double(struct cli_json *j, const char *key, double number)
{
    cli_json_key(j, key);
    if (isfinite(number))
        fprintf(j->out, "%.9g", number);
    else
        fputs("null", j->out);
}

void cli_json_bool(struct cli_json *j, const char *key, bool value)
{
    cli_json_key(j, key);
    fputs(value ? "true" : "false", j->out);
}
