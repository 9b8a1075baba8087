/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_integer.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool pat_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static ls_err pat_digits(const char *text, size_t len, bool negative, int64_t *out)
{
    int64_t n = 0;
    for (size_t i = 0; i < len; i++) {
        const int digit = text[i] - '0';
        if (digit < 0 || digit > 9)
            return ls_fail(LS_ERR_ARG, "'%.*s' is no integer", (int)(len < 40 ? len : 40), text);
        /* towards the sign from the start: INT64_MIN has no positive counterpart */
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, negative ? -digit : digit, &n))
            return ls_fail(LS_ERR_RANGE, "%.*s does not fit 64 bits", (int)(len < 40 ? len : 40), text);
    }
    *out = n;
    return LS_OK;
}

ls_err pat_integer_parse(const char *text, size_t len, int64_t *out)
{
    while (len && pat_is_blank(*text))
        text++, len--;
    while (len && pat_is_blank(text[len - 1]))
        len--;
    const size_t sign = len && (*text == '-' || *text == '+');
    if (len == sign) return ls_fail(LS_ERR_ARG, "'%.*s' is no integer", (int)len, text);
    return pat_digits(text + sign, len - sign, sign && *text == '-', out);
}

ls_err pat_integer_parse_from(const char *text, size_t len, int64_t minimum, int64_t *out)
{
    int64_t n;
    LS_TRY(pat_integer_parse(text, len, &n));
    if (n < minimum)
        return ls_fail(LS_ERR_RANGE, "%lld is below %lld, the least allowed", (long long)n,
                       (long long)minimum);
    *out = n;
    return LS_OK;
}

static ls_err pat_element_fail(ls_err err, size_t place)
{
    char why[256];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(err, "element %zu: %s", place, why);
}

ls_err pat_integers_parse(const char *text, size_t len, int64_t minimum, struct pat_list *l)
{
    const char *const end = text + len;
    for (size_t place = 0;; place++) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        const size_t element_len = (size_t)((comma ? comma : end) - text);
        int64_t n = 0;
        const ls_err err = pat_integer_parse_from(text, element_len, minimum, &n);
        if (err != LS_OK) return pat_element_fail(err, place);
        LS_TRY(pat_list_push(l, n));
        if (!comma) return LS_OK;
        text = comma + 1;
    }
}
