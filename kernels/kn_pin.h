/* SPDX-License-Identifier: BSD-3-Clause */
/* Bind the threads of a backend to processors, and let them go again. */
#ifndef KN_PIN_H
#define KN_PIN_H

#include "kernels/kn_backend.h"

/* Bind share s of threads to a processor of its own. KN_PIN_NONE does nothing.
 * Errors: LS_ERR_UNSUPPORTED when the system does not bind, LS_ERR_NOMEM; then no thread is bound.
 * Thread: one at a time in a process.  Signal: not safe. */
ls_err kn_pin(const struct kn_backend *b, unsigned threads, enum kn_pin how);
/* Every thread may run again wherever the caller might when kn_pin was called. */
void kn_unpin(const struct kn_backend *b, unsigned threads, enum kn_pin how);

#endif
