/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_event.h"

#include "common/ls_quantity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PE_TERM_BYTES = 96, PE_ALIAS_DEPTH = 2 };

/* --- terms ---------------------------------------------------------------------------------------------- */

bool pe_event_field(const struct pe_sysfs *s, const char *pmu, const char *name, struct pe_field *out)
{
    char file[PE_TERM_BYTES + 16], text[PE_TEXT_BYTES];
    snprintf(file, sizeof(file), "format/%s", name);
    return pe_sysfs_text(s, pmu, file, text, sizeof(text)) && pe_field_parse(text, out) == LS_OK;
}

ls_err pe_event_set(const struct pe_sysfs *s, const char *name, uint64_t value, struct pe_event *e)
{
    char file[PE_TERM_BYTES + 16], text[PE_TEXT_BYTES];
    struct pe_field field;
    snprintf(file, sizeof(file), "format/%s", name);
    if (!pe_sysfs_text(s, e->pmu, file, text, sizeof(text)))
        return ls_fail(LS_ERR_NOT_FOUND, "PMU %s has no field '%s'", e->pmu, name);
    LS_TRY(pe_field_parse(text, &field));
    return pe_field_set(&field, name, value, &e->attr);
}

static ls_err pe_set_config(struct pe_event *e, const char *name, uint64_t value)
{
    static const char *const names[PE_WORDS] = {"config", "config1", "config2", "config3"};
    for (unsigned i = 0; i < PE_WORDS; i++) {
        uint64_t *word = strcmp(name, names[i]) == 0 ? pe_attr_word(&e->attr, i) : NULL;
        if (!word) continue;
        *word = value;
        return LS_OK;
    }
    return LS_ERR_NOT_FOUND;
}

static ls_err pe_set_rate(struct pe_event *e, const char *name, uint64_t value)
{
    if (strcmp(name, "period") != 0 && strcmp(name, "freq") != 0) return LS_ERR_NOT_FOUND;
    e->attr.freq = name[0] == 'f' && value > 0;
    e->attr.sample_period = value;
    return LS_OK;
}

static ls_err pe_no_term(const struct pe_sysfs *s, const char *name, const struct pe_event *e)
{
    char fields[160], events[120];
    pe_sysfs_names(s, e->pmu, "format", fields, sizeof(fields));
    pe_sysfs_names(s, e->pmu, "events", events, sizeof(events));
    return ls_fail(LS_ERR_ARG, "PMU %s has neither a field nor an event '%s'; fields: %s; events: %s", e->pmu,
                   name, *fields ? fields : "none", *events ? events : "none");
}

static ls_err pe_set_term(const struct pe_sysfs *s, const char *name, uint64_t value, struct pe_event *e)
{
    ls_err err = pe_event_set(s, name, value, e);
    if (err == LS_ERR_NOT_FOUND) err = pe_set_config(e, name, value);
    if (err == LS_ERR_NOT_FOUND) err = pe_set_rate(e, name, value);
    return err == LS_ERR_NOT_FOUND ? pe_no_term(s, name, e) : err;
}

static ls_err pe_terms_at(const struct pe_sysfs *s, const char *terms, struct pe_event *e, unsigned depth);

/* Apply a term without a value: an event of sysfs, which is replaced by its own terms, or a field that
 * becomes 1. */
static ls_err pe_word_term(const struct pe_sysfs *s, const char *name, struct pe_event *e, unsigned depth)
{
    char file[PE_TERM_BYTES + 16], alias[PE_TEXT_BYTES];
    snprintf(file, sizeof(file), "events/%s", name);
    if (depth < PE_ALIAS_DEPTH && pe_sysfs_text(s, e->pmu, file, alias, sizeof(alias))) {
        e->is_named = true;
        if (depth == 0) snprintf(e->name, sizeof(e->name), "%.*s", PE_PMU_BYTES - 1, name);
        return pe_terms_at(s, alias, e, depth + 1);
    }
    return pe_set_term(s, name, 1, e);
}

static ls_err pe_one_term(const struct pe_sysfs *s, char *term, struct pe_event *e, unsigned depth)
{
    char *value = strchr(term, '=');
    uint64_t number = 0;
    if (!value) return pe_word_term(s, term, e, depth);
    *value++ = '\0';
    if (strcmp(term, "name") == 0) return LS_OK; /* only a label for perf's output */
    if (ls_parse_u64(value, &number) != LS_OK)
        return ls_fail(LS_ERR_ARG, "'%s=%s' of PMU %s: '%s' is no number (decimal or 0x)", term, value,
                       e->pmu, value);
    return pe_set_term(s, term, number, e);
}

