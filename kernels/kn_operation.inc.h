/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that need no dense buffer, in plain C, one element after the other. Included with these
 * defined:
 *   KN_E, KN_I   element and index type
 *   KN_NAME(x)   this family's own name for x
 * and undefined again at the end. Each access happens by itself and in order (KN_AT). */
#define KN_ALWAYS static inline __attribute__((always_inline))
#define KN_AT(p) (*(volatile KN_E *)(p))

KN_ALWAYS size_t KN_NAME(index)(const struct kn_side *s, size_t j, bool levels)
{
    const KN_I i = ((const KN_I *)s->index)[j];
    return (size_t)(levels ? ((const KN_I *)s->inner)[i] : i);
}

/* The element behind row, where the next one begins. */
KN_ALWAYS KN_E *KN_NAME(next)(KN_E *row, const struct kn_side *s, size_t *step, bool lone)
{
    row += s->steps[lone ? 0 : *step];
    if (!lone && ++*step == s->steps_len) *step = 0;
    return row;
}

/* chained: the address of each load is made of the value of the one before, so that it waits for it; which
 * address comes out is the pattern's all the same. */
KN_ALWAYS void KN_NAME(load)(const struct kn_job *job, const struct kn_part *part, bool chained, bool levels,
                             bool lone)
{
    const struct kn_side s = job->from;
    KN_E *row = (KN_E *)s.base + part->base_from, sum = 0, last = 0, none = 0;
    size_t step = part->step_from;
    __asm__ volatile("" : "+r"(none)); /* 0, but the compiler does not know */
    for (uint64_t i = part->begin; i < part->end; i++) {
        for (size_t j = 0; j < job->len; j++) {
            const size_t at = KN_NAME(index)(&s, j, levels);
            last = KN_AT(row + at + (chained ? (last & none) : 0));
            sum += last;
        }
        row = KN_NAME(next)(row, &s, &step, lone);
    }
    *part->sum = sum;
}

KN_ALWAYS void KN_NAME(store)(const struct kn_job *job, const struct kn_part *part, bool updates, bool levels,
                              bool lone)
{
    const struct kn_side s = job->to;
    const KN_E lower = (KN_E)((KN_E) ~(KN_E)0 >> (4 * sizeof(KN_E)));
    KN_E *row = (KN_E *)s.base + part->base_to;
    size_t step = part->step_to;
    for (uint64_t i = part->begin; i < part->end; i++) {
        const KN_E value = (KN_E)(i + 1), tag = value & lower;
        for (size_t j = 0; j < job->len; j++) {
            KN_E *const at = row + KN_NAME(index)(&s, j, levels);
            KN_AT(at) = updates ? (KN_AT(at) & (KN_E)~lower) | tag : value;
        }
        row = KN_NAME(next)(row, &s, &step, lone);
    }
}

#define KN_DEFINE(name, does, side, flag, levels)                                   \
    static void KN_NAME(name)(const struct kn_job *job, const struct kn_part *part) \
    {                                                                               \
        if (job->side.steps_len == 1)                                               \
            KN_NAME(does)(job, part, flag, levels, true);                           \
        else                                                                        \
            KN_NAME(does)(job, part, flag, levels, false);                          \
    }
KN_DEFINE(reduce_gather, load, from, false, false)
KN_DEFINE(reduce_multigather, load, from, false, true)
KN_DEFINE(chase_gather, load, from, true, false)
KN_DEFINE(chase_multigather, load, from, true, true)
KN_DEFINE(fill_scatter, store, to, false, false)
KN_DEFINE(fill_multiscatter, store, to, false, true)
KN_DEFINE(update_scatter, store, to, true, false)
KN_DEFINE(update_multiscatter, store, to, true, true)
#undef KN_DEFINE
#undef KN_ALWAYS
#undef KN_AT
#undef KN_E
#undef KN_I
#undef KN_NAME
