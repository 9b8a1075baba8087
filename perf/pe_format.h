/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of an event as sysfs describes them: "config1:0-15", "config:0-7,21,32-35" (the value's low bits go
 * to the first range). Format: Documentation/ABI/testing/sysfs-bus-event_source-devices-format of Linux. */
#ifndef PE_FORMAT_H
#define PE_FORMAT_H

#include "common/ls_error.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

enum { PE_RANGES_MAX = 8, PE_WORDS = 4 };

struct pe_field {
    unsigned word; /* 0 config, 1 config1, 2 config2, 3 config3 */
    unsigned ranges_len;
    struct {
        unsigned low, high; /* bits, both included */
    } ranges[PE_RANGES_MAX];
};

/* Errors: LS_ERR_FORMAT (quotes the text).  Thread: any.  Signal: not safe. */
ls_err pe_field_parse(const char *text, struct pe_field *out);

/* Largest value of the field.  Thread: any.  Signal: safe. */
uint64_t pe_field_max(const struct pe_field *f);

/* Write value into the field's bits of attr, and clear their old value.
 * Errors: LS_ERR_RANGE when it does not fit (the message has `name` and the field's largest value),
 *         LS_ERR_UNSUPPORTED for config3 where this build's kernel headers have none; then attr is unchanged.
 * Thread: any.  Signal: not safe. */
ls_err pe_field_set(const struct pe_field *f, const char *name, uint64_t value, struct perf_event_attr *attr);
uint64_t pe_field_get(const struct pe_field *f, const struct perf_event_attr *attr);

/* attr->config, config1, config2, config3 by number; NULL where struct perf_event_attr is too short for it.
 * Thread: any.  Signal: safe. */
uint64_t *pe_attr_word(struct perf_event_attr *attr, unsigned word);

#endif
