/* SPDX-License-Identifier: BSD-3-Clause */
/* The arrays of STREAM kernels: a, b, c, the index arrays and rings that the chosen kernels need. */
#ifndef KN_ROOM_H
#define KN_ROOM_H

#include "kernels/kn_backend.h"
#include "kernels/stream/kn_lane.h"
#include "kernels/kn_memory.h"
#include "kernels/stream/kn_sequence.h"
#include "kernels/stream/kn_stream.h"

enum { KN_ROOM_INDICES = 3 };

struct kn_room {
    const struct kn_backend *backend;
    unsigned threads, element_bytes, index_bits;
    uint64_t elements, stride, seed;
    uint64_t hot_len;
    double hot_share;
    bool has_array[3], has_index[KN_ROOM_INDICES], has_hot[KN_ROOM_INDICES], has_ring;
    struct kn_block array[3], index[KN_ROOM_INDICES], hot[KN_ROOM_INDICES], ring;
    struct kn_sequence permutation[KN_ROOM_INDICES], hotspot[KN_ROOM_INDICES];
};

/* Compute the arrays that the kernels need; nothing is allocated.  Errors: as for kn_stream_need. */
ls_err kn_room_plan(struct kn_room *out, const struct kn_kernel *const *kernels, size_t len,
                    const struct kn_stream_options *o);
/* Errors: LS_ERR_RANGE. */
ls_err kn_room_bytes(const struct kn_room *r, uint64_t *out);
/* Allocate and fill, each thread its part.  Owns: the caller ends r with kn_room_fini, also after a failure.
 * Errors: LS_ERR_NOMEM. */
ls_err kn_room_fill(struct kn_room *r, enum kn_pages pages);
void kn_room_fini(struct kn_room *r);
uint64_t kn_room_huge_bytes(const struct kn_room *r);

/* Share s of threads has iterations [begin, end) of a kernel's. */
uint64_t kn_room_iterations(const struct kn_room *r, const struct kn_kernel *k);
uint64_t kn_room_begin(const struct kn_room *r, uint64_t iterations, unsigned s);
/* The place of an operand in iteration j, by the sequences themselves. */
uint64_t kn_room_place(const struct kn_room *r, const struct kn_kernel *k, const struct kn_operand *o,
                       uint64_t j);
/* The job of k. */
struct kn_lane_job kn_room_job(const struct kn_room *r, const struct kn_kernel *k);

#endif
