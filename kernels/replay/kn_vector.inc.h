/* SPDX-License-Identifier: BSD-3-Clause */
/* The five kernels by vector instructions, for one element type and index type. Included with these defined:
 *   KN_E, KN_I                 element and index type
 *   KN_LANES                   elements a vector
 *   KN_MASK, KN_MASK_OF(n)     type of a mask, the mask of the first n lanes, 1 <= n <= KN_LANES
 *   KN_LOAD_INDEX(p, m)        indices from p
 *   KN_INNER(p, i, m)          indices p[i]
 *   KN_LOAD(p, m), KN_STORE(p, v, m)           elements from and to neighbouring addresses
 *   KN_GATHER(p, i, m), KN_SCATTER(p, i, v, m) elements from and to p[i]; the last of equal indices wins
 *   KN_NAME(x)                 this family's own name for x
 * and undefined again at the end, but for KN_LANES and KN_MASK's. */
#define KN_ALWAYS static inline __attribute__((always_inline))

enum KN_NAME(kind) { KN_NAME(kind_gather), KN_NAME(kind_scatter), KN_NAME(kind_gs) };

#define KN_INDEX(side, j, m)                                                                                \
    (levels ? KN_INNER((const KN_I *)(side)->inner, KN_LOAD_INDEX((const KN_I *)(side)->index + (j), m), m) \
            : KN_LOAD_INDEX((const KN_I *)(side)->index + (j), m))

KN_ALWAYS void KN_NAME(vector)(const struct kn_job *job, KN_E *from, KN_E *to, size_t j, KN_MASK m,
                               enum KN_NAME(kind) kind, bool levels)
{
    if (kind == KN_NAME(kind_gather))
        KN_STORE(to + j, KN_GATHER(from, KN_INDEX(&job->from, j, m), m), m);
    else if (kind == KN_NAME(kind_scatter))
        KN_SCATTER(to, KN_INDEX(&job->to, j, m), KN_LOAD(from + j, m), m);
    else
        KN_SCATTER(to, KN_INDEX(&job->to, j, m), KN_GATHER(from, KN_INDEX(&job->from, j, m), m), m);
}
#undef KN_INDEX

struct KN_NAME(cursor) {
    KN_E *at;
    size_t step;
};

KN_ALWAYS void KN_NAME(advance)(struct KN_NAME(cursor) * c, const struct kn_side *s)
{
    c->at += s->steps[c->step];
    if (++c->step == s->steps_len) c->step = 0;
}

KN_ALWAYS void KN_NAME(loop)(const struct kn_job *job, const struct kn_part *part, enum KN_NAME(kind) kind,
                             bool levels)
{
    struct KN_NAME(cursor) from = {(KN_E *)job->from.base + part->base_from, part->step_from};
    struct KN_NAME(cursor) to = {(KN_E *)job->to.base + part->base_to, part->step_to};
    const size_t len = job->len, full = len / KN_LANES * KN_LANES;
    KN_E *const first = part->dense, *const limit = first + len * job->wrap;
    KN_E *dense = first + len * (part->begin % job->wrap);
    for (uint64_t i = part->begin; i < part->end; i++) {
        KN_E *f = kind == KN_NAME(kind_scatter) ? dense : from.at,
             *t = kind == KN_NAME(kind_gather) ? dense : to.at;
        for (size_t j = 0; j < full; j += KN_LANES)
            KN_NAME(vector)(job, f, t, j, KN_MASK_OF(KN_LANES), kind, levels);
        if (full < len) KN_NAME(vector)(job, f, t, full, KN_MASK_OF(len - full), kind, levels);
        __asm__ volatile("" ::: "memory"); /* every row is stored, also where the next one overwrites it */
        if (kind != KN_NAME(kind_scatter)) KN_NAME(advance)(&from, &job->from);
        if (kind != KN_NAME(kind_gather)) KN_NAME(advance)(&to, &job->to);
        dense += len;
        if (dense == limit) dense = first;
    }
}

#define KN_DEFINE(kernel, kind, levels)                                               \
    static void KN_NAME(kernel)(const struct kn_job *job, const struct kn_part *part) \
    {                                                                                 \
        KN_NAME(loop)(job, part, KN_NAME(kind), levels);                              \
    }
KN_DEFINE(gather, kind_gather, false)
KN_DEFINE(scatter, kind_scatter, false)
KN_DEFINE(gs, kind_gs, false)
KN_DEFINE(multigather, kind_gather, true)
KN_DEFINE(multiscatter, kind_scatter, true)
#undef KN_DEFINE
#undef KN_ALWAYS
#undef KN_E
#undef KN_I
#undef KN_NAME
#undef KN_LOAD_INDEX
#undef KN_INNER
#undef KN_LOAD
#undef KN_STORE
#undef KN_GATHER
#undef KN_SCATTER
