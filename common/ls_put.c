/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_put.h"

#include <string.h>

/* Bytes of the UTF-8 character at text, 0: it is none (overlong, a surrogate, cut off, beyond U+10FFFF). */
static int ls_utf8_len(const unsigned char *text)
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

void ls_put_json(FILE *out, const char *text, const char *also)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const int len = ls_utf8_len(c);
        if (len == 0)
            fputs("\\ufffd", out);
        else if (*c < 0x20 || *c == 0x7f || strchr(also, *c))
            fprintf(out, "\\u%04x", *c);
        else if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else
            fwrite(c, 1, (size_t)len, out);
        c += len ? len : 1;
    }
    fputc('"', out);
}

void ls_put_csv(FILE *out, const char *text)
{
    const int quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted) fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    if (quoted) fputc('"', out);
}
