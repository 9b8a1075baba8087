/* SPDX-License-Identifier: BSD-3-Clause */
#include "traffic/trf_sampler.h"

#include "common/ls_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- request ---- */

/* "traffic, net, power, perf, ...": groups, then sources. */
static void request_names(char *out, size_t out_bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (int sources = 0; sources < 2; sources++)
        for (const struct trf_source *const *s = trf_sources; *s && used < out_bytes; s++) {
            const char *name = sources ? (*s)->name : (*s)->group;
            char with_comma[64];
            snprintf(with_comma, sizeof(with_comma), "%s,", name);
            if (!*name || strstr(out, with_comma)) continue;
            used += (size_t)snprintf(out + used, out_bytes - used, "%s%s%s,", used ? " " : "", name,
                                     (*s)->takes_metrics ? ":METRIC" : "");
        }
    if (used && used < out_bytes) out[used - 1] = '\0';
}

static ls_err request_unknown(const char *word)
{
    char names[256];
    request_names(names, sizeof(names));
    return ls_fail(LS_ERR_USAGE, "--series: there is no series '%s'; there are %s", word, names);
}

static ls_err request_word(char *word, struct trf_request *r, size_t *metrics_len)
{
    char *metric = strchr(word, ':');
    bool found = false;
    if (metric) *metric++ = '\0';
    for (size_t i = 0; trf_sources[i]; i++) {
        const struct trf_source *s = trf_sources[i];
        const bool is_group = *word && !metric && strcmp(word, s->group) == 0;
        const bool is_named = !is_group && strcmp(word, s->name) == 0;
        if (!is_group && !is_named) continue;
        if (is_named && s->takes_metrics != (metric && *metric))
            return s->takes_metrics
                       ? ls_fail(LS_ERR_USAGE, "--series: %s needs a metric: %s:METRIC", s->name, s->name)
                       : ls_fail(LS_ERR_USAGE, "--series: %s takes no metric", s->name);
        if (metric && *metrics_len == TRF_METRICS_MAX)
            return ls_fail(LS_ERR_USAGE, "--series: more than %d metrics", TRF_METRICS_MAX);
        if (metric) r->metrics[(*metrics_len)++] = metric;
        *(is_named ? &r->by_name[i] : &r->by_group[i]) = found = true;
    }
    return found ? LS_OK : request_unknown(word);
}

ls_err trf_request_parse(const char *text, struct trf_request *out)
{
    size_t metrics_len = 0;
    memset(out, 0, sizeof(*out));
    if ((size_t)snprintf(out->text, sizeof(out->text), "%s", text) >= sizeof(out->text))
        return ls_fail(LS_ERR_USAGE, "--series: the list is too long");
    char *rest = out->text;
    for (char *word; (word = strsep(&rest, ","));)
        LS_TRY(request_word(word, out, &metrics_len));
    return LS_OK;
}

/* ---- sampler ---- */

enum { SAMPLER_WHY_BYTES = 512 };

struct sampler_source {
    const struct trf_source *source;
    struct trf_opened opened;
    size_t first; /* series */
};

/* State of a series since the last reading. */
struct sampler_last {
    struct trf_reading reading;
    enum ls_gap gap;       /* that lasts */
    uint64_t gap_begin_ns; /* when it began */
};

struct trf_sampler {
    struct trf_use use;
    struct sampler_source sources[TRF_SOURCES_MAX];
    size_t sources_len;
    LS_VECTOR(struct trf_series) series;
    struct sampler_last *last;
    struct trf_reading *now; /* the reading in progress */
    uint64_t *read_ns;       /* by source: when it was read last; 0: never */
};

/* Verify an opened source. Errors: LS_ERR_UNSUPPORTED: it is not to be believed. */
static ls_err sampler_verify(const trf_sampler *s, const struct sampler_source *row, struct trf_verdict *out)
{
    *out = (struct trf_verdict){.is_good = true,
                                .read = NAN,
                                .written = NAN,
                                .moved = NAN,
                                .roof_per_s = NAN,
                                .text = "not compared with anything known"};
    if (row->source->check != TRF_CHECK_STREAM || !s->use.verify) return LS_OK;
    LS_TRY(s->use.verify(s->use.user, row->source, &row->opened, out));
    if (out->is_good) return LS_OK;
    return ls_fail(LS_ERR_UNSUPPORTED,
                   "%s: not used. On an idle machine, remove ~/.cache/loadstone/counters-* to compare again",
                   out->text);
}

static ls_err sampler_open(trf_sampler *s, const struct trf_machine *m, const struct trf_source *source,
                           const struct trf_request *r, char why[SAMPLER_WHY_BYTES])
{
    struct sampler_source *row = &s->sources[s->sources_len];
    *row = (struct sampler_source){.source = source, .first = s->series.len};
    ls_err err = source->open(m, source->takes_metrics ? r->metrics : NULL, &row->opened);
    struct trf_verdict verdict;
    if (err == LS_OK) err = sampler_verify(s, row, &verdict);
    if (err == LS_ERR_USAGE || err == LS_ERR_NOMEM || err == LS_OK) s->sources_len++;
    for (size_t i = 0; i < row->opened.counters.len && err == LS_OK; i++) {
        const struct trf_series one = {source, row->opened.counters.rows[i], verdict};
        err = LS_VECTOR_ADD(&s->series, one);
    }
    if (err == LS_OK || err == LS_ERR_USAGE || err == LS_ERR_NOMEM) return err;
    snprintf(why, SAMPLER_WHY_BYTES, "series %s: %s", source->name, ls_last_error());
    source->close(row->opened.state);
    free(row->opened.counters.rows);
    return LS_OK;
}

