/* SPDX-License-Identifier: BSD-3-Clause */
/* Offsets over time (all and the first ones), distances, and their histogram: the pictures of the GS Patterns
 * paper. */
#include "common/ls_text.h"
#include "patterns/pat_describe.h"
#include "patterns/pat_config.h"
#include "tools/patterns/ptn_print.h"
#include "viz-export/charts/vx_chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PTN_SHOW_POINTS_MAX =
        20000,           /* largest number of drawn indices of a list; more would be indistinguishable */
    PTN_SHOW_ZOOM = 128, /* first indices of a long list, in an additional chart */
    PTN_SHOW_HISTOGRAM_MAX = 24, /* bars of single distances */
    PTN_SHOW_POWERS = 64,        /* powers of two on either side of 0 */
    PTN_SHOW_BARS_MAX = 2 * PTN_SHOW_POWERS + 1,
    PTN_SHOW_CHARTS = 4, /* charts per list */
    PTN_SHOW_LABEL_BYTES = 160
};

/* One list of one configuration, and the data that its charts refer to. */
struct ptn_show_sheet {
    const struct pat_indices *indices;
    double *at, *offsets, *deltas, *counts; /* every step-th index */
    double zoom_at[PTN_SHOW_ZOOM], zoom[PTN_SHOW_ZOOM];
    size_t drawn, step;
    char title[PTN_SHOW_LABEL_BYTES], note[PTN_SHOW_LABEL_BYTES];
    char (*name_texts)[40];
    const char **names;
    size_t names_len;
    struct vx_series series[PTN_SHOW_CHARTS];
};

struct ptn_show_book {
    struct ptn_show_sheet *sheets;
    struct vx_chart *charts;
    size_t sheets_len, charts_len;
};

static ls_err ptn_show_sheet_alloc(struct ptn_show_sheet *h)
{
    h->at = calloc(h->drawn, sizeof(double));
    h->offsets = calloc(h->drawn, sizeof(double));
    h->deltas = calloc(h->drawn, sizeof(double));
    h->counts = calloc(PTN_SHOW_BARS_MAX, sizeof(double));
    h->names = calloc(PTN_SHOW_BARS_MAX, sizeof(*h->names));
    h->name_texts = calloc(PTN_SHOW_BARS_MAX, sizeof(*h->name_texts));
    if (h->at && h->offsets && h->deltas && h->counts && h->names && h->name_texts) return LS_OK;
    return ls_nomem("a picture of %zu indices", h->indices->len);
}

static void ptn_show_book_fini(struct ptn_show_book *b)
{
    for (size_t i = 0; b->sheets && i < b->sheets_len; i++) {
        struct ptn_show_sheet *h = &b->sheets[i];
        void *const all[] = {h->at, h->offsets, h->deltas, h->counts, h->names, h->name_texts};
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
            free(all[k]);
    }
    free(b->sheets);
    free(b->charts);
}

/* Draw the most frequent distances first, and the rest as one bar. */
static void ptn_show_bars_by_count(struct ptn_show_sheet *h, const struct pat_distance *d, size_t len)
{
    size_t rest = 0;
    for (size_t i = 0; i < len; i++) {
        if (i >= PTN_SHOW_HISTOGRAM_MAX) {
            rest += d[i].count;
            continue;
        }
        snprintf(h->name_texts[i], sizeof(h->name_texts[i]), "%" PRId64, d[i].distance);
        h->counts[i] = (double)d[i].count;
        h->names_len = i + 1;
    }
    if (!rest) return;
    snprintf(h->name_texts[h->names_len], sizeof(h->name_texts[0]), "%zu others",
             len - PTN_SHOW_HISTOGRAM_MAX);
    h->counts[h->names_len++] = (double)rest;
}

