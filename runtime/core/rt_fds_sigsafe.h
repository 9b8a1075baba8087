/* SPDX-License-Identifier: BSD-3-Clause */
/* Our descriptors in the program's table: moved high, close-on-exec, and spared by the hooks of the close
 * family.
 *
 * Unless noted otherwise: Thread: any. */
#ifndef RT_FDS_SIGSAFE_H
#define RT_FDS_SIGSAFE_H

#include <stdbool.h>

enum { RT_FDS_MAX = 16384, RT_FDS_FLOOR = 700 };

/* Move fd out of the program's way (>= RT_FDS_FLOOR where the limits allow, close-on-exec) and return its new
 * number; fd itself is closed. fd < 0 is returned as it is.  Signal: safe; errno is kept when it works. */
int rt_fds_move_high(int fd);

/* Guard *slot from now on: close() of it by the program does nothing, dup2() onto it moves it and changes
 * *slot. *slot < 0 is ignored. Numbers from RT_FDS_MAX on are not guarded. */
void rt_fds_guard(int *slot);
/* Call before closing it. */
void rt_fds_unguard(const int *slot);
/* unguard and close; *slot becomes -1. Keeps errno. */
void rt_fds_close(int *slot);

/* Is there room for one more descriptor for a thread? We take at most a quarter of the descriptors that the program may have,
 * but always a few. is_needed: the thread would not be sampled without it; other descriptors take at most an eighth. */
bool rt_fds_have_room(bool is_needed);

bool rt_fds_is_ours(int fd);
/* Smallest guarded number >= fd, or -1. */
int rt_fds_next(int fd);
/* The program wants this number for itself (dup2): move ours elsewhere. */
void rt_fds_yield(int fd);

#endif
