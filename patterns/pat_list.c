/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/pat_list.h"
#include "common/ls_checked.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAT_LIST_FIRST = 64, PAT_LIST_LARGE = 1 << 24 };

/* Memory that the system can still give without swapping, as the kernel estimates it; else all memory.
 * Overcommitted allocations beyond it would end in the kernel's OOM killer. */
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
    /* half as much again: twice would map more than the indices fill */
    while (capacity < len)
        capacity = capacity > SIZE_MAX / 2 ? len : capacity + capacity / 2;
    if (!ls_mul_size(capacity, sizeof(int64_t), &bytes) || bytes > pat_available_bytes())
        return pat_no_room(len);
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

static ls_err pat_integer_parse(const char *text, size_t len, int64_t *out)
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
    int64_t n = 0;
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
