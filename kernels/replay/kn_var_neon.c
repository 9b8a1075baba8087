/* SPDX-License-Identifier: BSD-3-Clause */
/* 128-bit vectors whose lanes are loaded and stored one by one, because NEON has neither gather nor scatter. */
#include "kernels/replay/kn_variant.h"

#include <arm_neon.h>

/* A mask is the number of lanes; a full mask that is known at compile time costs nothing. */
#define KN_ALWAYS static inline __attribute__((always_inline))
#define LANES(name, element, index, lanes)                                              \
    struct name##_i {                                                                   \
        index at[lanes];                                                                \
    };                                                                                  \
    KN_ALWAYS struct name##_i name##_index(const index *p, size_t m)                    \
    {                                                                                   \
        struct name##_i i = {{0}};                                                      \
        for (size_t k = 0; k < (lanes); k++)                                            \
            if (k < m) i.at[k] = p[k];                                                  \
        return i;                                                                       \
    }                                                                                   \
    KN_ALWAYS struct name##_i name##_inner(const index *p, struct name##_i i, size_t m) \
    {                                                                                   \
        for (size_t k = 0; k < (lanes); k++)                                            \
            if (k < m) i.at[k] = p[i.at[k]];                                            \
        return i;                                                                       \
    }

LANES(e8_i64, uint64_t, int64_t, 2)
LANES(e8_i32, uint64_t, int32_t, 2)
LANES(e4_i64, uint32_t, int64_t, 4)
LANES(e4_i32, uint32_t, int32_t, 4)
#undef LANES

KN_ALWAYS uint64x2_t load_8(const uint64_t *p, size_t m)
{
    return m == 2 ? vld1q_u64(p) : vld1q_lane_u64(p, vdupq_n_u64(0), 0);
}

KN_ALWAYS void store_8(uint64_t *p, uint64x2_t v, size_t m)
{
    if (m == 2)
        vst1q_u64(p, v);
    else
        vst1q_lane_u64(p, v, 0);
}

KN_ALWAYS uint32x4_t load_4(const uint32_t *p, size_t m)
{
    uint32_t of[4] = {0};
    if (m == 4) return vld1q_u32(p);
    for (size_t k = 0; k < m; k++)
        of[k] = p[k];
    return vld1q_u32(of);
}

KN_ALWAYS void store_4(uint32_t *p, uint32x4_t v, size_t m)
{
    uint32_t of[4];
    if (m == 4) {
        vst1q_u32(p, v);
        return;
    }
    vst1q_u32(of, v);
    for (size_t k = 0; k < m; k++)
        p[k] = of[k];
}

#define GATHER_8(p, i, m)                                                                              \
    ((m) == 2 ? vld1q_lane_u64((p) + (i).at[1], vld1q_lane_u64((p) + (i).at[0], vdupq_n_u64(0), 0), 1) \
              : vld1q_lane_u64((p) + (i).at[0], vdupq_n_u64(0), 0))
#define SCATTER_8(p, i, v, m)                                \
    do {                                                     \
        vst1q_lane_u64((p) + (i).at[0], v, 0);               \
        if ((m) == 2) vst1q_lane_u64((p) + (i).at[1], v, 1); \
    } while (0)

#define KN_E uint64_t
#define KN_I int64_t
#define KN_NAME(x) e8_i64_##x
#define KN_LANES 2
#define KN_MASK size_t
#define KN_MASK_OF(n) ((size_t)(n))
#define KN_LOAD_INDEX(p, m) e8_i64_index(p, m)
#define KN_INNER(p, i, m) e8_i64_inner(p, i, m)
#define KN_LOAD(p, m) load_8(p, m)
#define KN_STORE(p, v, m) store_8(p, v, m)
#define KN_GATHER(p, i, m) gather_e8_i64(p, i, m)
#define KN_SCATTER(p, i, v, m) scatter_e8_i64(p, i, v, m)
KN_ALWAYS uint64x2_t gather_e8_i64(const uint64_t *p, struct e8_i64_i i, size_t m)
{
    return GATHER_8(p, i, m);
}
KN_ALWAYS void scatter_e8_i64(uint64_t *p, struct e8_i64_i i, uint64x2_t v, size_t m)
{
    SCATTER_8(p, i, v, m);
}
KN_ALWAYS uint64x2_t gather_e8_i32(const uint64_t *p, struct e8_i32_i i, size_t m)
{
    return GATHER_8(p, i, m);
}
KN_ALWAYS void scatter_e8_i32(uint64_t *p, struct e8_i32_i i, uint64x2_t v, size_t m)
{
    SCATTER_8(p, i, v, m);
}

