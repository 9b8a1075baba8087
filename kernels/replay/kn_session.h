/* SPDX-License-Identifier: BSD-3-Clause */
/* A configuration while its replay is prepared: its needs, its candidate variants, its memory. */
#ifndef KN_SESSION_H
#define KN_SESSION_H

#include "kernels/replay/kn_arrays.h"
#include "kernels/kn_result.h"
#include "kernels/replay/kn_variant.h"

struct kn_session {
    const struct kn_options *options;
    const struct kn_backend *backend;
    struct kn_plan plan;
    struct kn_arrays arrays;
    const struct kn_variant *candidates[KN_TRIALS_MAX];
    size_t candidates_len;
    const struct kn_variant *variant; /* of them */
};

/* Plan c and find its candidates, so that a configuration that cannot run is refused before memory is
 * touched.
 * Owns:   out points into c, o and itself: none may move.
 * Errors: as for kn_replay_need; LS_ERR_UNSUPPORTED where no variant fits. */
ls_err kn_session_init(struct kn_session *out, const struct pat_config *c, const struct kn_options *o,
                       const struct kn_backend *backend, unsigned threads);
/* Allocate and fill its arrays; chains are linked where they can be. lent: its sparse array, if others use
 * it, too (kn_arrays_init_in); NULL: allocate one.
 * Owns:   the caller ends s->arrays with kn_arrays_fini, also after a failure.
 * Errors: LS_ERR_NOMEM; LS_ERR_UNSUPPORTED where no variant fits the linked arrays. */
ls_err kn_session_fill(struct kn_session *s, const struct kn_block *lent);
/* Set s->variant to the remembered one, or by a trial that is recorded in r; prepare its indices.
 * Errors: LS_ERR_NOMEM. */
ls_err kn_session_choose(struct kn_session *s, struct kn_result *r);
/* Remember s->variant for the next runs, if the trial of r chose it. */
void kn_session_remember(const struct kn_session *s, const struct kn_result *r);
/* Return the fastest candidate, by a trial, with regular stores and indices as wide as those of s->variant, or
 * NULL where s->variant has regular stores itself or no candidate has them. */
const struct kn_variant *kn_session_regular(const struct kn_session *s);
/* Return the requested number of timed runs: by option, by the configuration, or the default. */
unsigned kn_session_runs(const struct kn_session *s);
/* Bytes of a run with the loads of its indices; s has a variant. */
uint64_t kn_session_bytes_with_indices(const struct kn_session *s);
/* Return the bytes of its arrays that are in huge pages, as reported by the kernel. */
uint64_t kn_session_huge_bytes(const struct kn_session *s);

#endif
