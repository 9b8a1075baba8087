/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that need no dense buffer, in plain C, one element after the other. Included with these
 * defined:
 *   KN_E, KN_I   element and index type
 *   KN_NAME(x)   this family's own name for x
 * and undefined again at the end. Each access is one instruction, in the order of the pattern (KN_ALONE), and
 * what surrounds it is as little as a loop would have: indices of short rows, or of what a row is folded to,
 * stay in registers as the constant offsets of an inner loop do, and equal steps that follow each other are
 * one step and a count. */
#define KN_ALWAYS static inline __attribute__((always_inline))
#define KN_UNROLLED _Pragma("GCC unroll 4")
#define KN_ALONE() __asm__ volatile("" ::: "memory")
#define KN_CAT_(a, b) a##b
#define KN_CAT(a, b) KN_CAT_(a, b)

/* X(n) each element of a row that is short enough for registers */
#define KN_HELD(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
_Static_assert(KN_HELD_MAX == 8, "a row in registers has an X for each element");

/* What passes from one access to the next. */
struct KN_NAME(state) {
    KN_E sum, last, none; /* none: 0, but the compiler does not know */
    KN_E value;           /* what the row stores */
};

/* How rows are walked; all constants where it is called. */
struct KN_NAME(way) {
    enum pat_operation does;
    bool levels, runs, folds;
    size_t held; /* elements that are in registers: of a row, or of a fold; 0: none */
};

struct KN_NAME(held) {
#define KN_FIELD(n) size_t KN_CAT(at, n);
    KN_HELD(KN_FIELD)
#undef KN_FIELD
};

/* A value that came by a list of indices is loaded by itself, as where a loop multiplies it first; one at a
 * constant offset is added from where it is. Of a chain the address of each load is made of the value of the
 * one before, so that it waits for it; which address comes out is the pattern's all the same. An update
 * changes the element where it is. */
KN_ALWAYS void KN_NAME(access)(KN_E *place, enum pat_operation does, bool listed, struct KN_NAME(state) * s)
{
    if (does == PAT_OPERATION_REDUCE) s->sum += listed ? *(volatile KN_E *)place : *place;
    if (does == PAT_OPERATION_FILL) *place = s->value;
    if (does == PAT_OPERATION_UPDATE) *place |= s->value;
    if (does == PAT_OPERATION_CHASE) {
        s->last = place[s->last & s->none];
        s->sum += s->last;
    }
    KN_ALONE();
}

KN_ALWAYS size_t KN_NAME(index)(const struct kn_side *s, size_t j, bool levels)
{
    const KN_I i = ((const KN_I *)s->index)[j];
    return (size_t)(levels ? ((const KN_I *)s->inner)[i] : i);
}

KN_ALWAYS struct KN_NAME(held) KN_NAME(hold)(const struct kn_side *s, size_t held)
{
    struct KN_NAME(held) h = {0};
#define KN_READ(n) \
    if (held > n) h.KN_CAT(at, n) = KN_NAME(index)(s, n, false);
    KN_HELD(KN_READ)
#undef KN_READ
    return h;
}

/* What row i stores: kn_value_filled, or its bit, kn_value_tag. */
KN_ALWAYS KN_E KN_NAME(value)(uint64_t i, enum pat_operation does)
{
    return (KN_E)(does == PAT_OPERATION_UPDATE ? kn_value_tag(i, sizeof(KN_E))
                                               : kn_value_filled(i, sizeof(KN_E)));
}

/* What the row after it stores. */
KN_ALWAYS KN_E KN_NAME(value_after)(KN_E value, enum pat_operation does)
{
    if (does != PAT_OPERATION_UPDATE) return value + 1;
    const uint32_t half = (uint32_t)value;
    return sizeof(KN_E) == 8 ? half << 1 | half >> 31 : (uint16_t)(half << 1 | half >> 15);
}

/* A short row. Its sum is its own until it ends: one does not wait for the one before. */
KN_ALWAYS void KN_NAME(held_row)(KN_E *row, const struct KN_NAME(held) * h, struct KN_NAME(way) way,
                                 struct KN_NAME(state) * state)
{
    const KN_E total = state->sum;
    state->sum = 0;
#define KN_DO(n) \
    if (way.held > n) KN_NAME(access)(row + h->KN_CAT(at, n), way.does, false, state);
    KN_HELD(KN_DO)
#undef KN_DO
    state->sum += total;
}

KN_ALWAYS void KN_NAME(row)(KN_E *row, const struct kn_side *s, size_t len, const struct KN_NAME(held) * h,
                            struct KN_NAME(way) way, struct KN_NAME(state) * state)
{
    if (way.held && !way.folds) KN_NAME(held_row)(row, h, way, state);
    if (way.folds)
        KN_UNROLLED for (size_t f = 0; f < s->fold.times; f++, row += s->fold.step)
            KN_NAME(held_row)(row, h, way, state);
    for (size_t j = 0; way.held == 0 && j < len; j++)
        KN_NAME(access)(row + KN_NAME(index)(s, j, way.levels), way.does, true, state);
    state->value = KN_NAME(value_after)(state->value, way.does);
}

/* The rows of a part: run by run, or with a step of its own for each. */
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

/* By how many elements are held; rows that are folded are long enough for a look at the step of each. */
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
    /* extracted patterns have elements of 8 bytes: the others do without */
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
#undef KN_HELD
#undef KN_CAT
#undef KN_CAT_
#undef KN_ALONE
#undef KN_UNROLLED
#undef KN_ALWAYS
#undef KN_E
#undef KN_I
#undef KN_NAME
