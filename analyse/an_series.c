/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/an_series.h"

#include "common/ls_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_NS_PER_S 1e9

struct series_span {
    uint64_t begin_ns, end_ns;
};

/* Time of one phase: spans in order, which do not touch. */
struct series_time {
    struct series_span *spans;
    size_t len;
    uint64_t total_ns;
};

static int series_span_order(const void *a, const void *b)
{
    const struct series_span *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

/* Find the time in which any thread was in the phase; spans has room for all. */
static void series_time_of(const struct an_series_in *in, uint32_t phase, struct series_time *t)
{
    size_t len = 0;
    t->len = 0;
    t->total_ns = 0;
    if (phase == AN_SERIES_ALL) t->spans[len++] = (struct series_span){0, in->duration_ns};
    for (size_t i = 0; i < in->spans_len && phase != AN_SERIES_ALL; i++) {
        const struct prof_phase_span *s = &in->spans[i];
        const uint64_t end_ns = s->end_ns == UINT64_MAX ? in->duration_ns : s->end_ns;
        if (s->phase == phase && s->begin_ns < end_ns)
            t->spans[len++] = (struct series_span){s->begin_ns, end_ns};
    }
    qsort(t->spans, len, sizeof(*t->spans), series_span_order);
    for (size_t i = 0; i < len; i++) {
        struct series_span *last = t->len ? &t->spans[t->len - 1] : NULL;
        if (!last || t->spans[i].begin_ns > last->end_ns)
            t->spans[t->len++] = t->spans[i];
        else if (t->spans[i].end_ns > last->end_ns)
            last->end_ns = t->spans[i].end_ns;
    }
    for (size_t i = 0; i < t->len; i++)
        t->total_ns += t->spans[i].end_ns - t->spans[i].begin_ns;
}

/* Return the part of an interval that is inside the time. *from: the first span that later intervals may
 * touch. */
static uint64_t series_overlap(const struct series_time *t, const struct prof_reading *r, size_t *from)
{
    uint64_t sum_ns = 0;
    while (*from < t->len && t->spans[*from].end_ns <= r->begin_ns)
        ++*from;
    for (size_t i = *from; i < t->len && t->spans[i].begin_ns < r->end_ns; i++) {
        const uint64_t begin = t->spans[i].begin_ns > r->begin_ns ? t->spans[i].begin_ns : r->begin_ns;
        const uint64_t end = t->spans[i].end_ns < r->end_ns ? t->spans[i].end_ns : r->end_ns;
        sum_ns += end > begin ? end - begin : 0;
    }
    return sum_ns;
}

static void series_fill(const struct an_series_in *in, const struct series_time *t, struct an_series_row *row)
{
    const struct prof_counter *c = &in->counters[row->counter];
    double sum = 0;
    size_t from = 0;
    row->phase_ns = t->total_ns;
    row->most = NAN;
    for (size_t i = 0; i < in->readings_len; i++) {
        const struct prof_reading *r = &in->readings[i];
        if (r->counter != row->counter || r->end_ns <= r->begin_ns) continue;
        const uint64_t overlap_ns = series_overlap(t, r, &from), length_ns = r->end_ns - r->begin_ns;
        if (overlap_ns == 0) continue;
        if (r->gap != LS_GAP_NONE || !isfinite(r->value)) {
            row->gap_ns += overlap_ns;
            continue;
        }
        const double level = c->is_level ? r->value : r->value / (double)length_ns * SERIES_NS_PER_S;
        row->known_ns += overlap_ns;
        sum += level * (double)overlap_ns;
        row->most = fmax(row->most, level); /* fmax prefers a number */
    }
    row->mean = row->known_ns ? sum / (double)row->known_ns : NAN;
    row->amount = c->is_level || !row->known_ns ? NAN : sum / SERIES_NS_PER_S;
    row->share_of_roof = NAN;
}

static bool series_is_memory(const struct prof_counter *c)
{
    return c->kind == LS_COUNTER_READ || c->kind == LS_COUNTER_WRITTEN || c->kind == LS_COUNTER_MOVED;
}

/* Append the total of the memory counters of the source of the last row. */
static void series_total(const struct an_series_in *in, struct an_series *s, size_t first)
{
    const size_t end = s->len;
    struct an_series_row total = {.is_total = true, .counter = UINT32_MAX};
    for (size_t i = first; i < end; i++) {
        const struct an_series_row *row = &s->rows[i];
        if (!series_is_memory(&in->counters[row->counter])) continue;
        if (total.counter == UINT32_MAX) {
            total = *row;
            total.is_total = true;
            total.most = NAN; /* not the sum of the highest readings, which may be of different moments */
            continue;
        }
        total.amount += row->amount;
        total.mean += row->mean;
        if (row->known_ns < total.known_ns) total.known_ns = row->known_ns;
        if (row->gap_ns > total.gap_ns) total.gap_ns = row->gap_ns;
    }
    if (total.counter == UINT32_MAX) return;
    total.share_of_roof = total.mean / in->counters[total.counter].roof_per_s;
    s->rows[s->len++] = total;
}

static void series_phase(const struct an_series_in *in, uint32_t phase, const struct series_time *t,
                         struct an_series *s)
{
    size_t first = s->len;
    for (size_t c = 0; c < in->counters_len; c++) {
        struct an_series_row *row = &s->rows[s->len++];
        *row = (struct an_series_row){.phase = phase, .counter = (uint32_t)c};
        series_fill(in, t, row);
        if (c + 1 < in->counters_len && strcmp(in->counters[c].source, in->counters[c + 1].source) == 0)
            continue;
        series_total(in, s, first);
        first = s->len;
    }
}

ls_err an_series_init(struct an_series *out, const struct an_series_in *in)
{
    struct series_time t = {.spans = calloc(in->spans_len + 1, sizeof(*t.spans))};
    *out =
        (struct an_series){calloc((in->phases_len + 1) * (2 * in->counters_len + 1), sizeof(*out->rows)), 0};
    if (!t.spans || !out->rows) {
        free(t.spans);
        return ls_nomem("series");
    }
    for (size_t p = 0; p <= in->phases_len; p++) {
        const uint32_t phase = p == 0 ? AN_SERIES_ALL : (uint32_t)(p - 1);
        series_time_of(in, phase, &t);
        series_phase(in, phase, &t, out);
    }
    free(t.spans);
    return LS_OK;
}

/* The slice of a time; width_ns is not 0. */
static uint32_t series_slice(double time_ns, double width_ns, uint32_t slices)
{
    const double slice = time_ns / width_ns;
    return slice < slices ? (uint32_t)slice : slices - 1;
}

ls_err an_series_slices(const struct an_series_in *in, uint32_t counter, uint32_t slices, double *out)
{
    const double width_ns = (double)in->duration_ns / slices;
    double *known_ns = calloc(slices + 1, sizeof(*known_ns));
    if (!known_ns) return ls_nomem("series");
    memset(out, 0, slices * sizeof(*out));
    for (size_t i = 0; i < in->readings_len && width_ns > 0; i++) {
        const struct prof_reading *r = &in->readings[i];
        const double begin_ns = (double)r->begin_ns,
                     end_ns = fmin((double)r->end_ns, (double)in->duration_ns);
        if (r->counter != counter || !isfinite(r->value) || begin_ns >= end_ns) continue;
        const double rate = in->counters[counter].is_level
                                ? r->value
                                : r->value / (double)(r->end_ns - r->begin_ns) * SERIES_NS_PER_S;
        const uint32_t last = series_slice(end_ns, width_ns, slices);
        for (uint32_t s = series_slice(begin_ns, width_ns, slices); s <= last; s++) {
            const double part_ns = fmin(end_ns, (s + 1) * width_ns) - fmax(begin_ns, s * width_ns);
            if (part_ns <= 0) continue;
            out[s] += rate * part_ns;
            known_ns[s] += part_ns;
        }
    }
    for (uint32_t s = 0; s < slices; s++)
        out[s] = known_ns[s] > 0 ? out[s] / known_ns[s] : NAN;
    free(known_ns);
    return LS_OK;
}

void an_series_fini(struct an_series *s)
{
    free(s->rows);
    *s = (struct an_series){0};
}
