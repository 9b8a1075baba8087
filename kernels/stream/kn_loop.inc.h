/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of every shape and operation in C, for one element and index type. Included with these defined:
 *   KN_E, KN_I  element type, a number, and index type
 *   KN_LOOP     pragma before each loop: how the compiler treats it
 *   KN_NAME(x)  this family's own name for x
 * and KN_E, KN_I, KN_NAME undefined again at the end. Destination and sources are different arrays, and an
 * index array for stores holds each index once: no iteration depends on another. */
#define KN_J(p, index) (p)[j]
#define KN_INDEXED(p, index) (p)[((const KN_I *)job->index)[j]]
#define KN_STRIDED(p, index) (p)[j * stride]
/* volatile: the same element each time, and each time moved */
#define KN_FIRST(p, index) *(volatile __typeof__(*(p)) *)(p)

#define KN_DEFINE(shape, TO, FROM, op, expression)                                                 \
    static void KN_NAME(shape##_##op)(const struct kn_loop_job *job, uint64_t begin, uint64_t end) \
    {                                                                                              \
        KN_E *restrict to = job->to;                                                               \
        const KN_E *from = job->from, *from2 = job->from2, q = (KN_E)job->q;                       \
        const uint64_t stride = job->stride;                                                       \
        (void)from2, (void)q, (void)stride;                                                        \
        KN_LOOP                                                                                    \
        for (uint64_t j = begin; j < end; j++)                                                     \
            TO(to, to_index) = expression;                                                         \
    }
#define KN_OPS(shape, TO, FROM)                                                        \
    KN_DEFINE(shape, TO, FROM, copy, FROM(from, from_index))                           \
    KN_DEFINE(shape, TO, FROM, scale, q *FROM(from, from_index))                       \
    KN_DEFINE(shape, TO, FROM, sum, FROM(from, from_index) + FROM(from2, from2_index)) \
    KN_DEFINE(shape, TO, FROM, triad, FROM(from, from_index) + q * FROM(from2, from2_index))
KN_SHAPE_LIST(KN_OPS)
#undef KN_OPS
#undef KN_DEFINE
#undef KN_FIRST
#undef KN_STRIDED
#undef KN_INDEXED
#undef KN_J
#undef KN_E
#undef KN_I
#undef KN_NAME
