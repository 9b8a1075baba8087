/* SPDX-License-Identifier: BSD-3-Clause */
/* The code that may be translated: mapped from files and not writable, or generated. Known
 * from the snapshots of /proc/self/maps that core takes anyway, kept true by the hooks of calls that change
 * mappings.
 *
 * Signal: safe, but for rt_tr_code_unloading. */
#ifndef RT_TR_CODE_SIGSAFE_H
#define RT_TR_CODE_SIGSAFE_H

#include "runtime/translate/rt_translate.h"

/* rt_tr_options.may_translate.  Thread: any. */
enum rt_tr_end rt_tr_code_may_translate(void *unused, uint64_t ip, uint64_t *end, bool *is_generated);

/* A piece of a snapshot in whole lines; flags: SPOOL_MAPS_FIRST, SPOOL_MAPS_LAST. With the last piece the table
 * is as the snapshot, unless mappings changed meanwhile: false, another one is needed.
 * Thread: one snapshot at a time. */
bool rt_tr_code_take_maps(const char *text, uint32_t len_bytes, unsigned flags);

/* Mappings in [base, end) ended, were replaced, or have another protection: protection, 0 where it is not known.
 * Thread: any, rt_tls.depth > 0. */
void rt_tr_code_changed(uint64_t base, uint64_t end, int protection);

/* Unloading of modules, which changes mappings without our hooks, begins or has ended: no burst is translated
 * in between.  Thread: any. */
void rt_tr_code_unloading(bool begins);
bool rt_tr_code_is_unloading(void);

void rt_tr_code_after_fork_child(void);

#endif