/* Four lanes: gathered and scattered through a small array, which the compiler keeps in registers when m is
 * known. */
#define FOUR(name, index_struct)                                                              \
    KN_ALWAYS uint32x4_t gather_##name(const uint32_t *p, struct index_struct i, size_t m)    \
    {                                                                                         \
        uint32_t of[4] = {0};                                                                 \
        for (size_t k = 0; k < 4; k++)                                                        \
            if (k < m) of[k] = p[i.at[k]];                                                    \
        return vld1q_u32(of);                                                                 \
    }                                                                                         \
    KN_ALWAYS void scatter_##name(uint32_t *p, struct index_struct i, uint32x4_t v, size_t m) \
    {                                                                                         \
        uint32_t of[4];                                                                       \
        vst1q_u32(of, v);                                                                     \
        for (size_t k = 0; k < 4; k++)                                                        \
            if (k < m) *(volatile uint32_t *)(p + i.at[k]) = of[k];                           \
    }
FOUR(e4_i64, e4_i64_i)
FOUR(e4_i32, e4_i32_i)
#undef FOUR
#undef KN_ALWAYS
#include "kernels/replay/kn_vector.inc.h"

#define KN_E uint64_t
#define KN_I int32_t
#define KN_NAME(x) e8_i32_##x
#define KN_LOAD_INDEX(p, m) e8_i32_index(p, m)
#define KN_INNER(p, i, m) e8_i32_inner(p, i, m)
#define KN_LOAD(p, m) load_8(p, m)
#define KN_STORE(p, v, m) store_8(p, v, m)
#define KN_GATHER(p, i, m) gather_e8_i32(p, i, m)
#define KN_SCATTER(p, i, v, m) scatter_e8_i32(p, i, v, m)
#include "kernels/replay/kn_vector.inc.h"
#undef KN_LANES

#define KN_E uint32_t
#define KN_I int64_t
#define KN_NAME(x) e4_i64_##x
#define KN_LANES 4
#define KN_LOAD_INDEX(p, m) e4_i64_index(p, m)
#define KN_INNER(p, i, m) e4_i64_inner(p, i, m)
#define KN_LOAD(p, m) load_4(p, m)
#define KN_STORE(p, v, m) store_4(p, v, m)
#define KN_GATHER(p, i, m) gather_e4_i64(p, i, m)
#define KN_SCATTER(p, i, v, m) scatter_e4_i64(p, i, v, m)
#include "kernels/replay/kn_vector.inc.h"

#define KN_E uint32_t
#define KN_I int32_t
#define KN_NAME(x) e4_i32_##x
#define KN_LOAD_INDEX(p, m) e4_i32_index(p, m)
#define KN_INNER(p, i, m) e4_i32_inner(p, i, m)
#define KN_LOAD(p, m) load_4(p, m)
#define KN_STORE(p, v, m) store_4(p, v, m)
#define KN_GATHER(p, i, m) gather_e4_i32(p, i, m)
#define KN_SCATTER(p, i, v, m) scatter_e4_i32(p, i, v, m)
#include "kernels/replay/kn_vector.inc.h"

static const struct kn_variant rows[] = {
    KN_VARIANT(e8_i64, KN_METHOD_NEON, KN_STORES_REGULAR, 8, 64),
    KN_VARIANT(e8_i32, KN_METHOD_NEON, KN_STORES_REGULAR, 8, 32),
    KN_VARIANT(e4_i64, KN_METHOD_NEON, KN_STORES_REGULAR, 4, 64),
    KN_VARIANT(e4_i32, KN_METHOD_NEON, KN_STORES_REGULAR, 4, 32),
};
KN_VARIANTS(kn_variants_neon, rows);
