/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_json.h"
#include "common/ls_put.h"

#include <inttypes.h>
#include <math.h>

static void ls_json_string(const struct ls_json *j, const char *text)
{
    ls_put_json(j->out, text ? text : "", j->escaped ? j->escaped : "");
}

static void ls_json_line(const struct ls_json *j)
{
    if (j->indent) fprintf(j->out, "\n%*s", j->indent * j->depth, "");
}

static void ls_json_key(struct ls_json *j, const char *key)
{
    if (j->filled) fputc(',', j->out);
    if (j->depth) ls_json_line(j);
    j->filled = true;
    if (!key) return;
    ls_json_string(j, key);
    fputs(j->indent ? ": " : ":", j->out);
}

void ls_json_open(struct ls_json *j, const char *key, char bracket)
{
    ls_json_key(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->filled = false;
}

void ls_json_close(struct ls_json *j, char bracket)
{
    j->depth--;
    if (j->filled) ls_json_line(j);
    fputc(bracket, j->out);
    j->filled = true;
    if (j->depth == 0 && j->indent) fputc('\n', j->out);
}

void ls_json_text(struct ls_json *j, const char *key, const char *text)
{
    ls_json_key(j, key);
    ls_json_string(j, text);
}

void ls_json_u64(struct ls_json *j, const char *key, uint64_t number)
{
    ls_json_key(j, key);
    fprintf(j->out, "%" PRIu64, number);
}

void ls_json_i64(struct ls_json *j, const char *key, int64_t number)
{
    ls_json_key(j, key);
    fprintf(j->out, "%" PRId64, number);
}

void ls_json_double(struct ls_json *j, const char *key, double number)
{
    ls_json_key(j, key);
    if (isfinite(number))
        fprintf(j->out, "%.9g", number);
    else
        fputs("null", j->out);
}

void ls_json_number(struct ls_json *j, const char *key, double number)
{
    /* the cast is exact for whole numbers; floor() would add libm to every program */
    const bool is_whole = number > -0x1p53 && number < 0x1p53 && (double)(int64_t)number == number;
    if (!is_whole) {
        ls_json_double(j, key, number);
        return;
    }
    ls_json_key(j, key);
    fprintf(j->out, "%.0f", number);
}

void ls_json_bool(struct ls_json *j, const char *key, bool value)
{
    ls_json_key(j, key);
    fputs(value ? "true" : "false", j->out);
}

void ls_json_value(struct ls_json *j, const char *key, const char *json)
{
    ls_json_key(j, key);
    fputs(json, j->out);
}
