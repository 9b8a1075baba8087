/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AN_VALUE_BYTES = 512 };

ls_err an_filter_parse(struct an_filter *out, const char *text)
{
    const size_t name = strcspn(text, "!=");
    const size_t sign = text[name] == '!' ? 2 : 1;
    if (text[name] == '\0' || text[name + sign - 1] != '=' || text[name + sign] == '\0')
        return ls_fail(LS_ERR_USAGE, "'%s' is not of the form dimension=value", text);
    *out = (struct an_filter){
        .dimension = an_dimension_named(text, name), .values = text + name + sign, .is_negated = sign == 2};
    return out->dimension ? LS_OK : ls_fail(LS_ERR_USAGE, "'%.*s' is no dimension", (int)name, text);
}

/* Does value equal the text or its first words, or match one of them as a pattern? */
static bool an_text_matches(const char *text, const char *value)
{
    const size_t len = strlen(value);
    if (strncmp(text, value, len) == 0 && (text[len] == '\0' || text[len] == ' ')) return true;
    if (!strpbrk(value, "*?[")) return false;
    char words[AN_LABEL_BYTES];
    snprintf(words, sizeof(words), "%.*s", (int)strcspn(text, " "), text);
    return fnmatch(value, text, 0) == 0 || fnmatch(value, words, 0) == 0;
}

static bool an_key_matches(const struct an_keys *k, const struct an_tables *t, uint32_t number,
                           const char *value, bool unqualified)
{
    char out[AN_LABEL_BYTES];
    const struct an_dimension *d = k->dimension;
    if (number < k->len && d->is_named && d->is_named(t, k->keys[number], value, unqualified)) return true;
    if (an_text_matches(an_keys_path(k, t, number, out), value)) return true;
    return number < k->len && an_text_matches(d->label(t, k->keys[number], out), value);
}

/* Also match the keys inside a matching key. */
static void an_inherit(const struct an_keys *k, const struct an_tables *t, uint8_t *matches)
{
    for (uint32_t n = 0; n < k->len; n++) {
        const uint32_t parent = an_keys_parent(k, t, n);
        matches[n] = (uint8_t)(matches[n] | (parent != AN_NO_KEY && matches[parent]));
    }
}

static bool an_mark(const struct an_keys *k, const struct an_tables *t, const char *value, uint8_t *matches)
{
    bool any = false;
    for (int unqualified = 0; !any && unqualified < 2; unqualified++)
        for (uint32_t n = 0; n <= k->len + 1; n++)
            if (an_key_matches(k, t, n, value, unqualified)) matches[n] = any = true;
    return any;
}

/* Try the text as one name, which may contain commas, such as foo<int, int>; otherwise it is a list. */
static ls_err an_mark_all(const struct an_filter *f, const struct an_keys *k, const struct an_tables *t,
                          uint8_t *matches, const char **out_value)
{
    if (an_mark(k, t, f->values, matches)) return LS_OK;
    for (const char *at = f->values;; at++) {
        char value[AN_VALUE_BYTES];
        const size_t len = strcspn(at, ",");
        snprintf(value, sizeof(value), "%.*s", (int)len, at);
        if (!an_mark(k, t, value, matches)) {
            *out_value = at;
            return ls_fail(LS_ERR_NOT_FOUND, "there is no %s '%s'", f->dimension->name, value);
        }
        at += len;
        if (!*at) return LS_OK;
    }
}

static ls_err an_filter_by_keys(const struct an_filter *f, const struct an_keys *k, const struct an_tables *t,
                                uint8_t *matches, const char **out_value)
{
    LS_TRY(an_mark_all(f, k, t, matches, out_value));
    an_inherit(k, t, matches);
    return LS_OK;
}

ls_err an_filter_apply(const struct an_filter *f, const struct an_tables *t, const struct prof_samples *s,
                       const struct an_keep *keep, const char **out_value)
{
    struct an_keys k;
    struct an_tables by_file = *t;
    by_file.by_file = true; /* a value may be FILE:FUNCTION */
    ls_err err = an_keys_init(&k, f->dimension, &by_file, s);
    uint8_t *matches = err == LS_OK ? calloc(k.len + 2u, 1) : NULL;
    if (err == LS_OK && !matches) err = ls_nomem("filtering %u keys", k.len);
    if (err == LS_OK) err = an_filter_by_keys(f, &k, t, matches, out_value);
    for (uint64_t i = 0; err == LS_OK && i < s->len; i++)
        if ((bool)matches[an_keys_dense(&k, k.number_of_sample[i])] == f->is_negated) keep->samples[i] = 0;
    for (size_t b = 0; err == LS_OK && b < t->bursts_len; b++)
        if ((bool)matches[an_keys_dense(&k, k.number_of_burst[b])] == f->is_negated) keep->bursts[b] = 0;
    free(matches);
    an_keys_fini(&k);
    return err;
}
