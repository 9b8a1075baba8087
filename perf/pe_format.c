/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_event.h"

#include <stddef.h>
#include <string.h>

/* config3 came with Linux 6.3 (PERF_ATTR_SIZE_VER8), directly after sig_data; headers may be older than the
 * kernel. */
enum { PE_CONFIG3_OFFSET = 128, PE_WORD_BITS = 64 };

uint64_t *pe_attr_word(struct perf_event_attr *attr, unsigned word)
{
    static const size_t offsets[PE_WORDS] = {offsetof(struct perf_event_attr, config),
                                             offsetof(struct perf_event_attr, config1),
                                             offsetof(struct perf_event_attr, config2), PE_CONFIG3_OFFSET};
    if (word >= PE_WORDS || offsets[word] + sizeof(uint64_t) > sizeof(*attr)) return NULL;
    return (uint64_t *)(void *)((char *)attr + offsets[word]);
}

/* Read a decimal number at *at, and move *at past it. */
static bool pe_take_number(const char **at, unsigned *out)
{
    unsigned value = 0;
    const char *start = *at;
    for (; **at >= '0' && **at <= '9' && *at - start < 3; (*at)++)
        value = value * 10 + (unsigned)(**at - '0');
    *out = value;
    return *at > start && value < PE_WORD_BITS;
}

static bool pe_take_word(const char **at, unsigned *out)
{
    static const char prefix[] = "config";
    if (strncmp(*at, prefix, sizeof(prefix) - 1) != 0) return false;
    *at += sizeof(prefix) - 1;
    *out = 0;
    if (**at >= '1' && **at < '0' + PE_WORDS) *out = (unsigned)(*(*at)++ - '0');
    if (**at != ':') return false;
    (*at)++;
    return true;
}

static bool pe_take_range(const char **at, struct pe_field *f)
{
    unsigned low, high;
    if (f->ranges_len == PE_RANGES_MAX || !pe_take_number(at, &low)) return false;
    high = low;
    if (**at == '-') {
        (*at)++;
        if (!pe_take_number(at, &high) || high < low) return false;
    }
    f->ranges[f->ranges_len].low = low;
    f->ranges[f->ranges_len].high = high;
    f->ranges_len++;
    return true;
}

ls_err pe_field_parse(const char *text, struct pe_field *out)
{
    const char *at = text;
    memset(out, 0, sizeof(*out));
    bool good = pe_take_word(&at, &out->word) && pe_take_range(&at, out);
    while (good && *at == ',') {
        at++;
        good = pe_take_range(&at, out);
    }
    if (!good || *at != '\0')
        return ls_fail(LS_ERR_FORMAT, "the kernel describes a field as '%.60s', not as config:LOW-HIGH",
                       text);
    return LS_OK;
}

static unsigned pe_range_bits(const struct pe_field *f, unsigned i)
{
    return f->ranges[i].high - f->ranges[i].low + 1;
}

static uint64_t pe_ones(unsigned bits)
{
    return bits >= PE_WORD_BITS ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

uint64_t pe_field_max(const struct pe_field *f)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < f->ranges_len; i++)
        bits += pe_range_bits(f, i);
    return pe_ones(bits);
}

ls_err pe_field_set(const struct pe_field *f, const char *name, uint64_t value, struct perf_event_attr *attr)
{
    uint64_t *word = pe_attr_word(attr, f->word);
    if (!word)
        return ls_fail(
            LS_ERR_UNSUPPORTED,
            "field %s is in config3, which this build does not know: build with headers of Linux 6.3", name);
    if (value > pe_field_max(f))
        return ls_fail(LS_ERR_RANGE, "%s=%llu does not fit: the PMU takes at most %llu", name,
                       (unsigned long long)value, (unsigned long long)pe_field_max(f));
    for (unsigned i = 0; i < f->ranges_len; i++) {
        const unsigned bits = pe_range_bits(f, i), low = f->ranges[i].low;
        *word = (*word & ~(pe_ones(bits) << low)) | (value & pe_ones(bits)) << low;
        value = bits >= PE_WORD_BITS ? 0 : value >> bits;
    }
    return LS_OK;
}

uint64_t pe_field_get(const struct pe_field *f, const struct perf_event_attr *attr)
{
    const uint64_t *word = pe_attr_word((struct perf_event_attr *)attr, f->word);
    uint64_t value = 0;
    unsigned at = 0;
    for (unsigned i = 0; word && i < f->ranges_len && at < PE_WORD_BITS; i++) {
        value |= (*word >> f->ranges[i].low & pe_ones(pe_range_bits(f, i))) << at;
        at += pe_range_bits(f, i);
    }
    return value;
}
