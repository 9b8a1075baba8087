/* SPDX-License-Identifier: BSD-3-Clause */
/* Set up the process after fork. vfork children and clones that share our memory are not forks: they use the
 * parent's state. */
#ifndef RT_FORK_H
#define RT_FORK_H

/* Register the handlers and the page that the kernel wipes in children. 0 or an errno.
 * Thread: the constructor. */
int rt_fork_init(void);

/* Turn a fork child into a recorded process: the parent's files and engine are dropped, new files are made
 * with the first record. Called by the handler of fork, or by the first hook in a child made otherwise.
 * Thread: the only one, depth > 0. */
void rt_fork_take_over(void);

/* Call these around a call that may fork and runs no handlers (_Fork, clone): they note the time of the fork;
 * the child is set up at once, the parent forgets the time.
 * Thread: any.  Signal: safe; errno is kept. */
void rt_fork_expect(void);
void rt_fork_in_child(void);
void rt_fork_in_parent(void);

#endif