/* Distances from 2^power to 2^(power + 1) - 1, and the same below 0. */
static void ptn_show_range_name(int64_t power, bool is_negative, char *out, size_t room)
{
    const uint64_t low = (uint64_t)1 << power, high = 2 * low - 1;
    const char *sign = is_negative ? "-" : "";
    if (low == high)
        snprintf(out, room, "%s%" PRIu64, sign, low);
    else if (power >= 20)
        snprintf(out, room, "%s2^%" PRId64 " to %s2^%" PRId64, sign, is_negative ? power + 1 : power, sign,
                 is_negative ? power : power + 1);
    else
        snprintf(out, room, "%s%" PRIu64 " to %s%" PRIu64, sign, is_negative ? high : low, sign,
                 is_negative ? low : high);
}

/* Count distances by magnitude (power of two), the lowest first, without empty ranges at the ends. */
static void ptn_show_bars_by_power(struct ptn_show_sheet *h, const struct pat_distance *d, size_t len)
{
    double sums[PTN_SHOW_BARS_MAX] = {0};
    int first = PTN_SHOW_BARS_MAX, last = 0;
    for (size_t i = 0; i < len; i++) {
        const int64_t x = d[i].distance;
        const uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
        const int power = size ? 63 - __builtin_clzll(size) : 0;
        const int bar = x == 0  ? PTN_SHOW_POWERS
                        : x > 0 ? PTN_SHOW_POWERS + 1 + power
                                : PTN_SHOW_POWERS - 1 - power;
        sums[bar] += (double)d[i].count;
        if (bar < first) first = bar;
        if (bar > last) last = bar;
    }
    for (int bar = first; bar <= last; bar++, h->names_len++) {
        const int from_zero = bar - PTN_SHOW_POWERS;
        h->counts[h->names_len] = sums[bar];
        if (from_zero == 0)
            strcpy(h->name_texts[h->names_len], "0");
        else
            ptn_show_range_name(from_zero > 0 ? from_zero - 1 : -from_zero - 1, from_zero < 0,
                                h->name_texts[h->names_len], sizeof(h->name_texts[0]));
    }
}

/* Draw single distances if the most frequent ones cover half of the list, otherwise their magnitudes. */
static ls_err ptn_show_histogram(struct ptn_show_sheet *h)
{
    struct pat_distance *d;
    size_t len, shown = 0;
    LS_TRY(pat_distances(h->indices, &d, &len));
    for (size_t i = 0; i < len && i < PTN_SHOW_HISTOGRAM_MAX; i++)
        shown += d[i].count;
    if (2 * shown >= h->indices->len - 1)
        ptn_show_bars_by_count(h, d, len);
    else
        ptn_show_bars_by_power(h, d, len);
    for (size_t i = 0; i < h->names_len; i++)
        h->names[i] = h->name_texts[i];
    free(d);
    return LS_OK;
}

static ls_err ptn_show_sheet_fill(struct ptn_show_sheet *h, const struct pat_config *c, size_t number,
                                  const struct ptn_show_list *l)
{
    char shape[PAT_TEXT_BYTES];
    h->indices = l->indices;
    h->step = (l->indices->len + PTN_SHOW_POINTS_MAX - 1) / PTN_SHOW_POINTS_MAX;
    if (h->step > 1) h->step |= 1; /* few patterns repeat themselves after an odd number of indices */
    h->drawn = (l->indices->len + h->step - 1) / h->step;
    LS_TRY(ptn_show_sheet_alloc(h));
    for (size_t i = 0; i < h->drawn; i++) {
        const int64_t *index = &l->indices->data[i * h->step];
        h->at[i] = (double)(i * h->step);
        h->offsets[i] = (double)index[0];
        h->deltas[i] = i * h->step + 1 < l->indices->len ? (double)(index[1] - index[0]) : NAN;
    }
    for (size_t i = 0; i < PTN_SHOW_ZOOM && i < l->indices->len; i++) {
        h->zoom[i] = (double)l->indices->data[i];
        h->zoom_at[i] = (double)i;
    }
    snprintf(h->title, sizeof(h->title), "config %zu%s%.80s, %s", number, *c->name ? " " : "", c->name,
             l->name);
    if (h->step > 1)
        snprintf(h->note, sizeof(h->note), "%s %s; one in %zu of %zu indices", pat_config_word(c),
                 pat_describe(c, shape), h->step, l->indices->len);
    else
        snprintf(h->note, sizeof(h->note), "%s %s", pat_config_word(c), pat_describe(c, shape));
    return ptn_show_histogram(h);
}

