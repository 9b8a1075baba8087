/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_quantity.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct ls_unit {
    const char *suffix;
    double factor;
};

static const struct ls_unit ls_byte_units[] = {
    {"", 1},         {"B", 1},       {"K", 0x1p10},   {"KB", 0x1p10},  {"KiB", 0x1p10},
    {"M", 0x1p20},   {"MB", 0x1p20}, {"MiB", 0x1p20}, {"G", 0x1p30},   {"GB", 0x1p30},
    {"GiB", 0x1p30}, {"T", 0x1p40},  {"TB", 0x1p40},  {"TiB", 0x1p40}, {NULL, 0},
};

static const struct ls_unit ls_time_units[] = {
    {"", 1e9},   {"ns", 1},     {"us", 1e3},   {"ms", 1e6}, {"s", 1e9},
    {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {NULL, 0},
};

static const struct ls_unit ls_percent_units[] = {{"", 0.01}, {"%", 0.01}, {NULL, 0}};

static ls_err ls_parse_with_units(const char *text, const struct ls_unit *units, double *out)
{
    char *end = NULL;
    const double number = strtod(text, &end);
    if (end == text || !isfinite(number)) return ls_fail(LS_ERR_ARG, "'%s' is not a number", text);
    if (number < 0) return ls_fail(LS_ERR_RANGE, "'%s' is negative", text);
    while (*end == ' ')
        end++;
    for (const struct ls_unit *u = units; u->suffix; u++) {
        if (strcasecmp(end, u->suffix) == 0) {
            *out = number * u->factor;
            return LS_OK;
        }
    }
    return ls_fail(LS_ERR_ARG, "'%s' has the unknown unit '%s'", text, end);
}

static ls_err ls_parse_whole(const char *text, const struct ls_unit *units, uint64_t *out)
{
    double value = 0;
    LS_TRY(ls_parse_with_units(text, units, &value));
    if (value >= 0x1p63) return ls_fail(LS_ERR_RANGE, "'%s' is too large", text);
    *out = (uint64_t)(value + 0.5);
    return LS_OK;
}

ls_err ls_parse_bytes(const char *text, uint64_t *out_bytes)
{
    return ls_parse_whole(text, ls_byte_units, out_bytes);
}

ls_err ls_parse_duration(const char *text, uint64_t *out_ns)
{
    return ls_parse_whole(text, ls_time_units, out_ns);
}

ls_err ls_parse_percent(const char *text, double *out_share)
{
    double share = 0;
    LS_TRY(ls_parse_with_units(text, ls_percent_units, &share));
    if (share <= 0 || share > 1)
        return ls_fail(LS_ERR_RANGE, "'%s' is not a percentage above 0 and up to 100", text);
    *out_share = share;
    return LS_OK;
}

ls_err ls_parse_u64(const char *text, uint64_t *out)
{
    char *end = NULL;
    errno = 0;
    const bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const unsigned long long value = strtoull(text, &end, is_hexadecimal ? 16 : 10);
    if (text[0] == '-' && end != text && *end == '\0') return ls_fail(LS_ERR_ARG, "'%s' is below 0", text);
    if (end == text || *end != '\0' || text[0] == '-')
        return ls_fail(LS_ERR_ARG, "'%s' is not a whole number", text);
    if (errno == ERANGE) return ls_fail(LS_ERR_RANGE, "'%s' is too large", text);
    *out = value;
    return LS_OK;
}