static ls_err pe_terms_at(const struct pe_sysfs *s, const char *terms, struct pe_event *e, unsigned depth)
{
    while (*terms) {
        char term[PE_TERM_BYTES];
        const size_t len = strcspn(terms, ",");
        if (len >= sizeof(term))
            return ls_fail(LS_ERR_ARG, "a term of PMU %s is too long: '%.40s...'", e->pmu, terms);
        memcpy(term, terms, len);
        term[len] = '\0';
        if (len) LS_TRY(pe_one_term(s, term, e, depth));
        terms += len + (terms[len] == ',');
    }
    return LS_OK;
}

ls_err pe_event_terms(const struct pe_sysfs *s, const char *terms, struct pe_event *e)
{
    return pe_terms_at(s, terms, e, 0);
}

/* --- modifiers ------------------------------------------------------------------------------------------ */

static void pe_only(struct pe_event *e)
{
    if (e->privileges_given) return;
    e->privileges_given = true;
    e->attr.exclude_user = e->attr.exclude_kernel = e->attr.exclude_hv = 1;
}

static ls_err pe_modifier(struct pe_event *e, char letter)
{
    switch (letter) {
    case 'u':
        pe_only(e);
        e->attr.exclude_user = 0;
        return LS_OK;
    case 'k':
        pe_only(e);
        e->attr.exclude_kernel = 0;
        return LS_OK;
    case 'h':
        pe_only(e);
        e->attr.exclude_hv = 0;
        return LS_OK;
    case 'p':
        if (e->attr.precise_ip == 3)
            return ls_fail(LS_ERR_ARG, "more than three p: precision goes from p to ppp");
        e->attr.precise_ip++;
        return LS_OK;
    case 'P':
        e->precise_max = true;
        return LS_OK;
    case 'I':
        e->attr.exclude_idle = 1;
        return LS_OK;
    case 'G':
        e->attr.exclude_host = 1;
        return LS_OK;
    case 'H':
        e->attr.exclude_guest = 1;
        return LS_OK;
    case 'D':
        e->attr.pinned = 1;
        return LS_OK;
    default:
        return ls_fail(LS_ERR_ARG,
                       "modifier '%c' is not known here: u k h (levels), p pp ppp P (precise), I G H D",
                       letter);
    }
}

static ls_err pe_modifiers(struct pe_event *e, const char *letters, size_t len)
{
    for (size_t i = 0; i < len; i++)
        LS_TRY(pe_modifier(e, letters[i]));
    return LS_OK;
}

/* --- events --------------------------------------------------------------------------------------------- */

static ls_err pe_take_type(const struct pe_sysfs *s, const char *pmu, struct pe_event *e)
{
    snprintf(e->pmu, sizeof(e->pmu), "%s", pmu);
    if (strcmp(pmu, "raw") == 0) {
        e->attr.type = PERF_TYPE_RAW;
        return LS_OK;
    }
    return pe_sysfs_type(s, pmu, &e->attr.type);
}

/* "PMU/TERMS/MODIFIERS" */
static ls_err pe_slash_event(const struct pe_sysfs *s, const char *text, size_t len, struct pe_event *e)
{
    char pmu[PE_PMU_BYTES], terms[PE_EVENT_BYTES];
    const char *first = memchr(text, '/', len);
    const char *second = memchr(first + 1, '/', len - (size_t)(first + 1 - text));
    if (!second)
        return ls_fail(LS_ERR_ARG, "event '%.*s': the second slash is missing (PMU/TERMS/)", (int)len, text);
    if ((size_t)(first - text) >= sizeof(pmu) || (size_t)(second - first) > sizeof(terms))
        return ls_fail(LS_ERR_ARG, "event '%.40s...' is too long", text);
    snprintf(pmu, sizeof(pmu), "%.*s", (int)(first - text), text);
    snprintf(terms, sizeof(terms), "%.*s", (int)(second - first - 1), first + 1);
    LS_TRY(pe_take_type(s, pmu, e));
    LS_TRY(pe_event_terms(s, terms, e));
    const char *letters = second + 1 + (second[1] == ':');
    return letters > text + len ? LS_OK : pe_modifiers(e, letters, (size_t)(text + len - letters));
}

/* "r1cd" as perf takes it; false when text is something else. */
static bool pe_raw_code(const char *text, size_t len, uint64_t *out)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    if (len < 2 || len > 17 || text[0] != 'r') return false;
    if (strspn(text + 1, digits) < len - 1) return false;
    char number[20];
    snprintf(number, sizeof(number), "%.*s", (int)len - 1, text + 1);
    *out = strtoull(number, NULL, 16);
    return true;
}

