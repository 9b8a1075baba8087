/* SPDX-License-Identifier: BSD-3-Clause */
/* Gathers with two elements a store and rows fetched ahead, for one element and index type. Included with
 * these defined:
 *   KN_E, KN_I   element and index type
 *   KN_PAIR      vector of two elements, at any address
 *   KN_NAME(x)   this family's own name for x
 * and undefined again at the end. */
#define KN_ALWAYS static inline __attribute__((always_inline))

struct KN_NAME(state) {
    const KN_E *from;
    size_t step;
    KN_E *dense, *first, *limit;
    int64_t stride, ahead; /* elements; lone: one dense row, all steps are stride */
};

KN_ALWAYS size_t KN_NAME(index)(const struct kn_side *s, size_t j, bool levels)
{
    const KN_I i = ((const KN_I *)s->index)[j];
    return (size_t)(levels ? ((const KN_I *)s->inner)[i] : i);
}

KN_ALWAYS void KN_NAME(turn)(const struct kn_job *job, struct KN_NAME(state) * s, bool levels, bool lone,
                             int rows)
{
    const KN_E *from[PAIRED_ROWS];
    KN_E *to[PAIRED_ROWS];
    const size_t len = job->len, begin = KN_NAME(index)(&job->from, 0, levels);
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++)
    {
        from[r] = s->from;
        to[r] = s->dense;
        __builtin_prefetch(s->from + s->ahead + begin); /* beyond the array it does nothing */
        s->from += lone ? s->stride : job->from.steps[s->step];
        if (lone) continue;
        if (++s->step == job->from.steps_len) s->step = 0;
        s->dense += len;
        if (s->dense == s->limit) s->dense = s->first;
    }
    size_t j = 0;
    for (; j + 2 <= len; j += 2) {
        const size_t x = KN_NAME(index)(&job->from, j, levels), y = KN_NAME(index)(&job->from, j + 1, levels);
        _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++)
        {
            const KN_PAIR pair = {from[r][x], from[r][y]};
            *(volatile KN_PAIR *)(to[r] + j) = pair;
        }
    }
    if (j == len) return;
    const size_t x = KN_NAME(index)(&job->from, j, levels);
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) * (volatile KN_E *)(to[r] + j) = from[r][x];
}

KN_ALWAYS void KN_NAME(loop)(const struct kn_job *given, const struct kn_part *part, bool levels, bool lone)
{
    const struct kn_job job = *given; /* a copy: the stores cannot change it */
    const int64_t step = job.from.steps[0], step_bytes = (step < 0 ? -step : step) * (int64_t)sizeof(KN_E);
    const int64_t rows_ahead = step_bytes ? PAIRED_AHEAD_BYTES / step_bytes : 0;
    KN_E *const first = part->dense;
    struct KN_NAME(state) s = {(const KN_E *)job.from.base + part->base_from,
                               part->step_from,
                               first + job.len * (part->begin % job.wrap),
                               first,
                               first + job.len * job.wrap,
                               step,
                               (rows_ahead > PAIRED_ROWS ? rows_ahead : PAIRED_ROWS) * step};
    uint64_t i = part->begin;
    for (; i + PAIRED_ROWS <= part->end; i += PAIRED_ROWS)
        KN_NAME(turn)(&job, &s, levels, lone, PAIRED_ROWS);
    for (; i < part->end; i++)
        KN_NAME(turn)(&job, &s, levels, lone, 1);
}

static void KN_NAME(gather)(const struct kn_job *job, const struct kn_part *part)
{
    if (job->wrap == 1 && job->from.steps_len == 1)
        KN_NAME(loop)(job, part, false, true);
    else
        KN_NAME(loop)(job, part, false, false);
}

static void KN_NAME(multigather)(const struct kn_job *job, const struct kn_part *part)
{
    if (job->wrap == 1 && job->from.steps_len == 1)
        KN_NAME(loop)(job, part, true, true);
    else
        KN_NAME(loop)(job, part, true, false);
}
#undef KN_ALWAYS
#undef KN_E
#undef KN_I
#undef KN_PAIR
#undef KN_NAME
