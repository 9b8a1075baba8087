/* SPDX-License-Identifier: BSD-3-Clause */
/* Events in perf's syntax (perf-record(1), perf-list(1)): PMU/TERM,TERM.../MODIFIERS, rHEX:MODIFIERS,
 * NAME:MODIFIERS, and groups {EVENT,EVENT}:MODIFIERS. A term is FIELD=NUMBER, FIELD, an event that sysfs
 * names, config=, config1=..., period= or freq=. The PMU "raw" means PERF_TYPE_RAW.
 *
 * Thread: any.  Signal: not safe. */
#ifndef PE_EVENT_H
#define PE_EVENT_H

#include "common/ls_error.h"
#include "perf/pe_sysfs.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* --- formats of PMUs ---
 *
 * Fields of an event as sysfs describes them: "config1:0-15", "config:0-7,21,32-35" (the value's low bits go
 * to the first range). Format: Documentation/ABI/testing/sysfs-bus-event_source-devices-format of Linux. */

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

struct pe_event {
    char pmu[PE_PMU_BYTES];
    struct perf_event_attr
        attr;         /* type, config words, exclude bits, precise_ip, sample_period or freq as written */
    bool precise_max; /* P: the most precise level of the PMU */
    bool privileges_given;   /* u, k or h were written */
    bool is_named;           /* a name that sysfs has, such as mem-loads, is among the terms */
    char name[PE_PMU_BYTES]; /* the first such name; "": none */
};

struct pe_event_group {
    struct pe_event events[PE_GROUP_MAX];
    unsigned len;
};

/* Read one event or group. A bare NAME is looked up among the events of default_pmu (NULL: refused, with the
 * remedy).
 * Errors: LS_ERR_ARG (names the position, the wrong part and the alternatives), LS_ERR_NOT_FOUND (no such
 * PMU), LS_ERR_RANGE (a value does not fit), LS_ERR_FORMAT (the kernel's description cannot be read). */
ls_err pe_event_parse(const struct pe_sysfs *s, const char *text, const char *default_pmu,
                      struct pe_event_group *out);

/* Add the terms (between the slashes) to e, whose pmu is set. */
ls_err pe_event_terms(const struct pe_sysfs *s, const char *terms, struct pe_event *e);

/* Set a field that sysfs describes (format/NAME).  LS_ERR_NOT_FOUND when the PMU has none of that name. */
ls_err pe_event_set(const struct pe_sysfs *s, const char *name, uint64_t value, struct pe_event *e);
/* Read the description of a field; false when there is none or it cannot be read. */
bool pe_event_field(const struct pe_sysfs *s, const char *pmu, const char *name, struct pe_field *out);

/* True when text is a bare name (no slash, brace, raw code): an event to look up on each PMU, or in libpfm4.
 * out gets it without modifiers. */
bool pe_event_take_bare(const char *text, char *out, size_t out_bytes);

/* Print the event in this syntax with all numbers: "cpu/config=0x1cd,config1=0x3/pp". */
void pe_event_print(const char *pmu, const struct perf_event_attr *attr, char out[PE_EVENT_BYTES]);

#endif
