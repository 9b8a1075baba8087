/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_text.h"

#include <inttypes.h>
#include <math.h>

/* ---- syntax ---- */

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

/* ---- base64 ---- */

static const char vx_base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void vx_base64_put(struct vx_base64 *b, const void *from, size_t len)
{
    const uint8_t *bytes = from;
    for (size_t i = 0; i < len; i++) {
        b->bits = b->bits << 8 | bytes[i];
        if (++b->held < 3) continue;
        for (int shift = 18; shift >= 0; shift -= 6)
            fputc(vx_base64_digits[b->bits >> shift & 63], b->out);
        b->bits = 0;
        b->held = 0;
    }
}

void vx_base64_end(struct vx_base64 *b)
{
    if (b->held == 0) return;
    const uint32_t bits = b->bits << (8 * (3 - b->held));
    for (int i = 0; i < 4; i++)
        fputc(i <= b->held ? vx_base64_digits[bits >> (18 - 6 * i) & 63] : '=', b->out);
    b->bits = 0;
    b->held = 0;
}