/* "rHEX:MODIFIERS" or "NAME:MODIFIERS" */
static ls_err pe_plain_event(const struct pe_sysfs *s, const char *text, size_t len, const char *default_pmu,
                             struct pe_event *e)
{
    const char *colon = memchr(text, ':', len);
    const size_t name_len = colon ? (size_t)(colon - text) : len;
    char name[PE_TERM_BYTES];
    uint64_t code = 0;
    if (name_len == 0 || name_len >= sizeof(name))
        return ls_fail(LS_ERR_ARG, "an event has no name or a very long one");
    snprintf(name, sizeof(name), "%.*s", (int)name_len, text);
    if (pe_raw_code(name, name_len, &code)) {
        LS_TRY(pe_take_type(s, "raw", e));
        e->attr.config = code;
    } else if (default_pmu) {
        LS_TRY(pe_take_type(s, default_pmu, e));
        LS_TRY(pe_event_terms(s, name, e));
    } else {
        return ls_fail(LS_ERR_ARG,
                       "'%s' is neither PMU/TERMS/ nor a raw code (r1cd) nor an event that sysfs names",
                       name);
    }
    return colon ? pe_modifiers(e, colon + 1, (size_t)(text + len - colon - 1)) : LS_OK;
}

static ls_err pe_one_event(const struct pe_sysfs *s, const char *text, size_t len, const char *default_pmu,
                           struct pe_event_group *g)
{
    if (len == 0) return ls_fail(LS_ERR_ARG, "an event is empty");
    if (g->len == PE_GROUP_MAX) return ls_fail(LS_ERR_ARG, "a group has more than %d events", PE_GROUP_MAX);
    struct pe_event *e = &g->events[g->len++];
    memset(e, 0, sizeof(*e));
    e->attr.size = sizeof(e->attr);
    return memchr(text, '/', len) ? pe_slash_event(s, text, len, e)
                                  : pe_plain_event(s, text, len, default_pmu, e);
}

/* Length of the event at text: up to a comma outside of slashes, or the end. */
static size_t pe_event_len(const char *text, size_t len)
{
    bool inside = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '/') inside = !inside;
        if (text[i] == ',' && !inside) return i;
    }
    return len;
}

static ls_err pe_event_list(const struct pe_sysfs *s, const char *text, size_t len, const char *default_pmu,
                            struct pe_event_group *g)
{
    for (size_t at = 0; at < len || at == 0;) {
        const size_t one = pe_event_len(text + at, len - at);
        LS_TRY(pe_one_event(s, text + at, one, default_pmu, g));
        at += one + 1;
    }
    return LS_OK;
}

ls_err pe_event_parse(const struct pe_sysfs *s, const char *text, const char *default_pmu,
                      struct pe_event_group *out)
{
    out->len = 0;
    if (text[0] != '{') {
        const size_t len = strlen(text);
        if (pe_event_len(text, len) < len)
            return ls_fail(LS_ERR_ARG, "'%.80s' names several events: put them into a group, {A,B}", text);
        return pe_one_event(s, text, len, default_pmu, out);
    }
    const char *end = strchr(text, '}');
    if (!end) return ls_fail(LS_ERR_ARG, "group '%.80s' has no closing brace", text);
    LS_TRY(pe_event_list(s, text + 1, (size_t)(end - text - 1), default_pmu, out));
    const char *letters = end + 1 + (end[1] == ':');
    for (unsigned i = 0; i < out->len; i++)
        LS_TRY(pe_modifiers(&out->events[i], letters, strlen(letters)));
    return LS_OK;
}

bool pe_event_take_bare(const char *text, char *out, size_t out_bytes)
{
    const size_t len = strcspn(text, ":");
    uint64_t code = 0;
    if (len == 0 || len >= out_bytes || strpbrk(text, "/{},")) return false;
    snprintf(out, out_bytes, "%.*s", (int)len, text);
    return !pe_raw_code(out, len, &code);
}

void pe_event_print(const char *pmu, const struct perf_event_attr *attr, char out[PE_EVENT_BYTES])
{
    size_t used =
        (size_t)snprintf(out, PE_EVENT_BYTES, "%s/config=0x%llx", pmu, (unsigned long long)attr->config);
    for (unsigned i = 1; i < PE_WORDS; i++) {
        const uint64_t *word = pe_attr_word((struct perf_event_attr *)attr, i);
        if (word && *word)
            used += (size_t)snprintf(out + used, PE_EVENT_BYTES - used, ",config%u=0x%llx", i,
                                     (unsigned long long)*word);
    }
    snprintf(out + used, PE_EVENT_BYTES - used, "/%.*s", (int)attr->precise_ip, "ppp");
}
