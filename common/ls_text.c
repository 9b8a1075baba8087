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

uint32_t ls_utf8_code(const char *text, size_t len)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = len ? (unsigned char)text[0] & first[len] : 0;
    for (size_t i = 1; i < len; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

bool ls_is_control(uint32_t code)
{
    const bool is_c0 = code < 0x20 || code == 0x7f, is_c1 = code >= 0x80 && code < 0xa0;
    return is_c0 || is_c1 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* Length of the printable ASCII at the begin of text, in whole words: most texts are nothing else. */
static size_t ls_printable_words(const char *text, size_t len_bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = 0x80 * ones;
    size_t at = 0;
    for (uint64_t word; at + sizeof(word) <= len_bytes; at += sizeof(word)) {
        memcpy(&word, text + at, sizeof(word));
        /* a byte above 0x7f, 0x7f, or below 0x20 */
        if ((word | (word + ones) | (word - 0x20 * ones)) & high) break;
    }
    return at;
}

void ls_text_clean(char *text, size_t len_bytes, const char *kept)
{
    for (size_t i = ls_printable_words(text, len_bytes); i < len_bytes;) {
        const size_t len = ls_utf8_len(text + i, len_bytes - i), step = len ? len : 1;
        const bool is_kept = text[i] && strchr(kept, text[i]);
        if (len == 0 || (ls_is_control(ls_utf8_code(text + i, len)) && !is_kept)) memset(text + i, '?', step);
        i += step;
        i += ls_printable_words(text + i, len_bytes - i);
    }
}

const char *ls_text_cleaned_remedy(const char *path)
{
    if (!strchr(path, '?')) return "";
    return "; profiles have '?' for control characters of a name: make a link with the name above to the file";
}

const char *ls_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

bool ls_is_lfs_pointer(const void *begin, size_t len_bytes)
{
    static const char pointer[] = "version https://git-lfs";
    return len_bytes >= sizeof(pointer) - 1 && memcmp(begin, pointer, sizeof(pointer) - 1) == 0;
}
