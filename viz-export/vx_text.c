/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_text.h"

#include <inttypes.h>
#include <math.h>

void vx_put_xml(FILE *out, const char *text)
{
    static const char *const names[] = {['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < sizeof(names) / sizeof(names[0]) && names[*c])
            fputs(names[*c], out);
        else
            fputc(*c < ' ' ? ' ' : *c, out);
}

void vx_put_dot(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '\n')
            fputs("\\n", out);
        else
            fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    fputc('"', out);
}

void vx_csv_double(FILE *out, double number)
{
    fputc(',', out);
    if (isfinite(number)) fprintf(out, "%.17g", number);
}

void vx_csv_u64(FILE *out, uint64_t number)
{
    fprintf(out, ",%" PRIu64, number);
}
