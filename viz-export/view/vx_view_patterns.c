/* SPDX-License-Identifier: BSD-3-Clause */
/* Access patterns of a page: for each a description, its origin, and a thousand of its indices. */
#include "patterns/pat_config.h"
#include "patterns/write/pat_write.h"
#include "viz-export/view/vx_view_parts.h"

#include <math.h>
#include <stdlib.h>

enum { VX_PATTERN_POINTS = 1000, VX_PATTERN_DISTANCES = 8, VX_PATTERN_TEXT = 512 };

static const struct pat_indices *vx_pattern_list(const struct pat_config *c)
{
    return c->kernel == PAT_GS ? &c->gather : &c->pattern;
}

/* Take every step-th index, so that the whole pattern fits in the points of a picture. */
static void vx_pattern_indices(const struct pat_indices *p, struct ls_json *j)
{
    size_t step = (p->len + VX_PATTERN_POINTS - 1) / VX_PATTERN_POINTS;
    if (step > 1) step |= 1; /* few patterns repeat themselves after an odd number of indices */
    if (step == 0) step = 1;
    ls_json_number(j, "len", (double)p->len);
    ls_json_number(j, "step", (double)step);
    ls_json_open(j, "indices", '[');
    for (size_t i = 0; i < p->len; i += step)
        ls_json_number(j, NULL, (double)p->data[i]);
    ls_json_close(j, ']');
}

static ls_err vx_pattern_distances(const struct pat_indices *p, struct ls_json *j)
{
    struct pat_distance *d;
    size_t len;
    LS_TRY(pat_distances(p, &d, &len));
    ls_json_number(j, "distancesLen", (double)len);
    ls_json_open(j, "distances", '[');
    for (size_t i = 0; i < len && i < VX_PATTERN_DISTANCES; i++) {
        ls_json_open(j, NULL, '[');
        ls_json_number(j, NULL, (double)d[i].distance);
        ls_json_number(j, NULL, (double)d[i].count);
        ls_json_close(j, ']');
    }
    ls_json_close(j, ']');
    free(d);
    return LS_OK;
}

static void vx_pattern_facts(const struct pat_found *r, struct ls_json *j)
{
    char where[VX_PATTERN_TEXT];
    pat_where_text(r, where, sizeof(where));
    ls_json_text(j, "name", r->config.name);
    ls_json_text(j, "where", where);
    ls_json_text(j, "class", pat_class_name(r->class));
    ls_json_text(j, "form", pat_form_name(r->form));
    ls_json_text(j, "formText", pat_form_text(r->form));
    ls_json_number(j, "costShare", r->cost_share);
    ls_json_number(j, "accessShare", r->access_share);
    ls_json_number(j, "accesses", (double)r->accesses);
    ls_json_number(j, "threads", r->threads);
    ls_json_number(j, "elementBytes", (double)r->elem_size_bytes);
    ls_json_number(j, "count", (double)r->config.count);
    ls_json_number(j, "delta", r->config.deltas.len ? (double)NAN : (double)r->config.delta);
    ls_json_number(j, "measuredPart", r->measures.part ? (double)r->measures.part : (double)NAN);
    ls_json_number(j, "spatial", r->measures.spatial);
    ls_json_number(j, "temporal", r->measures.temporal);
    ls_json_number(j, "entropyBits", r->measures.delta_entropy_bits);
    ls_json_number(j, "lineUtilisation", r->measures.line_utilisation);
    ls_json_number(j, "footprintBytes", (double)r->measures.footprint_bytes);
}

ls_err vx_view_patterns(const struct vx_view *v, struct ls_json *j)
{
    ls_json_open(j, "patterns", '[');
    for (size_t i = 0; v->patterns && i < v->patterns->len; i++) {
        const struct pat_found *r = &v->patterns->rows[i];
        ls_json_open(j, NULL, '{');
        vx_pattern_facts(r, j);
        vx_pattern_indices(vx_pattern_list(&r->config), j);
        LS_TRY(vx_pattern_distances(vx_pattern_list(&r->config), j));
        ls_json_close(j, '}');
    }
    ls_json_close(j, ']');
    return LS_OK;
}
