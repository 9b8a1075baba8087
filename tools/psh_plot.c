/* SPDX-License-Identifier: BSD-3-Clause */
/* Offsets over time (all and the first ones), distances, and their histogram: the pictures of the GS Patterns
 * paper. */
#include "patterns/pat_describe.h"
#include "patterns/pat_distances.h"
#include "tools/psh_print.h"
#include "viz-export/vx_chart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PSH_POINTS_MAX = 20000, /* drawn of a list; more would be one blot */
    PSH_ZOOM = 128,         /* of a long list the first ones again */
    PSH_HISTOGRAM_MAX = 24, /* distances of their own */
    PSH_CHARTS = 4,         /* of a list */
    PSH_LABEL_BYTES = 160
};

/* One list of one configuration, and what its charts point at. */
struct psh_sheet {
    const struct pat_indices *indices;
    double *at, *offsets, *deltas, *counts;
    size_t drawn;
    char title[PSH_LABEL_BYTES], note[PSH_LABEL_BYTES];
    char (*name_texts)[40];
    const char **names;
    size_t names_len;
    struct vx_series series[PSH_CHARTS];
};

struct psh_book {
    struct psh_sheet *sheets;
    struct vx_chart *charts;
    size_t sheets_len, charts_len;
};

static ls_err psh_sheet_alloc(struct psh_sheet *h)
{
    h->at = calloc(h->drawn, sizeof(double));
    h->offsets = calloc(h->drawn, sizeof(double));
    h->deltas = calloc(h->drawn, sizeof(double));
    h->counts = calloc(PSH_HISTOGRAM_MAX + 1, sizeof(double));
    h->names = calloc(PSH_HISTOGRAM_MAX + 1, sizeof(*h->names));
    h->name_texts = calloc(PSH_HISTOGRAM_MAX + 1, sizeof(*h->name_texts));
    if (h->at && h->offsets && h->deltas && h->counts && h->names && h->name_texts) return LS_OK;
    return ls_fail(LS_ERR_NOMEM, "no memory for a picture of %zu indices", h->indices->len);
}

static void psh_book_fini(struct psh_book *b)
{
    for (size_t i = 0; b->sheets && i < b->sheets_len; i++) {
        struct psh_sheet *h = &b->sheets[i];
        void *const all[] = {h->at, h->offsets, h->deltas, h->counts, h->names, h->name_texts};
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
            free(all[k]);
    }
    free(b->sheets);
    free(b->charts);
}

/* Most frequent first, the rest in one bar. */
static ls_err psh_histogram(struct psh_sheet *h)
{
    struct pat_distance *d;
    size_t len, rest = 0;
    LS_TRY(pat_distances(h->indices, &d, &len));
    for (size_t i = 0; i < len; i++) {
        if (i < PSH_HISTOGRAM_MAX) {
            snprintf(h->name_texts[i], sizeof(h->name_texts[i]), "%" PRId64, d[i].distance);
            h->counts[i] = (double)d[i].count;
            h->names_len = i + 1;
        } else {
            rest += d[i].count;
        }
    }
    if (rest) {
        snprintf(h->name_texts[h->names_len], sizeof(h->name_texts[0]), "%zu others",
                 len - PSH_HISTOGRAM_MAX);
        h->counts[h->names_len++] = (double)rest;
    }
    for (size_t i = 0; i < h->names_len; i++)
        h->names[i] = h->name_texts[i];
    free(d);
    return LS_OK;
}

static ls_err psh_sheet_fill(struct psh_sheet *h, const struct pat_config *c, size_t number,
                             const struct psh_list *l)
{
    char shape[PAT_TEXT_BYTES];
    h->indices = l->indices;
    h->drawn = l->indices->len < PSH_POINTS_MAX ? l->indices->len : PSH_POINTS_MAX;
    LS_TRY(psh_sheet_alloc(h));
    for (size_t i = 0; i < h->drawn; i++) {
        h->at[i] = (double)i;
        h->offsets[i] = (double)l->indices->data[i];
        h->deltas[i] = i + 1 < l->indices->len ? (double)(l->indices->data[i + 1] - l->indices->data[i]) : 0;
    }
    snprintf(h->title, sizeof(h->title), "config %zu%s%.40s, %s", number, *c->name ? " " : "", c->name,
             l->name);
    snprintf(h->note, sizeof(h->note),
             h->drawn < l->indices->len ? "%s %s; the first %zu of %zu indices" : "%s %s",
             pat_kernel_name(c->kernel), pat_describe(c, shape), h->drawn, l->indices->len);
    return psh_histogram(h);
}

