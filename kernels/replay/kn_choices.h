/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants that trials found to be the fastest, remembered in a file of the user: the next run of the same
 * configuration on this machine needs no trial. A line of the file is a key, a method, a width of indices and
 * a kind of stores; the last line of a key with a candidate counts, and lines that cannot be read are ignored. A choice that was
 * made while other programs ran has another key: it saves the next trials on a busy machine, and is made again on a quiet one.
 *
 * Thread: one at a time in a process.  Signal: not safe. */
#ifndef KN_CHOICES_H
#define KN_CHOICES_H

#include "kernels/replay/kn_session.h"

/* Hash all properties that determine the fastest variant: configuration, options, threads, processor,
 * version. */
uint64_t kn_choice_key(const struct kn_session *s);
/* Return the key of choices that were made while other programs ran. */
uint64_t kn_choice_key_disturbed(uint64_t key);

/* Return the one of candidates that the file at path has for key, or NULL. */
const struct kn_variant *kn_choice_find(const char *path, uint64_t key,
                                        const struct kn_variant *const *candidates, size_t len);

/* Add v to the file at path; a file that has grown too long is emptied first. A failure is ignored: the next
 * run tries again. */
void kn_choice_keep(const char *path, uint64_t key, const struct kn_variant *v);

#endif
