/* SPDX-License-Identifier: BSD-3-Clause */
/* Effect of the operations that need no dense buffer on an element and on a short row, in plain C. Included
 * by the loops that walk over rows; they define these, and undefine them with the macros of this file:
 *   KN_E, KN_I   element and index type
 *   KN_NAME(x)   this family's own name for x
 * Each access is one instruction, in the order of the pattern (KN_ALONE), with as little overhead as in a
 * loop: indices of short rows, or of the short row that a row folds to, stay in registers like the constant
 * offsets of an inner loop. */
#define KN_ALWAYS static inline __attribute__((always_inline))
#define KN_UNROLLED _Pragma("GCC unroll 4")
/* The loop is unrolled, so that the sum over a loop's patterns does not contain the loop's own work several
 * times. An update, whose load waits for its store, has a separate loop. */
#define KN_EACH(j, n, does, access)      \
    if ((does) == PAT_OPERATION_UPDATE)  \
        for (size_t j = 0; j < (n); j++) \
            access;                      \
    else                                 \
        KN_UNROLLED for (size_t j = 0; j < (n); j++) access
#define KN_ALONE() __asm__ volatile("" ::: "memory")
/* The loop counts it up, as the program's loop does: compilers would compute its value after the loop anew. */
#define KN_COUNTED(x) __asm__("" : "+r"(x))
#define KN_CAT_(a, b) a##b
#define KN_CAT(a, b) KN_CAT_(a, b)

/* X(n) each element of a row that is short enough for registers */
#define KN_HELD(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
_Static_assert(KN_HELD_MAX == 8, "a row in registers has an X for each element");

/* State that is passed from one access to the next. */
struct KN_NAME(state) {
    KN_E sum, last, none; /* without a chain 0, which is hidden from the compiler */
    KN_E value;           /* value that the row stores */
};

struct KN_NAME(held) {
#define KN_FIELD(n) size_t KN_CAT(at, n);
    KN_HELD(KN_FIELD)
#undef KN_FIELD
};

/* A value is added from memory, by one instruction: more of them would leave fewer loads in flight. In a
 * chain, the address of each load is computed from the previous value, so that the load waits for it; the
 * resulting address is still that of the pattern. An update changes the element in place. */
KN_ALWAYS void KN_NAME(access)(KN_E *element, enum pat_operation does, struct KN_NAME(state) * s)
{
    if (does == PAT_OPERATION_REDUCE) s->sum += *element;
    if (does == PAT_OPERATION_FILL) *element = s->value;
    if (does == PAT_OPERATION_UPDATE) *element |= s->value;
    if (does == PAT_OPERATION_CHASE) {
        s->last = element[s->last & s->none];
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

/* Return the value that row i stores: kn_value_filled, or its bit, kn_value_tag. */
KN_ALWAYS KN_E KN_NAME(value)(uint64_t i, enum pat_operation does)
{
    return (KN_E)(does == PAT_OPERATION_UPDATE ? kn_value_tag(i, sizeof(KN_E))
                                               : kn_value_filled(i, sizeof(KN_E)));
}

/* Return the value that the next row stores. */
KN_ALWAYS KN_E KN_NAME(value_after)(KN_E value, enum pat_operation does)
{
    if (does != PAT_OPERATION_UPDATE) return value + 1;
    const uint32_t half = (uint32_t)value;
    return sizeof(KN_E) == 8 ? half << 1 | half >> 31 : (uint16_t)(half << 1 | half >> 15);
}

/* Access a short row. It has a separate sum until it ends, so that rows do not wait for each other. */
KN_ALWAYS void KN_NAME(held_row)(KN_E *row, const struct KN_NAME(held) * h, size_t len,
                                 enum pat_operation does, struct KN_NAME(state) * state)
{
    const KN_E total = state->sum;
    state->sum = 0;
#define KN_DO(n) \
    if (len > n) KN_NAME(access)(row + h->KN_CAT(at, n), does, state);
    KN_HELD(KN_DO)
#undef KN_DO
    state->sum += total;
}
