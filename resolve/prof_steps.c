/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "resolve/prof_fields.h"

#include "common/ls_sorted.h"
#include "common/ls_vector.h"
#include "resolve/prof_phases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A span of a phase at the top. */
struct prof_top_span {
    uint64_t begin_ns, end_ns;
    const char *name;
    uint32_t phase;
    uint32_t number; /* how often its phase was entered, from 1; 0: once only */
};
typedef LS_VECTOR(struct prof_top_span) prof_top_list;

static bool prof_is_top(const struct prof_step_source *from, const struct prof_phase_span *s)
{
    return from->threads[s->thread].process == from->process &&
           from->phases[s->phase].parent == PROF_NO_PHASE;
}

static int prof_compare_tops(const void *a, const void *b)
{
    const struct prof_top_span *x = a, *y = b;
    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static ls_err prof_tops_collect(const struct prof_step_source *from, prof_top_list *out)
{
    uint32_t thread = UINT32_MAX;
    for (size_t i = 0; i < from->spans_len; i++) {
        const struct prof_phase_span *s = &from->spans[i];
        if (!prof_is_top(from, s) || (thread != UINT32_MAX && s->thread != thread)) continue;
        thread = s->thread;
        LS_TRY(LS_VECTOR_ADD(out, (struct prof_top_span){.begin_ns = s->begin_ns,
                                                         .end_ns = s->end_ns,
                                                         .name = from->phases[s->phase].name,
                                                         .phase = s->phase}));
    }
    if (out->len > 1) qsort(out->rows, out->len, sizeof(*out->rows), prof_compare_tops);
    return LS_OK;
}

static ls_err prof_tops_number(prof_top_list *l, size_t phases_len)
{
    uint32_t *counts = calloc(phases_len + 1, sizeof(*counts));
    if (!counts) return ls_nomem("steps");
    for (size_t i = 0; i < l->len; i++)
        l->rows[i].number = ++counts[l->rows[i].phase];
    for (size_t i = 0; i < l->len; i++)
        if (counts[l->rows[i].phase] == 1) l->rows[i].number = 0;
    free(counts);
    return LS_OK;
}

static void prof_top_name(const prof_top_list *l, size_t i, char **out)
{
    const struct prof_top_span *s = &l->rows[i];
    if ((s->number ? asprintf(out, "%s #%u", s->name, s->number) : asprintf(out, "%s", s->name)) < 0)
        *out = NULL;
}

/* Spans [first, end) together. */
static char *prof_step_label(const prof_top_list *l, size_t first, size_t end)
{
    char *from = NULL, *to = NULL, *both = NULL;
    prof_top_name(l, first, &from);
    if (end - first == 1) return from;
    prof_top_name(l, end - 1, &to);
    if (!from || !to || asprintf(&both, "%s .. %s", from, to) < 0) both = NULL;
    free(from);
    free(to);
    return both;
}

/* Return the number of spans until the first phase comes again: one iteration. */
static size_t prof_tops_period(const prof_top_list *l)
{
    for (size_t i = 1; i < l->len; i++)
        if (l->rows[i].phase == l->rows[0].phase) return i;
    return 1;
}

/* Return the number of spans in a step: one, or whole iterations as long as at least two steps remain. */
static size_t prof_tops_joined(const prof_top_list *l, uint32_t max)
{
    const size_t joined = (l->len + max - 1) / max, period = prof_tops_period(l);
    const size_t whole = (joined + period - 1) / period * period;
    return joined == 1 || whole >= l->len ? joined : whole;
}

static ls_err prof_steps_of_phases(struct prof_steps *out, const prof_top_list *l, uint32_t max)
{
    const size_t joined = prof_tops_joined(l, max);
    for (size_t first = 0; first < l->len; first += joined) {
        const size_t end = first + joined < l->len ? first + joined : l->len;
        struct prof_step *s = &out->rows[out->len];
        s->begin_ns = l->rows[first].begin_ns;
        s->end_ns = l->rows[end - 1].end_ns;
        if (end < l->len && l->rows[end].begin_ns < s->end_ns) s->end_ns = l->rows[end].begin_ns;
        s->label = prof_step_label(l, first, end);
        out->len++;
        if (!s->label) return ls_nomem("steps");
    }
    return LS_OK;
}

static ls_err prof_steps_of_slices(struct prof_steps *out, const struct prof_step_source *from, uint32_t max)
{
    const uint32_t slices = from->slices < max ? from->slices : max;
    for (uint32_t i = 0; i < slices; i++) {
        struct prof_step *s = &out->rows[out->len++];
        s->begin_ns = (uint64_t)((double)from->duration_ns * i / slices);
        s->end_ns = i + 1 == slices ? UINT64_MAX : (uint64_t)((double)from->duration_ns * (i + 1) / slices);
        if (asprintf(&s->label, "%.3g s", (double)s->begin_ns / 1e9) < 0) {
            s->label = NULL;
            return ls_nomem("steps");
        }
    }
    return LS_OK;
}

ls_err prof_steps_init(struct prof_steps *out, const struct prof_step_source *from, uint32_t max)
{
    prof_top_list tops = {0};
    *out = (struct prof_steps){0};
    if (max < 2 || from->slices == 1) return LS_OK;
    ls_err e = from->slices ? LS_OK : prof_tops_collect(from, &tops);
    if (e == LS_OK && (from->slices || tops.len >= 2)) {
        out->rows = calloc(max, sizeof(*out->rows));
        e = out->rows ? prof_tops_number(&tops, from->phases_len) : ls_nomem("%u steps", max);
        if (e == LS_OK)
            e = from->slices ? prof_steps_of_slices(out, from, max) : prof_steps_of_phases(out, &tops, max);
    }
    free(tops.rows);
    return e;
}

void prof_steps_fini(struct prof_steps *s)
{
    for (uint32_t i = 0; i < s->len; i++)
        free(s->rows[i].label);
    free(s->rows);
    *s = (struct prof_steps){0};
}

uint32_t prof_steps_find(const struct prof_steps *s, uint64_t time_ns)
{
    size_t begun;
    LS_COUNT_FIRST(begun, s->len, i, s->rows[i].begin_ns <= time_ns);
    return begun > 0 && time_ns < s->rows[begun - 1].end_ns ? (uint32_t)begun - 1 : PROF_NO_STEP;
}
