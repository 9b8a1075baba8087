/* SPDX-License-Identifier: BSD-3-Clause */
/* Who started this program, of those that record into the same spool.
 *
 * Signal: not safe. */
#ifndef RT_PARENT_H
#define RT_PARENT_H

/* Set rt_state.ancestor when the parent itself wrote no records (a subshell, a fork child that called exec at
 * once): the nearest one above that did. Thread: the constructor, with the spool open. */
void rt_parent_find(void);

#endif
