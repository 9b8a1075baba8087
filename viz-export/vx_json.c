/* SPDX-License-Identifier: BSD-3-Clause */
#include "viz-export/vx_json.h"

#include <math.h>
#include <string.h>

/* Bytes of the UTF-8 character at text, 0: it is none (overlong, a surrogate, cut off, beyond U+10FFFF). */
static int vx_utf8_len(const unsigned char *text)
{
    const unsigned char c = text[0];
    const int len = c < 0x80                ? 1
                    : c >= 0xc2 && c < 0xe0 ? 2
                    : c >= 0xe0 && c < 0xf0 ? 3
                    : c >= 0xf0 && c < 0xf5 ? 4
                                            : 0;
    for (int i = 1; i < len; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if (c == 0xe0 && text[1] < 0xa0) return 0;
    if (c == 0xed && text[1] >= 0xa0) return 0;
    if (c == 0xf0 && text[1] < 0x90) return 0;
    return c == 0xf4 && text[1] >= 0x90 ? 0 : len;
}

static void vx_json_string(const char *text, FILE *out)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const int len = vx_utf8_len(c);
        if (len == 0)
            fputs("\\ufffd", out);
        else if (*c < 0x20 || *c == 0x7f || strchr("<>&\"\\", *c))
            fprintf(out, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t)len, out);
        c += len ? len : 1;
    }
    fputc('"', out);
}

static void vx_json_key(struct vx_json *j, const char *key)
{
    if (j->filled) fputc(',', j->out);
    j->filled = true;
    if (!key) return;
    vx_json_string(key, j->out);
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
    vx_json_string(text ? text : "", j->out);
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
