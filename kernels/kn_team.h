/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of OpenMP that stay together for several tasks, and wait for each other without OpenMP's barriers: these spin for
 * a millisecond or more, in which a thread that waits can keep the one it waits for from its processor. Here a thread spins
 * for some microseconds and then sleeps. The last one to arrive reads the clock, so that no time contains a wake-up.
 *
 * Thread: one team at a time in a process.  Signal: not safe. */
#ifndef KN_TEAM_H
#define KN_TEAM_H

#include <stdint.h>

/* A function that each member of a team calls, with its number and the number of members. */
typedef void kn_team_part(void *arg, unsigned member, unsigned members);

/* Gather `threads` threads of OpenMP at most, call body in the calling one, and let the others go. Calls of kn_team_call in
 * body cost no start of threads. In a team: call body only. */
void kn_team_engage(unsigned threads, void (*body)(void *arg), void *arg);

/* Call part in each member of the present team, or of one of `threads` threads for this call, and return when all have ended. */
void kn_team_call(unsigned threads, kn_team_part *part, void *arg);

/* In a part: wait until all members have arrived. */
void kn_team_wait(void);

/* The same, and a member on the processor of another one moves to another processor: the system places threads that wake each
 * other on one processor, where they would run in turn. */
void kn_team_part_ways(unsigned member);

/* As kn_team_wait, for the ends of a timed span: a member spins longer before it sleeps. The last one to arrive stores the time of
 * the monotonic clock in *out_ns first, unless it is NULL. */
void kn_team_wait_timed(uint64_t *out_ns);

#endif
