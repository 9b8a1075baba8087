/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_list.h"
#include "common/ls_checked.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAT_LIST_FIRST = 64 };

/* Smaller lists are not compared with the available memory: finding that takes longer than reading them. */
enum { PAT_LIST_SMALL_BYTES = 1 << 20 };

/* Return the memory that the kernel can provide without swapping, by its estimate, or else all memory. Beyond
 * it, overcommitted allocations would start the kernel's OOM killer. */
static uint64_t pat_available_bytes(void)
{
    unsigned long long kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1) break;
    if (file) fclose(file);
    if (kib) return (uint64_t)kib * 1024;
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : UINT64_MAX;
}

static bool pat_has_room(size_t bytes)
{
    return bytes <= PAT_LIST_SMALL_BYTES || bytes <= pat_available_bytes();
}

static ls_err pat_no_room(size_t len)
{
    return ls_fail(LS_ERR_NOMEM, "a pattern of %zu indices needs %.1f GiB, %.1f GiB are available", len,
                   (double)len * sizeof(int64_t) / 0x1p30, (double)pat_available_bytes() / 0x1p30);
}

ls_err pat_list_reserve(struct pat_list *l, size_t len)
{
    size_t bytes, capacity = l->capacity ? l->capacity : PAT_LIST_FIRST;
    if (len <= l->capacity) return LS_OK;
    if (l->limit && len > l->limit)
        return ls_fail(LS_ERR_RANGE, "a pattern of %zu indices is longer than the %zu allowed here", len,
                       l->limit);
    /* grow by half: doubling would map more memory than the indices use */
    while (capacity < len)
        capacity = capacity > SIZE_MAX / 2 ? len : capacity + capacity / 2;
    if (!ls_mul_size(capacity, sizeof(int64_t), &bytes) || !pat_has_room(bytes)) return pat_no_room(len);
    int64_t *data = realloc(l->v.data, bytes);
    if (!data) return pat_no_room(len);
    l->v.data = data;
    l->capacity = capacity;
    return LS_OK;
}

void pat_list_take(struct pat_list *l, struct pat_indices *out)
{
    int64_t *exact = l->v.len ? realloc(l->v.data, l->v.len * sizeof(int64_t)) : NULL;
    free(out->data);
    *out = (struct pat_indices){exact ? exact : l->v.data, l->v.len};
    memset(l, 0, sizeof(*l));
}

void pat_list_fini(struct pat_list *l)
{
    free(l->v.data);
    memset(l, 0, sizeof(*l));
}

/* ---- integers ---- */

enum { PAT_EXPONENT_DIGITS = 4 };

static bool pat_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static ls_err pat_no_integer(const char *text, size_t len)
{
    return ls_fail(LS_ERR_ARG, "'%.*s' is not an integer", (int)(len < 40 ? len : 40), text);
}

/* Digits of a number and a power of ten; the number is their product. */
struct pat_decimal {
    const char *text;
    size_t len;  /* sign, digits, point */
    int64_t ten; /* the exponent */
};

/* Cut the exponent of "1.5e3" off. Numbers of programs that write every number as a double have one. */
static ls_err pat_decimal_of(const char *text, size_t len, struct pat_decimal *out)
{
    const char *e = memchr(text, 'e', len);
    if (!e) e = memchr(text, 'E', len);
    *out = (struct pat_decimal){text, e ? (size_t)(e - text) : len, 0};
    if (!e) return LS_OK;
    const char *at = e + 1, *const end = text + len;
    const bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || end - at > PAT_EXPONENT_DIGITS) return pat_no_integer(text, len);
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return pat_no_integer(text, len);
        out->ten = 10 * out->ten + (*at - '0');
    }
    if (negative) out->ten = -out->ten;
    return LS_OK;
}

/* n = 10 n + digit, towards the sign from the start: INT64_MIN has no positive counterpart. */
static bool pat_push_digit(int64_t *n, int digit, bool negative)
{
    return !__builtin_mul_overflow(*n, 10, n) && !__builtin_add_overflow(*n, negative ? -digit : digit, n);
}

/* The value of d if it is an integer; text and len are the whole number, for messages. */
static ls_err pat_decimal_value(const struct pat_decimal *d, const char *text, size_t len, int64_t *out)
{
    const bool negative = *d->text == '-';
    const size_t sign = negative || *d->text == '+';
    const char *point = memchr(d->text, '.', d->len);
    const size_t whole = point ? (size_t)(point - d->text) : d->len;
    int64_t left = d->ten, n = 0; /* digits after the point that still belong to the integer */
    if (whole == sign || (point && whole + 1 == d->len)) return pat_no_integer(text, len);
    for (size_t i = sign; i < d->len; i++) {
        if (i == whole) continue;
        const int digit = d->text[i] - '0';
        if (digit < 0 || digit > 9) return pat_no_integer(text, len);
        const bool in_integer = i < whole ? (int64_t)(whole - i) + d->ten > 0 : left-- > 0;
        if (!in_integer && digit) return pat_no_integer(text, len);
        if (in_integer && !pat_push_digit(&n, digit, negative))
            return ls_fail(LS_ERR_RANGE, "%.*s does not fit 64 bits", (int)(len < 40 ? len : 40), text);
    }
    for (; left > 0 && n; left--)
        if (!pat_push_digit(&n, 0, negative))
            return ls_fail(LS_ERR_RANGE, "%.*s does not fit 64 bits", (int)(len < 40 ? len : 40), text);
    *out = n;
    return LS_OK;
}

static ls_err pat_integer_parse(const char *text, size_t len, int64_t *out)
{
    while (len && pat_is_blank(*text))
        text++, len--;
    while (len && pat_is_blank(text[len - 1]))
        len--;
    struct pat_decimal d;
    if (len == 0) return pat_no_integer(text, len);
    LS_TRY(pat_decimal_of(text, len, &d));
    return pat_decimal_value(&d, text, len, out);
}

ls_err pat_integer_parse_from(const char *text, size_t len, int64_t minimum, int64_t *out)
{
    int64_t n = 0;
    LS_TRY(pat_integer_parse(text, len, &n));
    if (n < minimum)
        return ls_fail(LS_ERR_RANGE, "%lld is below %lld, the least allowed", (long long)n,
                       (long long)minimum);
    *out = n;
    return LS_OK;
}

static ls_err pat_element_fail(ls_err err, size_t position)
{
    char why[256];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(err, "element %zu: %s", position, why);
}

ls_err pat_integers_parse(const char *text, size_t len, int64_t minimum, struct pat_list *l)
{
    const char *const end = text + len;
    for (size_t position = 0;; position++) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        const size_t element_len = (size_t)((comma ? comma : end) - text);
        int64_t n = 0;
        const ls_err err = pat_integer_parse_from(text, element_len, minimum, &n);
        if (err != LS_OK) return pat_element_fail(err, position);
        LS_TRY(pat_list_push(l, n));
        if (!comma) return LS_OK;
        text = comma + 1;
    }
}
