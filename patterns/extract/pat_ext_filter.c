/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_filter.h"

#include <stdlib.h>
#include <string.h>

/* ---- published modes ---- */

/* A row of a window: addresses in units of the access size. */
struct windows_row {
    uint32_t site, unit_bytes;
    uint32_t len, len_bytes;
};
struct window {
    struct windows_row *rows;
    uint64_t *units;   /* rows x units_most */
    uint32_t *slots;   /* open addressing by site: row + 1, valid in this generation */
    uint32_t *slot_of; /* generation of the slot */
    uint32_t len, generation;
};
struct pat_ext_windows {
    struct window windows[2]; /* loads, stores */
    uint32_t rows, units_most, row_bytes, slots;
    bool stays; /* a site that has gathered once is counted in every later window, too */
};

static uint32_t windows_slots(uint32_t rows)
{
    uint32_t slots = 64;
    while (slots < 2 * rows)
        slots *= 2;
    return slots;
}

uint64_t pat_ext_windows_bytes(const struct pat_extract_options *o)
{
    return 2 * (o->window_rows * (sizeof(struct windows_row) + o->window_bytes * sizeof(uint64_t)) +
                2 * windows_slots(o->window_rows) * sizeof(uint32_t));
}

void pat_ext_windows_free(struct pat_ext_windows *w)
{
    for (int i = 0; w && i < 2; i++) {
        free(w->windows[i].rows);
        free(w->windows[i].units);
        free(w->windows[i].slots);
        free(w->windows[i].slot_of);
    }
    free(w);
}

struct pat_ext_windows *pat_ext_windows_new(const struct pat_extract_options *o)
{
    struct pat_ext_windows *w = calloc(1, sizeof(*w));
    if (!w) return NULL;
    w->rows = o->window_rows;
    w->units_most = w->row_bytes = o->window_bytes; /* as many accesses as bytes, in case the size is 0 */
    w->slots = windows_slots(o->window_rows);
    w->stays = o->mode == PAT_MODE_V1 || o->mode == PAT_MODE_V2;
    bool is_whole = true;
    for (int i = 0; i < 2; i++) {
        struct window *x = &w->windows[i];
        x->rows = calloc(w->rows, sizeof(*x->rows));
        x->units = calloc((size_t)w->rows * w->units_most, sizeof(*x->units));
        x->slots = calloc(w->slots, sizeof(*x->slots));
        x->slot_of = calloc(w->slots, sizeof(*x->slot_of));
        x->generation = 1;
        is_whole = is_whole && x->rows && x->units && x->slots && x->slot_of;
    }
    if (is_whole) return w;
    pat_ext_windows_free(w);
    return NULL;
}

/* Return whether any address is more than one unit from the previous one. */
static bool window_gathers(const uint64_t *units, uint32_t len)
{
    for (uint32_t i = 1; i < len; i++)
        if (units[i] - units[i - 1] + 1 > 2) return true; /* not -1, 0, 1 */
    return false;
}

static void windows_analyse(struct pat_ext_windows *w, struct pat_ext_appearances *a)
{
    for (int i = 0; i < 2; i++) {
        struct window *x = &w->windows[i];
        for (uint32_t row = 0; row < x->len; row++) {
            struct pat_ext_seen *seen = &a->sites[x->rows[row].site];
            if (!(w->stays && seen->count) &&
                !window_gathers(&x->units[(size_t)row * w->units_most], x->rows[row].len))
                continue;
            if (!seen->count++) seen->order = ++a->orders;
        }
        x->len = 0;
        if (++x->generation == 0) {
            memset(x->slot_of, 0, w->slots * sizeof(*x->slot_of));
            x->generation = 1;
        }
    }
}