static struct vx_chart psh_xy(struct psh_sheet *h, size_t slot, size_t len, const double *y)
{
    h->series[slot] = (struct vx_series){.label = "elements", .x = h->at, .y = y, .len = len};
    return (struct vx_chart){.kind = len > 200 ? VX_DOTS : VX_LINES,
                             .title = h->title,
                             .note = h->note,
                             .x_label = "place in the pattern",
                             .series = &h->series[slot],
                             .series_len = 1};
}

static void psh_sheet_charts(struct psh_book *b, struct psh_sheet *h, enum psh_what what)
{
    const bool all = what == PSH_ALL;
    if (all || what == PSH_OFFSETS) {
        b->charts[b->charts_len] = psh_xy(h, 0, h->drawn, h->offsets);
        b->charts[b->charts_len++].y_label = "index, elements";
        if (h->drawn > 4 * PSH_ZOOM) {
            b->charts[b->charts_len] = psh_xy(h, 1, PSH_ZOOM, h->offsets);
            b->charts[b->charts_len].note = "the first 128 indices";
            b->charts[b->charts_len++].y_label = "index, elements";
        }
    }
    if ((all || what == PSH_DELTAS) && h->indices->len > 1) {
        const size_t len = h->drawn < h->indices->len ? h->drawn : h->drawn - 1;
        b->charts[b->charts_len] = psh_xy(h, 2, len, h->deltas);
        if (len <= 2000) b->charts[b->charts_len].kind = VX_STEMS;
        b->charts[b->charts_len++].y_label = "distance to the next index, elements";
    }
    if ((all || what == PSH_HISTOGRAM) && h->names_len) {
        h->series[3] = (struct vx_series){.label = "times", .y = h->counts, .len = h->names_len};
        b->charts[b->charts_len++] = (struct vx_chart){.kind = VX_BARS,
                                                       .title = h->title,
                                                       .note = "how often each distance (in elements) occurs",
                                                       .x_label = "distance, elements",
                                                       .y_label = "times",
                                                       .series = &h->series[3],
                                                       .series_len = 1,
                                                       .names = h->names,
                                                       .names_len = h->names_len};
    }
}

static ls_err psh_book_fill(struct psh_book *b, const struct pat_suite *s, struct psh_range range,
                            enum psh_what what)
{
    const size_t most = 3 * (range.end - range.begin);
    b->sheets = calloc(most, sizeof(*b->sheets));
    b->charts = calloc(most * PSH_CHARTS, sizeof(*b->charts));
    if (!b->sheets || !b->charts)
        return ls_fail(LS_ERR_NOMEM, "no memory for pictures of %zu patterns", most / 3);
    for (size_t i = range.begin; i < range.end; i++) {
        struct psh_list lists[3];
        const size_t len = psh_lists(&s->rows[i], lists);
        for (size_t k = 0; k < len; k++) {
            struct psh_sheet *h = &b->sheets[b->sheets_len++];
            LS_TRY(psh_sheet_fill(h, &s->rows[i], i, &lists[k]));
            psh_sheet_charts(b, h, what);
        }
    }
    return LS_OK;
}

ls_err psh_plot(const struct pat_suite *s, struct psh_range range, enum psh_what what, const char *title,
                const char *path)
{
    struct psh_book b = {0};
    char head[PSH_LABEL_BYTES];
    const char *base = strrchr(title, '/');
    snprintf(head, sizeof(head), "Patterns of %.100s", base ? base + 1 : title);
    ls_err err = psh_book_fill(&b, s, range, what);
    const struct vx_page page = {.title = head, .charts = b.charts, .charts_len = b.charts_len};
    if (err == LS_OK) err = vx_page_write(&page, path);
    psh_book_fini(&b);
    return err;
}
