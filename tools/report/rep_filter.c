/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/rep_filter.h"
#include "analyse/an_filter.h"
#include "tools/cli/cli_parse.h"

#include <stdio.h>
#include <string.h>

enum { REP_WHY_BYTES = 256 };

/* Fail with the last error's text and the dimension whose name is nearest to `word`. */
static ls_err rep_fail_dimension(const char *option, const char *word, size_t len)
{
    char why[REP_WHY_BYTES];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    struct cli_nearest nearest = cli_nearest_to(word, len);
    for (const struct an_dimension *d = an_dimensions; d->name; d++)
        cli_nearest_offer(&nearest, d->name);
    const char *best = len > 0 ? cli_nearest_best(&nearest) : NULL;
    if (best) return ls_fail(LS_ERR_USAGE, "%s: %s; did you mean %s?", option, why, best);
    return ls_fail(LS_ERR_USAGE, "%s: %s; loadstone report --help lists them", option, why);
}

ls_err rep_by_parse(struct an_by *out, const char *text)
{
    if (an_by_parse(out, text) == LS_OK) return LS_OK;
    for (const char *at = text;; at++) {
        const size_t len = strcspn(at, ",");
        if (!an_dimension_named(at, len)) return rep_fail_dimension("--by", at, len);
        at += len;
        if (!*at) break;
    }
    char why[REP_WHY_BYTES];
    snprintf(why, sizeof(why), "%s", ls_last_error());
    return ls_fail(LS_ERR_USAGE, "--by %s: %s", text, why);
}

static ls_err rep_filter_parse(struct an_filter *out, const char *text)
{
    if (an_filter_parse(out, text) == LS_OK) return LS_OK;
    return rep_fail_dimension("--where", text, strcspn(text, "!="));
}

ls_err rep_filter_columns(const struct rep_options *o, uint64_t *mask)
{
    for (size_t i = 0; i < o->where_len; i++) {
        struct an_filter f;
        LS_TRY(rep_filter_parse(&f, o->where[i]));
        *mask |= f.dimension->columns;
    }
    return LS_OK;
}

/* The label nearest to value: its first words, as far as a person would type them. */
static ls_err rep_fail_value(const struct rep_options *o, const struct an_filter *f,
                             const struct an_tables *t, const struct prof_samples *s, const char *value)
{
    struct an_keys k;
    char best[AN_LABEL_BYTES] = "";
    const size_t len = strcspn(value, ",");
    struct cli_nearest nearest = cli_nearest_to(value, len);
    if (an_keys_init(&k, f->dimension, t, s) == LS_OK) {
        for (uint32_t n = 0; n < k.len; n++) {
            char label[AN_LABEL_BYTES], words[AN_LABEL_BYTES];
            const char *text = f->dimension->label(t, k.keys[n], label);
            const size_t before = nearest.best_distance;
            snprintf(words, sizeof(words), "%.*s", (int)strcspn(text, " "), text);
            cli_nearest_offer(&nearest, words);
            nearest.best = ""; /* words ends here */
            if (nearest.best_distance < before) snprintf(best, sizeof(best), "%s", words);
        }
    }
    an_keys_fini(&k);
    const int is_near = *best && cli_nearest_best(&nearest);
    return ls_fail(LS_ERR_USAGE,
                   is_near ? "--where: %s has no %s '%.*s'; did you mean %s?"
                           : "--where: %s has no %s '%.*s'; loadstone report --by %s %s lists them",
                   o->path, f->dimension->name, (int)len, value, is_near ? best : f->dimension->name,
                   o->path);
}

ls_err rep_filter_apply(struct rep_view *v)
{
    const struct rep_options *o = &v->options;
    for (size_t i = 0; i < o->where_len; i++) {
        struct an_filter f;
        const char *value = "";
        LS_TRY(rep_filter_parse(&f, o->where[i]));
        const ls_err err = an_filter_apply(&f, &v->tables, &v->in.samples, &v->keep, &value);
        if (err == LS_ERR_NOT_FOUND && !o->where_may_miss)
            return rep_fail_value(o, &f, &v->tables, &v->in.samples, value);
        if (err != LS_ERR_NOT_FOUND) LS_TRY(err);
        v->accesses_chosen |= !an_dimension_is_origin(f.dimension);
        if (err == LS_OK || f.is_negated) continue;
        memset(v->keep.samples, 0, v->in.samples.len);
        memset(v->keep.bursts, 0, v->tables.bursts_len);
    }
    return LS_OK;
}
