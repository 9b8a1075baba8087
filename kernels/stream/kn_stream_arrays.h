/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrays of STREAM kernels: a, b, c, the index arrays and rings that the chosen kernels need. */
#ifndef KN_STREAM_ARRAYS_H
#define KN_STREAM_ARRAYS_H

#include "kernels/kn_backend.h"
#include "kernels/stream/kn_loop.h"
#include "kernels/kn_memory.h"
#include "kernels/stream/kn_stream.h"
#include "kernels/kn_values.h"

#include <stdbool.h>

/* ---- index arrays as functions ---- */

/* Index arrays as functions: threads fill their own parts, and a result is checked against the intended
 * index, not against the contents of the array. */

struct kn_sequence {
    uint64_t len, mask, key[3];
    unsigned shift;
    double hot_share; /* 0: a permutation of 0..len-1 */
    uint64_t hot_len; /* that share of the indices is below this */
};

/* Make a permutation of 0..len-1 without apparent order, a different one for each seed. */
struct kn_sequence kn_sequence_permutation(uint64_t len, uint64_t seed);
/* Make random indices: `share` of them below hot_len, the rest below len. */
struct kn_sequence kn_sequence_hotspot(uint64_t len, uint64_t seed, double share, uint64_t hot_len);

/* One step of a bijection of 0..mask: multiplication by an odd number and x ^ x >> s both are. */
static inline uint64_t kn_sequence_stir(const struct kn_sequence *s, uint64_t x)
{
    for (int round = 0; round < 3; round++) {
        x = (x * (s->key[round] | 1) + (s->key[round] >> 32)) & s->mask;
        x ^= x >> s->shift;
    }
    return x;
}

/* Index j, 0 <= j < len. */
static inline uint64_t kn_sequence_at(const struct kn_sequence *s, uint64_t j)
{
    if (s->hot_share > 0) {
        const uint64_t m = ls_random_mix(j + s->key[0]);
        const bool hot = (double)(m >> 11) * 0x1p-53 < s->hot_share;
        return ls_random_mix(m ^ s->key[1]) % (hot ? s->hot_len : s->len);
    }
    /* a bijection of a power of two, walked until it is inside: a bijection of 0..len-1 */
    uint64_t x = kn_sequence_stir(s, j);
    while (x >= s->len)
        x = kn_sequence_stir(s, x);
    return x;
}

/* ---- arrays ---- */

enum { KN_STREAM_INDICES = 3 };

/* STREAM's scalar. */
#define KN_STREAM_Q 3.0

struct kn_stream_arrays {
    const struct kn_backend *backend;
    unsigned threads, element_bytes, index_bits;
    uint64_t elements, elements_of_all; /* the part of this rank; all ranks together */
    uint64_t stride, seed;
    uint64_t last_level_bytes; /* the caches of this machine, or of the device */
    uint64_t hot_len;
    double hot_share;
    bool has_array[3], has_index[KN_STREAM_INDICES], has_hot[KN_STREAM_INDICES], has_ring;
    struct kn_block array[3], index[KN_STREAM_INDICES], hot[KN_STREAM_INDICES], ring;
    struct kn_sequence permutation[KN_STREAM_INDICES], hotspot[KN_STREAM_INDICES];
};

/* Compute the arrays that the kernels need; nothing is allocated.  Errors: as for kn_stream_need. */
ls_err kn_stream_arrays_plan(struct kn_stream_arrays *out, const struct kn_kernel *const *kernels, size_t len,
                             const struct kn_stream_options *o);
/* Errors: LS_ERR_RANGE. */
ls_err kn_stream_arrays_bytes(const struct kn_stream_arrays *r, uint64_t *out);
/* Allocate and fill, each thread its part.  Owns: the caller ends r with kn_stream_arrays_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err kn_stream_arrays_fill(struct kn_stream_arrays *r, enum kn_pages pages);
void kn_stream_arrays_fini(struct kn_stream_arrays *r);
uint64_t kn_stream_arrays_huge_bytes(const struct kn_stream_arrays *r);

/* Share s of threads has iterations [begin, end) of a kernel's. */
uint64_t kn_stream_arrays_iterations(const struct kn_stream_arrays *r, const struct kn_kernel *k);
uint64_t kn_stream_arrays_begin(const struct kn_stream_arrays *r, uint64_t iterations, unsigned s);
/* The job of k. */
struct kn_loop_job kn_stream_arrays_job(const struct kn_stream_arrays *r, const struct kn_kernel *k);

/* ---- results computed again ---- */

/* Validate a result: compute every iteration again in scalar code from the sources, which no kernel changes,
 * with the sequences instead of the index arrays. No relative error may exceed 1e-13, with floats
 * 1e-6. Sets valid, invalid and worst_error of out. */
void kn_prove(const struct kn_stream_arrays *r, const struct kn_kernel *k, struct kn_result *out);

#endif
