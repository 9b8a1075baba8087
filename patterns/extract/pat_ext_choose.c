/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_choose.h"

#include <stdlib.h>

/* A row while rows are sorted by groups, then a group while these are sorted by cost. */
struct choose_row {
    const void *group;
    size_t row; /* the first of its group */
    size_t len; /* rows of the group, from here on */
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

/* Sums of the groups, in the first row of each; returns how many there are. */
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

/* Does the first `top` rows that pass have one of this group? */
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
