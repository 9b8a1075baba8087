/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_put.h"
#include "common/ls_text.h"

#include <stdlib.h>
#include <string.h>

void ls_put_json(FILE *out, const char *text, const char *also)
{
    const char *const end = text + strlen(text);
    fputc('"', out);
    for (const char *at = text; at < end;) {
        const size_t len = ls_utf8_len(at, (size_t)(end - at));
        const unsigned char c = (unsigned char)*at;
        if (len == 0)
            fputs("\\ufffd", out);
        else if (c < 0x20 || c == 0x7f || strchr(also, c))
            fprintf(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (ls_is_control(ls_utf8_code(at, len)))
            fprintf(out, "\\u%04x", ls_utf8_code(at, len));
        else
            fwrite(at, 1, len, out);
        at += len ? len : 1;
    }
    fputc('"', out);
}

bool ls_is_formula(const char *text)
{
    char *end;
    const char *begin = text + strspn(text, " \t\r\n");
    if (!*begin || !(strchr("=+-@", *begin) || strchr("\t\r\n", *text)) || !begin[1]) return false;
    strtod(text, &end);
    return *end != '\0';
}

void ls_put_csv(FILE *out, const char *text)
{
    const bool is_formula = ls_is_formula(text), quoted = is_formula || strpbrk(text, ",;\"\t\r\n");
    if (quoted) fputc('"', out);
    if (is_formula) fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    if (quoted) fputc('"', out);
}
