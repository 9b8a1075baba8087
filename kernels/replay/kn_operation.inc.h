/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that need no dense buffer, one element after the other, over whole parts of a job. Included
 * with the macros that kn_access.inc.h requires; undefines them at the end. Consecutive equal steps between
 * rows are one step and a count. */
#include "kernels/replay/kn_access.inc.h"

/* How rows are walked; all constants where it is called. */
struct KN_NAME(way) {
    enum pat_operation does;
    bool levels, runs, folds;
    size_t held; /* elements of a row or of a fold that are in registers; 0: none */
};

KN_ALWAYS void KN_NAME(row)(KN_E *row, const struct kn_side *s, size_t len, const struct KN_NAME(held) * h,
                            struct KN_NAME(way) way, struct KN_NAME(state) * state)
{
    if (way.held && !way.folds) KN_NAME(held_row)(row, h, way.held, way.does, state);
    if (way.folds && way.held == 1) /* one instruction walks, as in a loop: processors learn its stride */
        for (size_t f = 0; f < s->fold.times; f++, row += s->fold.step)
            KN_NAME(held_row)(row, h, 1, way.does, state);
    else if (way.folds)
        KN_UNROLLED for (size_t f = 0; f < s->fold.times; f++, row += s->fold.step)
            KN_NAME(held_row)(row, h, way.held, way.does, state);
    if (way.held == 0) {
        KN_EACH(j, len, way.does, KN_NAME(access)(row + KN_NAME(index)(s, j, way.levels), way.does, state));
    }
    state->value = KN_NAME(value_after)(state->value, way.does);
}

/* Walk over the rows of a part: run by run, or with a separate step for each row. */
KN_ALWAYS void KN_NAME(walk)(const struct kn_job *job, const struct kn_part *part, struct KN_NAME(way) way)
{
    const bool loads = way.does == PAT_OPERATION_REDUCE || way.does == PAT_OPERATION_CHASE;
    const struct kn_side s = loads ? job->from : job->to;
    struct kn_run_at at = loads ? part->run_from : part->run_to;
    struct KN_NAME(state) state = {.value = KN_NAME(value)(part->begin, way.does)};
    KN_E *row = (KN_E *)s.base + (loads ? part->base_from : part->base_to);
    size_t step = loads ? part->step_from : part->step_to;
    const struct KN_NAME(held) held = KN_NAME(hold)(&s, way.held);
    __asm__ volatile("" : "+r"(state.none));
    for (uint64_t i = part->begin; i < part->end;) {
        const uint64_t left = part->end - i, rows = !way.runs ? 1 : at.left < left ? at.left : left;
        const int64_t by = way.runs ? s.runs[at.run].step : s.steps[step];
        for (const uint64_t end = i + rows; i < end; i++, row += by)
            KN_NAME(row)(row, &s, job->len, &held, way, &state);
        if (way.runs && ++at.run == s.runs_len) at.run = 0;
        if (way.runs) at.left = s.runs[at.run].rows;
        if (!way.runs && ++step == s.steps_len) step = 0;
    }
    if (loads) *part->sum = state.sum;
}

/* Select the loop by the number of indices in registers. Folded rows are so long that checking the step of
 * each row costs little. */
#define KN_WALK(n)                                                                             \
    if (holds && folds && side->fold.len == n + 1) {                                           \
        KN_NAME(walk)(job, part, (struct KN_NAME(way)){does, false, false, true, n + 1});      \
        return;                                                                                \
    }                                                                                          \
    if (holds && !folds && job->len == n + 1) {                                                \
        if (side->runs_len)                                                                    \
            KN_NAME(walk)(job, part, (struct KN_NAME(way)){does, false, true, false, n + 1});  \
        else                                                                                   \
            KN_NAME(walk)(job, part, (struct KN_NAME(way)){does, false, false, false, n + 1}); \
        return;                                                                                \
    }
KN_ALWAYS void KN_NAME(walk_len)(const struct kn_job *job, const struct kn_side *side,
                                 const struct kn_part *part, enum pat_operation does)
{
    /* only for elements of 8 bytes, as in extracted patterns */
    const bool holds = sizeof(KN_E) == 8, folds = side->fold.times > 1;
    KN_HELD(KN_WALK)
    KN_NAME(walk)(job, part, (struct KN_NAME(way)){does, false, false, false, 0});
}

#define KN_DEFINE(name, does, side)                                                 \
    static void KN_NAME(name)(const struct kn_job *job, const struct kn_part *part) \
    {                                                                               \
        KN_NAME(walk_len)(job, &job->side, part, PAT_OPERATION_##does);             \
    }
#define KN_DEFINE_LEVELS(name, does)                                                                  \
    static void KN_NAME(name)(const struct kn_job *job, const struct kn_part *part)                   \
    {                                                                                                 \
        KN_NAME(walk)(job, part, (struct KN_NAME(way)){PAT_OPERATION_##does, true, false, false, 0}); \
    }
KN_DEFINE(reduce_gather, REDUCE, from)
KN_DEFINE_LEVELS(reduce_multigather, REDUCE)
KN_DEFINE(chase_gather, CHASE, from)
KN_DEFINE_LEVELS(chase_multigather, CHASE)
KN_DEFINE(fill_scatter, FILL, to)
KN_DEFINE_LEVELS(fill_multiscatter, FILL)
KN_DEFINE(update_scatter, UPDATE, to)
KN_DEFINE_LEVELS(update_multiscatter, UPDATE)
#undef KN_DEFINE
#undef KN_DEFINE_LEVELS
#undef KN_WALK
#include "kernels/replay/kn_access_end.inc.h"