static struct vx_chart ptn_show_xy(struct ptn_show_sheet *h, size_t slot, size_t len, const double *x,
                                   const double *y)
{
    h->series[slot] = (struct vx_series){.label = "elements", .x = x, .y = y, .len = len};
    return (struct vx_chart){.kind = len > 200 ? VX_DOTS : VX_LINES,
                             .title = h->title,
                             .note = h->note,
                             .x_label = "place in the pattern",
                             .series = &h->series[slot],
                             .series_len = 1};
}

static void ptn_show_sheet_charts(struct ptn_show_book *b, struct ptn_show_sheet *h, enum ptn_show_what what)
{
    const bool all = what == PTN_SHOW_ALL;
    if (all || what == PTN_SHOW_OFFSETS) {
        b->charts[b->charts_len] = ptn_show_xy(h, 0, h->drawn, h->at, h->offsets);
        b->charts[b->charts_len++].y_label = "index, elements";
        if (h->drawn > 4 * PTN_SHOW_ZOOM) {
            b->charts[b->charts_len] = ptn_show_xy(h, 1, PTN_SHOW_ZOOM, h->zoom_at, h->zoom);
            b->charts[b->charts_len].note = "the first 128 indices";
            b->charts[b->charts_len++].y_label = "index, elements";
        }
    }
    if ((all || what == PTN_SHOW_DELTAS) && h->indices->len > 1) {
        const size_t len = h->step > 1 ? h->drawn : h->drawn - 1; /* the last index has no distance */
        b->charts[b->charts_len] = ptn_show_xy(h, 2, len, h->at, h->deltas);
        if (len <= 2000) b->charts[b->charts_len].kind = VX_STEMS;
        b->charts[b->charts_len++].y_label = "distance to the next index, elements";
    }
    if ((all || what == PTN_SHOW_HISTOGRAM) && h->names_len) {
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

static ls_err ptn_show_book_fill(struct ptn_show_book *b, const struct pat_suite *s,
                                 struct ptn_show_range range, enum ptn_show_what what)
{
    const size_t most = 3 * (range.end - range.begin);
    b->sheets = calloc(most, sizeof(*b->sheets));
    b->charts = calloc(most * PTN_SHOW_CHARTS, sizeof(*b->charts));
    if (!b->sheets || !b->charts) return ls_nomem("pictures of %zu patterns", most / 3);
    for (size_t i = range.begin; i < range.end; i++) {
        struct ptn_show_list lists[3];
        const size_t len = ptn_show_lists(&s->rows[i], lists);
        for (size_t k = 0; k < len; k++) {
            struct ptn_show_sheet *h = &b->sheets[b->sheets_len++];
            LS_TRY(ptn_show_sheet_fill(h, &s->rows[i], i, &lists[k]));
            ptn_show_sheet_charts(b, h, what);
        }
    }
    return LS_OK;
}

ls_err ptn_show_plot(const struct pat_suite *s, struct ptn_show_range range, enum ptn_show_what what,
                     const char *title, const char *path)
{
    struct ptn_show_book b = {0};
    char head[PTN_SHOW_LABEL_BYTES];
    snprintf(head, sizeof(head), "Patterns of %.100s", ls_base_name(title));
    ls_err err = ptn_show_book_fill(&b, s, range, what);
    const struct vx_page page = {.title = head, .charts = b.charts, .charts_len = b.charts_len};
    if (err == LS_OK) err = vx_page_write(&page, path);
    ptn_show_book_fini(&b);
    return err;
}
