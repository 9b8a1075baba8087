/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that several patterns are of: one memory for all of them, in which each has its place. */
#ifndef KN_COMMONS_H
#define KN_COMMONS_H

#include "kernels/kn_memory.h"
#include "kernels/replay/kn_session.h"

struct kn_commons {
    struct kn_block *blocks; /* [len], of the first session of each array; most are empty */
    struct kn_block *places; /* [len], of each session in its block; base NULL: it shares with none */
    size_t len;
};

/* Store the bytes that shared arrays save over an array per session (kn_plan.need).
 * Errors: as for kn_commons_init. */
ls_err kn_commons_spared(const struct kn_session *sessions, size_t len, uint64_t *out_bytes);

/* Map the arrays that two sessions or more name (pat_config.array); nothing is filled.
 * Owns:   the caller ends out with kn_commons_fini, also after a failure.
 * Errors: LS_ERR_NOMEM; LS_ERR_RANGE for an array that does not fit 63 bits of bytes, naming it. */
ls_err kn_commons_init(struct kn_commons *out, const struct kn_session *sessions, size_t len,
                       enum kn_pages pages);
void kn_commons_fini(struct kn_commons *c);

/* Where session k has its sparse array, as long as c lives; or NULL: it shares with none. */
const struct kn_block *kn_commons_place(const struct kn_commons *c, size_t k);
/* Return the bytes of all arrays that are in huge pages, as reported by the kernel. */
uint64_t kn_commons_huge_bytes(const struct kn_commons *c);

#endif
