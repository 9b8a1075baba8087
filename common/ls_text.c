/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_text.h"

#include <stdbool.h>
#include <string.h>

size_t ls_utf8_len(const char *text, size_t left)
{
    const unsigned char *t = (const unsigned char *)text;
    if (left == 0) return 0;
    const size_t len = t[0] < 0x80                   ? 1
                       : t[0] >= 0xc2 && t[0] < 0xe0 ? 2
                       : t[0] >= 0xe0 && t[0] < 0xf0 ? 3
                       : t[0] >= 0xf0 && t[0] < 0xf5 ? 4
                                                     : 0;
    if (len > left) return 0;
    for (size_t i = 1; i < len; i++)
        if ((t[i] & 0xc0) != 0x80) return 0;
    if ((t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xed && t[1] > 0x9f) || (t[0] == 0xf0 && t[1] < 0x90) ||
        (t[0] == 0xf4 && t[1] > 0x8f))
        return 0;
    return len;
}

/* U+0080 to U+009F are C1. */
static bool ls_is_control(const char *text, size_t len)
{
    const unsigned char *t = (const unsigned char *)text;
    return len == 1 ? t[0] < 0x20 || t[0] == 0x7f : t[0] == 0xc2 && t[1] < 0xa0;
}

void ls_text_clean(char *text, size_t len_bytes, const char *kept)
{
    for (size_t i = 0; i < len_bytes;) {
        const size_t len = ls_utf8_len(text + i, len_bytes - i), step = len ? len : 1;
        const bool is_kept = text[i] && strchr(kept, text[i]);
        if (len == 0 || (ls_is_control(text + i, len) && !is_kept)) memset(text + i, '?', step);
        i += step;
    }
}
