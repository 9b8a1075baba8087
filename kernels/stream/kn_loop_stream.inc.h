/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops whose stores go past the caches, a vector at a time: sequential destinations only. Included with
 * these defined:
 *   KN_E, KN_I                element and index type
 *   KN_VECTOR_BYTES           bytes of a store
 *   KN_STREAM_STORE(p, lanes) store the KN_VECTOR_BYTES at lanes to the aligned address p
 *   KN_NAME(x)                this family's own name for x
 * and KN_E, KN_I, KN_NAME undefined again at the end. */
#define KN_LANES ((uint64_t)(KN_VECTOR_BYTES / sizeof(KN_E)))
#define KN_J(p, index) (p)[j]
#define KN_INDEXED(p, index) (p)[((const KN_I *)job->index)[j]]
#define KN_DEFINE(shape, FROM, op, expression)                                                     \
    static void KN_NAME(shape##_##op)(const struct kn_loop_job *job, uint64_t begin, uint64_t end) \
    {                                                                                              \
        KN_E *restrict to = job->to;                                                               \
        const KN_E *from = job->from, *from2 = job->from2, q = (KN_E)job->q;                       \
        uint64_t j = begin;                                                                        \
        (void)from2, (void)q;                                                                      \
        for (; j < end && ((uintptr_t)(to + j)) % KN_VECTOR_BYTES != 0; j++)                       \
            to[j] = expression;                                                                    \
        for (; j + KN_LANES <= end; j += KN_LANES) {                                               \
            KN_E lanes[KN_VECTOR_BYTES / sizeof(KN_E)] __attribute__((aligned(KN_VECTOR_BYTES)));  \
            const uint64_t first = j;                                                              \
            for (uint64_t l = 0; l < KN_LANES; l++) {                                              \
                const uint64_t j = first + l;                                                      \
                lanes[l] = expression;                                                             \
            }                                                                                      \
            KN_STREAM_STORE(to + first, lanes);                                                    \
        }                                                                                          \
        for (; j < end; j++)                                                                       \
            to[j] = expression;                                                                    \
        _mm_sfence();                                                                              \
    }
#define KN_OPS(shape, FROM)                                                        \
    KN_DEFINE(shape, FROM, copy, FROM(from, from_index))                           \
    KN_DEFINE(shape, FROM, scale, q *FROM(from, from_index))                       \
    KN_DEFINE(shape, FROM, sum, FROM(from, from_index) + FROM(from2, from2_index)) \
    KN_DEFINE(shape, FROM, triad, FROM(from, from_index) + q * FROM(from2, from2_index))
KN_OPS(sequential, KN_J)
KN_OPS(gather, KN_INDEXED)
#undef KN_OPS
#undef KN_DEFINE
#undef KN_INDEXED
#undef KN_J
#undef KN_LANES
#undef KN_E
#undef KN_I
#undef KN_NAME
