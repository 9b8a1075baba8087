/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/replay/kn_job.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- folds ---- */

/* Distances wrap around: adding a distance that overflowed gives the correct index. */
static int64_t distance(const int64_t *index, size_t j, size_t len)
{
    return (int64_t)((uint64_t)index[j + len] - (uint64_t)index[j]);
}

static bool folds(const int64_t *index, size_t len, size_t fold)
{
    if (len % fold != 0) return false;
    for (size_t j = 1; j + fold < len; j++)
        if (distance(index, j, fold) != distance(index, 0, fold)) return false;
    return true;
}

/* Merge pairs of short rows while the overhead of a turn exceeds the cost of its accesses. */
static struct kn_fold widened(struct kn_fold f)
{
    while (f.len > 1 && 2 * f.len <= KN_FOLD_WIDE && f.times % 2 == 0 && f.times > 2) {
        f.len *= 2;
        f.times /= 2;
        f.step = (int64_t)(2 * (uint64_t)f.step);
    }
    return f;
}

struct kn_fold kn_fold_find(const int64_t *index, size_t len)
{
    for (size_t fold = 1; fold <= KN_HELD_MAX && fold <= len / 2; fold++)
        if (folds(index, len, fold))
            return widened((struct kn_fold){fold, len / fold, distance(index, 0, fold)});
    return (struct kn_fold){len, 1, 0};
}

/* ---- runs of equal steps ---- */

enum { STEPS_A_RUN_MIN = 4 };

static size_t count_runs(const int64_t *steps, size_t len)
{
    size_t runs = len > 0;
    for (size_t i = 1; i < len; i++)
        runs += steps[i] != steps[i - 1];
    return runs;
}

ls_err kn_runs_init(const int64_t *steps, size_t len, struct kn_runs *out)
{
    const size_t runs = count_runs(steps, len);
    *out = (struct kn_runs){NULL, 0};
    if (len > 1 && runs > len / STEPS_A_RUN_MIN) return LS_OK;
    out->rows = calloc(runs + 1, sizeof(*out->rows));
    if (!out->rows) return ls_nomem("%zu runs of steps", runs);
    for (size_t i = 0; i < len; i++) {
        if (i == 0 || steps[i] != steps[i - 1]) out->rows[out->len++].step = steps[i];
        out->rows[out->len - 1].rows++;
    }
    if (runs == 1) out->rows[0].rows = UINT64_MAX;
    return LS_OK;
}

struct kn_run_at kn_runs_find(const struct kn_runs *r, uint64_t step)
{
    struct kn_run_at at = {0, 0};
    while (at.run < r->len && step >= r->rows[at.run].rows)
        step -= r->rows[at.run++].rows;
    if (at.run < r->len) at.left = r->rows[at.run].rows - step;
    return at;
}

void kn_runs_fini(struct kn_runs *r)
{
    free(r->rows);
    *r = (struct kn_runs){NULL, 0};
}
