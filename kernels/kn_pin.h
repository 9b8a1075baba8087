/* SPDX-License-Identifier: BSD-3-Clause */
/* Bind the threads of a backend to processors, and let them go again.
 *
 * Unless noted otherwise: Thread: any.  Signal: not safe. */
#ifndef KN_PIN_H
#define KN_PIN_H

#include "kernels/kn_backend.h"

typedef struct kn_pins kn_pins;

/* Bind share s of threads to a separate processor of the caller's affinity mask. AUTO binds when there is a
 * thread for each of these processors: a thread that waits at the end of a run must not keep another from its
 * processor. *out is NULL when nothing is bound.
 * Owns:   the caller ends *out with kn_unpin.
 * Errors: LS_ERR_UNSUPPORTED when the system does not bind (AUTO: then nothing is bound), LS_ERR_NOMEM.
 * Thread: one at a time in a process.  Signal: not safe. */
ls_err kn_pin(const struct kn_backend *b, unsigned threads, enum kn_pin how, kn_pins **out);
/* Return how the threads were bound.  NULL-safe. */
enum kn_pin kn_pinned(const kn_pins *p);
/* Every thread may run again wherever the caller might when kn_pin was called.  NULL-safe. */
void kn_unpin(kn_pins *p);

#endif
