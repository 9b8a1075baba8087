/* SPDX-License-Identifier: BSD-3-Clause */
/* The five kernels in plain C, for one element type, index type and way to store. Included with these
 * defined:
 *   KN_E, KN_I      element and index type
 *   KN_PUT(p, v)    store v to *p; the compiler neither removes nor merges it
 *   KN_END()        after the last store of a part
 *   KN_ROWS         rows moved side by side
 *   KN_UNROLL       elements per iteration of the inner loop
 *   KN_NAME(x)      this family's own name for x
 * and undefined again at the end. The order of stores to one element is the order of rows: where side by side
 * would break it, kn_variant.c does not offer it. */
#define KN_ALWAYS static inline __attribute__((always_inline))

struct KN_NAME(cursor) {
    KN_E *at;
    size_t step;
};

struct KN_NAME(rows) {
    KN_E *row[KN_ROWS];
};

/* Advance the cursor, and return the beginnings of the next rows; lone: all steps are the same. */
KN_ALWAYS struct KN_NAME(rows)
    KN_NAME(next)(struct KN_NAME(cursor) * c, const struct kn_side *s, bool lone, int rows)
{
    struct KN_NAME(rows) out;
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++)
    {
        out.row[r] = c->at;
        c->at += s->steps[lone ? 0 : c->step];
        if (!lone && ++c->step == s->steps_len) c->step = 0;
    }
    return out;
}

/* Return the beginnings of the next dense rows; lone: there is only one row. */
KN_ALWAYS struct KN_NAME(rows)
    KN_NAME(next_dense)(KN_E **at, KN_E *first, const struct kn_job *job, bool lone, int rows)
{
    struct KN_NAME(rows) out;
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++)
    {
        out.row[r] = *at;
        if (lone) continue;
        *at += job->len;
        if (*at == first + job->len * job->wrap) *at = first;
    }
    return out;
}

KN_ALWAYS size_t KN_NAME(index)(const struct kn_side *s, size_t j)
{
    const KN_I i = ((const KN_I *)s->index)[j];
    return (size_t)(s->inner ? ((const KN_I *)s->inner)[i] : i);
}

enum KN_NAME(kind) { KN_NAME(kind_gather), KN_NAME(kind_scatter), KN_NAME(kind_gs) };

struct KN_NAME(state) {
    struct KN_NAME(cursor) from, to;
    KN_E *dense;
};

KN_ALWAYS void KN_NAME(element)(const struct kn_job *job, const struct KN_NAME(rows) * from,
                                const struct KN_NAME(rows) * to, enum KN_NAME(kind) kind, size_t j, int rows)
{
    const size_t f = kind == KN_NAME(kind_scatter) ? j : KN_NAME(index)(&job->from, j);
    const size_t t = kind == KN_NAME(kind_gather) ? j : KN_NAME(index)(&job->to, j);
    _Pragma("GCC unroll 8") for (int r = 0; r < rows; r++) KN_PUT(to->row[r] + t, from->row[r][f]);
}

/* rows rows from the state's cursors on. */
KN_ALWAYS void KN_NAME(turn)(const struct kn_job *job, const struct kn_part *part, struct KN_NAME(state) * s,
                             enum KN_NAME(kind) kind, bool lone, int rows)
{
    struct KN_NAME(rows) from, to;
    if (kind == KN_NAME(kind_scatter))
        from = KN_NAME(next_dense)(&s->dense, (KN_E *)part->dense, job, lone, rows);
    else
        from = KN_NAME(next)(&s->from, &job->from, lone, rows);
    if (kind == KN_NAME(kind_gather))
        to = KN_NAME(next_dense)(&s->dense, (KN_E *)part->dense, job, lone, rows);
    else
        to = KN_NAME(next)(&s->to, &job->to, lone, rows);
    size_t j = 0;
    for (; j + KN_UNROLL <= job->len; j += KN_UNROLL)
        _Pragma("GCC unroll 8") for (int u = 0; u < KN_UNROLL; u++)
            KN_NAME(element)(job, &from, &to, kind, j + (size_t)u, rows);
    if (KN_UNROLL > 1)
        for (; j < job->len; j++)
            KN_NAME(element)(job, &from, &to, kind, j, rows);
}

KN_ALWAYS void KN_NAME(loop)(const struct kn_job *given, const struct kn_part *part, enum KN_NAME(kind) kind,
                             bool lone, bool levels)
{
    struct kn_job job = *given; /* a copy: the stores below cannot change it */
    if (!levels) job.from.inner = job.to.inner = NULL;
    struct KN_NAME(state) s = {{(KN_E *)job.from.base + part->base_from, part->step_from},
                               {(KN_E *)job.to.base + part->base_to, part->step_to},
                               (KN_E *)part->dense + job.len * (part->begin % job.wrap)};
    uint64_t i = part->begin;
    for (; i + KN_ROWS <= part->end; i += KN_ROWS)
        KN_NAME(turn)(&job, part, &s, kind, lone, KN_ROWS);
    if (KN_ROWS > 1)
        for (; i < part->end; i++)
            KN_NAME(turn)(&job, part, &s, kind, lone, 1);
    KN_END();
}

KN_ALWAYS bool KN_NAME(is_lone)(const struct kn_job *job, enum KN_NAME(kind) kind)
{
    return (kind == KN_NAME(kind_gs) || job->wrap == 1) &&
           (kind == KN_NAME(kind_scatter) || job->from.steps_len == 1) &&
           (kind == KN_NAME(kind_gather) || job->to.steps_len == 1);
}

/* Can the only dense row stay in registers, because the elements of each row have equal distances? */
KN_ALWAYS bool KN_NAME(is_held)(const struct kn_job *job, enum KN_NAME(kind) kind, bool levels)
{
    return kind == KN_NAME(kind_scatter) && !levels && KN_UNROLL == KN_HELD_MAX && job->len == KN_UNROLL &&
           job->to.fold.len == 1 && KN_NAME(is_lone)(job, kind);
}

KN_ALWAYS void KN_NAME(scatter_held)(const struct kn_job *job, const struct kn_part *part)
{
    KN_E held[KN_UNROLL], *row = (KN_E *)job->to.base + part->base_to + KN_NAME(index)(&job->to, 0);
    const int64_t by = job->to.fold.step, row_by = job->to.steps[0];
    _Pragma("GCC unroll 8") for (int u = 0; u < KN_UNROLL; u++) held[u] = ((const KN_E *)part->dense)[u];
    for (uint64_t i = part->begin; i < part->end; i++, row += row_by) {
        KN_E *at = row;
        _Pragma("GCC unroll 8") for (int u = 0; u < KN_UNROLL; u++, at += by) KN_PUT(at, held[u]);
    }
    KN_END();
}

#define KN_DEFINE(kernel, kind, levels)                                               \
    static void KN_NAME(kernel)(const struct kn_job *job, const struct kn_part *part) \
    {                                                                                 \
        if (KN_NAME(is_held)(job, KN_NAME(kind), levels))                             \
            KN_NAME(scatter_held)(job, part);                                         \
        else if (KN_NAME(is_lone)(job, KN_NAME(kind)))                                \
            KN_NAME(loop)(job, part, KN_NAME(kind), true, levels);                    \
        else                                                                          \
            KN_NAME(loop)(job, part, KN_NAME(kind), false, levels);                   \
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
