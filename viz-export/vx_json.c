/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_json.h"

#include "common/ls_put.h"

#include <math.h>

static const char vx_json_markup[] = "<>&\"\\";

static void vx_json_key(struct vx_json *j, const char *key)
{
    if (j->filled) fputc(',', j->out);
    j->filled = true;
    if (!key) return;
    ls_put_json(j->out, key, vx_json_markup);
    fputc(':', j->out);
}

void vx_json_open(struct vx_json *j, const char *key, char bracket)
{
    vx_json_key(j, key);
    fputc(bracket, j->out);
    j->filled = false;
}

void vx_json_close(struct vx_json *j, char bracket)
{
    fputc(bracket, j->out);
    j->filled = true;
}

void vx_json_text(struct vx_json *j, const char *key, const char *text)
{
    vx_json_key(j, key);
    ls_put_json(j->out, text ? text : "", vx_json_markup);
}

void vx_json_number(struct vx_json *j, const char *key, double number)
{
    vx_json_key(j, key);
    if (!isfinite(number))
        fputs("null", j->out);
    else if (number == floor(number) && fabs(number) < 0x1p53)
        fprintf(j->out, "%.0f", number);
    else
        fprintf(j->out, "%.9g", number);
}