/* Return the slot of site, or the free one for it. */
static uint32_t window_slot(const struct pat_ext_windows *w, const struct window *x, uint32_t site)
{
    uint32_t i = (uint32_t)(site * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (w->slots - 1);
    while (x->slot_of[i] == x->generation && x->rows[x->slots[i]].site != site)
        i = (i + 1) & (w->slots - 1);
    return i;
}

/* Return the row of site with room left, a new one if needed; NULL: the window is full. */
static struct windows_row *window_row(struct pat_ext_windows *w, struct window *x, uint32_t site)
{
    const uint32_t slot = window_slot(w, x, site);
    if (x->slot_of[slot] == x->generation) {
        struct windows_row *row = &x->rows[x->slots[slot]];
        return row->len_bytes < w->row_bytes && row->len < w->units_most ? row : NULL;
    }
    if (x->len == w->rows) return NULL;
    x->slot_of[slot] = x->generation;
    x->slots[slot] = x->len;
    x->rows[x->len] = (struct windows_row){.site = site};
    return &x->rows[x->len++];
}

void pat_ext_windows_see(struct pat_ext_windows *w, struct pat_ext_appearances *a, uint32_t site,
                         const struct pat_site *s, uint64_t addr)
{
    struct window *x = &w->windows[s->op == PAT_OP_STORE];
    struct windows_row *row = window_row(w, x, site);
    if (!row) {
        windows_analyse(w, a);
        row = window_row(w, x, site);
    }
    x->units[(size_t)(row - x->rows) * w->units_most + row->len++] =
        addr / (s->size_bytes ? s->size_bytes : 1);
    row->len_bytes += s->size_bytes;
}

/* Rules of each version: many different distances, or far ones in sequences that are long enough. */
static const struct {
    bool is_more, is_far_more;    /* accesses, share of far ones: must exceed the limit, not only reach it */
    bool does_unique_need_length; /* many different distances do not suffice for a short sequence */
} published_modes[PAT_MODE_COUNT] = {
    [PAT_MODE_PAPER] = {false, false, true},
    [PAT_MODE_V1] = {true, true, true},
    [PAT_MODE_V2] = {true, true, false},
};

bool pat_ext_published_keeps(const struct pat_extract_options *o, const struct pat_ext_measured *m)
{
    const double share = m->weighted ? (double)m->far / (double)m->weighted : 0;
    const bool is_long =
        published_modes[o->mode].is_more ? m->accesses > o->accesses_min : m->accesses >= o->accesses_min;
    const bool is_far =
        published_modes[o->mode].is_far_more ? share > o->far_share_min : share >= o->far_share_min;
    const bool is_diverse = m->unique >= o->unique_min;
    if (m->is_trivial || !m->has_source) return false;
    if (published_modes[o->mode].does_unique_need_length) return is_long && (is_diverse || is_far);
    return is_diverse || (is_far && is_long);
}

/* ---- the costliest ---- */

/* A row while rows are sorted by group; then a group while groups are sorted by cost. */
struct choose_row {
    const void *group;
    size_t row; /* the first of its group */
    size_t len; /* rows of the group, starting here */
    double cost;
    bool passes;
};

static int choose_by_group(const void *a, const void *b)
{
    const struct choose_row *x = a, *y = b;
    if (x->group != y->group) return (uintptr_t)x->group < (uintptr_t)y->group ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int choose_by_cost(const void *a, const void *b)
{
    const struct choose_row *const *x = a, *const *y = b;
    if ((*x)->cost != (*y)->cost) return (*x)->cost > (*y)->cost ? -1 : 1;
    return ((*x)->row > (*y)->row) - ((*x)->row < (*y)->row);
}

/* Sum up each group in its first row; return the number of groups. */
static size_t choose_sum(struct choose_row *sorted, size_t len, struct choose_row **groups)
{
    size_t groups_len = 0;
    for (size_t i = 0; i < len; i++) {
        if (i == 0 || sorted[i].group != sorted[i - 1].group) {
            groups[groups_len++] = &sorted[i];
            continue;
        }
        struct choose_row *first = groups[groups_len - 1];
        first->cost += sorted[i].cost;
        first->passes |= sorted[i].passes;
        first->len++;
    }
    return groups_len;
}

static void choose_group(struct pat_ext_candidate *rows, const struct choose_row *first)
{
    for (size_t i = 0; i < first->len; i++)
        rows[first[i].row].is_chosen = true;
}

/* Return whether one of the first `top` rows that pass is in this group. */
static bool choose_has_top_row(const struct choose_row *first, size_t rows_end,
                               const struct pat_ext_candidate *rows)
{
    for (size_t i = 0; i < first->len && first[i].row < rows_end; i++)
        if (rows[first[i].row].passes) return true;
    return false;
}

ls_err pat_ext_choose(struct pat_ext_candidate *rows, size_t len, uint32_t top)
{
    struct choose_row *sorted = calloc(len + 1, sizeof(*sorted));
    struct choose_row **groups = calloc(len + 1, sizeof(struct choose_row *));
    size_t passed = 0, rows_end = 0, taken = 0;
    for (size_t i = 0; i < len; i++) {
        rows[i].is_chosen = false;
        if (rows[i].passes && passed++ < top) rows_end = i + 1;
    }
    if (sorted && groups) {
        for (size_t i = 0; i < len; i++)
            sorted[i] = (struct choose_row){rows[i].group, i, 1, rows[i].cost, rows[i].passes};
        qsort(sorted, len, sizeof(*sorted), choose_by_group);
        const size_t groups_len = choose_sum(sorted, len, groups);
        qsort(groups, groups_len, sizeof(*groups), choose_by_cost);
        for (size_t i = 0; i < groups_len; i++) {
            if (!groups[i]->passes) continue;
            if (taken++ < top || choose_has_top_row(groups[i], rows_end, rows)) choose_group(rows, groups[i]);
        }
    }
    const bool is_done = sorted && groups;
    free(sorted);
    free(groups);
    return is_done ? LS_OK : ls_nomem("choosing among %zu sequences", len);
}
