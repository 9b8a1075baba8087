/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of the machine, and phases, by slices of the run, for a page. */
#include "viz-export/view/vx_view_parts.h"

#include <stdlib.h>
#include <string.h>

enum { VX_SERIES_MAX = 64, VX_SPANS_MAX = 200 };

static const char *series_unit(const struct prof_counter *c, char out[64])
{
    const bool is_energy = strcmp(c->unit, "J") == 0 && !c->is_level;
    snprintf(out, 64, c->is_level || is_energy ? "%.40s" : "%.40s/s", is_energy ? "W" : c->unit);
    return out;
}

static ls_err series_counter(const struct vx_view *v, uint32_t counter, double *slices, struct ls_json *j)
{
    const struct prof_counter *c = &v->series->counters[counter];
    char text[256];
    LS_TRY(an_series_slices(v->series, counter, v->tiles->slices, slices));
    ls_json_open(j, NULL, '{');
    snprintf(text, sizeof(text), "%.60s %.180s", c->source, c->name);
    ls_json_text(j, "name", text);
    ls_json_text(j, "unit", series_unit(c, text));
    ls_json_text(j, "verified", c->verified);
    ls_json_open(j, "values", '[');
    for (uint32_t s = 0; s < v->tiles->slices; s++)
        ls_json_number(j, NULL, slices[s]);
    ls_json_close(j, ']');
    ls_json_close(j, '}');
    return LS_OK;
}

/* Spans of outer phases, of one thread for each phase: threads of one program go through them together. */
static void series_spans(const struct an_series_in *in, struct ls_json *j)
{
    size_t len = 0;
    ls_json_open(j, "spans", '[');
    for (uint32_t p = 0; p < in->phases_len; p++) {
        uint32_t thread = UINT32_MAX;
        for (size_t i = 0; i < in->spans_len && in->phases[p].parent == UINT32_MAX; i++) {
            const struct prof_phase_span *s = &in->spans[i];
            if (s->phase != p || (thread != UINT32_MAX && s->thread != thread) || len++ >= VX_SPANS_MAX)
                continue;
            thread = s->thread;
            ls_json_open(j, NULL, '{');
            ls_json_text(j, "name", in->phases[p].name);
            ls_json_number(j, "beginNs", (double)s->begin_ns);
            ls_json_number(j, "endNs", (double)(s->end_ns == UINT64_MAX ? in->duration_ns : s->end_ns));
            ls_json_close(j, '}');
        }
    }
    ls_json_close(j, ']');
}

ls_err vx_view_series(const struct vx_view *v, struct ls_json *j)
{
    const size_t len = v->series->counters_len < VX_SERIES_MAX ? v->series->counters_len : VX_SERIES_MAX;
    double *slices = calloc(v->tiles->slices + 1, sizeof(*slices));
    ls_err err = slices ? LS_OK : ls_nomem("series");
    ls_json_open(j, "series", '[');
    for (uint32_t c = 0; c < len && err == LS_OK; c++)
        err = series_counter(v, c, slices, j);
    ls_json_close(j, ']');
    if (err == LS_OK) series_spans(v->series, j);
    free(slices);
    return err;
}
