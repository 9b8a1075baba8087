/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants that trials found to be the fastest, remembered in a file of the user: the next run of the same
 * configuration on this machine needs no trial. A line of the file is a key, a method, a width of indices and
 * a kind of stores; the last line of a key with a candidate counts, and lines that cannot be read are ignored.
 *
 * Thread: one at a time in a process.  Signal: not safe. */
#ifndef KN_CHOICES_H
#define KN_CHOICES_H

#include "kernels/replay/kn_session.h"

/* Hash all properties that determine the fastest variant: configuration, options, threads, processor,
 * version. */
uint64_t kn_choice_key(const struct kn_session *s);

/* Return the one of candidates that the file at path has for key, or NULL. */
const struct kn_variant *kn_choice_find(const char *path, uint64_t key,
                                        const struct kn_variant *const *candidates, size_t len);

/* Add v to the file at path; a file that has grown too long is emptied first. A failure is ignored: the next
 * run tries again. */
void kn_choice_keep(const char *path, uint64_t key, const struct kn_variant *v);

#endif