/* Does any source of the group work? */
static bool sampler_has_group(const trf_sampler *s, const char *group)
{
    for (size_t k = 0; k < s->sources_len; k++)
        if (strcmp(s->sources[k].source->group, group) == 0) return true;
    return false;
}

static ls_err sampler_open_all(trf_sampler *s, const struct trf_machine *m, const struct trf_request *r)
{
    char why[TRF_SOURCES_MAX][SAMPLER_WHY_BYTES] = {""};
    for (size_t i = 0; trf_sources[i]; i++)
        if (r->by_name[i] || r->by_group[i]) LS_TRY(sampler_open(s, m, trf_sources[i], r, why[i]));
    for (size_t i = 0; trf_sources[i] && s->use.note; i++)
        if (*why[i] && (r->by_name[i] || !sampler_has_group(s, trf_sources[i]->group)))
            s->use.note(s->use.user, why[i]);
    return LS_OK;
}

ls_err trf_sampler_new(const struct trf_machine *m, const struct trf_request *r, const struct trf_use *use,
                       trf_sampler **out)
{
    trf_sampler *s = calloc(1, sizeof(*s));
    if (!s) return ls_nomem("series");
    s->use = *use;
    ls_err err = sampler_open_all(s, m, r);
    s->last = calloc(s->series.len + 1, sizeof(*s->last));
    s->now = calloc(s->series.len + 1, sizeof(*s->now));
    s->read_ns = calloc(s->sources_len + 1, sizeof(*s->read_ns));
    if (err == LS_OK && (!s->last || !s->now || !s->read_ns)) err = ls_nomem("series");
    if (err != LS_OK) {
        trf_sampler_free(s);
        return err;
    }
    *out = s;
    return LS_OK;
}

const struct trf_series *trf_sampler_series(const trf_sampler *s, size_t *out_len)
{
    *out_len = s->series.len;
    return s->series.rows;
}

/* Return the growth of a counter; *gap is RESET if it is not known. */
static double sampler_growth(const struct trf_counter *c, uint64_t before, uint64_t now, enum ls_gap *gap)
{
    if (now >= before) return (double)(now - before) * c->scale;
    if (c->range > before) return (double)(c->range - before + now) * c->scale;
    *gap = LS_GAP_RESET;
    return NAN;
}

static void sampler_end_gap(trf_sampler *s, size_t i, uint64_t end_ns)
{
    struct sampler_last *last = &s->last[i];
    if (last->gap == LS_GAP_NONE) return;
    const struct trf_point p = {(uint32_t)i, last->gap, last->gap_begin_ns, end_ns, NAN};
    s->use.point(s->use.user, &p);
    last->gap = LS_GAP_NONE;
}

/* Turn two readings into a point. An interval whose begin or end is missing is a gap; neighbouring gaps of one
 * reason are one. */
static void sampler_take(trf_sampler *s, size_t i, uint64_t begin_ns, uint64_t end_ns)
{
    const struct trf_counter *c = &s->series.rows[i].counter;
    struct sampler_last *last = &s->last[i];
    const struct trf_reading before = last->reading, now = s->now[i];
    enum ls_gap gap = now.gap;
    double value = NAN;
    last->reading = now;
    if (gap == LS_GAP_NONE && !c->is_level) gap = before.gap;
    if (gap == LS_GAP_NONE && c->is_level)
        value = now.level * c->scale;
    else if (gap == LS_GAP_NONE)
        value = sampler_growth(c, before.count, now.count, &gap);
    if (gap != LS_GAP_NONE && gap == last->gap) return; /* the series continues */
    sampler_end_gap(s, i, begin_ns);
    if (gap != LS_GAP_NONE) {
        last->gap = gap;
        last->gap_begin_ns = begin_ns;
        return;
    }
    const struct trf_point p = {(uint32_t)i, LS_GAP_NONE, begin_ns, end_ns, value};
    s->use.point(s->use.user, &p);
}

static void sampler_read_source(trf_sampler *s, size_t k)
{
    const struct sampler_source *source = &s->sources[k];
    const uint64_t before_ns = s->read_ns[k], now_ns = ls_clock_mono_ns();
    struct trf_reading *now = &s->now[source->first];
    memset(now, 0, source->opened.counters.len * sizeof(*now));
    source->source->read(source->opened.state, now);
    for (size_t i = source->first; i < source->first + source->opened.counters.len; i++)
        if (before_ns)
            sampler_take(s, i, before_ns, now_ns);
        else
            s->last[i].reading = s->now[i];
    s->read_ns[k] = now_ns;
}

void trf_sampler_read(trf_sampler *s)
{
    for (size_t k = 0; k < s->sources_len; k++)
        if (ls_clock_mono_ns() - s->read_ns[k] >= s->sources[k].source->renewed_ns) sampler_read_source(s, k);
}

void trf_sampler_finish(trf_sampler *s)
{
    for (size_t k = 0; k < s->sources_len; k++)
        if (s->read_ns[k] && s->sources[k].source->renewed_ns) sampler_read_source(s, k);
    for (size_t k = 0; k < s->sources_len; k++)
        for (size_t i = 0; i < s->sources[k].opened.counters.len; i++)
            sampler_end_gap(s, s->sources[k].first + i, s->read_ns[k]);
}

void trf_sampler_free(trf_sampler *s)
{
    if (!s) return;
    for (size_t k = 0; k < s->sources_len; k++) {
        s->sources[k].source->close(s->sources[k].opened.state);
        free(s->sources[k].opened.counters.rows);
    }
    free(s->series.rows);
    free(s->last);
    free(s->now);
    free(s->read_ns);
    free(s);
}
